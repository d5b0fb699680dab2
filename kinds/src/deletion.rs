//! How the deletion of some kinds differs from that of all others (spec: apimachinery 2.12, 6).

use serde_json::{Value, json};

use crate::definition;

/// Namespaces that every cluster has.
const LASTING_NAMESPACES: [&str; 3] = ["default", "kube-public", "kube-system"];

/// Why an object must not be deleted, if so.
#[must_use]
pub fn refusal(group: &str, kind: &str, name: &str) -> Option<&'static str> {
    let lasting = (group, kind) == ("", "Namespace") && LASTING_NAMESPACES.contains(&name);
    lasting.then_some("this namespace may not be deleted")
}

/// What clients are told who leave open what becomes of dependents.
#[must_use]
pub fn warning(group: &str, kind: &str) -> Option<&'static str> {
    ((group, kind) == ("batch", "Job")).then_some(
        "child pods are preserved by default when jobs are deleted; set \
         propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress \
         this warning",
    )
}

/// Whether an object that is being deleted stays for another reason than its finalizers in
/// metadata: a namespace stays until its own are gone.
#[must_use]
pub fn holds(group: &str, kind: &str, object: &Value) -> bool {
    let finalizers = object["spec"]["finalizers"].as_array();
    (group, kind) == ("", "Namespace") && finalizers.is_some_and(|list| !list.is_empty())
}

/// What holds every object of a kind whose deletion begins: definitions stay until their objects
/// are gone.
#[must_use]
pub fn finalizer(group: &str, kind: &str) -> Option<&'static str> {
    is_definition(group, kind).then_some(CLEANUP)
}

/// The finalizer of definitions.
pub const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

fn is_definition(group: &str, kind: &str) -> bool {
    (group, kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")
}

/// What else changes in an object when its deletion begins.
pub fn begin(group: &str, kind: &str, object: &mut Value) {
    if (group, kind) == ("", "Namespace") {
        object["status"]["phase"] = json!("Terminating");
    }
    if is_definition(group, kind) {
        definition::begin_deletion(object);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_stays_until_its_own_finalizers_are_gone() {
        let mut namespace = json!({ "spec": { "finalizers": ["kubernetes"] }, "status": {} });
        assert!(holds("", "Namespace", &namespace));
        begin("", "Namespace", &mut namespace);
        assert_eq!(namespace["status"]["phase"], "Terminating");
        namespace["spec"]["finalizers"] = Value::Null;
        assert!(!holds("", "Namespace", &namespace));
    }

    #[test]
    fn some_namespaces_are_there_for_good() {
        assert!(refusal("", "Namespace", "default").is_some());
        assert_eq!(refusal("", "Namespace", "mine"), None);
        assert_eq!(refusal("", "ConfigMap", "default"), None);
    }
}
