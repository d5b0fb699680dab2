//! Nodes.

use std::collections::BTreeSet;

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{boolean, list, map, name, string, text, text_or};
use super::{Column, NONE, Table, age_of};

/// What a cell shows that a node has not reported yet.
const UNKNOWN: &str = "<unknown>";

/// A label `node-role.kubernetes.io/x` and a label `kubernetes.io/role=x` both name a role.
const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
const ROLE_LABEL: &str = "kubernetes.io/role";

pub(super) static NODE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Status", "The status of the node"),
        Column::text("Roles", "The roles of the node"),
        Column::AGE,
        Column::text("Version", "Kubelet Version reported by the node."),
        Column::text("Internal-IP", "The first address of the node inside the cluster, if any.")
            .wide(),
        Column::text("External-IP", "The first address of the node outside the cluster, if any.")
            .wide(),
        Column::text("OS-Image", "The operating system that the node runs, as its kubelet says.")
            .wide(),
        Column::text(
            "Kernel-Version",
            "The version of the kernel that the node runs, as its kubelet says.",
        )
        .wide(),
        Column::text(
            "Container-Runtime",
            "What runs the containers on the node, with its version.",
        )
        .wide(),
    ],
    node,
);

fn node(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        status(object).into(),
        roles(object).into(),
        age_of(object, now),
        text(object, "/status/nodeInfo/kubeletVersion"),
        address(object, "InternalIP").into(),
        address(object, "ExternalIP").into(),
        text_or(object, "/status/nodeInfo/osImage", UNKNOWN),
        text_or(object, "/status/nodeInfo/kernelVersion", UNKNOWN),
        text_or(object, "/status/nodeInfo/containerRuntimeVersion", UNKNOWN),
    ]
}

fn status(node: &Value) -> String {
    // Of several conditions of a type, the reference looks at the last one.
    let ready = list(node, "/status/conditions")
        .iter()
        .rfind(|condition| string(condition, "/type") == "Ready");
    let ready = match ready.map(|condition| string(condition, "/status")) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    if boolean(node, "/spec/unschedulable") {
        format!("{ready},SchedulingDisabled")
    } else {
        ready.to_owned()
    }
}

fn roles(node: &Value) -> String {
    let labels = map(node, "/metadata/labels").into_iter().flatten();
    let role = |(label, value): (&'_ String, &'_ Value)| match label.strip_prefix(ROLE_PREFIX) {
        Some(role) => role.to_owned(),
        None if label == ROLE_LABEL => value.as_str().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let roles: BTreeSet<_> = labels.map(role).filter(|role| !role.is_empty()).collect();
    if roles.is_empty() { NONE.to_owned() } else { roles.into_iter().collect::<Vec<_>>().join(",") }
}

fn address<'a>(node: &'a Value, address_type: &str) -> &'a str {
    list(node, "/status/addresses")
        .iter()
        .find(|address| string(address, "/type") == address_type)
        .map_or(NONE, |address| string(address, "/address"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn a_node_that_reports_shows_all_it_says() {
        let object = json!({
            "metadata": {
                "name": "n1",
                "creationTimestamp": "2026-11-20T12:00:00Z",
                "labels": {"node-role.kubernetes.io/control-plane": "", "kubernetes.io/os": "linux"},
            },
            "status": {
                "conditions": [
                    {"type": "MemoryPressure", "status": "False"},
                    {"type": "Ready", "status": "True"},
                ],
                "addresses": [
                    {"type": "Hostname", "address": "n1"},
                    {"type": "InternalIP", "address": "10.1.0.1"},
                    {"type": "InternalIP", "address": "fd00::1"},
                    {"type": "ExternalIP", "address": "1.2.3.4"},
                ],
                "nodeInfo": {
                    "kubeletVersion": "v1.37.2",
                    "osImage": "Debian GNU/Linux 13",
                    "kernelVersion": "6.12.0",
                    "containerRuntimeVersion": "containerd://2.1.0",
                },
            },
        });
        assert_eq!(
            cells(&NODE, &object),
            json!([
                "n1",
                "Ready",
                "control-plane",
                "10d",
                "v1.37.2",
                "10.1.0.1",
                "1.2.3.4",
                "Debian GNU/Linux 13",
                "6.12.0",
                "containerd://2.1.0"
            ])
        );
    }

    #[test]
    fn nodes_are_ready_or_not_and_may_be_cordoned() {
        for (status, cordoned, expected) in [
            (Some("True"), true, "Ready,SchedulingDisabled"),
            (Some("False"), false, "NotReady"),
            (Some("Unknown"), false, "NotReady"),
            (None, true, "Unknown,SchedulingDisabled"),
        ] {
            let conditions: Vec<_> = status
                .map(|status| json!({"type": "Ready", "status": status}))
                .into_iter()
                .collect();
            let object = json!({
                "spec": {"unschedulable": cordoned}, "status": {"conditions": conditions},
            });
            assert_eq!(some_cells(&NODE, &object, &["Status"]), json!([expected]));
        }
    }

    #[test]
    fn roles_are_sorted_and_named_once() {
        for (labels, expected) in [
            (json!(null), "<none>"),
            (json!({"node-role.kubernetes.io/": "", "kubernetes.io/role": ""}), "<none>"),
            (
                json!({
                    "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "gpu",
                    "node-role.kubernetes.io/gpu": "true",
                }),
                "gpu,worker",
            ),
        ] {
            let object = json!({"metadata": {"labels": labels}});
            assert_eq!(some_cells(&NODE, &object, &["Roles"]), json!([expected]));
        }
    }
}
