//! Version 1 has a field for the CPU and holds all other metrics, as JSON, in annotations.

use serde_json::{Map, Value, json};

use super::super::fields::{annotation, present, string};
use super::Metrics;

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";

pub(super) fn metrics(autoscaler: &Value) -> Metrics<'static> {
    let mut targets = annotated(autoscaler, METRICS, Side::Target);
    targets.extend(cpu(autoscaler, "/spec/targetCPUUtilizationPercentage", Side::Target));
    let mut current = annotated(autoscaler, CURRENT_METRICS, Side::Current);
    if current.is_empty() {
        // What is in the annotation has the CPU too, and says more about it.
        current.extend(cpu(autoscaler, "/status/currentCPUUtilizationPercentage", Side::Current));
    }
    Metrics { targets: targets.into(), current: current.into() }
}

/// Whether metrics say what should be, or what is.
#[derive(Clone, Copy)]
enum Side {
    Target,
    Current,
}

impl Side {
    /// The member that holds the numbers in version 2.
    fn member(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Current => "current",
        }
    }

    /// The names of a number in version 1, of which one is used at most.
    fn names(self, number: Number) -> &'static [&'static str] {
        match (self, number) {
            (Self::Target, Number::Utilization) => &["targetAverageUtilization"],
            (Self::Target, Number::Average) => &["targetAverageValue", "averageValue"],
            (Self::Target, Number::Value) => &["targetValue"],
            (Self::Current, Number::Utilization) => &["currentAverageUtilization"],
            (Self::Current, Number::Average) => &["currentAverageValue", "averageValue"],
            (Self::Current, Number::Value) => &["currentValue"],
        }
    }
}

#[derive(Clone, Copy)]
enum Number {
    Utilization,
    Average,
    Value,
}

impl Number {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Utilization, "averageUtilization"),
        (Self::Average, "averageValue"),
        (Self::Value, "value"),
    ];
}

fn cpu(autoscaler: &Value, pointer: &str, side: Side) -> Option<Value> {
    let percentage = present(autoscaler, pointer)?;
    Some(json!({
        "type": "Resource",
        "resource": { "name": "cpu", side.member(): { "averageUtilization": percentage } },
    }))
}

/// The metrics in an annotation; none if it cannot be read.
fn annotated(autoscaler: &Value, name: &str, side: Side) -> Vec<Value> {
    let metrics = annotation(autoscaler, name).and_then(|text| serde_json::from_str(text).ok());
    let metrics: Vec<Value> = metrics.unwrap_or_default();
    metrics.iter().map(|metric| upgrade(metric, side)).collect()
}

/// A metric in the form of version 2.
fn upgrade(metric: &Value, side: Side) -> Value {
    let metric_type = string(metric, "/type");
    let mut first = metric_type.chars();
    // The member is named as the type, with a small first letter.
    let source: String =
        first.next().into_iter().flat_map(char::to_lowercase).chain(first).collect();
    let old = metric.get(&source).unwrap_or(&Value::Null);
    let mut numbers = Map::new();
    for (number, name) in Number::ALL {
        let mut values = side.names(number).iter().filter_map(|name| old.get(name));
        if let Some(value) = values.find(|value| !value.is_null()) {
            numbers.insert(name.to_owned(), value.clone());
        }
    }
    json!({
        "type": metric_type,
        source: { "name": string(old, "/name"), side.member(): numbers },
    })
}
