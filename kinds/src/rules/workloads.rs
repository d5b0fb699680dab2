//! Kinds that make pods from a template.

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};

use super::{checks, pod_spec, selector};
use crate::value::Members;

const NO_MATCH: &str = "`selector` does not match template `labels`";

/// The rules of a Deployment.
pub(crate) fn create_deployment(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    checks::not_negative(errors, spec, &path, &["replicas"]);
    required_selector(errors, spec, &path, "deployment");
    replicated_template(errors, spec, &path, "invalid label selector", "ReplicaSet");
    deployment_strategy(errors, spec.member("strategy"), &path.child("strategy"));
    checks::not_negative(errors, spec, &path, &["minReadySeconds", "revisionHistoryLimit"]);
    checks::not_negative(errors, spec, &path, &["progressDeadlineSeconds"]);
    let ready = spec.int("minReadySeconds").unwrap_or(0);
    if let Some(seconds) = spec.int("progressDeadlineSeconds").filter(|seconds| *seconds <= ready) {
        let detail = "must be greater than minReadySeconds";
        errors.push(Error::invalid(&path.child("progressDeadlineSeconds"), seconds, detail));
    }
}

fn deployment_strategy(errors: &mut ErrorList, strategy: &Value, path: &Path) {
    let (rolling, rolling_path) = (strategy.member("rollingUpdate"), path.child("rollingUpdate"));
    match strategy.text("type") {
        "Recreate" if !rolling.is_null() => errors.push(Error::forbidden(
            &rolling_path,
            "may not be specified when strategy `type` is 'Recreate'",
        )),
        "Recreate" => {}
        "RollingUpdate" => {
            let (unavailable, surge) =
                (rolling.member("maxUnavailable"), rolling.member("maxSurge"));
            let path = rolling_path.child("maxUnavailable");
            checks::int_or_percent(errors, &path, unavailable);
            checks::int_or_percent(errors, &rolling_path.child("maxSurge"), surge);
            if !checks::is_some_amount(unavailable) && !checks::is_some_amount(surge) {
                let detail = "may not be 0 when `maxSurge` is 0";
                errors.push(Error::invalid(&path, Shown::json(unavailable), detail));
            }
            checks::at_most_all(errors, &path, unavailable);
        }
        other => errors.push(Error::not_supported(
            &path.child("type"),
            Shown::json(&other),
            &["Recreate", "RollingUpdate"],
        )),
    }
}

/// The rules of a ReplicaSet.
pub(crate) fn create_replica_set(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    checks::not_negative(errors, spec, &path, &["replicas", "minReadySeconds"]);
    // The reference speaks of deployments here, too.
    required_selector(errors, spec, &path, "deployment");
    replicated_template(errors, spec, &path, "invalid label selector", "ReplicaSet");
}

/// The rules of a StatefulSet.
pub(crate) fn create_stateful_set(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    let policy_path = path.child("podManagementPolicy");
    match spec.text("podManagementPolicy") {
        "" => errors.push(Error::required(&policy_path, "")),
        "OrderedReady" | "Parallel" => {}
        other => errors.push(Error::invalid(
            &policy_path,
            Shown::json(&other),
            "must be 'OrderedReady' or 'Parallel'",
        )),
    }
    stateful_strategy(errors, spec.member("updateStrategy"), &path.child("updateStrategy"));
    let member = "persistentVolumeClaimRetentionPolicy";
    for when in ["whenDeleted", "whenScaled"] {
        checks::one_of_if_any(
            errors,
            spec.member(member),
            &path.child(member),
            when,
            &["Retain", "Delete"],
        );
    }
    checks::not_negative(errors, spec, &path, &["replicas", "minReadySeconds"]);
    checks::not_negative(errors, spec.member("ordinals"), &path.child("ordinals"), &["start"]);
    required_selector(errors, spec, &path, "statefulset");
    replicated_template(errors, spec, &path, "", "StatefulSet");
}

fn stateful_strategy(errors: &mut ErrorList, strategy: &Value, path: &Path) {
    let (rolling, rolling_path) = (strategy.member("rollingUpdate"), path.child("rollingUpdate"));
    match strategy.text("type") {
        "" => errors.push(Error::required(path, "")),
        "OnDelete" if !rolling.is_null() => errors.push(Error::invalid(
            &rolling_path,
            Shown::json(rolling),
            "only allowed for updateStrategy 'RollingUpdate'",
        )),
        "OnDelete" => {}
        "RollingUpdate" => {
            checks::not_negative(errors, rolling, &rolling_path, &["partition"]);
            let (unavailable, path) =
                (rolling.member("maxUnavailable"), rolling_path.child("maxUnavailable"));
            if !unavailable.is_null() {
                checks::int_or_percent(errors, &path, unavailable);
                if !checks::is_some_amount(unavailable) {
                    errors.push(Error::invalid(&path, Shown::json(unavailable), "cannot be 0"));
                }
                checks::at_most_all(errors, &path, unavailable);
            }
        }
        other => {
            let parameters = (!rolling.is_null()).then(|| {
                json!({"Partition": rolling.int("partition").unwrap_or(0),
                    "MaxUnavailable": rolling.member("maxUnavailable")})
            });
            let shown = json!({"Type": other, "RollingUpdate": parameters});
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            errors.push(Error::invalid(path, Shown::json(&shown), detail));
        }
    }
}

