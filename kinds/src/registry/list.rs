//! The list.

use serde_json::{Value, json};

use super::Kind;
use crate::defaults::{
    autoscaling, batch, core, custom_resources, pod, policies, service, storage, workloads,
};
use crate::rules::{self, Names};

const SPEC: &[&str] = &["/spec"];
/// Deployments hand their annotations on, so these count.
const SPEC_AND_ANNOTATIONS: &[&str] = &["/spec", "/metadata/annotations"];
const SLICE: &[&str] = &["/metadata/labels", "/addressType", "/endpoints", "/ports"];

/// What is particular about a kind, if anything is.
pub(crate) fn find(group: &str, kind: &str) -> Option<&'static Kind> {
    KINDS.into_iter().flatten().find(|each| each.group == group && each.kind == kind)
}

/// The whole list.
#[cfg(test)]
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    KINDS.into_iter().flatten()
}

static KINDS: [&[Kind]; 7] = [CORE, APPS, BATCH, NETWORK, ACCESS, STORAGE, OTHERS];

fn empty(_: &Value) -> Value {
    json!({})
}

fn workload(object: &Value) -> Value {
    workloads::no_status(object.get("kind").and_then(Value::as_str).unwrap_or_default())
}

fn no_balancer(_: &Value) -> Value {
    json!({"loadBalancer": {}})
}

const CORE: &[Kind] = &[
    Kind::new("", "Namespace")
        .rules(rules::core::create_namespace)
        .names(Names::Label)
        .fill(core::fill_namespace)
        .on_create(core::prepare_create_namespace)
        .on_update(core::prepare_update_namespace),
    Kind::new("", "Node")
        .rules(rules::core::create_node)
        .update_rules(rules::core::update_node)
        .fill(core::fill_node),
    Kind::new("", "Pod")
        .rules(rules::pod::create)
        .update_rules(rules::pod::update)
        .fill(pod::fill)
        .on_create(pod::prepare_create)
        .on_update(pod::prepare_update)
        .generation(SPEC),
    Kind::new("", "PodTemplate")
        .rules(rules::pod::template_create)
        .fill(workloads::fill_pod_template)
        .generation(&["/template"]),
    Kind::new("", "ReplicationController")
        .rules(rules::workloads::create_replication_controller)
        .fill(workloads::fill_replication_controller)
        .status(workload)
        .generation(SPEC),
    Kind::new("", "Service")
        .rules(rules::service::create)
        .update_rules(rules::service::update)
        .names(Names::Label)
        .fill(service::fill)
        .on_create(service::prepare_create)
        .on_update(service::prepare_update)
        .created_by_update(),
    Kind::new("", "Endpoints")
        .rules(rules::service::create_endpoints)
        .fill(service::fill_endpoints)
        .created_by_update(),
    Kind::new("", "ConfigMap")
        .rules(rules::core::create_config_map)
        .update_rules(rules::core::update_config_map),
    Kind::new("", "Secret")
        .rules(rules::core::create_secret)
        .update_rules(rules::core::update_secret)
        .fill(core::fill_secret)
        .on_update(core::prepare_update_secret),
    Kind::new("", "ServiceAccount")
        .on_create(core::prepare_service_account)
        .on_update(|account, _| core::prepare_service_account(account))
        .needs_version(),
    Kind::new("", "LimitRange")
        .rules(rules::limits::create)
        .fill(core::fill_limit_range)
        .created_by_update(),
    Kind::new("", "ResourceQuota")
        .rules(rules::core::create_quota)
        .update_rules(rules::core::update_quota)
        .status(empty),
    Kind::new("", "PersistentVolume")
        .rules(rules::storage::create_volume)
        .update_rules(rules::storage::update_volume)
        .fill(storage::fill_volume)
        .on_create(storage::prepare_create_volume)
        .on_update(keep_status),
    Kind::new("", "PersistentVolumeClaim")
        .rules(rules::storage::create_claim)
        .update_rules(rules::storage::update_claim)
        .fill(storage::fill_claim)
        .on_create(storage::prepare_create_claim)
        .on_update(storage::prepare_update_claim),
    Kind::new("", "Event")
        .rules(rules::event::create_core)
        .update_rules(|_, _, _| {})
        .created_by_update(),
    Kind::new("events.k8s.io", "Event")
        .rules(rules::event::create)
        .update_rules(|_, _, _| {})
        .created_by_update(),
];

/// What was asked for stays as it was, whatever the client sends; that is no error.
fn keep_spec(object: &mut Value, old: &Value) {
    if let (Value::Object(members), Some(spec)) = (object, old.get("spec")) {
        members.insert("spec".to_owned(), spec.clone());
    }
}

fn keep_status(object: &mut Value, old: &Value) {
    if let (Value::Object(members), Some(status)) = (object, old.get("status")) {
        members.insert("status".to_owned(), status.clone());
    }
}

