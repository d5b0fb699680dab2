//! What the server refuses. Texts, paths and order are the reference's.

pub(crate) mod admission;
mod affinity;
pub(crate) mod autoscaling;
pub(crate) mod batch;
mod checks;
mod container;
pub(crate) mod core;
mod cron;
pub(crate) mod event;
mod expressions;
pub(crate) mod limits;
mod metadata;
pub(crate) mod networking;
pub(crate) mod pod;
pub(crate) mod pod_spec;
mod probe;
pub(crate) mod rbac;
mod resources;
pub(crate) mod revision;
mod selector;
pub(crate) mod service;
pub(crate) mod storage;
mod volume;
pub(crate) mod workloads;

use serde_json::Value;
use validation::field::ErrorList;

pub(crate) use metadata::Names;

use crate::registry;

/// The errors of a new object, which has its defaults and was prepared.
#[must_use]
pub fn validate_create(group: &str, kind: &str, object: &Value) -> ErrorList {
    let Some(kind) = registry::find(group, kind) else {
        return metadata::of_new(object, Names::Subdomain);
    };
    let mut errors = metadata::of_new(object, kind.names);
    (kind.validate_create)(object, &mut errors);
    errors
}

/// The errors of a changed object. Errors that two rules find are listed twice, as in the
/// reference; whoever answers lists them once.
#[must_use]
pub fn validate_update(group: &str, kind: &str, object: &Value, old: &Value) -> ErrorList {
    let mut errors = metadata::of_changed(object, old);
    if let Some(kind) = registry::find(group, kind) {
        match kind.validate_update {
            Some(validate) => validate(object, old, &mut errors),
            None => (kind.validate_create)(object, &mut errors),
        }
    }
    errors
}

/// The errors of an object of which one part was changed through a subresource of its own, other
/// than its status.
#[must_use]
pub fn validate_part_update(
    (group, kind, subresource): (&str, &str, &str),
    object: &Value,
    old: &Value,
) -> ErrorList {
    match (group, kind, subresource) {
        // Whoever binds a pod says nothing else of it.
        ("", "Pod", "binding") => ErrorList::default(),
        ("", "Pod", "ephemeralcontainers") => {
            let mut errors = metadata::of_changed(object, old);
            pod::ephemeral_containers_update(object, old, &mut errors);
            errors
        }
        _ => validate_update(group, kind, object, old),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Objects in which nothing is of the type it should be.
    fn nonsense() -> Vec<Value> {
        let lists =
            ["containers", "volumes", "tolerations", "taints", "ports", "accessModes", "rules"];
        let mut spec = json!({"template": {"metadata": [], "spec": 1}, "selector": "x", "replicas": "y",
            "strategy": {"rollingUpdate": 1}, "updateStrategy": [], "jobTemplate": {"spec": []}});
        for list in lists {
            spec[list] = json!([null, 1, "x", [], {}, {"name": 1, "ports": {}, "env": [[]]}]);
        }
        vec![
            json!(null),
            json!([]),
            json!({}),
            json!({"metadata": null, "spec": null}),
            json!({"metadata": {"name": "a", "annotations": {}}, "spec": spec.clone(), "webhooks": spec["rules"],
                "subjects": spec["rules"], "rules": spec["rules"], "subsets": spec["rules"],
                "endpoints": spec["rules"], "ports": spec["rules"], "data": [], "template": spec.clone()}),
        ]
    }

    #[test]
    fn no_object_makes_a_rule_or_a_default_fail() {
        for kind in registry::kinds() {
            for object in nonsense() {
                let mut new = object.clone();
                crate::defaults::fill(kind.group, kind.kind, &mut new);
                crate::defaults::prepare_create(kind.group, kind.kind, &mut new);
                crate::defaults::prepare_update(kind.group, kind.kind, &mut new, &object);
                let created = validate_create(kind.group, kind.kind, &new);
                let changed = validate_update(kind.group, kind.kind, &new, &object);
                assert!(created.iter().chain(&changed).all(|error| !error.to_string().is_empty()));
            }
        }
    }

    #[test]
    fn a_part_of_a_pod_may_change_where_the_pod_may_not() {
        let old = json!({"metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"},
            "spec": {"containers": [{"name": "c", "image": "c:1"}]}});
        let mut bound = old.clone();
        bound["spec"]["nodeName"] = "n".into();
        let mut debugged = old.clone();
        debugged["spec"]["ephemeralContainers"] = json!([{"name": "d", "image": "d:1"}]);
        for (part, object) in [("binding", &bound), ("ephemeralcontainers", &debugged)] {
            let errors = |part| validate_part_update(("", "Pod", part), object, &old);
            assert!(errors(part).is_empty(), "{part}");
            assert!(!errors("other").is_empty(), "{part}");
        }
    }

    #[test]
    fn a_kind_that_is_not_listed_has_its_metadata_checked() {
        let object = json!({"metadata": {"name": "Bad", "finalizers": ["x"]}});
        let fields: Vec<String> = validate_create("example.com", "X", &object)
            .into_iter()
            .map(|error| error.field)
            .collect();
        assert_eq!(fields, ["metadata.name", "metadata.finalizers[0]"]);
        let renamed = json!({"metadata": {"name": "other"}});
        assert!(!validate_update("example.com", "X", &renamed, &object).is_empty());
    }
}
