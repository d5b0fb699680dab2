//! What may be done to an object, and what it must make of it.

use e2e::case::{Body, Call};
use serde_json::{Map, Value, json};

use crate::content::{Applier, Fields, fields, joined, owned_by, owned_by_others};
use crate::kind::Kind;

/// A request that may change an object.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Create(Value),
    /// The object or its status as a whole.
    Put {
        body: Value,
        status: bool,
    },
    /// A merge patch, or a strategic one, of the object or its status.
    Merge {
        patch: Value,
        strategic: bool,
        status: bool,
    },
    /// A JSON patch whose steps are for members of objects.
    Steps(Value),
    Apply {
        body: Value,
        manager: &'static str,
        force: bool,
        status: bool,
    },
    Delete {
        preconditions: Value,
    },
}

impl Operation {
    /// The request that does it. `dry_run`: to do everything but store it.
    pub(crate) fn call(&self, kind: Kind, name: &str, manager: &str, dry_run: bool) -> Call {
        let path =
            |status: bool| format!("{}/{name}{}", kind.path(), if status { "/status" } else { "" });
        let (method, path, media_type, body) = match self {
            Self::Create(body) => ("POST", kind.path().to_owned(), "application/json", body),
            Self::Put { body, status } => ("PUT", path(*status), "application/json", body),
            Self::Merge { patch, strategic, status } => {
                let media_type = if *strategic {
                    "application/strategic-merge-patch+json"
                } else {
                    "application/merge-patch+json"
                };
                ("PATCH", path(*status), media_type, patch)
            }
            Self::Steps(steps) => ("PATCH", path(false), "application/json-patch+json", steps),
            Self::Apply { body, status, .. } => {
                ("PATCH", path(*status), "application/apply-patch+yaml", body)
            }
            Self::Delete { preconditions } => {
                let call = Call::of("DELETE", path(false));
                let options = json!({ "preconditions": preconditions });
                return call.with_body(Body::Json(options));
            }
        };
        let force = matches!(self, Self::Apply { force: true, .. });
        let query = format!(
            "?fieldManager={}{}{}",
            if let Self::Apply { manager, .. } = self { manager } else { manager },
            if force { "&force=true" } else { "" },
            if dry_run { "&dryRun=All" } else { "" },
        );
        Call::of(method, path + &query)
            .with_header("Content-Type", media_type)
            .with_body(Body::Json(body.clone()))
    }

    /// The resource version that the object must have for it, if it names one.
    pub(crate) fn wanted_version(&self) -> Option<&str> {
        let version = match self {
            Self::Create(_) | Self::Steps(_) => return None,
            Self::Put { body, .. } | Self::Apply { body, .. } => {
                &body["metadata"]["resourceVersion"]
            }
            Self::Merge { patch, .. } => &patch["metadata"]["resourceVersion"],
            Self::Delete { preconditions } => &preconditions["resourceVersion"],
        };
        version.as_str()
    }

    /// The fields of an object after it, if it succeeds; `None` where it cannot have succeeded.
    pub(crate) fn expected(&self, before: Option<&Value>) -> Option<Fields> {
        match (self, before) {
            (Self::Create(body), None) => Some(fields(body)),
            (Self::Put { body, status }, Some(before)) => {
                Some(part(&fields(body), &fields(before), *status))
            }
            (Self::Merge { patch, strategic, status }, Some(before)) => {
                let mut after = before.clone();
                merge(&mut after, patch, *strategic);
                Some(part(&fields(&after), &fields(before), *status))
            }
            (Self::Steps(steps), Some(before)) => {
                let mut after = before.clone();
                for step in steps.as_array()? {
                    take_step(&mut after, step)?;
                }
                Some(part(&fields(&after), &fields(before), false))
            }
            (Self::Apply { body, status: false, .. }, None) => Some(fields(body)),
            (Self::Apply { body, manager, force, status }, Some(before)) => {
                let subresource = if *status { "status" } else { "" };
                applied(body, Applier { manager, subresource }, *force, before)
            }
            _ => None,
        }
    }
}

