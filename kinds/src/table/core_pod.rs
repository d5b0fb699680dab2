//! Pods.

mod summary;

use std::collections::BTreeMap;

use api::time::Timestamp;
use serde_json::{Value, json};

use super::fields::{list, name, string, text_or};
use super::{Column, NONE, Table, age_of};
use summary::Summary;

pub(super) static POD: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Ready", "How many of the pod's containers are ready, out of all."),
        Column::text("Status", "What the pod, or the container that holds it up, is doing."),
        Column::text("Restarts", "How often containers were restarted, and when last."),
        Column::AGE,
        Column::text("IP", "The first address of the pod, once it has been given one.").wide(),
        Column::text("Node", "The name of the node that the pod is bound to.").wide(),
        Column::text("Nominated Node", "The node on which room is being made for the pod.").wide(),
        Column::text(
            "Readiness Gates",
            "How many of the conditions in the pod's readiness gates hold.",
        )
        .wide(),
    ],
    pod,
);

fn pod(object: &Value, now: Timestamp) -> Vec<Value> {
    let summary = Summary::of(object);
    vec![
        name(object),
        summary.ready().into(),
        summary.status.as_str().into(),
        summary.restarts(now).into(),
        age_of(object, now),
        text_or(object, "/status/podIPs/0/ip", NONE),
        text_or(object, "/spec/nodeName", NONE),
        text_or(object, "/status/nominatedNodeName", NONE),
        readiness_gates(object).into(),
    ]
}

fn readiness_gates(pod: &Value) -> String {
    let gates = list(pod, "/spec/readinessGates");
    if gates.is_empty() {
        return NONE.to_owned();
    }
    // The first condition of a type counts: later ones are overwritten.
    let conditions: BTreeMap<_, _> = list(pod, "/status/conditions")
        .iter()
        .rev()
        .map(|condition| (string(condition, "/type"), string(condition, "/status")))
        .collect();
    let holds = |gate: &&Value| conditions.get(string(gate, "/conditionType")) == Some(&"True");
    let open = gates.iter().filter(holds);
    format!("{}/{}", open.count(), gates.len())
}

/// The `conditions` of a pod's row: that the pod has run to its end, if it has.
#[must_use]
pub fn row_conditions(pod: &Value) -> Option<Value> {
    let phase = string(pod, "/status/phase");
    let message = match phase {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    Some(json!([
        { "type": "Completed", "status": "True", "reason": phase, "message": message },
    ]))
}

#[cfg(test)]
mod tests;
