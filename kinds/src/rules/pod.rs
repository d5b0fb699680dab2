//! Pods: what may be in them, and the little that may change.

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path};

use super::pod_spec;
use crate::value::Members;

const MAY_CHANGE: &str = "pod updates may not change fields other than \
    `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// The rules of a new pod.
pub(crate) fn create(pod: &Value, errors: &mut ErrorList) {
    let (spec, path) = (pod.member("spec"), Path::new("spec"));
    pod_spec::validate(errors, spec, &path);
    if !spec.is_blank("schedulingGates") && !spec.is_blank("nodeName") {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.push(Error::forbidden(&path.child("nodeName"), detail));
    }
    if !spec.is_blank("ephemeralContainers") {
        let detail = "cannot be set on create";
        errors.push(Error::forbidden(&path.child("ephemeralContainers"), detail));
    }
}

/// The rules of a PodTemplate.
pub(crate) fn template_create(object: &Value, errors: &mut ErrorList) {
    pod_spec::validate_template(errors, object.member("template"), &Path::new("template"));
}

/// The rules of a changed pod.
pub(crate) fn update(pod: &Value, old: &Value, errors: &mut ErrorList) {
    let (spec, old, path) = (pod.member("spec"), old.member("spec"), Path::new("spec"));
    let before = errors.iter().count();
    for list in ["containers", "initContainers"] {
        let path = path.child(list);
        if spec.items(list).len() != old.items(list).len() {
            errors.push(Error::forbidden(&path, "pod updates may not add or remove containers"));
            return;
        }
        for (index, container) in spec.items(list).iter().enumerate() {
            if container.is_blank("image") {
                errors.push(Error::required(&path.index(index).child("image"), ""));
            }
        }
    }
    deadline(errors, spec, old, &path);
    tolerations(errors, spec, old, &path);
    if errors.iter().count() == before && as_before(spec, old) != *old {
        errors.push(Error::forbidden(&path, format!("{MAY_CHANGE}\n")));
    }
}

/// The rules of a pod whose ephemeral containers were changed: more may come, none may go.
pub(crate) fn ephemeral_containers_update(pod: &Value, old: &Value, errors: &mut ErrorList) {
    const LIST: &str = "ephemeralContainers";
    let (spec, old, path) = (pod.member("spec"), old.member("spec"), Path::new("spec").child(LIST));
    let taken = ["containers", "initContainers"].into_iter().flat_map(|list| spec.items(list));
    let mut taken: Vec<&str> = taken.map(|container| container.text("name")).collect();
    for (index, container) in spec.items(LIST).iter().enumerate() {
        let (name, path) = (container.text("name"), path.index(index));
        if name.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        } else if taken.contains(&name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        }
        if container.is_blank("image") {
            errors.push(Error::required(&path.child("image"), ""));
        }
        taken.push(name);
    }
    for container in old.items(LIST) {
        let name = container.text("name");
        let why = match spec.items(LIST).iter().find(|now| now.text("name") == name) {
            None => "removed",
            Some(now) if now != container => "changed",
            Some(_) => continue,
        };
        let detail = format!("existing ephemeral containers {name:?} may not be {why}\n");
        errors.push(Error::forbidden(&path, detail));
    }
}

/// A deadline may come nearer, never go away.
fn deadline(errors: &mut ErrorList, spec: &Value, old: &Value, path: &Path) {
    let path = path.child("activeDeadlineSeconds");
    let (new, old) = (spec.int("activeDeadlineSeconds"), old.int("activeDeadlineSeconds"));
    match (new, old) {
        (Some(new), _) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            let detail = "must be between 0 and 2147483647, inclusive";
            errors.push(Error::invalid(&path, new, detail));
        }
        (Some(new), Some(old)) if new > old => {
            let detail = "must be less than or equal to previous value";
            errors.push(Error::invalid(&path, new, detail));
        }
        (None, Some(_)) => {
            let null = validation::field::Shown::null();
            let detail = "must not update from a positive integer to nil value";
            errors.push(Error::invalid(&path, null, detail));
        }
        _ => {}
    }
}

