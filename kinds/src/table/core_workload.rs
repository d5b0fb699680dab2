//! ReplicationControllers and PodTemplates.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{map, name, number};
use super::format::{CONTAINERS, IMAGES, SELECTOR, containers, labels};
use super::{Column, Table, age_of};

/// The columns of what keeps a number of pods: ReplicationControllers and ReplicaSets.
pub(super) const REPLICAS_COLUMNS: &[Column] = &[
    Column::NAME,
    Column::text("Desired", "How many pods there should be, as the spec asks for.")
        .of_type("integer"),
    Column::text("Current", "How many pods there are, whether they are ready or not.")
        .of_type("integer"),
    Column::text("Ready", "How many of those pods are ready, as their conditions say.")
        .of_type("integer"),
    Column::AGE,
    CONTAINERS.wide(),
    IMAGES.wide(),
    SELECTOR,
];

/// Their cells but for the selector.
pub(super) fn replicas_cells(object: &Value, now: Timestamp, selector: Value) -> Vec<Value> {
    let [names, images] = containers(object, "/spec/template/spec");
    vec![
        name(object),
        number(object, "/spec/replicas"),
        number(object, "/status/replicas"),
        number(object, "/status/readyReplicas"),
        age_of(object, now),
        names,
        images,
        selector,
    ]
}

pub(super) static REPLICATION_CONTROLLER: Table = Table::new(REPLICAS_COLUMNS, |object, now| {
    replicas_cells(object, now, labels(map(object, "/spec/selector")).into())
});

pub(super) static POD_TEMPLATE: Table = Table::new(
    &[
        Column::NAME,
        CONTAINERS,
        IMAGES,
        Column::text("Pod Labels", "The labels for the pod template."),
    ],
    |object, _| {
        let [names, images] = containers(object, "/template/spec");
        vec![name(object), names, images, labels(map(object, "/template/metadata/labels")).into()]
    },
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn replication_controllers_show_all_containers_of_their_template() {
        let object = json!({
            "metadata": {"name": "rc", "creationTimestamp": "2026-11-30T11:00:00Z"},
            "spec": {"replicas": 3, "selector": {"b": "2", "a": "1"}, "template": {"spec": {
                "containers": [{"name": "x", "image": "i:1"}, {"name": "y", "image": "i:2"}],
            }}},
            "status": {"replicas": 2, "readyReplicas": 1},
        });
        assert_eq!(
            cells(&REPLICATION_CONTROLLER, &object),
            json!(["rc", 3, 2, 1, "60m", "x,y", "i:1,i:2", "a=1,b=2"])
        );
    }

    #[test]
    fn a_controller_without_a_template_shows_no_containers() {
        let object = json!({"metadata": {"name": "rc"}, "spec": {"template": null}});
        assert_eq!(
            cells(&REPLICATION_CONTROLLER, &object),
            json!(["rc", 0, 0, 0, "<unknown>", "", "", "<none>"])
        );
    }
}
