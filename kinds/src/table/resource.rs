//! Group `resource.k8s.io`. DeviceClasses and ResourceClaimTemplates show no more than their age.

use serde_json::Value;

use super::fields::{count, is_terminating, name, present, since, text};
use super::{Column, Table, age_of};

pub(super) static RESOURCE_CLAIM: Table = Table::new(
    &[
        Column::NAME,
        Column::text("State", "Whether devices are allocated, and pods have a place on them."),
        Column::AGE,
    ],
    |object, now| vec![name(object), state(object).into(), age_of(object, now)],
);

fn state(claim: &Value) -> &'static str {
    let is_allocated = present(claim, "/status/allocation").is_some();
    let is_reserved = count(claim, "/status/reservedFor") > 0;
    match (is_terminating(claim), is_allocated, is_reserved) {
        (false, false, _) => "pending",
        (false, true, false) => "allocated",
        (false, true, true) => "allocated,reserved",
        (true, false, _) => "deleted",
        (true, true, false) => "deleted,allocated",
        (true, true, true) => "deleted,allocated,reserved",
    }
}

pub(super) static RESOURCE_SLICE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Node", "The node that the devices belong to, if it is a single one."),
        Column::text("Driver", "The name of the driver that makes the devices known."),
        Column::text("Pool", "The name of the pool that the devices are part of."),
        Column::AGE,
    ],
    |object, now| {
        vec![
            name(object),
            text(object, "/spec/nodeName"),
            text(object, "/spec/driver"),
            text(object, "/spec/pool/name"),
            age_of(object, now),
        ]
    },
);

pub(super) static DEVICE_TAINT_RULE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Key", "The name of what the taint says about the devices."),
        Column::text("Value", "The value that goes with the key of the taint, if any."),
        Column::text("Effect", "What the taint does to pods that do not tolerate it."),
        Column::text("TimeAdded", "The time since the taint was put on the devices."),
        Column::AGE,
    ],
    |object, now| {
        let added = "/spec/taint/timeAdded";
        vec![
            name(object),
            text(object, "/spec/taint/key"),
            text(object, "/spec/taint/value"),
            text(object, "/spec/taint/effect"),
            present(object, added).map_or_else(String::new, |_| since(object, added, now)).into(),
            age_of(object, now),
        ]
    },
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn claims_are_pending_then_allocated_then_reserved() {
        let deletion = json!("2026-11-30T11:00:00Z");
        let none = json!(null);
        let reserved = json!([{"name": "p"}]);
        for (deletion, allocation, reserved, expected) in [
            (&none, &none, &none, "pending"),
            (&none, &json!({}), &none, "allocated"),
            (&none, &json!({}), &reserved, "allocated,reserved"),
            (&deletion, &none, &reserved, "deleted"),
            (&deletion, &json!({}), &none, "deleted,allocated"),
            (&deletion, &json!({}), &reserved, "deleted,allocated,reserved"),
        ] {
            let object = json!({
                "metadata": {"deletionTimestamp": deletion},
                "status": {"allocation": allocation, "reservedFor": reserved},
            });
            assert_eq!(some_cells(&RESOURCE_CLAIM, &object, &["State"]), json!([expected]));
        }
    }

    #[test]
    fn slices_that_belong_to_no_node_show_none() {
        let mut object = json!({
            "metadata": {"name": "s"}, "spec": {"driver": "d", "pool": {"name": "p"}},
        });
        assert_eq!(cells(&RESOURCE_SLICE, &object), json!(["s", "", "d", "p", "<unknown>"]));
        object["spec"]["nodeName"] = json!("n");
        assert_eq!(some_cells(&RESOURCE_SLICE, &object, &["Node"]), json!(["n"]));
    }

    #[test]
    fn taints_show_when_they_were_added() {
        let object = json!({"metadata": {"name": "t"}, "spec": {"taint": {
            "key": "k", "value": "v", "effect": "NoExecute", "timeAdded": "2026-11-30T11:00:00Z",
        }}});
        assert_eq!(
            cells(&DEVICE_TAINT_RULE, &object),
            json!(["t", "k", "v", "NoExecute", "60m", "<unknown>"])
        );
        assert_eq!(some_cells(&DEVICE_TAINT_RULE, &json!({}), &["TimeAdded"]), json!([""]));
    }
}
