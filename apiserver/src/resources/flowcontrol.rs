//! FlowSchemas and PriorityLevelConfigurations.

use std::borrow::Cow;

use api::time::Timestamp;
use openapi::resource::{GroupVersion, Resource as Described};
use serde_json::Value;
use validation::field::{Error, ErrorList};
use validation::flowcontrol::{
    Context, validate_create_observed, validate_status_update_observed, validate_update_observed,
};

use kinds::convert::{self, Conversion, Shares, shares};
use kinds::table::{Column, NONE, Table, age_of, cell};

use super::{Resource, Strategy};

/// Newest first; the older ones are served only when asked for.
const KNOWN_VERSIONS: &[&str] = &["v1", "v1beta3", "v1beta2", "v1beta1"];

/// One of the two kinds.
pub(super) fn resource(group_version: &GroupVersion, described: Described) -> Option<Resource> {
    let (kind, table) = match described.kind.as_str() {
        "FlowSchema" => ("FlowSchema", &FLOW_SCHEMA_TABLE),
        "PriorityLevelConfiguration" => ("PriorityLevelConfiguration", &PRIORITY_LEVEL_TABLE),
        _ => return None,
    };
    let version = group_version.version.as_str();
    let conversion = convert::of(&group_version.group, version, kind);
    let strategy = Box::new(FlowControlStrategy { kind, shares: shares(version), conversion });
    Some(Resource::new(group_version, described, table, strategy))
}

static FLOW_SCHEMA_TABLE: Table = Table {
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
    cells: flow_schema_cells,
    sort_key: Some(|object| {
        object.pointer("/spec/matchingPrecedence").and_then(Value::as_i64).unwrap_or(0)
    }),
};

static PRIORITY_LEVEL_TABLE: Table = Table {
    columns: &[
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
    cells: priority_level_cells,
    sort_key: None,
};

fn flow_schema_cells(object: &Value, now: Timestamp) -> Vec<Value> {
    let dangling = object
        .pointer("/status/conditions")
        .and_then(Value::as_array)
        .and_then(|conditions| conditions.iter().find(|condition| condition["type"] == "Dangling"))
        .map_or_else(|| "?".into(), |condition| condition["status"].clone());
    vec![
        cell(object, "/metadata/name"),
        cell(object, "/spec/priorityLevelConfiguration/name"),
        cell(object, "/spec/matchingPrecedence"),
        cell(object, "/spec/distinguisherMethod/type"),
        age_of(object, now),
        dangling,
    ]
}

fn priority_level_cells(object: &Value, now: Timestamp) -> Vec<Value> {
    let queuing = "/spec/limited/limitResponse/queuing";
    vec![
        cell(object, "/metadata/name"),
        object.pointer("/spec/type").cloned().unwrap_or_else(|| NONE.into()),
        cell(object, "/spec/limited/nominalConcurrencyShares"),
        cell(object, &format!("{queuing}/queues")),
        cell(object, &format!("{queuing}/handSize")),
        cell(object, &format!("{queuing}/queueLengthLimit")),
        age_of(object, now),
    ]
}

/// Both kinds differ only in their rules, and older versions in how shares are written.
struct FlowControlStrategy {
    kind: &'static str,
    shares: Option<Shares>,
    conversion: Option<Conversion>,
}

impl FlowControlStrategy {
    /// The object as rules look at it.
    fn hub<'a>(&self, object: &'a Value) -> Cow<'a, Value> {
        match self.conversion {
            None => Cow::Borrowed(object),
            Some(conversion) => {
                let mut object = object.clone();
                (conversion.to_hub)(&mut object);
                Cow::Owned(object)
            }
        }
    }

    /// The errors as clients of the version know the field.
    fn served(&self, errors: ErrorList) -> ErrorList {
        let Some(shares) = self.shares else { return errors };
        let rename = |error: &Error| {
            let mut error = error.clone();
            if error.field == NOMINAL_SHARES {
                error.field = format!("spec.limited.{}", shares.member);
                error.detail = "must be positive".to_owned();
            }
            error
        };
        errors.iter().map(rename).collect()
    }
}

const NOMINAL_SHARES: &str = "spec.limited.nominalConcurrencyShares";

impl Strategy for FlowControlStrategy {
    fn known_versions(&self) -> &'static [&'static str] {
        KNOWN_VERSIONS
    }

    fn fill_defaults(&self, object: &mut Value) {
        if let Some(shares) = self.shares {
            shares.fill_default(object);
        }
    }

    fn validate_create(&self, object: &Value, context: Context<'_>) -> ErrorList {
        self.served(validate_create_observed(self.kind, &self.hub(object), context))
    }

    fn validate_update(&self, object: &Value, old: &Value, context: Context<'_>) -> ErrorList {
        let (object, old) = (self.hub(object), self.hub(old));
        self.served(validate_update_observed(self.kind, &object, &old, context))
    }

    fn validate_status_update(
        &self,
        object: &Value,
        old: &Value,
        context: Context<'_>,
    ) -> ErrorList {
        let (object, old) = (self.hub(object), self.hub(old));
        self.served(validate_status_update_observed(self.kind, &object, &old, context))
    }
}
