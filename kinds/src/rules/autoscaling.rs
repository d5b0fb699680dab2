//! HorizontalPodAutoscalers.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::checks;
use crate::value::Members;

/// Where metrics come from, and the member that says more about each.
const SOURCES: [(&str, &str); 5] = [
    ("ContainerResource", "containerResource"),
    ("External", "external"),
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
];
const TARGETS: [&str; 3] = ["Utilization", "Value", "AverageValue"];
const WINDOW_SECONDS_MAX: i64 = 3600;
const PERIOD_SECONDS_MAX: i64 = 1800;

/// The rules of an autoscaler, of either version.
pub(crate) fn create(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    validate_replicas(errors, spec, &path);
    let target_path = path.child("scaleTargetRef");
    for member in ["kind", "name"] {
        let target = spec.member("scaleTargetRef");
        if checks::required(errors, target, &target_path, member) {
            let text = target.text(member);
            let wrong = format::path_segment(text);
            checks::each_message(errors, &target_path.child(member), text, wrong);
        }
    }
    for (index, metric) in spec.items("metrics").iter().enumerate() {
        validate_metric(errors, metric, &path.child("metrics").index(index));
    }
    for direction in ["scaleUp", "scaleDown"] {
        let rules = spec.member("behavior").member(direction);
        if !rules.is_null() {
            validate_behavior(errors, rules, &path.child("behavior").child(direction));
        }
    }
}

fn validate_replicas(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let (min, max) = (spec.int("minReplicas"), spec.int("maxReplicas").unwrap_or(0));
    if let Some(min) = min.filter(|min| *min < 1) {
        let detail = "must be greater than or equal to 1";
        errors.push(Error::invalid(&path.child("minReplicas"), min, detail));
    }
    let path = path.child("maxReplicas");
    if max < 1 {
        errors.push(Error::invalid(&path, max, "must be greater than 0"));
    }
    if min.is_some_and(|min| max < min) {
        let detail = "must be greater than or equal to `minReplicas`";
        errors.push(Error::invalid(&path, max, detail));
    }
}

fn validate_metric(errors: &mut ErrorList, metric: &Value, path: &Path) {
    let (kind, type_path) = (metric.text("type"), path.child("type"));
    if kind.is_empty() {
        errors.push(Error::required(&type_path, "must specify a metric source type"));
    }
    let known = SOURCES.map(|(kind, _)| kind);
    let expected = SOURCES.iter().find(|(known, _)| *known == kind).map(|(_, member)| *member);
    if expected.is_none() {
        errors.push(Error::not_supported(&type_path, Shown::json(&kind), &known));
    }
    for (_, member) in SOURCES.iter().filter(|(_, member)| metric.has(member)) {
        let (source, path) = (metric.member(member), path.child(member));
        if expected.is_some_and(|expected| expected != *member) {
            let detail = "must populate the given metric source only";
            errors.push(Error::forbidden(&path, detail));
        } else {
            validate_source(errors, source, &path);
        }
    }
    if let Some(expected) = expected.filter(|expected| !metric.has(expected)) {
        let detail = "must populate information for the given metric source";
        errors.push(Error::required(&path.child(expected), detail));
    }
}

fn validate_source(errors: &mut ErrorList, source: &Value, path: &Path) {
    let (target, target_path) = (source.member("target"), path.child("target"));
    if source.is_blank("name") && !source.has("metric") {
        errors.push(Error::required(&path.child("name"), "must specify a resource name"));
    }
    let type_path = target_path.child("type");
    match target.text("type") {
        "" => errors.push(Error::required(&type_path, "must specify a metric target type")),
        kind if !TARGETS.contains(&kind) => {
            let detail = "must be either Utilization, Value, or AverageValue";
            errors.push(Error::invalid(&type_path, Shown::json(&kind), detail));
        }
        _ => {}
    }
    if let Some(percent) = target.int("averageUtilization").filter(|percent| *percent < 1) {
        let path = target_path.child("averageUtilization");
        errors.push(Error::invalid(&path, percent, "must be greater than 0"));
    }
}

fn validate_behavior(errors: &mut ErrorList, rules: &Value, path: &Path) {
    let window_path = path.child("stabilizationWindowSeconds");
    match rules.int("stabilizationWindowSeconds") {
        Some(seconds) if seconds < 0 => {
            let detail = "must be greater than or equal to zero";
            errors.push(Error::invalid(&window_path, seconds, detail));
        }
        Some(seconds) if seconds > WINDOW_SECONDS_MAX => {
            let detail = format!("must be less than or equal to {WINDOW_SECONDS_MAX}");
            errors.push(Error::invalid(&window_path, seconds, detail));
        }
        _ => {}
    }
    checks::one_of_if_any(errors, rules, path, "selectPolicy", &["Disabled", "Max", "Min"]);
    let path = path.child("policies");
    if rules.is_blank("policies") {
        errors.push(Error::required(&path, "must specify at least one Policy"));
    }
    for (index, policy) in rules.items("policies").iter().enumerate() {
        let path = path.index(index);
        let kind = policy.text("type");
        if !matches!(kind, "Percent" | "Pods") {
            let path = path.child("type");
            errors.push(Error::not_supported(&path, Shown::json(&kind), &["Percent", "Pods"]));
        }
        for member in ["value", "periodSeconds"] {
            let number = policy.int(member).unwrap_or(0);
            if number <= 0 {
                let detail = "must be greater than zero";
                errors.push(Error::invalid(&path.child(member), number, detail));
            }
        }
        let period = policy.int("periodSeconds").filter(|period| *period > PERIOD_SECONDS_MAX);
        if let Some(period) = period {
            let detail = format!("must be less than or equal to {PERIOD_SECONDS_MAX}");
            errors.push(Error::invalid(&path.child("periodSeconds"), period, detail));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(mut spec: Value) -> Vec<String> {
        spec.set_default("maxReplicas", 3);
        spec.set_default("scaleTargetRef", json!({"kind": "Deployment", "name": "d"}));
        let mut errors = ErrorList::default();
        create(&json!({"spec": spec}), &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_autoscaler_knows_what_it_scales_and_how_far() {
        assert_eq!(
            texts(json!({"minReplicas": 2, "maxReplicas": 1, "scaleTargetRef": {"kind": ""}})),
            [
                "spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`",
                "spec.scaleTargetRef.kind: Required value",
                "spec.scaleTargetRef.name: Required value",
            ]
        );
    }

    #[test]
    fn a_metric_has_the_source_it_names() {
        let metrics = json!([
            {"type": "Resource", "pods": {}},
            {"type": "Resource", "resource": {"name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 0}}},
        ]);
        assert_eq!(
            texts(json!({"metrics": metrics})),
            [
                "spec.metrics[0].pods: Forbidden: must populate the given metric source only",
                "spec.metrics[0].resource: Required value: must populate information for the given \
                 metric source",
                "spec.metrics[1].resource.target.averageUtilization: Invalid value: 0: must be \
                 greater than 0",
            ]
        );
    }

    #[test]
    fn behavior_is_within_bounds() {
        let behavior = json!({"scaleUp": {"policies": []}, "scaleDown": {
            "stabilizationWindowSeconds": 3601,
            "policies": [{"type": "Pods", "value": 0, "periodSeconds": 1801}]}});
        assert_eq!(
            texts(json!({"behavior": behavior})),
            [
                "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
                "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be \
                 less than or equal to 3600",
                "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than \
                 zero",
                "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be \
                 less than or equal to 1800",
            ]
        );
    }
}
