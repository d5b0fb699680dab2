//! DefaultStorageClass and DefaultIngressClass: the class of objects that name none.

use serde_json::Value;

use crate::value::Members;

const IS_DEFAULT: [&str; 3] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
    "ingressclass.kubernetes.io/is-default-class",
];
const OLD_STORAGE_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
const OLD_INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// The name of the default among classes: of several the newest, of those of one time the first
/// by name.
#[must_use]
pub fn default_class(classes: &[Value]) -> Option<String> {
    let says = |class: &&Value| {
        let annotations = class.member("metadata").member("annotations");
        IS_DEFAULT.iter().any(|name| annotations.text(name) == "true")
    };
    let key = |class: &&Value| {
        let metadata = class.member("metadata");
        let created = metadata.text("creationTimestamp").to_owned();
        (created, std::cmp::Reverse(metadata.text("name").to_owned()))
    };
    let class = classes.iter().filter(says).max_by_key(key)?;
    Some(class.member("metadata").text("name").to_owned())
}

/// Gives a new claim the default class if it names none.
pub fn set_storage_class(claim: &mut Value, default: impl Fn() -> Option<String>) {
    set_class(claim, "storageClassName", OLD_STORAGE_CLASS, default);
}

/// Gives a new Ingress the default class if it names none.
pub fn set_ingress_class(ingress: &mut Value, default: impl Fn() -> Option<String>) {
    set_class(ingress, "ingressClassName", OLD_INGRESS_CLASS, default);
}

fn set_class(
    object: &mut Value,
    member: &str,
    annotation: &str,
    default: impl Fn() -> Option<String>,
) {
    let named = object.member("spec").has(member)
        || object.member("metadata").member("annotations").has(annotation);
    if named {
        return;
    }
    if let Some(class) = default() {
        object.ensure("spec").set(member, class);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn class(name: &str, default: &str, created: &str) -> Value {
        json!({"metadata": {"name": name, "creationTimestamp": created,
            "annotations": {IS_DEFAULT[0]: default}}})
    }

    #[test]
    fn the_newest_default_counts() {
        let classes = [
            class("old", "true", "2020-01-01T00:00:00Z"),
            class("b", "true", "2021-01-01T00:00:00Z"),
            class("a", "true", "2021-01-01T00:00:00Z"),
            class("none", "false", "2022-01-01T00:00:00Z"),
        ];
        assert_eq!(default_class(&classes).as_deref(), Some("a"));
        assert_eq!(default_class(&classes[3..]), None);
    }

    #[test]
    fn who_names_a_class_or_says_that_it_wants_none_keeps_it() {
        for spec in [json!({"storageClassName": "own"}), json!({"storageClassName": ""})] {
            let mut claim = json!({"spec": spec});
            set_storage_class(&mut claim, || Some("d".to_owned()));
            assert_eq!(claim["spec"], spec);
        }
        let mut claim = json!({"spec": {}});
        set_storage_class(&mut claim, || Some("d".to_owned()));
        assert_eq!(claim["spec"]["storageClassName"], "d");
        let mut ingress =
            json!({"metadata": {"annotations": {OLD_INGRESS_CLASS: "x"}}, "spec": {}});
        set_ingress_class(&mut ingress, || Some("d".to_owned()));
        assert_eq!(ingress["spec"], json!({}));
    }
}
