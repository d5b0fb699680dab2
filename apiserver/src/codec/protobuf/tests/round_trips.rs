use api::flowcontrol::bootstrap;
use serde_json::json;

use super::super::generate::{Source, object};
use super::*;

/// The types of every kind of the reference.
fn kinds() -> Vec<Arc<TypeDef>> {
    let versions = openapi::recorded::group_versions();
    let kinds = versions.iter().flat_map(openapi::recorded::RecordedVersion::resources);
    kinds.map(|resource| resource.type_def).collect()
}

#[test]
fn every_kind_is_the_same_after_writing_and_reading() {
    let kinds = kinds();
    assert!(kinds.len() > 50, "{}", kinds.len());
    for (index, type_def) in kinds.iter().enumerate() {
        for seed in 0..20_u64 {
            let mut source = Source::new(seed << 32 | index as u64);
            let value = object(&mut source, type_def, 10);
            let read = read_raw(type_def, &raw(type_def, &value));
            assert_eq!(read.unwrap().to_string(), value.to_string(), "{} {seed}", type_def.name);
        }
    }
}

#[test]
fn fields_may_come_in_any_order_and_in_pieces() {
    let (type_def, kind) = flow_schema();
    let message = bytes(
        "12 02 10 07
         0a 03 0a 01 'x'
         7a 01 00
         12 05 0a 03 0a 01 'p'
         0a 03 0a 01 'n'
         0a 03 12 01 'g'",
    );
    let (_, read) =
        decode_as(type_def, &envelope::seal(&kind.group_version(), &kind.kind, &message)).unwrap();
    assert_eq!(
        read,
        json!({
            "kind": "FlowSchema", "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
            "metadata": {"name": "n", "generateName": "g"},
            "spec": {"priorityLevelConfiguration": {"name": "p"}, "matchingPrecedence": 7},
            "status": {}
        })
    );
}

#[test]
fn numbers_in_lists_may_come_packed() {
    let codes = recorded("io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement");
    let read = read_raw(codes, &bytes("18 01 1a 03 02 ac 02 18 05")).unwrap();
    assert_eq!(read["values"], json!([1, 2, 300, 5]));
}

#[test]
fn the_objects_that_every_server_has_are_the_same_after_writing_and_reading() {
    let (type_def, kind) = flow_schema();
    let schemas = bootstrap::flow_schemas();
    assert!(!schemas.is_empty());
    for schema in schemas {
        let object = json!({"metadata": {"name": schema.name}, "spec": schema.spec});
        let canonical = api::decode::decode_value(type_def, object).unwrap();
        let (_, mut read) = decode_as(type_def, &encode(type_def, &kind, &canonical)).unwrap();
        read.as_object_mut().unwrap().retain(|name, _| name != "kind" && name != "apiVersion");
        assert_eq!(read.to_string(), canonical.to_string());
    }
}

#[test]
fn an_object_as_the_reference_answered_it_is_the_same_after_writing_and_reading() {
    let (type_def, kind) = flow_schema();
    let recorded = json!({
        "kind": "FlowSchema", "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "metadata": {
            "name": "c-fs-min", "uid": "6a4d1f9e-4b0c-4f62-a54b-0b41c3a9c0de",
            "resourceVersion": "281", "generation": 1,
            "creationTimestamp": "2026-11-30T05:27:51Z",
            "managedFields": [{
                "manager": "conformance", "operation": "Update",
                "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "time": "2026-11-30T05:27:51Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {
                    "f:matchingPrecedence": {}, "f:priorityLevelConfiguration": {"f:name": {}}
                }}
            }]
        },
        "spec": {
            "priorityLevelConfiguration": {"name": "global-default"}, "matchingPrecedence": 1000
        },
        "status": {}
    });
    let (_, read) = decode_as(type_def, &encode(type_def, &kind, &recorded)).unwrap();
    assert_eq!(read.to_string(), recorded.to_string());
}
