//! HorizontalPodAutoscalers of autoscaling/v1, which are stored as those of v2. What v1 has no
//! members for stands in annotations.

use serde_json::{Value, json};

use super::Conversion;

pub(super) const CONVERSION: Conversion =
    Conversion { group: "autoscaling", version: "v2", to_hub, from_hub };

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

const TARGET: &str = "targetCPUUtilizationPercentage";
const CURRENT: &str = "currentCPUUtilizationPercentage";

/// Average use of the processor, in percent of what is requested: the only metric of v1.
fn cpu_utilization(metric: &Value, member: &str) -> Option<Value> {
    let resource = &metric["resource"];
    let utilization = &resource[member]["averageUtilization"];
    (metric["type"] == "Resource" && resource["name"] == "cpu" && utilization.is_number())
        .then(|| utilization.clone())
}

fn cpu_target(percent: &Value) -> Value {
    json!({
        "type": "Resource",
        "resource": {
            "name": "cpu",
            "target": { "type": "Utilization", "averageUtilization": percent },
        },
    })
}

fn from_hub(hpa: &mut Value) {
    let mut metrics = take_list(hpa, "/spec", "metrics");
    let at = metrics.iter().position(|metric| cpu_utilization(metric, "target").is_some());
    if let Some(metric) = at.map(|at| metrics.remove(at)) {
        hpa["spec"][TARGET] = cpu_utilization(&metric, "target").unwrap_or_default();
    }
    let current = take_list(hpa, "/status", "currentMetrics");
    if let Some(percent) = current.iter().find_map(|metric| cpu_utilization(metric, "current")) {
        hpa["status"][CURRENT] = percent;
    }
    let conditions = take_list(hpa, "/status", "conditions");
    let behavior = take(hpa, "/spec", "behavior");
    for (name, list) in [(METRICS, metrics), (CURRENT_METRICS, current), (CONDITIONS, conditions)] {
        if !list.is_empty() {
            annotate(hpa, name, &Value::Array(list));
        }
    }
    if let Some(behavior) = behavior {
        annotate(hpa, BEHAVIOR, &behavior);
    }
}

fn to_hub(hpa: &mut Value) {
    let mut metrics = annotated(hpa, METRICS).and_then(into_list).unwrap_or_default();
    if let Some(percent) = take(hpa, "/spec", TARGET) {
        metrics.insert(0, cpu_target(&percent));
    }
    if !metrics.is_empty() {
        hpa["spec"]["metrics"] = Value::Array(metrics);
    }
    if let Some(behavior) = annotated(hpa, BEHAVIOR) {
        hpa["spec"]["behavior"] = behavior;
    }
    let percent = take(hpa, "/status", CURRENT);
    let current = annotated(hpa, CURRENT_METRICS).or_else(|| {
        let percent = percent?;
        Some(json!([{
            "type": "Resource",
            "resource": { "name": "cpu", "current": { "averageUtilization": percent } },
        }]))
    });
    for (member, value) in [("currentMetrics", current), ("conditions", annotated(hpa, CONDITIONS))]
    {
        if let (Some(value), Some(status)) = (value, hpa.pointer_mut("/status"))
            && status.is_object()
        {
            status[member] = value;
        }
    }
}

fn take(hpa: &mut Value, parent: &str, member: &str) -> Option<Value> {
    let taken = hpa.pointer_mut(parent)?.as_object_mut()?.shift_remove(member)?;
    (!taken.is_null()).then_some(taken)
}

fn take_list(hpa: &mut Value, parent: &str, member: &str) -> Vec<Value> {
    take(hpa, parent, member).and_then(into_list).unwrap_or_default()
}

fn into_list(value: Value) -> Option<Vec<Value>> {
    if let Value::Array(items) = value { Some(items) } else { None }
}

fn annotate(hpa: &mut Value, name: &str, value: &Value) {
    let Some(metadata) = hpa.get_mut("metadata").filter(|metadata| metadata.is_object()) else {
        return;
    };
    if !metadata["annotations"].is_object() {
        metadata["annotations"] = json!({});
    }
    metadata["annotations"][name] = json!(value.to_string());
}

/// What an annotation says, taken off. One that says nothing sensible stays.
fn annotated(hpa: &mut Value, name: &str) -> Option<Value> {
    let metadata = hpa.get_mut("metadata")?.as_object_mut()?;
    let annotations = metadata.get_mut("annotations")?.as_object_mut()?;
    let value = serde_json::from_str(annotations.get(name)?.as_str()?).ok()?;
    annotations.shift_remove(name);
    if annotations.is_empty() {
        metadata.shift_remove("annotations");
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_of_the_processor_has_a_member_and_all_else_an_annotation() {
        let memory = json!({ "type": "Resource", "resource": { "name": "memory" } });
        let v2 = json!({
            "metadata": { "name": "a" },
            "spec": { "maxReplicas": 3, "metrics": [cpu_target(&json!(80)), memory] },
            "status": { "desiredReplicas": 0 },
        });
        let mut v1 = v2.clone();
        from_hub(&mut v1);
        assert_eq!(v1["spec"][TARGET], 80);
        assert!(v1["metadata"]["annotations"][METRICS].as_str().unwrap().contains("memory"));
        to_hub(&mut v1);
        assert_eq!(v1, v2);
    }

    #[test]
    fn an_annotation_that_says_nothing_sensible_stays() {
        let odd = json!({ "metadata": { "annotations": { METRICS: "[" } }, "spec": {} });
        let mut hpa = odd.clone();
        to_hub(&mut hpa);
        assert_eq!(hpa, odd);
    }
}
