//! What the server fills in where a client leaves it open, and what it decides itself before an
//! object is validated and stored.
//!
//! Objects are in canonical JSON (see `api::decode`), pruned. Members that are filled in go to the
//! end of their struct: decode again by the table of the kind to have them in the order of fields.

pub(crate) mod autoscaling;
pub(crate) mod batch;
pub(crate) mod core;
pub(crate) mod custom_resources;
pub(crate) mod pod;
pub(crate) mod pod_spec;
pub(crate) mod policies;
pub(crate) mod service;
pub(crate) mod storage;
pub(crate) mod volume;
pub(crate) mod workloads;

use serde_json::Value;

use crate::registry;
use crate::value::Members;

/// Fills in the defaults of a kind. What stands in the recorded types is filled in already. Filling
/// in twice is the same as once. HorizontalPodAutoscalers must have their `apiVersion`.
pub fn fill(group: &str, kind: &str, object: &mut Value) {
    if let Some(kind) = registry::find(group, kind) {
        (kind.fill)(object);
    }
}

/// What happens to a new object between admission and validation: its first status and generation.
///
/// `metadata` must have its final name, its uid and its creation time. Cluster IPs and node ports
/// are allocated by the caller.
pub fn prepare_create(group: &str, kind: &str, object: &mut Value) {
    let Some(kind) = registry::find(group, kind) else { return };
    if let Some(no_status) = kind.no_status {
        let status = no_status(object);
        object.set("status", status);
    }
    (kind.prepare_create)(object);
    if kind.generation.is_some() {
        object.ensure("metadata").set("generation", 1);
    }
}

/// The same for an object that is about to be changed: its status stays as it was, and its
/// generation counts on if it was changed where that matters.
pub fn prepare_update(group: &str, kind: &str, object: &mut Value, old: &Value) {
    let Some(kind) = registry::find(group, kind) else { return };
    if kind.no_status.is_some() {
        match old.member("status") {
            Value::Null => drop(object.take_member("status")),
            status => object.set("status", status.clone()),
        }
    }
    (kind.prepare_update)(object, old);
    let Some(counted) = kind.generation else { return };
    let generation = old.member("metadata").int("generation").unwrap_or(0);
    let changed = counted.iter().any(|pointer| object.pointer(pointer) != old.pointer(pointer));
    let generation = if changed { generation.saturating_add(1) } else { generation };
    if generation != 0 {
        object.ensure("metadata").set("generation", generation);
    }
}

/// The members of the metadata that a write of the status changes as well. Kinds of the first groups
/// take all that clients decide; those that came later leave their metadata alone.
#[must_use]
pub fn metadata_with_status(group: &str, kind: &str) -> &'static [&'static str] {
    match (group, kind) {
        // Who owns a pod is not for its node to say.
        ("", "Pod") => &["annotations", "finalizers", "labels"],
        // Its labels are what its selector was made from.
        ("apps", "Deployment") => &["annotations", "finalizers", "ownerReferences"],
        ("" | "apps" | "autoscaling" | "batch" | "policy", _)
        | ("networking.k8s.io", "Ingress") => STATUS_METADATA,
        _ => &[],
    }
}

/// All that clients decide about metadata.
const STATUS_METADATA: &[&str] = &["annotations", "finalizers", "labels", "ownerReferences"];

/// Whether objects of a kind count the changes of what they ask for.
#[must_use]
pub fn has_generation(group: &str, kind: &str) -> bool {
    registry::find(group, kind).is_some_and(|kind| kind.generation.is_some())
}

/// Whether an update may leave out `metadata.resourceVersion`.
#[must_use]
pub fn allows_unconditional_update(group: &str, kind: &str) -> bool {
    registry::find(group, kind).is_none_or(|kind| kind.unconditional_update)
}

/// Whether an update of an object that does not exist creates it.
#[must_use]
pub fn allows_create_on_update(group: &str, kind: &str) -> bool {
    registry::find(group, kind).is_some_and(|kind| kind.create_on_update)
}

/// How many seconds pass between the deletion of an object and its end, given what the client asked
/// for; `None` for kinds that end at once. `kind` is one of the core group.
#[must_use]
pub fn deletion_grace_seconds(kind: &str, object: &Value, asked: Option<i64>) -> Option<i64> {
    (kind == "Pod").then(|| pod::deletion_grace_seconds(object, asked))
}

/// Whether objects that belong to one of that kind outlive it, unless the client says otherwise:
/// deleting it without a propagation policy adds the finalizer `orphan`.
#[must_use]
pub fn orphans_dependents(group: &str, kind: &str) -> bool {
    matches!((group, kind), ("", "ReplicationController") | ("batch", "Job"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_generation_counts_changes_of_what_is_asked_for() {
        let mut old =
            json!({"kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 1}});
        prepare_create("apps", "Deployment", &mut old);
        assert_eq!(old["metadata"]["generation"], 1);
        let generation = |change: &dyn Fn(&mut Value)| {
            let mut new = old.clone();
            change(&mut new);
            prepare_update("apps", "Deployment", &mut new, &old);
            new["metadata"]["generation"].clone()
        };
        assert_eq!(generation(&|new| new["spec"]["replicas"] = 2.into()), 2);
        assert_eq!(generation(&|new| new["metadata"]["annotations"] = json!({"a": "b"})), 2);
        assert_eq!(generation(&|new| new["metadata"]["labels"] = json!({"a": "b"})), 1);
        assert_eq!(generation(&|new| new["status"]["replicas"] = 2.into()), 1);
    }

    #[test]
    fn clients_have_no_say_in_the_status() {
        let mut old = json!({"kind": "Job", "metadata": {}, "spec": {}, "status": {"active": 7}});
        prepare_create("batch", "Job", &mut old);
        assert_eq!(old["status"], json!({}));
        let mut new = old.clone();
        new["status"]["active"] = 7.into();
        prepare_update("batch", "Job", &mut new, &old);
        assert_eq!(new["status"], json!({}));
    }

    #[test]
    fn some_kinds_are_created_by_updates_and_some_need_a_version() {
        for (group, kind, creates, unconditional) in [
            ("", "ConfigMap", false, true),
            ("", "Service", true, true),
            ("", "ServiceAccount", false, false),
            ("rbac.authorization.k8s.io", "Role", true, true),
            ("coordination.k8s.io", "Lease", true, false),
            ("example.com", "Unlisted", false, true),
        ] {
            assert_eq!(allows_create_on_update(group, kind), creates, "{kind}");
            assert_eq!(allows_unconditional_update(group, kind), unconditional, "{kind}");
        }
    }

    #[test]
    fn the_oldest_workloads_leave_their_pods_behind() {
        assert!(orphans_dependents("", "ReplicationController"));
        assert!(orphans_dependents("batch", "Job"));
        assert!(
            !orphans_dependents("batch", "CronJob") && !orphans_dependents("apps", "ReplicaSet")
        );
    }

    #[test]
    fn only_pods_take_time_to_end() {
        let on_a_node = json!({"spec": {"nodeName": "n", "terminationGracePeriodSeconds": 30}});
        assert_eq!(deletion_grace_seconds("Pod", &on_a_node, None), Some(30));
        assert_eq!(deletion_grace_seconds("Service", &on_a_node, Some(3)), None);
    }
}
