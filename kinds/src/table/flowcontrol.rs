//! Group `flowcontrol.apiserver.k8s.io` (spec: validation 11).

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{condition, integer, name, number, optional_or, string, text};
use super::{Column, NONE, Table, age_of, cell};

/// Rows are sorted by precedence.
pub(super) static FLOW_SCHEMA: Table = Table {
    columns: &[
        Column::NAME,
        Column::text(
            "PriorityLevel",
            "The priority level that serves the requests this FlowSchema claims.",
        ),
        Column::text(
            "MatchingPrecedence",
            "The rank among matching FlowSchemas: the lowest number wins.",
        ),
        Column::text(
            "DistinguisherMethod",
            "How the requests are told apart into flows, if they are at all.",
        ),
        Column::AGE,
        Column::text(
            "MissingPL",
            "Whether the priority level that the FlowSchema names does not exist.",
        ),
    ],
    cells: flow_schema,
    sort_key: Some(|object| integer(object, "/spec/matchingPrecedence")),
};

fn flow_schema(object: &Value, now: Timestamp) -> Vec<Value> {
    let dangling = condition(object, "/status/conditions", "Dangling");
    vec![
        name(object),
        text(object, "/spec/priorityLevelConfiguration/name"),
        number(object, "/spec/matchingPrecedence"),
        optional_or(object, "/spec/distinguisherMethod/type", NONE),
        age_of(object, now),
        dangling.map_or("?", |condition| string(condition, "/status")).into(),
    ]
}

pub(super) static PRIORITY_LEVEL_CONFIGURATION: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Type", "Whether the level is Limited or Exempt from limits."),
        Column::text(
            "NominalConcurrencyShares",
            "The level's part of the server's seats, in proportion to all shares.",
        ),
        Column::text("Queues", "How many queues the waiting requests stand in."),
        Column::text("HandSize", "How many of the queues each flow is dealt."),
        Column::text(
            "QueueLengthLimit",
            "How many requests may wait in one queue before more are refused.",
        ),
        Column::AGE,
    ],
    |object, now| {
        let queuing =
            |member| cell(object, &format!("/spec/limited/limitResponse/queuing/{member}"));
        vec![
            name(object),
            text(object, "/spec/type"),
            cell(object, "/spec/limited/nominalConcurrencyShares"),
            queuing("queues"),
            queuing("handSize"),
            queuing("queueLengthLimit"),
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
    fn schemas_say_whether_their_level_is_missing() {
        let mut object = json!({
            "metadata": {"name": "f"},
            "spec": {
                "matchingPrecedence": 150, "priorityLevelConfiguration": {"name": "no-such"},
                "distinguisherMethod": {"type": "ByNamespace"},
            },
        });
        assert_eq!(
            cells(&FLOW_SCHEMA, &object),
            json!(["f", "no-such", 150, "ByNamespace", "<unknown>", "?"])
        );
        object["status"] = json!({"conditions": [{"type": "Dangling", "status": "True"}]});
        assert_eq!(some_cells(&FLOW_SCHEMA, &object, &["MissingPL"]), json!(["True"]));
        assert_eq!(FLOW_SCHEMA.sort_key.map(|key| key(&object)), Some(150));
    }

    #[test]
    fn exempt_levels_show_none_of_their_numbers() {
        let object = json!({
            "metadata": {"name": "exempt"},
            "spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0}},
        });
        assert_eq!(
            cells(&PRIORITY_LEVEL_CONFIGURATION, &object),
            json!(["exempt", "Exempt", "<none>", "<none>", "<none>", "<none>", "<unknown>"])
        );
        let object = json!({"metadata": {"name": "l"}, "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": 7,
            "limitResponse": {"queuing": {"queues": 16, "handSize": 4, "queueLengthLimit": 5}},
        }}});
        assert_eq!(
            cells(&PRIORITY_LEVEL_CONFIGURATION, &object),
            json!(["l", "Limited", 7, 16, 4, 5, "<unknown>"])
        );
    }
}