const APPS: &[Kind] = &[
    Kind::new("apps", "Deployment")
        .rules(rules::workloads::create_deployment)
        .update_rules(rules::workloads::update_deployment)
        .fill(workloads::fill_deployment)
        .status(workload)
        .generation(SPEC_AND_ANNOTATIONS),
    Kind::new("apps", "ReplicaSet")
        .rules(rules::workloads::create_replica_set)
        .update_rules(rules::workloads::update_replica_set)
        .fill(workloads::fill_replica_set)
        .status(workload)
        .generation(SPEC),
    Kind::new("apps", "StatefulSet")
        .rules(rules::workloads::create_stateful_set)
        .update_rules(rules::workloads::update_stateful_set)
        .names(Names::Label)
        .fill(workloads::fill_stateful_set)
        .status(workload)
        .generation(SPEC),
    Kind::new("apps", "DaemonSet")
        .rules(rules::workloads::create_daemon_set)
        .update_rules(rules::workloads::update_daemon_set)
        .fill(workloads::fill_daemon_set)
        .on_create(workloads::prepare_create_daemon_set)
        .on_update(workloads::prepare_update_daemon_set)
        .status(workload)
        .generation(SPEC),
    Kind::new("apps", "ControllerRevision")
        .rules(rules::revision::create)
        .update_rules(rules::revision::update),
];

const BATCH: &[Kind] = &[
    Kind::new("batch", "Job")
        .rules(rules::batch::create_job)
        .update_rules(rules::batch::update_job)
        .fill(batch::fill_job)
        .on_create(batch::prepare_create_job)
        .status(empty)
        .generation(SPEC),
    Kind::new("batch", "CronJob")
        .rules(rules::batch::create_cron_job)
        .update_rules(rules::batch::update_cron_job)
        .fill(batch::fill_cron_job)
        .status(empty)
        .generation(SPEC),
    Kind::new("autoscaling", "HorizontalPodAutoscaler")
        .rules(rules::autoscaling::create)
        .fill(autoscaling::fill)
        .status(autoscaling::no_status)
        .generation(SPEC),
    Kind::new("policy", "PodDisruptionBudget")
        .rules(rules::batch::create_budget)
        .status(|_| {
            json!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0,
                "expectedPods": 0})
        })
        .generation(SPEC)
        .needs_version()
        .created_by_update(),
];

const NETWORK: &[Kind] = &[
    Kind::new("networking.k8s.io", "Ingress")
        .rules(rules::networking::create_ingress)
        .status(no_balancer)
        .generation(SPEC),
    Kind::new("networking.k8s.io", "IngressClass")
        .rules(rules::networking::create_ingress_class)
        .update_rules(rules::networking::update_ingress_class)
        .fill(policies::fill_ingress_class)
        .generation(SPEC),
    Kind::new("networking.k8s.io", "NetworkPolicy")
        .rules(rules::networking::create_network_policy)
        .fill(policies::fill_network_policy)
        .generation(SPEC),
    Kind::new("networking.k8s.io", "IPAddress")
        .names(Names::PathSegment)
        .rules(rules::networking::create_address)
        .update_rules(rules::networking::update_address),
    Kind::new("networking.k8s.io", "ServiceCIDR").status(empty),
    Kind::new("discovery.k8s.io", "EndpointSlice")
        .rules(rules::networking::create_slice)
        .update_rules(rules::networking::update_slice)
        .fill(service::fill_slice)
        .generation(SLICE),
    Kind::new("coordination.k8s.io", "Lease")
        .rules(rules::networking::create_lease)
        .needs_version()
        .created_by_update(),
];

