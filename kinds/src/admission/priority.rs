//! Priority: the class of a pod says what its number is.

use serde_json::Value;

use super::Refusal;
use crate::value::Members;

/// Gives a new pod the priority of its class; `find` knows the classes, `all` lists them.
///
/// # Errors
///
/// There is no such class, or the pod says something else than its class.
pub fn set_priority(
    pod: &mut Value,
    find: impl Fn(&str) -> Option<Value>,
    all: impl Fn() -> Vec<Value>,
) -> Result<(), Refusal> {
    let Some(spec) = pod.present_mut("spec") else { return Ok(()) };
    let name = spec.text("priorityClassName").to_owned();
    let class = if name.is_empty() {
        lowest_default(all())
    } else {
        let missing = || Refusal(format!("no PriorityClass with name {name} was found"));
        Some(find(&name).ok_or_else(missing)?)
    };
    let class = class.unwrap_or_default();
    let default_name = class.member("metadata").text("name");
    if name.is_empty() && !default_name.is_empty() {
        spec.set("priorityClassName", default_name);
    }
    let computed = class.int("value").unwrap_or(0);
    let policy = match class.text("preemptionPolicy") {
        "" => "PreemptLowerPriority",
        policy => policy,
    };
    if let Some(own) = spec.int("priority").filter(|own| *own != computed) {
        return Err(Refusal(format!(
            "the integer value of priority ({own}) must not be provided in pod spec; priority \
             admission controller computed {computed} from the given PriorityClass name"
        )));
    }
    if spec.has("preemptionPolicy") && spec.text("preemptionPolicy") != policy {
        return Err(Refusal(format!(
            "the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority \
             admission controller computed {policy} from the given PriorityClass name",
            spec.text("preemptionPolicy")
        )));
    }
    spec.set("priority", computed);
    spec.set("preemptionPolicy", policy);
    Ok(())
}

/// Of several default classes the lowest counts.
fn lowest_default(classes: Vec<Value>) -> Option<Value> {
    let defaults = classes.into_iter().filter(|class| class.flag("globalDefault"));
    defaults.min_by_key(|class| class.int("value").unwrap_or(0))
}

/// A changed pod keeps the priority that it was given, if its writer left it out.
pub fn keep_priority(pod: &mut Value, old: &Value) {
    let old = old.member("spec");
    let Some(spec) = pod.present_mut("spec") else { return };
    for member in ["priority", "preemptionPolicy"] {
        if !spec.has(member) && old.has(member) {
            spec.set(member, old.member(member).clone());
        }
    }
}

/// Why a class must not be the default: another one is. `all` are the stored classes.
///
/// # Errors
///
/// See above.
pub fn second_default(class: &Value, all: &[Value]) -> Result<(), Refusal> {
    if !class.flag("globalDefault") {
        return Ok(());
    }
    let name = |class: &Value| class.member("metadata").text("name").to_owned();
    let other = all.iter().find(|other| other.flag("globalDefault") && name(other) != name(class));
    match other {
        None => Ok(()),
        Some(other) => Err(Refusal(format!(
            "PriorityClass {} is already marked as default. Only one default can exist",
            name(other)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn class(name: &str, value: i64, default: bool) -> Value {
        json!({"metadata": {"name": name}, "value": value, "globalDefault": default,
            "preemptionPolicy": "Never"})
    }

    fn set(spec: &Value) -> Result<Value, String> {
        let classes = [class("low", 10, true), class("mid", 20, true), class("high", 30, false)];
        let mut pod = json!({"spec": spec});
        let find =
            |name: &str| classes.iter().find(|class| class["metadata"]["name"] == name).cloned();
        set_priority(&mut pod, find, || classes.to_vec()).map_err(|refusal| refusal.0)?;
        Ok(pod["spec"].take())
    }

    #[test]
    fn a_pod_gets_the_number_of_its_class_or_of_the_lowest_default() {
        let spec = set(&json!({"priorityClassName": "high"})).unwrap();
        assert_eq!((&spec["priority"], &spec["preemptionPolicy"]), (&json!(30), &json!("Never")));
        let spec = set(&json!({})).unwrap();
        assert_eq!((&spec["priority"], &spec["priorityClassName"]), (&json!(10), &json!("low")));
        let mut pod = json!({"spec": {}});
        set_priority(&mut pod, |_| None, Vec::new).unwrap();
        let expected = json!({"priority": 0, "preemptionPolicy": "PreemptLowerPriority"});
        assert_eq!(pod["spec"], expected);
    }

    #[test]
    fn a_class_must_be_there_and_the_pod_must_not_contradict_it() {
        let refused = set(&json!({"priorityClassName": "x"})).unwrap_err();
        assert_eq!(refused, "no PriorityClass with name x was found");
        let refused = set(&json!({"priorityClassName": "high", "priority": 7})).unwrap_err();
        assert_eq!(
            refused,
            "the integer value of priority (7) must not be provided in pod spec; priority \
             admission controller computed 30 from the given PriorityClass name"
        );
    }

    #[test]
    fn there_is_one_default_class() {
        let all = [class("low", 10, true)];
        assert!(second_default(&class("low", 10, true), &all).is_ok());
        assert!(second_default(&class("other", 10, false), &all).is_ok());
        assert_eq!(
            second_default(&class("other", 10, true), &all).unwrap_err().0,
            "PriorityClass low is already marked as default. Only one default can exist"
        );
    }

    #[test]
    fn a_changed_pod_keeps_its_priority() {
        let old = json!({"spec": {"priority": 3, "preemptionPolicy": "Never"}});
        let mut pod = json!({"spec": {"priority": 4}});
        keep_priority(&mut pod, &old);
        assert_eq!(pod["spec"], json!({"priority": 4, "preemptionPolicy": "Never"}));
    }
}
