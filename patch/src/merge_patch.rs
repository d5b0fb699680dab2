//! JSON merge patches (RFC 7386).

use api::decode::Tree;
use serde_json::{Map, Value};

use crate::duplicates::note_duplicates;
use crate::{PatchError, Patched};

/// Applies a merge patch: members of objects are merged, `null` deletes, everything else replaces.
///
/// Objects that were merged come out with sorted members; what the patch did not touch keeps its
/// order, as the reference prints the whole document in an error (spec: apimachinery 2.3).
///
/// # Errors
///
/// [`PatchError::BadRequest`] for a patch that is not an object.
pub fn merge_patch(target: Value, patch: Tree) -> Result<Patched, PatchError> {
    let mut problems = Vec::new();
    note_duplicates(&patch, "", &mut problems);
    match patch {
        Tree::Object(_) => {}
        Tree::Null => return Err(PatchError::BadRequest("Invalid JSON Patch".to_owned())),
        other => {
            return Err(PatchError::BadRequest(format!(
                "error decoding patch: json: cannot unmarshal {} into Go value of type \
                 map[string]interface {{}}",
                other.kind()
            )));
        }
    }
    Ok(Patched { value: merged(Some(target), patch.into_value()), problems })
}

fn merged(target: Option<Value>, patch: Value) -> Value {
    let Value::Object(patch) = patch else { return patch };
    let mut members = match target {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    };
    for (name, value) in patch {
        if value.is_null() {
            members.shift_remove(&name);
        } else {
            let before = members.shift_remove(&name);
            members.insert(name, merged(before, value));
        }
    }
    members.sort_keys();
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(target: &Value, patch: &Value) -> Result<Value, PatchError> {
        merge_patch(target.clone(), Tree::from(patch.clone())).map(|patched| patched.value)
    }

    #[test]
    fn the_examples_of_the_rfc_hold() {
        for (target, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            assert_eq!(apply(&target, &patch), Ok(expected), "{target} {patch}");
        }
    }

    #[test]
    fn a_patch_that_is_no_object_is_a_bad_request() {
        assert_eq!(
            apply(&json!({}), &json!([])).unwrap_err().to_string(),
            "error decoding patch: json: cannot unmarshal array into Go value of type \
             map[string]interface {}"
        );
        assert!(matches!(apply(&json!({}), &json!(null)), Err(PatchError::BadRequest(_))));
    }

    #[test]
    fn merged_objects_have_sorted_members_and_untouched_ones_keep_their_order() {
        let target = json!({"kind": "K", "apiVersion": "v", "metadata": {"uid": "u", "name": "n"}, "spec": {"b": 1}});
        let patched = apply(&target, &json!({"spec": {"a": 2}})).unwrap();
        assert_eq!(
            patched.to_string(),
            r#"{"apiVersion":"v","kind":"K","metadata":{"uid":"u","name":"n"},"spec":{"a":2,"b":1}}"#
        );
    }

    #[test]
    fn duplicate_members_of_the_patch_are_noted_and_the_last_one_wins() {
        let patch = api::decode::parse_json(br#"{"spec":{"a":1,"a":2}}"#).unwrap();
        let patched = merge_patch(json!({}), patch).unwrap();
        assert_eq!(patched.problems, ["duplicate field \"spec.a\""]);
        assert_eq!(patched.value, json!({"spec": {"a": 2}}));
    }
}
