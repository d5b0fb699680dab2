use super::*;

#[test]
fn who_creates_an_object_owns_what_is_set_or_defaulted() {
    let new =
        json!({"metadata": {"name": "a"}, "spec": {"priorityLevelConfiguration": {"name": "x"}}});
    let mut new = decode_value(type_def(), new).unwrap();
    type_def().apply_defaults(&mut new);
    assert_eq!(
        entries(&updated(None, new, "m", 5)),
        [
            r#"m Update 5 {"f:spec":{"f:matchingPrecedence":{},"f:priorityLevelConfiguration":{"f:name":{}}}}"#
        ]
    );
}

#[test]
fn an_unnamed_manager_is_unknown() {
    let object = decode_value(type_def(), json!({"metadata": {"labels": {"a": "1"}}})).unwrap();
    let object = updated(None, object, "", 1);
    assert!(entries(&object)[0].starts_with("unknown Update 1 "));
}

#[test]
fn who_changes_a_field_takes_it_and_who_removes_it_takes_it_from_all() {
    let created = updated(None, zero_with_labels(json!({"a": "1", "b": "2"})), "one", 1);
    let live = stored(&created);
    let mut new = live.clone();
    new["metadata"]["labels"] = json!({"a": "9"});
    assert_eq!(
        entries(&updated(Some(&live), new, "two", 2)),
        [
            r#"one Update 1 {"f:metadata":{"f:labels":{}}}"#,
            r#"two Update 2 {"f:metadata":{"f:labels":{"f:a":{}}}}"#,
        ]
    );
}

#[test]
fn a_write_that_changes_nothing_leaves_entries_and_times_as_they_are() {
    let live = stored(&updated(None, zero_with_labels(json!({"a": "1"})), "one", 1));
    let before = entries(&live);
    assert_eq!(entries(&updated(Some(&live), live.clone(), "one", 2)), before);
    assert_eq!(entries(&updated(Some(&live), live.clone(), "two", 2)), before);
}

#[test]
fn objects_without_entries_stay_without_them() {
    let live = labelled(&json!({"a": "1"}));
    assert_eq!(entries(&updated(Some(&live), labelled(&json!({"a": "2"})), "m", 2)), [""; 0]);
}

#[test]
fn sent_entries_are_the_base() {
    let live = stored(&updated(None, zero_with_labels(json!({"a": "1"})), "one", 1));
    let mut new = labelled(&json!({"a": "1", "b": "2"}));
    new["metadata"]["managedFields"] = json!([{
        "manager": "sent", "operation": "Update", "apiVersion": GROUP_VERSION,
        "time": "1970-01-01T00:00:03Z", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {"f:a": {}}}},
    }]);
    assert_eq!(
        entries(&updated(Some(&live), new.clone(), "two", 2)),
        [
            r#"two Update 2 {"f:metadata":{"f:labels":{"f:b":{}}}}"#,
            r#"sent Update 3 {"f:metadata":{"f:labels":{"f:a":{}}}}"#,
        ]
    );
    new["status"] = json!({"conditions": [{"type": "A", "lastTransitionTime": null}]});
    let through_status =
        with_endpoint("status", |endpoint| update(endpoint, Some(&live), new, writer("two", 2)));
    assert!(entries(&through_status)[0].starts_with("one Update 1 "));
}

#[test]
fn one_empty_entry_resets_all_and_entries_that_mean_nothing_do_not_count() {
    let live = stored(&updated(None, zero_with_labels(json!({"a": "1"})), "one", 1));
    let mut new = live.clone();
    new["metadata"]["managedFields"] = json!([{}]);
    let reset = updated(Some(&live), new.clone(), "two", 2);
    assert_eq!(reset["metadata"].get("managedFields"), None);
    for sent in [json!([]), json!([{}, {}]), json!([{"operation": "Nope"}])] {
        new["metadata"]["managedFields"] = sent;
        assert_eq!(entries(&updated(Some(&live), new.clone(), "two", 2)), entries(&live));
    }
}

#[test]
fn more_than_ten_updaters_are_folded() {
    let mut live = stored(&updated(None, zero_with_labels(json!({"l0": "x"})), "m00", 1));
    for number in 1..15 {
        let mut new = live.clone();
        new["metadata"]["labels"][format!("l{number}")] = json!("x");
        live = stored(&updated(Some(&live), new, &format!("m{number:02}"), number + 1));
    }
    let managers: Vec<String> = entries(&live).iter().map(|entry| entry[..3].to_owned()).collect();
    assert_eq!(managers, ["anc", "m06", "m07", "m08", "m09", "m10", "m11", "m12", "m13", "m14"]);
    assert!(
        entries(&live)[0].contains(r#""f:l0":{}"#) && entries(&live)[0].contains(r#""f:l5":{}"#)
    );
}

#[test]
fn what_cannot_be_told_apart_keeps_the_entries() {
    let live = stored(&updated(None, zero_with_labels(json!({"a": "1"})), "one", 1));
    let mut new = live.clone();
    new["status"] = json!({"conditions": [{"status": "True"}]});
    new["metadata"]["labels"]["b"] = json!("2");
    assert_eq!(entries(&updated(Some(&live), new, "two", 2)), entries(&live));
}

#[test]
fn the_status_is_owned_through_its_own_endpoint_only() {
    let live = stored(&updated(None, zero_with_labels(json!({"a": "1"})), "one", 1));
    let mut new = live.clone();
    new["status"] = json!({"conditions": [{"type": "A", "lastTransitionTime": null}]});
    new["metadata"]["labels"] = json!({"a": "2"});
    let on_main = updated(Some(&live), new.clone(), "two", 2);
    assert_eq!(entries(&on_main)[1], r#"two Update 2 {"f:metadata":{"f:labels":{"f:a":{}}}}"#);
    let on_status =
        with_endpoint("status", |endpoint| update(endpoint, Some(&live), new, writer("two", 2)));
    assert_eq!(metadata::managed_fields(&on_status)[1]["subresource"], "status");
    assert_eq!(
        entries(&on_status)[1],
        r#"two Update 2 {"f:status":{"f:conditions":{".":{},"k:{\"type\":\"A\"}":{".":{},"f:lastTransitionTime":{},"f:type":{}}}}}"#
    );
}

#[test]
fn times_are_kept_if_nothing_else_differs() {
    let old = stored(&updated(None, zero_with_labels(json!({"a": "1"})), "one", 1));
    let mut new = old.clone();
    new["metadata"]["managedFields"][0]["time"] = json!("1970-01-01T00:00:09Z");
    let mut changed = new.clone();
    changed["metadata"]["labels"]["a"] = json!("2");
    let mut owned_otherwise = new.clone();
    owned_otherwise["metadata"]["managedFields"][0]["manager"] = json!("two");

    keep_times_if_unchanged(&old, &mut new);
    assert_eq!(new, old);
    for mut different in [changed, owned_otherwise] {
        let before = different.clone();
        keep_times_if_unchanged(&old, &mut different);
        assert_eq!(different, before);
    }
}

/// A new object with labels and no defaults, so that only the labels are owned.
fn zero_with_labels(labels: Value) -> Value {
    let mut object = type_def().zero();
    object["metadata"]["labels"] = labels;
    object
}