/// Tolerations may be added; how long one lasts may change.
fn tolerations(errors: &mut ErrorList, spec: &Value, old: &Value, path: &Path) {
    let timeless = |toleration: &Value| {
        let mut toleration = toleration.clone();
        toleration.take_member("tolerationSeconds");
        toleration
    };
    let now: Vec<Value> = spec.items("tolerations").iter().map(timeless).collect();
    if !old.items("tolerations").iter().map(timeless).all(|each| now.contains(&each)) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        errors.push(Error::forbidden(&path.child("tolerations"), detail));
    }
}

/// The new spec with everything that may change put back.
fn as_before(spec: &Value, old: &Value) -> Value {
    let mut spec = spec.clone();
    for list in ["containers", "initContainers"] {
        for (container, old) in spec.items_mut(list).zip(old.items(list)) {
            container.set("image", old.member("image").clone());
        }
    }
    for member in ["activeDeadlineSeconds", "tolerations"] {
        put_back(&mut spec, old, member);
    }
    let negative = old.int("terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0);
    if negative && spec.member("terminationGracePeriodSeconds") == &json!(1) {
        put_back(&mut spec, old, "terminationGracePeriodSeconds");
    }
    let gates = old.items("schedulingGates");
    if spec.items("schedulingGates").iter().all(|gate| gates.contains(gate)) {
        put_back(&mut spec, old, "schedulingGates");
    }
    spec
}

fn put_back(spec: &mut Value, old: &Value, member: &str) {
    if old.has(member) {
        spec.set(member, old.member(member).clone());
    } else {
        spec.take_member(member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(change: impl Fn(&mut Value)) -> Vec<String> {
        let old = json!({"spec": {"nodeName": "n", "activeDeadlineSeconds": 5,
            "schedulingGates": [{"name": "g"}],
            "tolerations": [{"key": "a", "operator": "Exists"}],
            "containers": [{"name": "c", "image": "i:1"}]}});
        let mut new = old.clone();
        change(&mut new["spec"]);
        let mut errors = ErrorList::default();
        update(&new, &old, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn images_deadlines_gates_and_more_tolerations_may_change() {
        let unchanged = texts(|spec| {
            spec["containers"][0]["image"] = "i:2".into();
            spec["activeDeadlineSeconds"] = 4.into();
            spec["schedulingGates"] = json!([]);
            spec["tolerations"] = json!([{"key": "a", "operator": "Exists"}, {"key": "b"}]);
        });
        assert_eq!(unchanged, Vec::<String>::new());
    }

    #[test]
    fn nothing_else_may_change() {
        let texts_of = |change: fn(&mut Value)| texts(change).join(" ");
        let text = texts_of(|spec| spec["nodeName"] = "m".into());
        assert!(text.starts_with("spec: Forbidden: pod updates may not change fields other"));
        let text = texts_of(|spec| spec["containers"] = json!([]));
        assert_eq!(
            text,
            "spec.containers: Forbidden: pod updates may not add or remove containers"
        );
        let text = texts_of(|spec| spec["activeDeadlineSeconds"] = 6.into());
        assert!(text.ends_with("6: must be less than or equal to previous value"));
        let text = texts_of(|spec| spec["tolerations"] = json!([]));
        assert!(text.starts_with("spec.tolerations: Forbidden: existing toleration"));
    }

    #[test]
    fn ephemeral_containers_come_and_stay() {
        let pod = |ephemeral: Value| {
            let containers = json!([{"name": "c", "image": "c:1"}]);
            json!({"spec": {"containers": containers, "ephemeralContainers": ephemeral}})
        };
        let old = pod(json!([{"name": "d", "image": "d:1"}]));
        let texts = |ephemeral: Value| {
            let mut errors = ErrorList::default();
            ephemeral_containers_update(&pod(ephemeral), &old, &mut errors);
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let more = json!([{"name": "d", "image": "d:1"}, {"name": "e", "image": "e:1"}]);
        assert_eq!(texts(more), Vec::<String>::new());
        let text =
            "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"d\" may not be";
        assert_eq!(texts(json!([])), [format!("{text} removed\n")]);
        assert_eq!(texts(json!([{"name": "d", "image": "d:2"}])), [format!("{text} changed\n")]);
        let twice = json!([{"name": "d", "image": "d:1"}, {"name": "c"}]);
        assert_eq!(
            texts(twice),
            [
                "spec.ephemeralContainers[1].name: Duplicate value: \"c\"",
                "spec.ephemeralContainers[1].image: Required value",
            ]
        );
    }
}
