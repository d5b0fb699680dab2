//! The one list of the Tables of built-in resources.

use super::{GENERIC, PLAIN, Table};
use super::{
    admission, apps, autoscaling, batch, certificates, coordination, core_config, core_event,
    core_node, core_pod, core_service, core_volume, core_workload, discovery, extension,
    flowcontrol, migration, networking, node, policy, rbac, resource, scheduling, storage,
};

/// A group, and the Tables of its resources by their plural names.
type Group = (&'static str, &'static [(&'static str, &'static Table)]);

pub(super) fn find(group: &str, plural: &str) -> Option<&'static Table> {
    let (_, resources) = GROUPS.iter().find(|(name, _)| *name == group)?;
    resources.iter().find(|(name, _)| *name == plural).map(|(_, table)| *table)
}

static GROUPS: &[Group] = &[
    (
        "",
        &[
            ("componentstatuses", &core_config::COMPONENT_STATUS),
            ("configmaps", &core_config::CONFIG_MAP),
            ("endpoints", &core_service::ENDPOINTS),
            ("events", &core_event::CORE),
            ("limitranges", &GENERIC),
            ("namespaces", &core_config::NAMESPACE),
            ("nodes", &core_node::NODE),
            ("persistentvolumeclaims", &core_volume::PERSISTENT_VOLUME_CLAIM),
            ("persistentvolumes", &core_volume::PERSISTENT_VOLUME),
            ("pods", &core_pod::POD),
            ("podtemplates", &core_workload::POD_TEMPLATE),
            ("replicationcontrollers", &core_workload::REPLICATION_CONTROLLER),
            ("resourcequotas", &core_config::RESOURCE_QUOTA),
            ("secrets", &core_config::SECRET),
            ("serviceaccounts", &PLAIN),
            ("services", &core_service::SERVICE),
        ],
    ),
    (
        "admissionregistration.k8s.io",
        &[
            ("mutatingadmissionpolicies", &admission::MUTATING_POLICY),
            ("mutatingadmissionpolicybindings", &admission::POLICY_BINDING),
            ("mutatingwebhookconfigurations", &admission::WEBHOOKS),
            ("validatingadmissionpolicies", &admission::VALIDATING_POLICY),
            ("validatingadmissionpolicybindings", &admission::POLICY_BINDING),
            ("validatingwebhookconfigurations", &admission::WEBHOOKS),
        ],
    ),
    (
        "apiextensions.k8s.io",
        &[("customresourcedefinitions", &extension::CUSTOM_RESOURCE_DEFINITION)],
    ),
    ("apiregistration.k8s.io", &[("apiservices", &extension::API_SERVICE)]),
    (
        "apps",
        &[
            ("controllerrevisions", &apps::CONTROLLER_REVISION),
            ("daemonsets", &apps::DAEMON_SET),
            ("deployments", &apps::DEPLOYMENT),
            ("replicasets", &apps::REPLICA_SET),
            ("statefulsets", &apps::STATEFUL_SET),
        ],
    ),
    ("autoscaling", &[("horizontalpodautoscalers", &autoscaling::HORIZONTAL_POD_AUTOSCALER)]),
    ("batch", &[("cronjobs", &batch::CRON_JOB), ("jobs", &batch::JOB)]),
    (
        "certificates.k8s.io",
        &[
            ("certificatesigningrequests", &certificates::CERTIFICATE_SIGNING_REQUEST),
            ("clustertrustbundles", &certificates::CLUSTER_TRUST_BUNDLE),
            ("podcertificaterequests", &certificates::POD_CERTIFICATE_REQUEST),
        ],
    ),
    ("coordination.k8s.io", &[("leases", &coordination::LEASE)]),
    ("discovery.k8s.io", &[("endpointslices", &discovery::ENDPOINT_SLICE)]),
    ("events.k8s.io", &[("events", &core_event::EVENTS)]),
    (
        "flowcontrol.apiserver.k8s.io",
        &[
            ("flowschemas", &flowcontrol::FLOW_SCHEMA),
            ("prioritylevelconfigurations", &flowcontrol::PRIORITY_LEVEL_CONFIGURATION),
        ],
    ),
    (
        "networking.k8s.io",
        &[
            ("ingressclasses", &networking::INGRESS_CLASS),
            ("ingresses", &networking::INGRESS),
            ("ipaddresses", &networking::IP_ADDRESS),
            ("networkpolicies", &networking::NETWORK_POLICY),
            ("servicecidrs", &networking::SERVICE_CIDR),
        ],
    ),
    ("node.k8s.io", &[("runtimeclasses", &node::RUNTIME_CLASS)]),
    ("policy", &[("poddisruptionbudgets", &policy::POD_DISRUPTION_BUDGET)]),
    (
        "rbac.authorization.k8s.io",
        &[
            ("clusterrolebindings", &rbac::CLUSTER_ROLE_BINDING),
            ("clusterroles", &GENERIC),
            ("rolebindings", &rbac::ROLE_BINDING),
            ("roles", &GENERIC),
        ],
    ),
    (
        "resource.k8s.io",
        &[
            ("deviceclasses", &PLAIN),
            ("devicetaintrules", &resource::DEVICE_TAINT_RULE),
            ("resourceclaims", &resource::RESOURCE_CLAIM),
            ("resourceclaimtemplates", &PLAIN),
            ("resourceslices", &resource::RESOURCE_SLICE),
        ],
    ),
    ("scheduling.k8s.io", &[("priorityclasses", &scheduling::PRIORITY_CLASS)]),
    (
        "storage.k8s.io",
        &[
            ("csidrivers", &storage::CSI_DRIVER),
            ("csinodes", &storage::CSI_NODE),
            ("csistoragecapacities", &GENERIC),
            ("storageclasses", &storage::STORAGE_CLASS),
            ("volumeattachments", &storage::VOLUME_ATTACHMENT),
            ("volumeattributesclasses", &storage::VOLUME_ATTRIBUTES_CLASS),
        ],
    ),
    (
        "storagemigration.k8s.io",
        &[("storageversionmigrations", &migration::STORAGE_VERSION_MIGRATION)],
    ),
];