const ACCESS: &[Kind] = &[
    Kind::new("rbac.authorization.k8s.io", "Role")
        .rules(rules::rbac::create_role)
        .names(Names::PathSegment)
        .created_by_update(),
    Kind::new("rbac.authorization.k8s.io", "ClusterRole")
        .rules(rules::rbac::create_cluster_role)
        .names(Names::PathSegment)
        .created_by_update(),
    Kind::new("rbac.authorization.k8s.io", "RoleBinding")
        .rules(rules::rbac::create_role_binding)
        .update_rules(rules::rbac::update_role_binding)
        .names(Names::PathSegment)
        .fill(policies::fill_binding)
        .created_by_update(),
    Kind::new("rbac.authorization.k8s.io", "ClusterRoleBinding")
        .rules(rules::rbac::create_cluster_role_binding)
        .update_rules(rules::rbac::update_cluster_role_binding)
        .names(Names::PathSegment)
        .fill(policies::fill_binding)
        .created_by_update(),
    Kind::new("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
        .rules(rules::admission::create_webhooks)
        .fill(policies::fill_webhooks)
        .generation(&["/webhooks"])
        .needs_version(),
    Kind::new("admissionregistration.k8s.io", "MutatingWebhookConfiguration")
        .rules(rules::admission::create_webhooks)
        .fill(policies::fill_webhooks)
        .generation(&["/webhooks"])
        .needs_version(),
    Kind::new("admissionregistration.k8s.io", "ValidatingAdmissionPolicy")
        .rules(rules::admission::create_policy)
        .fill(policies::fill_admission_policy)
        .status(empty)
        .generation(SPEC)
        .needs_version(),
    Kind::new("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding")
        .rules(rules::admission::create_policy_binding)
        .fill(policies::fill_admission_binding)
        .generation(SPEC)
        .needs_version(),
    Kind::new("admissionregistration.k8s.io", "MutatingAdmissionPolicy")
        .fill(policies::fill_admission_policy)
        .generation(SPEC)
        .needs_version(),
    Kind::new("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding")
        .fill(policies::fill_admission_binding)
        .generation(SPEC)
        .needs_version(),
    Kind::new("certificates.k8s.io", "CertificateSigningRequest")
        .rules(rules::admission::create_signing_request)
        .on_update(keep_spec)
        .status(empty),
    Kind::new("certificates.k8s.io", "ClusterTrustBundle").needs_version(),
];

const STORAGE: &[Kind] = &[
    Kind::new("storage.k8s.io", "StorageClass")
        .rules(rules::storage::create_class)
        .update_rules(rules::storage::update_class)
        .fill(storage::fill_class),
    Kind::new("storage.k8s.io", "VolumeAttributesClass")
        .rules(rules::storage::create_attributes_class)
        .update_rules(rules::storage::update_attributes_class),
    Kind::new("storage.k8s.io", "CSIDriver").fill(storage::fill_driver).needs_version(),
    Kind::new("storage.k8s.io", "CSINode").rules(rules::storage::create_csi_node).needs_version(),
    Kind::new("storage.k8s.io", "CSIStorageCapacity").needs_version(),
    Kind::new("storage.k8s.io", "VolumeAttachment")
        .rules(rules::storage::create_attachment)
        .update_rules(rules::storage::update_attachment)
        .fill(storage::fill_attachment)
        .status(|_| json!({"attached": false}))
        .needs_version(),
];

const OTHERS: &[Kind] = &[
    Kind::new("scheduling.k8s.io", "PriorityClass")
        .rules(rules::admission::create_priority_class)
        .update_rules(rules::admission::update_priority_class)
        .fill(policies::fill_priority_class)
        .generation(&[]),
    Kind::new("node.k8s.io", "RuntimeClass")
        .rules(rules::admission::create_runtime_class)
        .update_rules(rules::admission::update_runtime_class)
        .needs_version(),
    Kind::new("apiextensions.k8s.io", "CustomResourceDefinition")
        .names(Names::PathSegment)
        .rules(custom::validate_create)
        .update_rules(custom::validate_update)
        .fill(custom_resources::fill)
        .on_create(custom_resources::prepare_create)
        .on_update(custom_resources::prepare_update)
        .generation(SPEC)
        .needs_version(),
    Kind::new("apiregistration.k8s.io", "APIService")
        .rules(rules::admission::create_api_service)
        .names(Names::PathSegment)
        .fill(policies::fill_api_service)
        .on_create(policies::prepare_create_api_service)
        .on_update(keep_status)
        .needs_version(),
    Kind::new("resource.k8s.io", "ResourceClaim").fill(policies::fill_resource_claim).status(empty),
    Kind::new("resource.k8s.io", "ResourceClaimTemplate")
        .fill(policies::fill_resource_claim_template),
    Kind::new("resource.k8s.io", "DeviceClass").generation(SPEC),
    Kind::new("resource.k8s.io", "ResourceSlice").generation(SPEC),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::kinds;

    #[test]
    fn an_update_leaves_what_a_certificate_was_asked_for_as_it_was() {
        let mut found = kinds().filter(|kind| kind.kind == "CertificateSigningRequest");
        let kind = found.next().expect("it is served");
        let mut changed = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"username": "eve"}});
        (kind.prepare_update)(&mut changed, &json!({"spec": {"username": "alice"}}));
        let left = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"username": "alice"}});
        assert_eq!(changed, left);
    }

    #[test]
    fn every_listed_kind_is_one_that_the_reference_has() {
        let mut served = BTreeSet::new();
        for group in openapi::recorded::groups() {
            let resources = group.versions.into_iter().flat_map(|version| version.resources);
            served.extend(resources.map(|resource| (group.name.clone(), resource.kind)));
        }
        for kind in kinds() {
            let key = (kind.group.to_owned(), kind.kind.to_owned());
            assert!(served.contains(&key), "{key:?}");
        }
    }

    #[test]
    fn no_kind_is_listed_twice() {
        let names = || kinds().map(|kind| (kind.group, kind.kind));
        assert_eq!(names().count(), names().collect::<BTreeSet<_>>().len());
    }
}
