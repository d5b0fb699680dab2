//! What a pod's security context says for all of its containers.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path};

use super::checks;
use crate::value::Members;

const ID_RANGE: &str = "must be between 0 and 2147483647, inclusive";
/// How many bytes the name of a kernel parameter may have.
const SYSCTL_NAME_MAX: usize = 253;
const SYSCTL_NAME_RULE: &str = "must have at most 253 characters and match regex \
    ([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?";

pub(super) fn validate(errors: &mut ErrorList, context: &Value, path: &Path) {
    for member in ["fsGroup", "runAsUser", "runAsGroup"] {
        if let Some(id) = context.int(member) {
            validate_id(errors, id, &path.child(member));
        }
    }
    let groups = context.items("supplementalGroups").iter().map(Value::as_i64);
    for (index, group) in groups.enumerate() {
        if let Some(group) = group {
            validate_id(errors, group, &path.child("supplementalGroups").index(index));
        }
    }
    validate_sysctls(errors, context.items("sysctls"), &path.child("sysctls"));
    let policies = ["Always", "OnRootMismatch"];
    checks::one_of_if_any(errors, context, path, "fsGroupChangePolicy", &policies);
}

fn validate_id(errors: &mut ErrorList, id: i64, path: &Path) {
    if !(0..=i64::from(i32::MAX)).contains(&id) {
        errors.push(Error::invalid(path, id, ID_RANGE));
    }
}

fn validate_sysctls(errors: &mut ErrorList, sysctls: &[Value], path: &Path) {
    let mut seen = std::collections::BTreeSet::new();
    for (index, sysctl) in sysctls.iter().enumerate() {
        let (path, name) = (path.index(index).child("name"), sysctl.text("name"));
        let new = seen.insert(name);
        if name.is_empty() {
            errors.push(Error::required(&path, ""));
        } else if !is_sysctl_name(name) {
            errors.push(Error::invalid(&path, name, SYSCTL_NAME_RULE));
        } else if !new {
            errors.push(Error::duplicate(&path, name));
        }
    }
}

fn is_sysctl_name(name: &str) -> bool {
    name.len() <= SYSCTL_NAME_MAX && name.split(['.', '/']).all(is_sysctl_segment)
}

fn is_sysctl_segment(segment: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    segment.starts_with(is_plain)
        && segment.ends_with(is_plain)
        && segment.chars().all(|c| is_plain(c) || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(context: &Value) -> Vec<String> {
        let mut errors = ErrorList::default();
        validate(&mut errors, context, &Path::new("c"));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_of_kernel_parameters_are_words_between_dots_or_slashes() {
        for name in ["kernel.shmmax", "net/ipv4/tcp_syncookies", "a", "net.ipv4.conf.eth0/1.x-y"] {
            assert!(is_sysctl_name(name), "{name}");
        }
        for name in ["foo-", "bar..", ".a", "_a", "A", "a b", "é"] {
            assert!(!is_sysctl_name(name), "{name}");
        }
        assert!(is_sysctl_name(&"a".repeat(253)));
        assert!(!is_sysctl_name(&"a".repeat(254)));
    }

    #[test]
    fn kernel_parameters_are_named_rightly_and_once() {
        let names = ["", "foo-", "a", "a"].map(|name| json!({"name": name, "value": "1"}));
        assert_eq!(
            texts(&json!({"sysctls": names})),
            [
                "c.sysctls[0].name: Required value".to_owned(),
                format!("c.sysctls[1].name: Invalid value: \"foo-\": {SYSCTL_NAME_RULE}"),
                "c.sysctls[3].name: Duplicate value: \"a\"".to_owned(),
            ]
        );
    }

    #[test]
    fn users_and_groups_are_in_their_range() {
        let context = json!({"fsGroup": -1, "runAsUser": 2_147_483_648_i64,
            "runAsGroup": 0, "supplementalGroups": [1, -5]});
        assert_eq!(
            texts(&context),
            [
                format!("c.fsGroup: Invalid value: -1: {ID_RANGE}"),
                format!("c.runAsUser: Invalid value: 2147483648: {ID_RANGE}"),
                format!("c.supplementalGroups[1]: Invalid value: -5: {ID_RANGE}"),
            ]
        );
    }
}
