//! What is written through `scale` and `status`, and who is known to have written it.

use e2e::case::{Body, Call};
use serde_json::{Value, json};

use super::support::Running;

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const PRIORITY_LEVELS: &str =
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/catch-all/status";

fn deployment() -> Value {
    json!({
        "metadata": { "name": "d", "labels": { "kept": "1" } },
        "spec": {
            "replicas": 1,
            "selector": { "matchLabels": { "a": "b" } },
            "template": {
                "metadata": { "labels": { "a": "b" } },
                "spec": { "containers": [{ "name": "c", "image": "i" }] },
            },
        },
    })
}

fn scale(replicas: i64) -> Value {
    json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "spec": { "replicas": replicas } })
}

fn apply(server: &Running, query: &str, scale: Value) -> (u16, Value) {
    let call = Call::of("PATCH", format!("{DEPLOYMENTS}/d/scale?{query}"))
        .with_header("Content-Type", "application/apply-patch+yaml")
        .with_body(Body::Json(scale));
    server.call(&call)
}

/// What a manager is known to have written of the Deployment.
fn entry(server: &Running, manager: &str) -> Value {
    let found = server.get(&format!("{DEPLOYMENTS}/d")).unwrap();
    let entries = found["metadata"]["managedFields"].as_array().unwrap();
    entries.iter().find(|entry| entry["manager"] == manager).cloned().unwrap_or_default()
}

#[test]
fn who_applies_a_scale_owns_the_replicas() {
    let server = Running::with(&[]);
    server.create(&format!("{DEPLOYMENTS}?fieldManager=maker"), deployment());

    let (status, refused) = apply(&server, "fieldManager=scaler", scale(2));
    assert_eq!(status, 409, "{refused}");
    assert_eq!(refused["details"]["causes"][0]["field"], ".spec.replicas");
    let (status, scaled) = apply(&server, "fieldManager=scaler&force=true", scale(2));
    assert_eq!(status, 200, "{scaled}");
    assert_eq!((&scaled["kind"], &scaled["spec"]["replicas"]), (&json!("Scale"), &json!(2)));

    let own = entry(&server, "scaler");
    assert_eq!(own["subresource"], "scale");
    assert_eq!(own["operation"], "Apply");
    assert_eq!(own["fieldsV1"], json!({ "f:spec": { "f:replicas": {} } }));
    assert!(entry(&server, "maker")["fieldsV1"]["f:spec"].get("f:replicas").is_none());
    let found = server.get(&format!("{DEPLOYMENTS}/d")).unwrap();
    assert_eq!(
        (&found["spec"]["replicas"], &found["metadata"]["generation"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn an_applied_scale_must_be_one_and_must_be_possible() {
    let server = Running::with(&[]);
    server.create(DEPLOYMENTS, deployment());
    let (status, _) = apply(&server, "fieldManager=m&force=true", deployment());
    assert_eq!(status, 400);
    let (status, _) = apply(&server, "fieldManager=m&force=true", scale(-1));
    assert_eq!(status, 422);
    let (status, _) = apply(&server, "force=true", scale(2));
    assert_eq!(status, 422, "an apply names its manager");
    let found = server.get(&format!("{DEPLOYMENTS}/d")).unwrap();
    assert_eq!(found["spec"]["replicas"], 1);
}

#[test]
fn a_scale_that_is_merged_is_noted_as_one() {
    let server = Running::with(&[]);
    server.create(DEPLOYMENTS, deployment());
    let path = format!("{DEPLOYMENTS}/d/scale?fieldManager=merger");
    let (status, answer) = server.patch(&path, json!({ "spec": { "replicas": 3 } }));
    assert_eq!(status, 200, "{answer}");
    let own = entry(&server, "merger");
    assert_eq!((&own["subresource"], &own["operation"]), (&json!("scale"), &json!("Update")));
    assert_eq!(own["fieldsV1"], json!({ "f:spec": { "f:replicas": {} } }));
}

#[test]
fn a_status_brings_annotations_where_the_kind_takes_them() {
    let server = Running::with(&[]);
    server.create(DEPLOYMENTS, deployment());
    let wish = json!({ "metadata": { "annotations": { "a": "1" }, "labels": { "new": "1" } } });
    let path = format!("{DEPLOYMENTS}/d/status?fieldManager=m");
    let (status, answer) = server.patch(&path, wish.clone());
    assert_eq!(status, 200, "{answer}");
    let metadata = &server.get(&format!("{DEPLOYMENTS}/d")).unwrap()["metadata"];
    assert_eq!(metadata["annotations"], json!({ "a": "1" }));
    assert_eq!(metadata["labels"], json!({ "kept": "1" }));
    let noted = json!({ "f:metadata": { "f:annotations": { ".": {}, "f:a": {} } } });
    assert_eq!(entry(&server, "m")["fieldsV1"], noted);

    let (status, answer) = server.patch(PRIORITY_LEVELS, wish);
    assert_eq!(status, 200, "{answer}");
    assert!(answer["metadata"]["annotations"].get("a").is_none(), "{answer}");

    let nonsense = json!({ "metadata": { "annotations": { "-": "1" } } });
    let (status, answer) = server.patch(&path, nonsense);
    assert_eq!(status, 422, "{answer}");
}
