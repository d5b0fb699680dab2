//! Names of operations and tags.

use crate::resource::GroupVersion;

/// The group as one word in camel case, as tags show it: `core`, `flowcontrolApiserver`.
pub(crate) fn group_word(group: &str) -> String {
    let pascal = group_pascal(group);
    let mut letters = pascal.chars();
    let head = letters.next().map(|letter| letter.to_ascii_lowercase());
    head.into_iter().chain(letters).collect()
}

/// The group as one word with a capital, as operation names show it: `Core`.
pub(crate) fn group_pascal(group: &str) -> String {
    if group.is_empty() {
        return "Core".to_owned();
    }
    let own = group.strip_suffix(".k8s.io").unwrap_or(group);
    own.split(|letter: char| !letter.is_ascii_alphanumeric()).map(capitalized).collect()
}

/// Group and version in operation names: `CoreV1`, `FlowcontrolApiserverV1`.
pub(crate) fn group_version_pascal(group_version: &GroupVersion) -> String {
    group_pascal(&group_version.group) + &capitalized(&group_version.version)
}

/// Group and version as a tag: `core_v1`, `flowcontrolApiserver_v1`.
pub(crate) fn group_version_tag(group_version: &GroupVersion) -> String {
    format!("{}_{}", group_word(&group_version.group), group_version.version)
}

/// The word with its first letter in upper case.
pub(crate) fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let head = letters.next().map(|letter| letter.to_ascii_uppercase());
    head.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_become_words() {
        assert_eq!(group_word(""), "core");
        assert_eq!(group_word("rbac.authorization.k8s.io"), "rbacAuthorization");
        assert_eq!(group_pascal("cert-manager.io"), "CertManagerIo");
        let beta = GroupVersion::new("flowcontrol.apiserver.k8s.io", "v1beta3");
        assert_eq!(group_version_pascal(&beta), "FlowcontrolApiserverV1beta3");
        assert_eq!(group_version_tag(&beta), "flowcontrolApiserver_v1beta3");
    }
}
