//! Group `apps`.

use api::time::Timestamp;
use serde_json::Value;

use super::core_workload::{REPLICAS_COLUMNS, replicas_cells};
use super::fields::{boolean, integer, list, map, name, number, present, string};
use super::format::{CONTAINERS, IMAGES, SELECTOR, containers, labels, qualified};
use super::{Column, NONE, Table, age_of, selector};

const POD: &str = "/spec/template/spec";

/// `ready/desired` replicas.
fn ready(object: &Value) -> Value {
    let (ready, desired) =
        (integer(object, "/status/readyReplicas"), integer(object, "/spec/replicas"));
    format!("{ready}/{desired}").into()
}

pub(super) static DEPLOYMENT: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Ready", "Number of the pod with ready state"),
        Column::text("Up-to-date", "How many pods were made from the present template."),
        Column::text("Available", "How many pods have been ready for at least minReadySeconds."),
        Column::AGE,
        CONTAINERS.wide(),
        IMAGES.wide(),
        SELECTOR,
    ],
    |object, now| {
        let [names, images] = containers(object, POD);
        vec![
            name(object),
            ready(object),
            number(object, "/status/updatedReplicas"),
            number(object, "/status/availableReplicas"),
            age_of(object, now),
            names,
            images,
            deployment_selector(object),
        ]
    },
);

/// Unlike other kinds, Deployments show nothing for a selector of nothing.
fn deployment_selector(deployment: &Value) -> Value {
    let selector = present(deployment, "/spec/selector");
    selector
        .map_or_else(|| Ok(String::new()), selector::query)
        .map_or_else(|selector::InvalidSelector| "<invalid>".into(), Value::from)
}

pub(super) static REPLICA_SET: Table = Table::new(REPLICAS_COLUMNS, |object, now| {
    replicas_cells(object, now, selector::cell(object.pointer("/spec/selector")))
});

pub(super) static STATEFUL_SET: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Ready", "Number of the pod with ready state"),
        Column::AGE,
        CONTAINERS.wide(),
        IMAGES.wide(),
    ],
    |object, now| {
        let [names, images] = containers(object, POD);
        vec![name(object), ready(object), age_of(object, now), names, images]
    },
);

pub(super) static DAEMON_SET: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Desired", "On how many nodes a pod of the DaemonSet should run.")
            .of_type("integer"),
        Column::text("Current", "On how many of those nodes a pod of the DaemonSet runs.")
            .of_type("integer"),
        Column::text("Ready", "On how many of those nodes a pod runs and is ready.")
            .of_type("integer"),
        Column::text(
            "Up-to-date",
            "On how many of those nodes the pod is from the present template.",
        )
        .of_type("integer"),
        Column::text(
            "Available",
            "On how many of those nodes a pod has been ready for long enough.",
        )
        .of_type("integer"),
        Column::text("Node Selector", "Which labels a node needs to get a pod of the DaemonSet."),
        Column::AGE,
        CONTAINERS.wide(),
        IMAGES.wide(),
        SELECTOR,
    ],
    daemon_set,
);

fn daemon_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let [names, images] = containers(object, POD);
    vec![
        name(object),
        number(object, "/status/desiredNumberScheduled"),
        number(object, "/status/currentNumberScheduled"),
        number(object, "/status/numberReady"),
        number(object, "/status/updatedNumberScheduled"),
        number(object, "/status/numberAvailable"),
        labels(map(object, "/spec/template/spec/nodeSelector")).into(),
        age_of(object, now),
        names,
        images,
        selector::cell(object.pointer("/spec/selector")),
    ]
}

pub(super) static CONTROLLER_REVISION: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Controller", "Controller of the object"),
        Column::text("Revision", "The place of this revision among those of its controller."),
        Column::AGE,
    ],
    |object, now| {
        vec![
            name(object),
            controller(object).into(),
            number(object, "/revision"),
            age_of(object, now),
        ]
    },
);

