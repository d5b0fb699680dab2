//! Pod specs and pod templates.

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::{affinity, checks, container, pod_security, resources, volume};
use crate::value::Members;

/// How pods may be restarted.
const RESTART_POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];
const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
pub(super) const TAINT_EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const DEADLINE_RANGE: &str = "must be between 1 and 2147483647, inclusive";

/// A template, and its labels and annotations.
pub(super) fn validate_template(errors: &mut ErrorList, template: &Value, path: &Path) {
    let metadata = template.member("metadata");
    checks::labels(errors, metadata, path, "labels");
    checks::annotations(errors, metadata, path, "annotations");
    let (spec, path) = (template.member("spec"), path.child("spec"));
    validate(errors, spec, &path);
    if !spec.is_blank("ephemeralContainers") {
        let path = path.child("ephemeralContainers");
        errors.push(Error::forbidden(&path, "ephemeral containers not allowed in pod template"));
    }
}

/// A pod spec.
pub(super) fn validate(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let volumes = volume::validate(errors, spec, &path.child("volumes"));
    container::validate(errors, spec, &volumes, path);
    if spec.has("resources") {
        resources::validate(errors, spec.member("resources"), &path.child("resources"));
    }
    checks::one_of(errors, spec, path, "restartPolicy", &RESTART_POLICIES);
    checks::one_of(errors, spec, path, "dnsPolicy", &DNS_POLICIES);
    checks::labels(errors, spec, path, "nodeSelector");
    let security = "securityContext";
    pod_security::validate(errors, spec.member(security), &path.child(security));
    affinity::validate(errors, spec.member("affinity"), &path.child("affinity"));
    validate_gates(errors, spec, &path.child("schedulingGates"));
    affinity::validate_spread(errors, spec, &path.child("topologySpreadConstraints"));
    for (member, check) in [
        ("serviceAccountName", checks::subdomain as fn(&mut ErrorList, &Path, &str)),
        ("nodeName", checks::subdomain),
    ] {
        if !spec.is_blank(member) {
            check(errors, &path.child(member), spec.text(member));
        }
    }
    if let Some(seconds) = spec.int("activeDeadlineSeconds")
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        errors.push(Error::invalid(&path.child("activeDeadlineSeconds"), seconds, DEADLINE_RANGE));
    }
    for member in ["hostname", "subdomain"] {
        if !spec.is_blank(member) {
            checks::label(errors, &path.child(member), spec.text(member));
        }
    }
    validate_tolerations(errors, spec, &path.child("tolerations"));
    validate_host_aliases(errors, spec, &path.child("hostAliases"));
    for member in ["priorityClassName", "runtimeClassName"] {
        if !spec.is_blank(member) {
            checks::subdomain(errors, &path.child(member), spec.text(member));
        }
    }
    let preemption = ["PreemptLowerPriority", "Never"];
    checks::one_of_if_any(errors, spec, path, "preemptionPolicy", &preemption);
}

fn validate_gates(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let gates = spec.items("schedulingGates");
    for (index, gate) in gates.iter().enumerate() {
        let (path, name) = (path.index(index), gate.text("name"));
        checks::each_message(errors, &path, name, format::qualified_name(name));
        if gates[..index].iter().any(|before| before.text("name") == name) {
            errors.push(Error::duplicate(&path, name));
        }
    }
}

fn validate_tolerations(errors: &mut ErrorList, spec: &Value, path: &Path) {
    for (index, toleration) in spec.items("tolerations").iter().enumerate() {
        validate_toleration(errors, toleration, &path.index(index));
    }
}

