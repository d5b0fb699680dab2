//! RuntimeClass: what the runtime of a pod costs, and where it can run.

use serde_json::Value;
use validation::text::go_quote;

use super::Refusal;
use crate::value::Members;

/// Completes a new pod by its RuntimeClass; `find` knows the classes.
///
/// # Errors
///
/// There is no such class, or the pod contradicts it.
pub fn set_runtime_class(
    pod: &mut Value,
    find: impl Fn(&str) -> Option<Value>,
) -> Result<(), Refusal> {
    let Some(spec) = pod.present_mut("spec") else { return Ok(()) };
    if !spec.has("runtimeClassName") {
        if spec.has("overhead") {
            let why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined \
                       Overhead";
            return Err(Refusal(why.to_owned()));
        }
        return Ok(());
    }
    let name = spec.text("runtimeClassName").to_owned();
    let Some(class) = find(&name) else {
        return Err(Refusal(format!("pod rejected: RuntimeClass {} not found", go_quote(&name))));
    };
    set_overhead(spec, &class)?;
    set_scheduling(spec, class.member("scheduling"))
}

fn set_overhead(spec: &mut Value, class: &Value) -> Result<(), Refusal> {
    let overhead = class.member("overhead");
    if overhead.is_null() {
        return Ok(());
    }
    let fixed = overhead.member("podFixed");
    if spec.has("overhead") && spec.member("overhead") != fixed {
        let why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
        return Err(Refusal(why.to_owned()));
    }
    spec.set("overhead", fixed.clone());
    Ok(())
}

fn set_scheduling(spec: &mut Value, scheduling: &Value) -> Result<(), Refusal> {
    for (key, value) in scheduling.entries("nodeSelector") {
        let own = spec.member("nodeSelector").text(key);
        if spec.member("nodeSelector").has(key) && value != own {
            return Err(Refusal(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {}; \
                 pod.spec.nodeSelector[{key}] = {own}",
                value.as_str().unwrap_or_default()
            )));
        }
    }
    spec.add_missing("nodeSelector", scheduling.member("nodeSelector"));
    for toleration in scheduling.items("tolerations") {
        if !spec.items("tolerations").contains(toleration) {
            spec.push_item("tolerations", toleration.clone());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(spec: &Value) -> Result<Value, String> {
        let class = json!({"overhead": {"podFixed": {"cpu": "1"}}, "scheduling": {
            "nodeSelector": {"a": "b"}, "tolerations": [{"key": "t"}]}});
        let mut pod = json!({"spec": spec});
        set_runtime_class(&mut pod, |name| (name == "there").then(|| class.clone()))
            .map_err(|refusal| refusal.0)?;
        Ok(pod["spec"].take())
    }

    #[test]
    fn a_pod_gets_what_its_runtime_costs_and_where_it_runs() {
        let spec =
            set(&json!({"runtimeClassName": "there", "tolerations": [{"key": "t"}]})).unwrap();
        let expected = json!({"runtimeClassName": "there", "tolerations": [{"key": "t"}],
            "overhead": {"cpu": "1"}, "nodeSelector": {"a": "b"}});
        assert_eq!(spec, expected);
    }

    #[test]
    fn a_pod_must_not_contradict_its_class() {
        for (spec, why) in [
            (json!({"runtimeClassName": "x"}), "pod rejected: RuntimeClass \"x\" not found"),
            (
                json!({"runtimeClassName": "there", "overhead": {"cpu": "2"}}),
                "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
            ),
            (
                json!({"overhead": {"cpu": "2"}}),
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
            ),
            (
                json!({"runtimeClassName": "there", "nodeSelector": {"a": "c"}}),
                "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = c",
            ),
        ] {
            assert_eq!(set(&spec).unwrap_err(), why);
        }
    }
}
