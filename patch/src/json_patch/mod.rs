//! JSON patches (RFC 6902), with the reference's limits and leniences (spec: apimachinery 2.9).
//!
//! The code is this crate's own because what `copy` may add up to has a bound, indices may be
//! negative, and members of the objects a patch reaches come out sorted.

mod apply;
mod operation;

use api::decode::Tree;
use serde_json::Value;

use crate::{PatchError, Patched};

/// How many operations a patch may have.
const OPERATIONS_MAX: usize = 10_000;

/// Applies a JSON patch: all operations, or none.
///
/// # Errors
///
/// [`PatchError::BadRequest`] if the patch is not a list of operations, [`PatchError::TooLarge`]
/// if it has more than 10,000, [`PatchError::Unprocessable`] if an operation does not apply.
pub fn json_patch(target: Value, patch: Tree) -> Result<Patched, PatchError> {
    let mut problems = Vec::new();
    let operations = operation::read(patch, &mut problems)?;
    if operations.len() > OPERATIONS_MAX {
        return Err(PatchError::TooLarge(format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is \
             {OPERATIONS_MAX}, got {}",
            operations.len()
        )));
    }
    let value = apply::apply(target, operations)
        .map_err(|failure| PatchError::Unprocessable(failure.to_string()))?;
    Ok(Patched { value, problems })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(target: &Value, patch: &Value) -> Result<Value, PatchError> {
        json_patch(target.clone(), Tree::from(patch.clone())).map(|patched| patched.value)
    }

    #[test]
    fn a_patch_that_is_no_list_is_a_bad_request() {
        assert_eq!(
            apply(&json!({}), &json!({"op": "add"})).unwrap_err(),
            PatchError::BadRequest(
                "error decoding patch: json: cannot unmarshal object into Go value of type \
                 []handlers.jsonPatchOp"
                    .to_owned()
            )
        );
    }

    #[test]
    fn an_operation_of_the_wrong_shape_is_a_bad_request() {
        for (patch, text) in [
            (
                json!([5]),
                "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
            ),
            (
                json!([{"op": 5}]),
                "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
            ),
        ] {
            let error = apply(&json!({}), &patch).unwrap_err();
            assert_eq!(error, PatchError::BadRequest(format!("error decoding patch: {text}")));
        }
    }

    #[test]
    fn more_than_ten_thousand_operations_are_too_many() {
        let operation = json!({"op": "test", "path": "/a", "value": 1});
        let patch = |count| Value::Array(vec![operation.clone(); count]);
        assert_eq!(apply(&json!({"a": 1}), &patch(10_000)), Ok(json!({"a": 1})));
        assert_eq!(
            apply(&json!({"a": 1}), &patch(10_001)).unwrap_err(),
            PatchError::TooLarge(
                "Request entity too large: The allowed maximum operations in a JSON patch is \
                 10000, got 10001"
                    .to_owned()
            )
        );
    }

    #[test]
    fn unknown_and_duplicate_members_of_operations_are_noted() {
        let patch = api::decode::parse_json(
            br#"[{"op":"test","path":"/a","path":"/a","foo":1,"value":{"x":1,"x":1}}]"#,
        );
        let patched = json_patch(json!({"a": {"x": 1}}), patch.unwrap()).unwrap();
        assert_eq!(
            patched.problems,
            [
                "json patch duplicate field \"[0].path\"",
                "json patch unknown field \"[0].foo\"",
                "json patch duplicate field \"[0].value.x\""
            ]
        );
    }

    #[test]
    fn an_empty_patch_and_null_change_nothing() {
        let target = json!({"b": 1, "a": 2});
        assert_eq!(apply(&target, &json!([])), Ok(target.clone()));
        assert_eq!(apply(&target, &json!(null)), Ok(target));
    }

    #[test]
    fn a_failing_operation_is_unprocessable() {
        for patch in [
            json!([{"op": "test", "path": "/a", "value": 2}]),
            json!([{"op": "remove", "path": "/nope"}]),
            json!([{"op": "bogus", "path": "/a"}]),
            json!([{"path": "/a"}]),
            json!([null]),
            json!([{"op": "replace", "path": "/x/y", "value": 1}]),
            json!([{"op": "add", "path": "/x/y", "value": 1}]),
            json!([{"op": "remove", "path": "/list/5"}]),
            json!([{"op": "move", "from": "/nope", "path": "/a"}]),
            json!([{"op": "copy", "from": "/nope", "path": "/a"}]),
        ] {
            let result = apply(&json!({"a": 1, "list": [1]}), &patch);
            assert!(matches!(result, Err(PatchError::Unprocessable(_))), "{patch}");
        }
    }
}
