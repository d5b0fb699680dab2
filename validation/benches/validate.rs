//! How long validation takes.

use std::hint::black_box;

use api::decode::{Tree, decode};
use api::flowcontrol::v1::FlowSchema;
use api::schema::Described;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use validation::flowcontrol::{Gates, validate_create, validate_update};

const RULES: usize = 20;

/// The metadata of a stored object, with its books of managed fields.
fn metadata(generation: i32) -> Value {
    let manager = |name: &str, operation: &str, subresource: &str| {
        json!({
            "manager": name, "operation": operation, "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
            "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
            "fieldsV1": {"f:spec": {"f:rules": {}, "f:matchingPrecedence": {}}},
            "subresource": subresource,
        })
    };
    json!({
        "name": "bench", "uid": "3c0a7f9e-3f0c-4f3a-9d6e-0f1f5d8f7c11", "generation": generation,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {"example.com/a": "b", "app": "bench"},
        "annotations": {"example.com/note": "a few words"},
        "managedFields": [
            manager("kubectl", "Apply", ""), manager("api-priority-and-fairness", "Update", "status"),
        ],
    })
}

/// A FlowSchema with all kinds of subjects and rules, in canonical form.
fn flow_schema(precedence: i32) -> Value {
    let rule = json!({
        "subjects": [
            {"kind": "User", "user": {"name": "alice"}},
            {"kind": "Group", "group": {"name": "system:authenticated"}},
            {"kind": "ServiceAccount", "serviceAccount": {"name": "default", "namespace": "a"}},
        ],
        "resourceRules": [{
            "verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "nodes"],
            "namespaces": ["default", "kube-system"],
        }],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/healthz", "/metrics/*"]}],
    });
    let object = json!({
        "metadata": metadata(precedence),
        "spec": {
            "priorityLevelConfiguration": {"name": "workload-low"},
            "matchingPrecedence": precedence,
            "rules": vec![rule; RULES],
        },
    });
    let type_def = FlowSchema::type_def();
    let decoded = type_def.and_then(|type_def| decode(type_def, Tree::from(object)).ok());
    decoded.map(|decoded| decoded.value).unwrap_or_default()
}

fn benchmark(criterion: &mut Criterion) {
    let (object, old) = (flow_schema(500), flow_schema(501));
    let gates = Gates::default();
    criterion.bench_function("create a FlowSchema with 20 rules", |bencher| {
        bencher.iter(|| validate_create("FlowSchema", black_box(&object), gates));
    });
    criterion.bench_function("update a FlowSchema with 20 rules", |bencher| {
        bencher.iter(|| validate_update("FlowSchema", black_box(&object), &old, gates));
    });
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