/// What a write of one part makes of an object: the other part stays.
fn part(written: &Fields, before: &Fields, status: bool) -> Fields {
    if status { joined(before, written) } else { joined(written, before) }
}

/// An apply sets what it holds, and takes away what its manager held before and nobody else does.
fn applied(body: &Value, applier: Applier<'_>, force: bool, before: &Value) -> Option<Fields> {
    let (wanted, others) = (fields(body), owned_by_others(before, applier));
    let mut after = fields(before);
    let conflicts = wanted.iter().any(|(path, value)| {
        others.contains(path) && after.get(path).is_some_and(|before| before != value)
    });
    if conflicts && !force {
        return None;
    }
    for path in owned_by(before, applier) {
        if !wanted.contains_key(&path) && !others.contains(&path) {
            after.remove(&path);
        }
    }
    after.extend(wanted);
    Some(after)
}

/// RFC 7386; a strategic patch merges conditions by their type.
fn merge(target: &mut Value, patch: &Value, strategic: bool) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (name, value) in members {
        if value.is_null() {
            if let Some(target) = target.as_object_mut() {
                target.shift_remove(name);
            }
        } else if strategic && name == "conditions" {
            merge_conditions(&mut target[name], value);
        } else {
            merge(&mut target[name], value, strategic);
        }
    }
}

fn merge_conditions(target: &mut Value, patch: &Value) {
    let mut conditions = target.as_array().cloned().unwrap_or_default();
    for condition in patch.as_array().into_iter().flatten() {
        match conditions.iter_mut().find(|there| there["type"] == condition["type"]) {
            Some(there) => merge(there, condition, true),
            None => conditions.push(condition.clone()),
        }
    }
    *target = conditions.into();
}

/// A step of a JSON patch; `None` where it must fail.
fn take_step(object: &mut Value, step: &Value) -> Option<()> {
    let (parent, member) = step["path"].as_str()?.rsplit_once('/')?;
    let parent = object.pointer_mut(parent)?.as_object_mut()?;
    match step["op"].as_str()? {
        "add" => {
            parent.insert(member.to_owned(), step["value"].clone());
        }
        "replace" => *parent.get_mut(member)? = step["value"].clone(),
        "remove" => {
            parent.shift_remove(member)?;
        }
        "test" if parent.get(member)? == &step["value"] => {}
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apply_takes_away_what_only_its_manager_had() {
        let set = |names: &[&str]| {
            let names = names.iter().map(|name| (format!("f:{name}"), json!({})));
            json!({ "f:data": names.collect::<Map<_, _>>() })
        };
        let before = json!({
            "data": { "a": "1", "b": "2", "c": "3" },
            "metadata": { "managedFields": [
                { "manager": "one", "operation": "Apply", "fieldsV1": set(&["a", "b"]) },
                { "manager": "two", "operation": "Update", "fieldsV1": set(&["b", "c"]) },
            ] },
        });
        let apply = |data: Value, force| {
            let body = json!({ "data": data });
            let apply = Operation::Apply { body, manager: "one", force, status: false };
            apply.expected(Some(&before))
        };
        let after = |data: Value| Some(fields(&json!({ "data": data })));
        assert_eq!(
            apply(json!({ "d": "4" }), false),
            after(json!({ "b": "2", "c": "3", "d": "4" }))
        );
        assert_eq!(apply(json!({ "c": "4" }), false), None, "a conflict");
        assert_eq!(apply(json!({ "c": "4" }), true), after(json!({ "b": "2", "c": "4" })));
    }

    #[test]
    fn steps_that_must_fail_are_known_to() {
        let object = json!({ "data": { "a": "1" } });
        let steps = |steps: Value| Operation::Steps(steps).expected(Some(&object));
        let test = json!([{ "op": "test", "path": "/data/a", "value": "2" }]);
        assert_eq!(steps(test), None);
        assert_eq!(steps(json!([{ "op": "remove", "path": "/data/b" }])), None);
        let add = json!([{ "op": "add", "path": "/data/b", "value": "2" }]);
        assert_eq!(steps(add), Some(fields(&json!({ "data": { "a": "1", "b": "2" } }))));
    }
}
