//! HorizontalPodAutoscalers, of both versions.

mod v1;

use std::borrow::Cow;

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{list, name, number, present, scalar, string};
use super::format::with_more;
use super::{Column, NONE, Table, age_of};

/// How many metrics are shown.
const SHOWN: usize = 2;

pub(super) static HORIZONTAL_POD_AUTOSCALER: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Reference", "The kind and the name of the object that is scaled."),
        Column::text("Targets", "The first metrics: the value measured, and the value aimed at."),
        Column::text("MinPods", "The number of pods below which the autoscaler does not go."),
        Column::text("MaxPods", "The number of pods above which the autoscaler does not go."),
        Column::text("Replicas", "How many pods there were when the autoscaler last looked."),
        Column::AGE,
    ],
    |object, now| autoscaler(&metrics(object), object, now),
);

/// The metrics of an autoscaler in the form of version 2: targets, and what was last measured.
struct Metrics<'a> {
    targets: Cow<'a, [Value]>,
    current: Cow<'a, [Value]>,
}

fn metrics(autoscaler: &Value) -> Metrics<'_> {
    if string(autoscaler, "/apiVersion") == "autoscaling/v1" {
        return v1::metrics(autoscaler);
    }
    Metrics {
        targets: list(autoscaler, "/spec/metrics").into(),
        current: list(autoscaler, "/status/currentMetrics").into(),
    }
}

fn autoscaler(metrics: &Metrics<'_>, object: &Value, now: Timestamp) -> Vec<Value> {
    let target = "/spec/scaleTargetRef";
    let reference =
        [string(object, &format!("{target}/kind")), string(object, &format!("{target}/name"))];
    let min_pods = present(object, "/spec/minReplicas").map_or("<unset>".to_owned(), scalar);
    vec![
        name(object),
        reference.join("/").into(),
        metrics.text().into(),
        min_pods.into(),
        number(object, "/spec/maxReplicas"),
        number(object, "/status/currentReplicas"),
        age_of(object, now),
    ]
}

impl Metrics<'_> {
    fn text(&self) -> String {
        if self.targets.is_empty() {
            return NONE.to_owned();
        }
        let metrics = self.targets.iter().enumerate().take(SHOWN);
        let shown: Vec<_> =
            metrics.map(|(index, target)| metric(target, self.current.get(index))).collect();
        with_more(&shown.join(", "), self.targets.len().saturating_sub(SHOWN))
    }
}

fn metric(target: &Value, current: Option<&Value>) -> String {
    let (source, kind) = match string(target, "/type") {
        "Resource" => ("/resource", Kind::Resource),
        "ContainerResource" => ("/containerResource", Kind::Resource),
        "Pods" => ("/pods", Kind::Pods),
        "Object" => ("/object", Kind::Value),
        "External" => ("/external", Kind::Value),
        _ => return "<unknown type>".to_owned(),
    };
    let target = target.pointer(source).unwrap_or(&Value::Null);
    kind.text(target, current.and_then(|current| present(current, source)))
}

/// What a metric is measured in.
#[derive(Clone, Copy)]
enum Kind {
    /// A resource of the pods, used on average or in per cent of what they request.
    Resource,
    /// Something about each pod, on average.
    Pods,
    /// Something about another thing, as it is or per pod.
    Value,
}

/// Nothing was measured.
const UNKNOWN: &str = "<unknown>";

impl Kind {
    /// `current` is absent while nothing has been measured.
    fn text(self, target: &Value, current: Option<&Value>) -> String {
        let per_pod = present(target, "/target/averageValue");
        match (self, per_pod) {
            (Self::Resource, Some(average)) => {
                let name = string(target, "/name");
                format!("{name}: {}/{}", measured(current, "averageValue"), scalar(average))
            }
            (Self::Resource, None) => {
                let name = string(target, "/name");
                let current = current.and_then(|current| percentage(current, "current"));
                let target = percentage(target, "target");
                format!(
                    "{name}: {}/{}",
                    current.as_deref().unwrap_or(UNKNOWN),
                    target.as_deref().unwrap_or("<auto>")
                )
            }
            (Self::Pods, _) => {
                let average = quantity(target, "/target/averageValue");
                format!("{}/{average}", measured(current, "averageValue"))
            }
            (Self::Value, Some(average)) => {
                let current = current
                    .and_then(|current| present(current, "/current/averageValue"))
                    .map_or_else(|| UNKNOWN.to_owned(), scalar);
                format!("{current}/{} (avg)", scalar(average))
            }
            (Self::Value, None) => {
                format!("{}/{}", measured(current, "value"), quantity(target, "/target/value"))
            }
        }
    }
}

fn measured(current: Option<&Value>, member: &str) -> String {
    current.map_or_else(
        || UNKNOWN.to_owned(),
        |current| quantity(current, &format!("/current/{member}")),
    )
}

/// A quantity; one that is missing shows as the reference's absent pointers do.
fn quantity(metric: &Value, pointer: &str) -> String {
    present(metric, pointer).map_or_else(|| "<nil>".to_owned(), scalar)
}

fn percentage(metric: &Value, member: &str) -> Option<String> {
    let utilization = present(metric, &format!("/{member}/averageUtilization"))?;
    Some(format!("{utilization}%"))
}

#[cfg(test)]
mod tests;
