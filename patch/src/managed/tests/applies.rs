use super::*;

fn conflict_text(result: Result<Value, ApplyError>) -> String {
    match result {
        Err(ApplyError::Conflict(conflicts)) => conflicts.to_string(),
        other => panic!("no conflict: {other:?}"),
    }
}

#[test]
fn an_applier_owns_exactly_what_it_applies() {
    let object = applied_labels(None, &json!({"a": "1"}), ("one", 1), false).unwrap();
    assert_eq!(object["spec"]["matchingPrecedence"], 1000);
    assert_eq!(entries(&object), [r#"one Apply 1 {"f:metadata":{"f:labels":{"f:a":{}}}}"#]);
}

#[test]
fn what_is_no_longer_applied_and_owned_by_nobody_else_goes() {
    let object = applied_labels(None, &json!({"a": "1", "b": "2", "c": "3"}), ("one", 1), false);
    let object = applied_labels(Some(&object.unwrap()), &json!({"b": "2"}), ("two", 2), false);
    let object = applied_labels(Some(&object.unwrap()), &json!({"c": "3"}), ("one", 3), false);
    let object = object.unwrap();
    assert_eq!(object["metadata"]["labels"], json!({"b": "2", "c": "3"}));
    // The second apply changed no value, so its entry has no time and comes first.
    assert_eq!(
        entries(&object),
        [
            r#"two Apply - {"f:metadata":{"f:labels":{"f:b":{}}}}"#,
            r#"one Apply 3 {"f:metadata":{"f:labels":{"f:c":{}}}}"#,
        ]
    );
}

#[test]
fn other_values_than_those_of_other_managers_conflict_unless_forced() {
    let live = applied_labels(None, &json!({"a": "1", "b": "2"}), ("one", 1), false).unwrap();
    assert_eq!(
        conflict_text(applied_labels(Some(&live), &json!({"a": "9"}), ("two", 2), false)),
        "Apply failed with 1 conflict: conflict with \"one\": .metadata.labels.a"
    );
    let forced = applied_labels(Some(&live), &json!({"a": "9"}), ("two", 2), true).unwrap();
    assert_eq!(forced["metadata"]["labels"], json!({"a": "9", "b": "2"}));
    assert_eq!(
        entries(&forced),
        [
            r#"one Apply 1 {"f:metadata":{"f:labels":{"f:b":{}}}}"#,
            r#"two Apply 2 {"f:metadata":{"f:labels":{"f:a":{}}}}"#,
        ]
    );
}

#[test]
fn conflicts_are_listed_manager_by_manager() {
    let live = applied_labels(None, &json!({"a": "1"}), ("test", 1), false).unwrap();
    let mut new = live.clone();
    new["metadata"]["labels"]["b"] = json!("2");
    new["metadata"]["labels"]["c"] = json!("3");
    let live = stored(&updated(Some(&live), new, "smp", 2));
    let labels = json!({"a": "9", "b": "9", "c": "9"});
    let Err(ApplyError::Conflict(conflicts)) =
        applied_labels(Some(&live), &labels, ("two", 2), false)
    else {
        panic!("no conflict")
    };
    assert_eq!(
        conflicts.to_string(),
        "Apply failed with 3 conflicts: conflicts with \"smp\" using \
         flowcontrol.apiserver.k8s.io/v1:\n- .metadata.labels.b\n- .metadata.labels.c\nconflicts \
         with \"test\":\n- .metadata.labels.a"
    );
    assert_eq!(
        conflicts.causes()[0],
        Cause {
            message: "conflict with \"smp\" using flowcontrol.apiserver.k8s.io/v1".to_owned(),
            field: ".metadata.labels.b".to_owned(),
        }
    );
}

#[test]
fn an_apply_that_changes_nothing_changes_nothing() {
    let live = applied_labels(None, &json!({"a": "1"}), ("one", 1), false).unwrap();
    assert_eq!(applied_labels(Some(&live), &json!({"a": "1"}), ("one", 2), false), Ok(live));
}

#[test]
fn fields_of_before_the_first_apply_have_a_manager() {
    let live = labelled(&json!({"a": "1", "b": "2"}));
    let object = applied_labels(Some(&live), &json!({"a": "1"}), ("one", 5), false).unwrap();
    assert_eq!(
        entries(&object),
        [
            r#"one Apply - {"f:metadata":{"f:labels":{"f:a":{}}}}"#,
            r#"before-first-apply Update 5 {"f:metadata":{"f:labels":{".":{},"f:a":{},"f:b":{}}},"f:spec":{"f:matchingPrecedence":{}}}"#,
        ]
    );
}

#[test]
fn applies_of_bodies_that_are_no_such_object_are_refused() {
    let refusal = |body: Value| {
        with_endpoint("", |endpoint| apply(endpoint, None, &body, writer("m", 1), false))
            .unwrap_err()
    };
    let bad = |text: &str| ApplyError::BadRequest(text.to_owned());
    assert_eq!(refusal(json!(null)), bad("invalid object type: /, Kind="));
    assert_eq!(
        refusal(json!({"apiVersion": "v2", "kind": "ConfigMap"})),
        bad("invalid object type: /v2, Kind=ConfigMap")
    );
    assert_eq!(
        refusal(json!({"apiVersion": "apps/v1", "kind": "Deployment"})),
        bad("invalid object type: apps/v1, Kind=Deployment")
    );
    assert_eq!(
        refusal(
            json!({"apiVersion": GROUP_VERSION, "kind": "FlowSchema", "metadata": {"managedFields": []}})
        ),
        bad("metadata.managedFields must be nil")
    );
    assert!(matches!(refusal(json!([])), ApplyError::BadRequest(_)));
    assert_eq!(
        refusal(
            json!({"apiVersion": GROUP_VERSION, "kind": "FlowSchema", "metadata": {"name": "a"}, "spec": {"zoo": 1}})
        ),
        ApplyError::Internal(
            "failed to create typed patch object (/a; flowcontrol.apiserver.k8s.io/v1, \
             Kind=FlowSchema): .spec.zoo: field not declared in schema"
                .to_owned()
        )
    );
}

#[test]
fn an_object_that_cannot_be_told_apart_is_not_applied_to() {
    let mut live = labelled(&json!({"a": "1"}));
    live["status"] = json!({"conditions": [{"status": "True"}]});
    let text = applied_labels(Some(&live), &json!({"a": "1"}), ("m", 1), false).unwrap_err();
    assert!(text.to_string().starts_with("failed to create typed live object (/a; "), "{text}");
}

#[test]
fn a_wrong_value_that_the_schema_cannot_tell_is_refused_when_it_is_decoded() {
    let body = json!({
        "apiVersion": GROUP_VERSION, "kind": "FlowSchema", "metadata": {"name": "a"},
        "spec": {"matchingPrecedence": 1.5},
    });
    let result = with_endpoint("", |endpoint| apply(endpoint, None, &body, writer("m", 1), false));
    assert!(matches!(result, Err(ApplyError::Internal(_))), "{result:?}");
}

/// An object that `kubectl apply` wrote without `--server-side`, then changed by another manager.
fn client_side_applied() -> Value {
    let last_applied = json!({
        "apiVersion": GROUP_VERSION, "kind": "FlowSchema",
        "metadata": {"name": "a", "labels": {"a": "1", "b": "2"}},
    });
    let mut object = type_def().zero();
    object["metadata"]["labels"] = json!({"a": "1", "b": "2"});
    object["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/last-applied-configuration": last_applied.to_string()});
    let live = stored(&updated(None, object, "kubectl-client-side-apply", 1));
    let mut new = live.clone();
    new["metadata"]["labels"]["b"] = json!("other");
    stored(&updated(Some(&live), new, "other", 2))
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_client_side() {
    let live = client_side_applied();
    assert!(applied_labels(Some(&live), &json!({"a": "9"}), ("someone", 3), false).is_err());
    let object = applied_labels(Some(&live), &json!({"a": "9"}), ("kubectl", 3), false).unwrap();
    assert_eq!(object["metadata"]["labels"], json!({"a": "9", "b": "other"}));
    assert_eq!(
        object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"],
        "{\"apiVersion\":\"flowcontrol.apiserver.k8s.io/v1\",\"kind\":\"FlowSchema\",\"metadata\":\
         {\"labels\":{\"a\":\"9\"},\"name\":\"a\"}}\n"
    );
}

#[test]
fn kubectl_does_not_take_over_what_others_have_changed_since() {
    let labels = json!({"a": "9", "b": "9"});
    let result = applied_labels(Some(&client_side_applied()), &labels, ("kubectl", 3), false);
    assert_eq!(
        conflict_text(result),
        "Apply failed with 1 conflict: conflict with \"other\" using \
         flowcontrol.apiserver.k8s.io/v1: .metadata.labels.b"
    );
}
