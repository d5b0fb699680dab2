//! What is left of the core group: namespaces, nodes, secrets, limits.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::value::Members;

/// The label that every namespace has, so that selectors can name it.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// The defaults of a namespace.
pub(crate) fn fill_namespace(namespace: &mut Value) {
    let name = namespace.member("metadata").text("name").to_owned();
    if name.is_empty() {
        return;
    }
    let labels = namespace.ensure("metadata").ensure("labels");
    labels.set(NAMESPACE_NAME, name);
    if let Value::Object(labels) = labels {
        labels.sort_keys();
    }
}

/// A namespace that is about to be created, under its final name.
pub(crate) fn prepare_create_namespace(namespace: &mut Value) {
    fill_namespace(namespace);
    namespace.set("status", json!({"phase": "Active"}));
    let spec = namespace.ensure("spec");
    if !spec.items("finalizers").iter().any(|finalizer| finalizer == "kubernetes") {
        spec.push_item("finalizers", "kubernetes".into());
    }
}

/// A namespace that is about to be changed; who may finish it is changed elsewhere.
pub(crate) fn prepare_update_namespace(namespace: &mut Value, old: &Value) {
    namespace.set("status", old.member("status").clone());
    let finalizers = old.member("spec").member("finalizers").clone();
    let spec = namespace.ensure("spec");
    if finalizers.is_null() {
        spec.take_member("finalizers");
    } else {
        spec.set("finalizers", finalizers);
    }
}

/// The defaults of a node: it offers what it has.
pub(crate) fn fill_node(node: &mut Value) {
    let Some(status) = node.present_mut("status") else { return };
    if status.is_blank("allocatable") && !status.is_blank("capacity") {
        let capacity = status.member("capacity").clone();
        status.set("allocatable", capacity);
    }
}

/// The defaults of a secret. Text data becomes data; it is never stored as text.
pub(crate) fn fill_secret(secret: &mut Value) {
    secret.set_default("type", "Opaque");
    let Some(Value::Object(texts)) = secret.take_member("stringData") else { return };
    if texts.is_empty() {
        return;
    }
    if let Value::Object(data) = secret.ensure("data") {
        for (key, text) in texts {
            data.insert(key, STANDARD.encode(text.as_str().unwrap_or_default()).into());
        }
        data.sort_keys();
    }
}

/// A secret that is about to be changed keeps its type if the client has none.
pub(crate) fn prepare_update_secret(secret: &mut Value, old: &Value) {
    if secret.is_blank("type") {
        secret.set("type", old.text("type"));
    }
}

/// Service accounts name secrets; nothing but the name counts.
pub(crate) fn prepare_service_account(account: &mut Value) {
    for secret in account.items_mut("secrets") {
        if let Value::Object(members) = secret {
            members.retain(|member, _| member == "name");
        }
    }
}

/// The defaults of limits: what is limited for containers is also given to them.
pub(crate) fn fill_limit_range(range: &mut Value) {
    let Some(spec) = range.present_mut("spec") else { return };
    for item in spec.items_mut("limits") {
        if item.text("type") != "Container" {
            continue;
        }
        for (from, to) in
            [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")]
        {
            let amounts = item.member(from).clone();
            item.add_missing(to, &amounts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_data_of_a_secret_wins_over_data() {
        let mut secret = json!({"data": {"z": "AA==", "a": "AA=="}, "stringData": {"a": "w"}});
        fill_secret(&mut secret);
        assert_eq!(secret["data"].to_string(), r#"{"a":"dw==","z":"AA=="}"#);
        assert!(!secret.has("stringData"));
        assert_eq!(secret["type"], "Opaque");
    }

    #[test]
    fn limits_of_containers_are_passed_on() {
        let mut range = json!({"spec": {"limits": [{"type": "Container",
            "max": {"cpu": "2"}, "min": {"memory": "1Mi"}}, {"type": "Pod", "max": {"cpu": "2"}}]}});
        fill_limit_range(&mut range);
        let limits = &range["spec"]["limits"];
        assert_eq!(limits[0]["default"], json!({"cpu": "2"}));
        assert_eq!(limits[0]["defaultRequest"], json!({"cpu": "2", "memory": "1Mi"}));
        assert!(!limits[1].has("default"));
    }

    #[test]
    fn a_namespace_keeps_its_finalizers() {
        let mut namespace = json!({"metadata": {"name": "n"}});
        prepare_create_namespace(&mut namespace);
        assert_eq!(namespace["spec"]["finalizers"], json!(["kubernetes"]));
        let mut changed = json!({"metadata": {"name": "n"}, "spec": {"finalizers": []}});
        prepare_update_namespace(&mut changed, &namespace);
        assert_eq!(changed["spec"], namespace["spec"]);
        assert_eq!(changed["status"], namespace["status"]);
    }
}