fn validate_toleration(errors: &mut ErrorList, toleration: &Value, path: &Path) {
    let (key, value) = (toleration.text("key"), toleration.text("value"));
    let operator = toleration.text("operator");
    let effect = toleration.text("effect");
    let operator_path = path.child("operator");
    if key.is_empty() {
        if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all \
                values and all keys\"";
            errors.push(Error::invalid(&operator_path, Shown::json(&operator), detail));
        }
    } else {
        checks::each_message(errors, &path.child("key"), key, format::qualified_name(key));
    }
    if toleration.has("tolerationSeconds") && effect != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.push(Error::invalid(&path.child("effect"), Shown::json(&effect), detail));
    }
    match operator {
        "Equal" | "" => {
            let wrong = format::label_value(value);
            if !wrong.is_empty() {
                errors.push(Error::invalid(&operator_path, value, wrong.join(";")));
            }
        }
        "Exists" if !value.is_empty() => {
            let detail = "value must be empty when `operator` is 'Exists'";
            let shown = json!({"Key": key, "Operator": operator, "Value": value, "Effect": effect,
                "TolerationSeconds": toleration.int("tolerationSeconds")});
            errors.push(Error::invalid(&operator_path, Shown::json(&shown), detail));
        }
        "Exists" => {}
        _ => {
            let known = ["Equal", "Exists"];
            errors.push(Error::not_supported(&operator_path, Shown::json(&operator), &known));
        }
    }
    if !effect.is_empty() {
        checks::one_of(errors, toleration, path, "effect", &TAINT_EFFECTS);
    }
}

fn validate_host_aliases(errors: &mut ErrorList, spec: &Value, path: &Path) {
    for (index, alias) in spec.items("hostAliases").iter().enumerate() {
        let path = path.index(index);
        checks::address(errors, &path.child("ip"), alias.text("ip"));
        for name in alias.items("hostnames").iter().filter_map(Value::as_str) {
            checks::subdomain(errors, &path.child("hostnames"), name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(mut spec: Value) -> Vec<String> {
        spec.set_default("containers", json!([{"name": "c", "image": "i"}]));
        crate::defaults::pod_spec::fill(&mut spec);
        let mut errors = ErrorList::default();
        validate(&mut errors, &spec, &Path::new("spec"));
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_plain_pod_is_right() {
        assert_eq!(texts(json!({})), Vec::<String>::new());
    }

    #[test]
    fn containers_are_told_apart_by_their_names() {
        let containers = json!([{"name": "c", "image": "i"}, {"name": "c", "image": "i"}]);
        assert_eq!(
            texts(json!({"containers": containers})),
            ["spec.containers[1].name: Duplicate value: \"c\""]
        );
    }

    #[test]
    fn mounts_need_a_volume() {
        let containers = json!([{"name": "c", "image": "i",
            "volumeMounts": [{"name": "v", "mountPath": "/a"}, {"name": "w", "mountPath": "/a"}]}]);
        let volumes = json!([{"name": "w", "emptyDir": {}}]);
        assert_eq!(
            texts(json!({"containers": containers, "volumes": volumes})),
            [
                "spec.containers[0].volumeMounts[0].name: Not found: \"v\"",
                "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique",
            ]
        );
    }

    #[test]
    fn ports_and_variables_are_checked_in_order() {
        let containers = json!([{"name": "c", "image": "i",
            "ports": [{"containerPort": 70000, "protocol": "X"}, {"name": "http", "hostPort": 5}],
            "env": [{"name": "a=b"}, {"name": "x", "valueFrom": {}},
                {"name": "y", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}]}]);
        let texts = texts(json!({"containers": containers}));
        let starts = [
            "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1",
            "spec.containers[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\"",
            "spec.containers[0].ports[1].containerPort: Required value",
            "spec.containers[0].env[0].name: Invalid value: \"a=b\": a valid environment variable",
            "spec.containers[0].env[1].valueFrom: Invalid value: \"\": must specify one of",
            "spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.x\": error",
        ];
        assert_eq!(texts.len(), starts.len(), "{texts:?}");
        for (text, start) in texts.iter().zip(starts) {
            assert!(text.starts_with(start), "{text}");
        }
    }

    #[test]
    fn tolerations_make_sense() {
        let tolerations = json!([{"operator": "Equal"}, {"key": "a", "operator": "Exists",
            "value": "x", "tolerationSeconds": 1}]);
        let fields: Vec<String> = texts(json!({"tolerations": tolerations}));
        assert_eq!(fields.len(), 3, "{fields:?}");
        assert!(fields[0].contains("operator must be Exists when `key` is empty"));
        assert!(fields[1].contains("effect must be 'NoExecute'"));
        assert!(fields[2].contains("value must be empty"));
    }
}