/// `kind.group/name` of the owner that is the controller.
fn controller(object: &Value) -> String {
    let owners = list(object, "/metadata/ownerReferences");
    let Some(owner) = owners.iter().find(|owner| boolean(owner, "/controller")) else {
        return NONE.to_owned();
    };
    // The core group's versions have no group before them.
    let group = string(owner, "/apiVersion").rsplit_once('/').map_or("", |(group, _)| group);
    match qualified(string(owner, "/kind"), group).to_lowercase().as_str() {
        "" => string(owner, "/name").to_owned(),
        kind => format!("{kind}/{}", string(owner, "/name")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    fn spec() -> Value {
        json!({
            "replicas": 3,
            "selector": {
                "matchLabels": {"app": "a"},
                "matchExpressions": [{"key": "tier", "operator": "In", "values": ["x", "w"]}],
            },
            "template": {"spec": {
                "initContainers": [{"name": "i", "image": "init"}],
                "containers": [{"name": "c", "image": "img:1"}, {"name": "d", "image": "img:2"}],
                "nodeSelector": {"disk": "ssd"},
            }},
        })
    }

    #[test]
    fn deployments_compare_ready_with_desired_pods() {
        let object = json!({
            "metadata": {"name": "d", "creationTimestamp": "2026-11-30T11:58:00Z"},
            "spec": spec(),
            "status": {"replicas": 4, "readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2},
        });
        assert_eq!(
            cells(&DEPLOYMENT, &object),
            json!(["d", "2/3", 1, 2, "2m", "c,d", "img:1,img:2", "app=a,tier in (w,x)"])
        );
    }

    #[test]
    fn deployments_show_nothing_for_a_selector_of_nothing() {
        for (selector, expected) in [
            (json!(null), ""),
            (json!({}), ""),
            (json!({"matchExpressions": [{"key": "a", "operator": "Maybe"}]}), "<invalid>"),
        ] {
            let object = json!({"spec": {"selector": selector}});
            assert_eq!(some_cells(&DEPLOYMENT, &object, &["Selector"]), json!([expected]));
        }
    }

    #[test]
    fn replica_sets_count_their_pods() {
        let object = json!({
            "metadata": {"name": "r"}, "spec": spec(), "status": {"replicas": 3, "readyReplicas": 1},
        });
        assert_eq!(
            cells(&REPLICA_SET, &object),
            json!(["r", 3, 3, 1, "<unknown>", "c,d", "img:1,img:2", "app=a,tier in (w,x)"])
        );
    }

    #[test]
    fn stateful_sets_have_no_selector() {
        let object = json!({"metadata": {"name": "s"}, "spec": spec(), "status": {}});
        assert_eq!(
            cells(&STATEFUL_SET, &object),
            json!(["s", "0/3", "<unknown>", "c,d", "img:1,img:2"])
        );
    }

    #[test]
    fn daemon_sets_count_nodes() {
        let object = json!({
            "metadata": {"name": "d"}, "spec": spec(),
            "status": {
                "desiredNumberScheduled": 5, "currentNumberScheduled": 4, "numberReady": 3,
                "updatedNumberScheduled": 2, "numberAvailable": 1,
            },
        });
        assert_eq!(
            cells(&DAEMON_SET, &object),
            json!([
                "d",
                5,
                4,
                3,
                2,
                1,
                "disk=ssd",
                "<unknown>",
                "c,d",
                "img:1,img:2",
                "app=a,tier in (w,x)"
            ])
        );
    }

    #[test]
    fn revisions_name_their_controller_with_its_group() {
        let owner = |version, kind, controller| json!({"apiVersion": version, "kind": kind, "name": "o", "controller": controller});
        for (owners, expected) in [
            (json!(null), "<none>"),
            (json!([owner("apps/v1", "StatefulSet", false)]), "<none>"),
            (
                json!([owner("v1", "Pod", false), owner("apps/v1", "StatefulSet", true)]),
                "statefulset.apps/o",
            ),
            (json!([owner("v1", "Pod", true)]), "pod/o"),
            (json!([owner("", "", true)]), "o"),
        ] {
            let object = json!({"metadata": {"ownerReferences": owners}, "revision": 2});
            assert_eq!(
                some_cells(&CONTROLLER_REVISION, &object, &["Controller", "Revision"]),
                json!([expected, 2])
            );
        }
    }
}
