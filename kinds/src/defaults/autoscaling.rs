//! HorizontalPodAutoscalers, each version in its own words.

use serde_json::{Value, json};

use crate::value::Members;

/// How much of its requested CPU a pod uses on average if nothing else is aimed at, in percent.
const CPU_PERCENT: i64 = 80;

/// The defaults of an autoscaler of `autoscaling/v1` or `autoscaling/v2`.
pub(crate) fn fill(object: &mut Value) {
    let first_version = object.text("apiVersion") == "autoscaling/v1";
    let other_metrics = object
        .member("metadata")
        .member("annotations")
        .has("autoscaling.alpha.kubernetes.io/metrics");
    let Some(spec) = object.present_mut("spec") else { return };
    spec.set_default("minReplicas", 1);
    if first_version {
        if !other_metrics {
            spec.set_default("targetCPUUtilizationPercentage", CPU_PERCENT);
        }
        return;
    }
    if spec.is_blank("metrics") {
        let target = json!({"type": "Utilization", "averageUtilization": CPU_PERCENT});
        spec.set(
            "metrics",
            json!([{"type": "Resource", "resource": {"name": "cpu", "target": target}}]),
        );
    }
    if let Some(behavior) = spec.present_mut("behavior") {
        fill_behavior(behavior);
    }
}

fn fill_behavior(behavior: &mut Value) {
    let double = json!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let up = behavior.ensure("scaleUp");
    up.set_default("stabilizationWindowSeconds", 0);
    up.set_default("selectPolicy", "Max");
    up.set_default(
        "policies",
        json!([{"type": "Pods", "value": 4, "periodSeconds": 15}, double.clone()]),
    );
    let down = behavior.ensure("scaleDown");
    down.set_default("selectPolicy", "Max");
    down.set_default("policies", json!([double]));
}

/// The status of a new autoscaler.
pub(crate) fn no_status(object: &Value) -> Value {
    if object.text("apiVersion") == "autoscaling/v1" {
        json!({"currentReplicas": 0, "desiredReplicas": 0})
    } else {
        json!({"desiredReplicas": 0, "currentMetrics": null})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_aims_at_the_same_in_its_own_words() {
        let mut first = json!({"apiVersion": "autoscaling/v1", "spec": {}});
        fill(&mut first);
        assert_eq!(first["spec"], json!({"minReplicas": 1, "targetCPUUtilizationPercentage": 80}));
        let mut second = json!({"apiVersion": "autoscaling/v2", "spec": {"metrics": []}});
        fill(&mut second);
        let metric = &second["spec"]["metrics"][0]["resource"];
        assert_eq!(metric["target"]["averageUtilization"], 80);
    }

    #[test]
    fn behavior_is_completed_in_both_directions() {
        let mut object = json!({"spec": {"behavior": {"scaleDown": {"policies": []}}}});
        fill(&mut object);
        let behavior = &object["spec"]["behavior"];
        assert_eq!(behavior["scaleUp"]["policies"].as_array().unwrap().len(), 2);
        assert_eq!(behavior["scaleDown"], json!({"policies": [], "selectPolicy": "Max"}));
    }
}
