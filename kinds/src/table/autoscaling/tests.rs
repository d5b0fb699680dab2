use serde_json::json;

use super::super::testing::{cells, some_cells};
use super::*;

fn targets(metrics: &Value, current: &Value) -> Value {
    let object = json!({
        "apiVersion": "autoscaling/v2",
        "spec": {"metrics": metrics}, "status": {"currentMetrics": current},
    });
    some_cells(&HORIZONTAL_POD_AUTOSCALER, &object, &["Targets"])[0].clone()
}

#[test]
fn an_autoscaler_shows_its_bounds() {
    let object = json!({
        "apiVersion": "autoscaling/v2",
        "metadata": {"name": "h"},
        "spec": {
            "scaleTargetRef": {"kind": "Deployment", "name": "d"},
            "minReplicas": 2, "maxReplicas": 9,
        },
        "status": {"currentReplicas": 4, "currentMetrics": null},
    });
    assert_eq!(
        cells(&HORIZONTAL_POD_AUTOSCALER, &object),
        json!(["h", "Deployment/d", "<none>", "2", 9, 4, "<unknown>"])
    );
    let unset = some_cells(&HORIZONTAL_POD_AUTOSCALER, &json!({}), &["MinPods"]);
    assert_eq!(unset, json!(["<unset>"]));
}

#[test]
fn resources_are_measured_on_average_or_in_per_cent() {
    for source in ["resource", "containerResource"] {
        let kind = if source == "resource" { "Resource" } else { "ContainerResource" };
        let metric = |numbers: Value| json!([{"type": kind, source: numbers}]);
        let per_cent = metric(json!({"name": "cpu", "target": {"averageUtilization": 80}}));
        let average = metric(json!({"name": "memory", "target": {"averageValue": "100Mi"}}));
        let auto = metric(json!({"name": "cpu", "target": {}}));
        let current = metric(json!({
            "name": "cpu", "current": {"averageUtilization": 50, "averageValue": "7"},
        }));
        let none = json!(null);
        for (metrics, current, expected) in [
            (&per_cent, &none, "cpu: <unknown>/80%"),
            (&per_cent, &current, "cpu: 50%/80%"),
            (&average, &none, "memory: <unknown>/100Mi"),
            (&average, &current, "memory: 7/100Mi"),
            (&auto, &current, "cpu: 50%/<auto>"),
        ] {
            assert_eq!(targets(metrics, current), expected, "{metrics} {current}");
        }
    }
}

#[test]
fn other_metrics_have_values_of_their_own_or_per_pod() {
    for source in ["object", "external"] {
        let kind = if source == "object" { "Object" } else { "External" };
        let metric = |numbers: Value| json!([{"type": kind, source: numbers}]);
        let value = metric(json!({"target": {"value": "10k"}}));
        let average = metric(json!({"target": {"averageValue": "5"}}));
        let none = json!(null);
        for (metrics, current, expected) in [
            (&value, &none, "<unknown>/10k"),
            (&value, &metric(json!({"current": {"value": "3"}})), "3/10k"),
            (&value, &metric(json!({"current": {}})), "<nil>/10k"),
            (&average, &metric(json!({"current": {"value": "3"}})), "<unknown>/5 (avg)"),
            (&average, &metric(json!({"current": {"averageValue": "3"}})), "3/5 (avg)"),
        ] {
            assert_eq!(targets(metrics, current), expected, "{metrics} {current}");
        }
    }
    let pods = json!([{"type": "Pods", "pods": {"target": {"averageValue": "100"}}}]);
    assert_eq!(targets(&pods, &json!([])), "<unknown>/100");
    let current = json!([{"type": "Pods", "pods": {"current": {"averageValue": "50"}}}]);
    assert_eq!(targets(&pods, &current), "50/100");
}

#[test]
fn two_metrics_are_shown_and_the_rest_is_counted() {
    let metric = |value| json!({"type": "External", "external": {"target": {"value": value}}});
    let metrics = json!([metric(1), {"type": "Weather"}, metric(3), metric(4)]);
    assert_eq!(targets(&metrics, &json!(null)), "<unknown>/1, <unknown type> + 2 more...");
}