/// The rules of a DaemonSet.
pub(crate) fn create_daemon_set(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    let selected = spec.member("selector");
    selector::validate(errors, selected, &path.child("selector"));
    let template_path = path.child("template");
    match_template(errors, selected, spec.member("template"), &template_path);
    if !selected.is_null() && selector::is_empty(selected) {
        let detail = "empty selector is invalid for daemonset";
        errors.push(Error::invalid(&path.child("selector"), Shown::json(selected), detail));
    }
    pod_spec::validate_template(errors, spec.member("template"), &template_path);
    always_running(errors, spec.member("template"), &template_path, "DaemonSet");
    daemon_strategy(errors, spec.member("updateStrategy"), &path.child("updateStrategy"));
    checks::not_negative(errors, spec, &path, &["minReadySeconds", "revisionHistoryLimit"]);
}

fn daemon_strategy(errors: &mut ErrorList, strategy: &Value, path: &Path) {
    let (rolling, path_of_rolling) =
        (strategy.member("rollingUpdate"), path.child("rollingUpdate"));
    match strategy.text("type") {
        "OnDelete" => {}
        "RollingUpdate" if rolling.is_null() => errors.push(Error::required(&path_of_rolling, "")),
        "RollingUpdate" => rolling_daemon(errors, rolling, &path_of_rolling),
        other => errors.push(Error::not_supported(
            &path.child("type"),
            Shown::json(&other),
            &["RollingUpdate", "OnDelete"],
        )),
    }
}

/// Either pods go first or they come first.
fn rolling_daemon(errors: &mut ErrorList, rolling: &Value, path: &Path) {
    let members = ["maxUnavailable", "maxSurge"];
    for check in [checks::int_or_percent, checks::at_most_all] {
        for member in members {
            check(errors, &path.child(member), rolling.member(member));
        }
    }
    let [unavailable, surge] = members.map(|member| checks::is_some_amount(rolling.member(member)));
    if unavailable && surge {
        let detail = "may not be set when `maxUnavailable` is non-zero";
        let shown = Shown::json(rolling.member("maxSurge"));
        errors.push(Error::invalid(&path.child("maxSurge"), shown, detail));
    } else if !unavailable && !surge {
        let detail = "cannot be 0 when `maxSurge` is 0";
        errors.push(Error::required(&path.child("maxUnavailable"), detail));
    }
}

/// The rules of a replication controller, whose selector is a plain map.
pub(crate) fn create_replication_controller(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    checks::not_negative(errors, spec, &path, &["minReadySeconds"]);
    let any = checks::required(errors, spec, &path, "selector");
    checks::not_negative(errors, spec, &path, &["replicas"]);
    let (template, path) = (spec.member("template"), path.child("template"));
    if template.is_null() {
        errors.push(Error::required(&path, ""));
        return;
    }
    let labels = template.member("metadata").member("labels");
    if any && !spec.entries("selector").all(|(key, value)| labels.member(key) == value) {
        let path = path.child("metadata").child("labels");
        errors.push(Error::invalid(&path, checks::shown_map(labels), NO_MATCH));
    }
    pod_spec::validate_template(errors, template, &path);
    always_running(errors, template, &path, "ReplicationController");
}

/// The rules of a changed Deployment.
pub(crate) fn update_deployment(object: &Value, old: &Value, errors: &mut ErrorList) {
    create_deployment(object, errors);
    same_selector(errors, object, old);
}

/// The rules of a changed ReplicaSet.
pub(crate) fn update_replica_set(object: &Value, old: &Value, errors: &mut ErrorList) {
    create_replica_set(object, errors);
    same_selector(errors, object, old);
}

/// The rules of a changed DaemonSet.
pub(crate) fn update_daemon_set(object: &Value, old: &Value, errors: &mut ErrorList) {
    create_daemon_set(object, errors);
    same_selector(errors, object, old);
}

fn same_selector(errors: &mut ErrorList, object: &Value, old: &Value) {
    let path = Path::new("spec");
    checks::immutable(errors, object.member("spec"), old.member("spec"), &path, "selector");
}

