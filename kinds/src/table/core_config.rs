//! ConfigMaps, Secrets, Namespaces, ResourceQuotas, ComponentStatuses.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{condition, count, map, name, quantity, string, text};
use super::{Column, Table, age_of};

pub(super) static CONFIG_MAP: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Data", "How many entries the ConfigMap has, texts and bytes together."),
        Column::AGE,
    ],
    |object, now| {
        let entries = count(object, "/data") + count(object, "/binaryData");
        vec![name(object), entries.into(), age_of(object, now)]
    },
);

pub(super) static SECRET: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Type", "What the Secret is for, which tells programs how to read it."),
        Column::text("Data", "How many entries the Secret has; their values are not shown."),
        Column::AGE,
    ],
    |object, now| {
        let entries = count(object, "/data");
        vec![name(object), text(object, "/type"), entries.into(), age_of(object, now)]
    },
);

pub(super) static NAMESPACE: Table = Table::new(
    &[Column::NAME, Column::text("Status", "The status of the namespace"), Column::AGE],
    |object, now| vec![name(object), text(object, "/status/phase"), age_of(object, now)],
);

pub(super) static RESOURCE_QUOTA: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Request", "What is used of what may be requested, and of what is counted."),
        Column::text("Limit", "What is used of what the limits may add up to."),
        Column::AGE,
    ],
    resource_quota,
);

fn resource_quota(object: &Value, now: Timestamp) -> Vec<Value> {
    let (hard, used) = (map(object, "/status/hard"), map(object, "/status/used"));
    let mut names: Vec<_> = hard.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let (limits, requests): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| name.starts_with("limits."));
    let usage = |names: Vec<&str>| {
        let usage = |name| format!("{name}: {}/{}", quantity(used, name), quantity(hard, name));
        names.into_iter().map(usage).collect::<Vec<_>>().join(", ")
    };
    vec![name(object), usage(requests).into(), usage(limits).into(), age_of(object, now)]
}

pub(super) static COMPONENT_STATUS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Status", "Whether the component is healthy, as far as is known."),
        Column::text("Message", "What the component says about its health."),
        Column::text("Error", "Why the component is not healthy, or could not be asked."),
    ],
    component_status,
);

fn component_status(object: &Value, _: Timestamp) -> Vec<Value> {
    let Some(healthy) = condition(object, "/conditions", "Healthy") else {
        return vec![name(object), "Unknown".into(), "".into(), "".into()];
    };
    let status = if string(healthy, "/status") == "True" { "Healthy" } else { "Unhealthy" };
    vec![name(object), status.into(), text(healthy, "/message"), text(healthy, "/error")]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn entries_are_counted() {
        let object = json!({"metadata": {"name": "c"}, "data": {"a": ""}, "binaryData": null});
        assert_eq!(cells(&CONFIG_MAP, &object), json!(["c", 1, "<unknown>"]));
        let object = json!({"type": "kubernetes.io/tls", "data": {"tls.crt": "", "tls.key": ""}});
        assert_eq!(
            some_cells(&SECRET, &object, &["Type", "Data"]),
            json!(["kubernetes.io/tls", 2])
        );
    }

    #[test]
    fn what_quotas_count_is_sorted_and_limits_stand_apart() {
        let object = json!({"status": {
            "hard": {"pods": "10", "limits.memory": "8Gi", "cpu": "100", "limits": "1", "services": 5},
            "used": {"pods": "1", "limits.memory": "2Gi", "cpu": "1500m"},
        }});
        assert_eq!(
            some_cells(&RESOURCE_QUOTA, &object, &["Request", "Limit"]),
            json!([
                "cpu: 1500m/100, limits: 0/1, pods: 1/10, services: 0/5",
                "limits.memory: 2Gi/8Gi"
            ])
        );
    }

    #[test]
    fn components_are_well_or_not_or_unknown() {
        let conditions = |status| {
            json!({"metadata": {"name": "etcd-0"}, "conditions": [
                {"type": "Other", "status": "True"},
                {"type": "Healthy", "status": status, "message": "m", "error": "e"},
            ]})
        };
        for (object, expected) in [
            (conditions("True"), json!(["etcd-0", "Healthy", "m", "e"])),
            (conditions("False"), json!(["etcd-0", "Unhealthy", "m", "e"])),
            (json!({"metadata": {"name": "etcd-0"}}), json!(["etcd-0", "Unknown", "", ""])),
        ] {
            assert_eq!(cells(&COMPONENT_STATUS, &object), expected, "{object}");
        }
    }
}
