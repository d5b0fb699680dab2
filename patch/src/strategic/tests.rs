use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::schema::Described;
use serde_json::json;

use super::*;

fn patched<T: Described>(target: &Value, patch: &Value) -> Result<Value, PatchError> {
    strategic(T::type_def().unwrap(), target.clone(), Tree::from(patch.clone()))
        .map(|patched| patched.value)
}

fn conditions(target: &Value, status: &Value) -> Result<Value, PatchError> {
    let target = json!({"status": {"conditions": target}});
    patched::<PriorityLevelConfiguration>(&target, &json!({"status": status}))
        .map(|object| object["status"]["conditions"].clone())
}

#[test]
fn maps_are_merged_and_null_deletes() {
    let target =
        json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"matchingPrecedence": 1}});
    let patch =
        json!({"metadata": {"labels": {"a": null, "c": "3"}}, "spec": {"matchingPrecedence": 2}});
    assert_eq!(
        patched::<FlowSchema>(&target, &patch),
        Ok(
            json!({"metadata": {"labels": {"b": "2", "c": "3"}}, "spec": {"matchingPrecedence": 2}})
        )
    );
}

#[test]
fn lists_without_a_merge_strategy_are_replaced() {
    let target = json!({"spec": {"rules": [{"subjects": [1]}, {"subjects": [2]}]}});
    let patch = json!({"spec": {"rules": [{"subjects": [3]}]}});
    assert_eq!(patched::<FlowSchema>(&target, &patch), Ok(patch));
}

#[test]
fn lists_of_scalars_are_merged_as_sets_with_the_patch_first() {
    let target = json!({"metadata": {"finalizers": ["x/a", "x/b"]}});
    let patch = json!({"metadata": {"finalizers": ["x/c", "x/b"]}});
    assert_eq!(
        patched::<FlowSchema>(&target, &patch),
        Ok(json!({"metadata": {"finalizers": ["x/c", "x/a", "x/b"]}}))
    );
}

#[test]
fn scalars_are_deleted_from_a_list() {
    let target = json!({"metadata": {"finalizers": ["x/a", "x/b"]}});
    let patch = json!({"metadata": {"$deleteFromPrimitiveList/finalizers": ["x/a", "x/z"]}});
    assert_eq!(
        patched::<FlowSchema>(&target, &patch),
        Ok(json!({"metadata": {"finalizers": ["x/b"]}}))
    );
    let missing = patched::<FlowSchema>(&json!({"metadata": {}}), &patch);
    assert_eq!(missing, Ok(json!({"metadata": {}})));
}

#[test]
fn items_are_merged_by_key_and_new_ones_come_first() {
    let target = json!([{"type": "A", "status": "True", "reason": "r"}]);
    let status = json!({"conditions": [{"type": "B"}, {"type": "A", "status": "False"}]});
    assert_eq!(
        conditions(&target, &status),
        Ok(json!([{"type": "B"}, {"type": "A", "reason": "r", "status": "False"}]))
    );
}

#[test]
fn items_are_deleted_and_lists_replaced_by_directives() {
    let target = json!([{"type": "A"}, {"type": "B"}, {"type": "C"}]);
    for (patch, expected) in [
        (json!([{"$patch": "delete", "type": "B"}]), json!([{"type": "A"}, {"type": "C"}])),
        (json!([{"$patch": "replace"}, {"type": "Z"}]), json!([{"type": "Z"}])),
        (json!([{"$patch": "replace"}]), json!([])),
    ] {
        assert_eq!(conditions(&target, &json!({"conditions": patch})), Ok(expected));
    }
}

#[test]
fn a_given_order_is_enforced_and_other_items_keep_their_places() {
    let target = json!([{"type": "A"}, {"type": "X"}, {"type": "B"}, {"type": "Y"}]);
    let status = json!({
        "$setElementOrder/conditions": [{"type": "C"}, {"type": "B"}, {"type": "A"}],
        "conditions": [{"type": "C"}],
    });
    let types: Vec<Value> = conditions(&target, &status)
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|condition| condition["type"].clone())
        .collect();
    assert_eq!(types, ["C", "X", "B", "A", "Y"]);
}

#[test]
fn an_order_alone_reorders_the_list() {
    let target = json!({"metadata": {"finalizers": ["x/a", "x/b"]}});
    let patch = json!({"metadata": {"$setElementOrder/finalizers": ["x/b", "x/a"]}});
    assert_eq!(
        patched::<FlowSchema>(&target, &patch),
        Ok(json!({"metadata": {"finalizers": ["x/b", "x/a"]}}))
    );
}