/// The members of a StatefulSet that may change.
const STATEFUL_MAY_CHANGE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// The rules of a changed StatefulSet.
pub(crate) fn update_stateful_set(object: &Value, old: &Value, errors: &mut ErrorList) {
    create_stateful_set(object, errors);
    let fixed = |object: &Value| {
        let mut spec = object.member("spec").clone();
        for member in STATEFUL_MAY_CHANGE {
            spec.take_member(member);
        }
        spec
    };
    if fixed(object) != fixed(old) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', \
            'template', 'updateStrategy', 'revisionHistoryLimit', \
            'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        errors.push(Error::forbidden(&Path::new("spec"), detail));
    }
}

fn required_selector(errors: &mut ErrorList, spec: &Value, path: &Path, kind: &str) {
    let (selected, path) = (spec.member("selector"), path.child("selector"));
    if selected.is_null() {
        errors.push(Error::required(&path, ""));
        return;
    }
    selector::validate(errors, selected, &path);
    if selector::is_empty(selected) {
        let detail = format!("empty selector is invalid for {kind}");
        errors.push(Error::invalid(&path, Shown::json(selected), detail));
    }
}

/// A template of pods that are found by a selector and that run for good.
fn replicated_template(
    errors: &mut ErrorList,
    spec: &Value,
    path: &Path,
    unreadable: &str,
    kind: &str,
) {
    let (selected, template) = (spec.member("selector"), spec.member("template"));
    if selector::matches(selected, &Value::Null).is_none() {
        errors.push(Error::invalid(&path.child("selector"), Shown::json(selected), unreadable));
        return;
    }
    let path = path.child("template");
    match_template(errors, selected, template, &path);
    pod_spec::validate_template(errors, template, &path);
    always_running(errors, template, &path, kind);
}

/// A selector of no requirements selects everything, so nothing has to match it.
fn match_template(errors: &mut ErrorList, selected: &Value, template: &Value, path: &Path) {
    let labels = template.member("metadata").member("labels");
    let matching = selector::matches(selected, labels) != Some(false);
    if !matching {
        let path = path.child("metadata").child("labels");
        errors.push(Error::invalid(&path, checks::shown_map(labels), NO_MATCH));
    }
}

fn always_running(errors: &mut ErrorList, template: &Value, path: &Path, kind: &str) {
    let (spec, path) = (template.member("spec"), path.child("spec"));
    let policy = spec.text("restartPolicy");
    if policy != "Always" {
        let path = path.child("restartPolicy");
        errors.push(Error::not_supported(&path, Shown::json(&policy), &["Always"]));
    }
    if spec.has("activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(Error::forbidden(&path.child("activeDeadlineSeconds"), detail));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(spec: &Value) -> Value {
        let template = json!({"metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}});
        let mut object =
            json!({"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
        for (member, value) in spec.as_object().unwrap() {
            object["spec"][member] = value.clone();
        }
        object
    }

    fn errors_of(kind: &str, spec: &Value) -> Vec<String> {
        let mut object = object(spec);
        crate::defaults::fill("apps", kind, &mut object);
        let mut errors = ErrorList::default();
        match kind {
            "Deployment" => create_deployment(&object, &mut errors),
            "StatefulSet" => create_stateful_set(&object, &mut errors),
            _ => create_daemon_set(&object, &mut errors),
        }
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn plain_workloads_are_right() {
        for kind in ["Deployment", "StatefulSet", "DaemonSet"] {
            assert_eq!(errors_of(kind, &json!({})), Vec::<String>::new(), "{kind}");
        }
    }

    #[test]
    fn rolling_updates_must_get_on() {
        let none = json!({"maxUnavailable": 0, "maxSurge": "0%"});
        assert_eq!(
            errors_of("Deployment", &json!({"strategy": {"rollingUpdate": none}})),
            ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when \
              `maxSurge` is 0"]
        );
        let both = json!({"maxUnavailable": 1, "maxSurge": 1});
        assert_eq!(
            errors_of("DaemonSet", &json!({"updateStrategy": {"rollingUpdate": both}})),
            ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when \
              `maxUnavailable` is non-zero"]
        );
    }

    #[test]
    fn an_empty_selector_selects_too_much() {
        assert_eq!(
            errors_of("Deployment", &json!({"selector": {}, "progressDeadlineSeconds": 0})),
            [
                "spec.selector: Invalid value: {}: empty selector is invalid for deployment",
                "spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds",
            ]
        );
    }

    #[test]
    fn selectors_and_most_of_a_stateful_set_stay_as_they_are() {
        let old = object(&json!({}));
        let new = object(&json!({"selector": {"matchLabels": {"a": "b", "c": "d"}},
            "serviceName": "other"}));
        let mut errors = ErrorList::default();
        same_selector(&mut errors, &new, &old);
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\",\"c\":\"d\"}}: field is immutable"
            ]
        );
        let mut errors = ErrorList::default();
        update_stateful_set(&new, &old, &mut errors);
        assert!(errors.iter().any(|error| error.detail.starts_with("updates to statefulset spec")));
    }
}