#[test]
fn version_1_has_a_field_for_the_cpu() {
    let object = json!({
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "h"},
        "spec": {
            "scaleTargetRef": {"kind": "ReplicaSet", "name": "r"},
            "maxReplicas": 5, "targetCPUUtilizationPercentage": 80,
        },
        "status": {"currentReplicas": 1, "currentCPUUtilizationPercentage": 12},
    });
    assert_eq!(
        cells(&HORIZONTAL_POD_AUTOSCALER, &object),
        json!(["h", "ReplicaSet/r", "cpu: 12%/80%", "<unset>", 5, 1, "<unknown>"])
    );
}

#[test]
fn version_1_has_other_metrics_in_annotations_and_the_cpu_after_them() {
    let mut object = json!({
        "apiVersion": "autoscaling/v1",
        "metadata": {"annotations": {
            "autoscaling.alpha.kubernetes.io/metrics": json!([
                {"type": "Resource", "resource": {"name": "memory", "targetAverageValue": "1Gi"}},
            ]).to_string(),
            "autoscaling.alpha.kubernetes.io/current-metrics": json!([
                {"type": "Resource", "resource": {"name": "memory", "currentAverageValue": "2Gi"}},
                {"type": "Resource", "resource": {
                    "name": "cpu", "currentAverageUtilization": 7, "currentAverageValue": "1m",
                }},
            ]).to_string(),
        }},
        "spec": {"targetCPUUtilizationPercentage": 80},
        "status": {"currentCPUUtilizationPercentage": 12},
    });
    let shown = |object: &Value| some_cells(&HORIZONTAL_POD_AUTOSCALER, object, &["Targets"]);
    assert_eq!(shown(&object), json!(["memory: 2Gi/1Gi, cpu: 7%/80%"]));
    object["metadata"]["annotations"]["autoscaling.alpha.kubernetes.io/metrics"] = json!("[{");
    object["metadata"]["annotations"]["autoscaling.alpha.kubernetes.io/current-metrics"] =
        json!("7");
    assert_eq!(shown(&object), json!(["cpu: 12%/80%"]));
}

#[test]
fn version_1_names_every_kind_of_number_in_its_own_way() {
    for (target, current, expected) in [
        (
            json!({"type": "Object", "object": {"targetValue": "1"}}),
            json!({"type": "Object", "object": {"currentValue": "2"}}),
            "2/1",
        ),
        (
            json!({"type": "Object", "object": {"targetValue": "0", "averageValue": "1"}}),
            json!({"type": "Object", "object": {"currentValue": "0", "averageValue": "2"}}),
            "2/1 (avg)",
        ),
        (
            json!({"type": "External", "external": {"targetAverageValue": "1"}}),
            json!({"type": "External", "external": {"currentAverageValue": "2"}}),
            "2/1 (avg)",
        ),
        (
            json!({"type": "Pods", "pods": {"targetAverageValue": "1"}}),
            json!({"type": "Pods", "pods": {"currentAverageValue": "2"}}),
            "2/1",
        ),
        (
            json!({"type": "ContainerResource", "containerResource": {
                "name": "cpu", "targetAverageUtilization": 1,
            }}),
            json!({"type": "ContainerResource", "containerResource": {
                "name": "cpu", "currentAverageUtilization": 2,
            }}),
            "cpu: 2%/1%",
        ),
    ] {
        let object = json!({"apiVersion": "autoscaling/v1", "metadata": {"annotations": {
            "autoscaling.alpha.kubernetes.io/metrics": json!([target]).to_string(),
            "autoscaling.alpha.kubernetes.io/current-metrics": json!([current]).to_string(),
        }}});
        assert_eq!(
            some_cells(&HORIZONTAL_POD_AUTOSCALER, &object, &["Targets"]),
            json!([expected])
        );
    }
}