#[test]
fn a_list_that_contradicts_its_order_is_refused() {
    let status = json!({
        "$setElementOrder/conditions": [{"type": "A"}],
        "conditions": [{"type": "B"}],
    });
    assert_eq!(
        conditions(&json!([]), &status),
        Err(PatchError::Internal(
            "The order in patch list:\n[map[type:B]]\n doesn't match $setElementOrder \
             list:\n[map[type:A]]\n"
                .to_owned()
        ))
    );
}

#[test]
fn only_retained_keys_stay() {
    let target = json!({"spec": {"matchingPrecedence": 1, "rules": [], "distinguisherMethod": {}}});
    let patch = json!({"spec": {"$retainKeys": ["matchingPrecedence"], "matchingPrecedence": 2}});
    assert_eq!(
        patched::<FlowSchema>(&target, &patch),
        Ok(json!({"spec": {"matchingPrecedence": 2}}))
    );
}

#[test]
fn directives_replace_and_empty_maps() {
    let target = json!({"metadata": {"labels": {"a": "1"}}});
    for (labels, expected) in [
        (json!({"$patch": "replace", "z": "9"}), json!({"z": "9"})),
        (json!({"$patch": "delete"}), json!({})),
    ] {
        let object = patched::<FlowSchema>(&target, &json!({"metadata": {"labels": labels}}));
        assert_eq!(object.unwrap()["metadata"]["labels"], expected);
    }
}

#[test]
fn directives_for_what_is_not_there_leave_nothing_behind() {
    let patch =
        json!({"spec": {"distinguisherMethod": {"$patch": "delete"}, "matchingPrecedence": null}});
    assert_eq!(patched::<FlowSchema>(&json!({"spec": {}}), &patch), Ok(json!({"spec": {}})));
}

#[test]
fn refusals_say_how_to_answer() {
    let labels = |labels: Value| json!({"metadata": {"labels": labels}});
    let target = json!({
        "metadata": {"labels": {"a": "1"}, "finalizers": ["x/a"]},
        "spec": {"matchingPrecedence": 1},
        "status": {"conditions": [{"type": "A"}]},
    });
    let internal = |text: &str| PatchError::Internal(text.to_owned());
    let bad = |text: &str| PatchError::BadRequest(text.to_owned());
    for (patch, error) in [
        (
            labels(json!({"$patch": "bogus"})),
            internal("unknown patch type: bogus in map: map[$patch:bogus]"),
        ),
        (
            labels(json!({"$patch": 5})),
            internal("unknown patch type: %!s(int64=5) in map: map[$patch:5]"),
        ),
        (
            json!({"status": {"conditions": [{"status": "True"}]}}),
            internal("map: map[status:True] does not contain declared merge key: type"),
        ),
        (
            json!({"status": {"conditions": [{"$patch": "merge", "type": "A"}]}}),
            internal("merging lists cannot yet be specified in the patch"),
        ),
        (
            json!({"metadata": {"finalizers": [5]}}),
            internal("list element types are not identical: [[x/a] [5]]"),
        ),
        (json!({"spec": {"$retainKeys": 5}}), bad("invalid patch format of retainKeys")),
        (
            json!({"spec": {"$retainKeys": [], "matchingPrecedence": 2}}),
            bad("invalid patch format of retainKeys"),
        ),
        (
            json!({"metadata": {"$setElementOrder/finalizers": "x"}}),
            internal("expected a []interface {}, but received a string"),
        ),
        (
            json!({"metadata": {"$setElementOrder": []}}),
            bad("invalid patch format of setElementOrder list"),
        ),
        (
            json!({"metadata": {"$deleteFromPrimitiveListX": []}}),
            bad("invalid patch format of primitive list"),
        ),
        (
            json!({"metadata": {"$setElementOrder/zzz": []}}),
            internal("unable to find api field in struct ObjectMeta for the json field \"zzz\""),
        ),
    ] {
        assert_eq!(patched::<FlowSchema>(&target, &patch), Err(error), "{patch}");
    }
    let lists = json!({"metadata": {"finalizers": [["x"]]}});
    let target = json!({"metadata": {"finalizers": [["y"]]}});
    assert!(matches!(patched::<FlowSchema>(&target, &lists), Err(PatchError::Unprocessable(_))));
}

#[test]
fn a_patch_that_is_no_object_is_a_bad_request() {
    assert_eq!(
        patched::<FlowSchema>(&json!({}), &json!([])),
        Err(PatchError::BadRequest(
            "json: cannot unmarshal array into Go value of type map[string]interface {}".to_owned()
        ))
    );
}
