//! Kinds that make pods from a template: `apps`, and replication controllers.

use serde_json::{Value, json};

use super::{pod_spec, storage};
use crate::value::Members;

/// Where a DaemonSet's clients find how often its template changed.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

fn with_spec(object: &mut Value, fill: impl FnOnce(&mut Value)) {
    if let Some(spec) = object.present_mut("spec") {
        fill(spec);
        if let Some(template) = spec.present_mut("template") {
            pod_spec::fill_template(template);
        }
    }
}

/// The defaults of a Deployment.
pub(crate) fn fill_deployment(object: &mut Value) {
    with_spec(object, |spec| {
        spec.set_default("replicas", 1);
        let strategy = spec.ensure("strategy");
        strategy.set_default("type", "RollingUpdate");
        if strategy.text("type") == "RollingUpdate" {
            let rolling = strategy.ensure("rollingUpdate");
            rolling.set_default("maxUnavailable", "25%");
            rolling.set_default("maxSurge", "25%");
        }
        spec.set_default("revisionHistoryLimit", 10);
        spec.set_default("progressDeadlineSeconds", 600);
    });
}

/// The defaults of a ReplicaSet.
pub(crate) fn fill_replica_set(object: &mut Value) {
    with_spec(object, |spec| spec.set_default("replicas", 1));
}

/// The defaults of a StatefulSet.
pub(crate) fn fill_stateful_set(object: &mut Value) {
    with_spec(object, |spec| {
        spec.set_default("podManagementPolicy", "OrderedReady");
        let strategy = spec.ensure("updateStrategy");
        strategy.set_default("type", "RollingUpdate");
        if strategy.text("type") == "RollingUpdate" {
            let rolling = strategy.ensure("rollingUpdate");
            rolling.set_default("partition", 0);
            rolling.set_default("maxUnavailable", 1);
        }
        let retention = spec.ensure("persistentVolumeClaimRetentionPolicy");
        retention.set_default("whenDeleted", "Retain");
        retention.set_default("whenScaled", "Retain");
        spec.set_default("replicas", 1);
        spec.set_default("revisionHistoryLimit", 10);
        for claim in spec.items_mut("volumeClaimTemplates") {
            claim.set("kind", "PersistentVolumeClaim");
            claim.set("apiVersion", "v1");
            storage::fill_claim(claim);
        }
    });
}

/// The defaults of a DaemonSet.
pub(crate) fn fill_daemon_set(object: &mut Value) {
    object.ensure("metadata").ensure("annotations").set_default(TEMPLATE_GENERATION, "0");
    with_spec(object, |spec| {
        let strategy = spec.ensure("updateStrategy");
        strategy.set_default("type", "RollingUpdate");
        if strategy.text("type") == "RollingUpdate" {
            let rolling = strategy.ensure("rollingUpdate");
            rolling.set_default("maxUnavailable", 1);
            rolling.set_default("maxSurge", 0);
        }
        spec.set_default("revisionHistoryLimit", 10);
    });
}

/// The defaults of a replication controller, which may leave labels to its template.
pub(crate) fn fill_replication_controller(object: &mut Value) {
    let spec = object.member("spec");
    let labels = spec.member("template").member("metadata").member("labels").clone();
    let has_labels = labels.as_object().is_some_and(|labels| !labels.is_empty());
    if has_labels && object.member("metadata").is_blank("labels") {
        object.ensure("metadata").set("labels", labels.clone());
    }
    with_spec(object, |spec| {
        if has_labels && spec.is_blank("selector") {
            spec.set("selector", labels);
        }
        spec.set_default("replicas", 1);
    });
}

/// The defaults of a PodTemplate.
pub(crate) fn fill_pod_template(object: &mut Value) {
    if let Some(template) = object.present_mut("template") {
        pod_spec::fill_template(template);
    }
}

/// A DaemonSet that is about to be created: its template has changed once.
pub(crate) fn prepare_create_daemon_set(object: &mut Value) {
    object.ensure("metadata").ensure("annotations").set(TEMPLATE_GENERATION, "1");
}

/// A DaemonSet that is about to be changed: counts changes of its template.
pub(crate) fn prepare_update_daemon_set(object: &mut Value, old: &Value) {
    let count = old.member("metadata").member("annotations").text(TEMPLATE_GENERATION);
    let count: i64 = count.parse().unwrap_or(0);
    let template = |object: &Value| object.member("spec").member("template").clone();
    let changed = template(object) != template(old);
    let count = if changed { count.saturating_add(1) } else { count };
    let annotations = object.ensure("metadata").ensure("annotations");
    annotations.set(TEMPLATE_GENERATION, count.to_string());
}

/// What a status reads like before a controller has said anything.
pub(crate) fn no_status(kind: &str) -> Value {
    match kind {
        "StatefulSet" => json!({"replicas": 0, "availableReplicas": 0}),
        "ReplicaSet" | "ReplicationController" => json!({"replicas": 0}),
        "DaemonSet" => json!({"currentNumberScheduled": 0, "numberMisscheduled": 0,
            "desiredNumberScheduled": 0, "numberReady": 0}),
        _ => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_that_do_not_roll_have_no_parameters() {
        let mut object = json!({"spec": {"strategy": {"type": "Recreate"}}});
        fill_deployment(&mut object);
        assert_eq!(object["spec"]["strategy"], json!({"type": "Recreate"}));
    }

    #[test]
    fn claims_of_a_stateful_set_name_their_kind() {
        let mut object = json!({"spec": {"volumeClaimTemplates": [{"spec": {}}]}});
        fill_stateful_set(&mut object);
        let claim = &object["spec"]["volumeClaimTemplates"][0];
        assert_eq!(claim["kind"], "PersistentVolumeClaim");
        assert_eq!(claim["status"]["phase"], "Pending");
    }

    #[test]
    fn changes_of_a_daemon_sets_template_are_counted() {
        let old = json!({"metadata": {"annotations": {TEMPLATE_GENERATION: "4"}}, "spec": {}});
        let mut same = json!({"metadata": {}, "spec": {"minReadySeconds": 1}});
        prepare_update_daemon_set(&mut same, &old);
        assert_eq!(same["metadata"]["annotations"][TEMPLATE_GENERATION], "4");
        let mut changed = json!({"metadata": {}, "spec": {"template": {}}});
        prepare_update_daemon_set(&mut changed, &old);
        assert_eq!(changed["metadata"]["annotations"][TEMPLATE_GENERATION], "5");
    }
}
