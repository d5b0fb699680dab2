//! Bytes put together by hand from the published messages.

use api::meta::discovery::ApiResource;
use api::meta::{DeleteOptions, ObjectMeta};
use serde_json::json;

use super::*;

/// Both directions between a value in canonical form and the bytes of its message.
#[track_caller]
fn same(type_def: &TypeDef, value: &Value, text: &str) {
    assert_eq!(raw(type_def, value), bytes(text), "written");
    assert_eq!(read_raw(type_def, &bytes(text)).unwrap().to_string(), value.to_string(), "read");
}

#[test]
fn an_envelope_holds_version_kind_message_and_two_empty_texts() {
    let (type_def, kind) = flow_schema();
    let value = json!({
        "kind": "FlowSchema", "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "metadata": {"name": "a"},
        "spec": {"priorityLevelConfiguration": {"name": "b"}, "matchingPrecedence": 300},
        "status": {}
    });
    let expected = bytes(
        "'k8s' 00
         0a 2d 0a 1f 'flowcontrol.apiserver.k8s.io/v1' 12 0a 'FlowSchema'
         12 1f
           0a 11 0a 01 'a' 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00
           12 08 0a 03 0a 01 'b' 10 ac 02
           1a 00
         1a 00 22 00",
    );
    assert_eq!(encode(type_def, &kind, &value), expected);
    let (found, read) = decode_as(type_def, &expected).unwrap();
    assert_eq!((found, read.to_string()), (kind, value.to_string()));
}

#[test]
fn metadata_has_its_plain_values_even_where_they_are_zero() {
    same(
        ObjectMeta::type_def().unwrap(),
        &json!({
            "name": "n", "generation": 2, "creationTimestamp": "2026-11-30T05:27:51Z",
            "deletionGracePeriodSeconds": 0, "labels": {"a": "", "b": "1"},
            "finalizers": ["x", ""],
            "managedFields": [{"manager": "m", "time": "1970-01-01T00:00:01Z", "fieldsV1": {"f:a": {}}}]
        }),
        "0a 01 'n' 12 00 1a 00 22 00 2a 00 32 00 38 02
         42 08 08 d7 92 b4 d8 06 10 00
         50 00
         5a 05 0a 01 'a' 12 00
         5a 06 0a 01 'b' 12 01 '1'
         72 01 'x' 72 00
         8a 01 1f 0a 01 'm' 12 00 1a 00 22 04 08 01 10 00 32 00
           3a 0c 0a 0a '{\"f:a\":{}}' 42 00",
    );
}

#[test]
fn absent_pointers_are_not_written_and_present_zeroes_are() {
    let options = DeleteOptions::type_def().unwrap();
    same(options, &json!({}), "");
    same(
        options,
        &json!({
            "gracePeriodSeconds": -1, "preconditions": {"uid": ""}, "orphanDependents": false,
            "propagationPolicy": "Orphan", "dryRun": ["All"]
        }),
        "08 ff ff ff ff ff ff ff ff ff 01 12 02 0a 00 18 00 22 06 'Orphan' 2a 03 'All'",
    );
}

#[test]
fn numbers_or_texts_have_all_three_fields() {
    let port = recorded("io.k8s.api.core.v1.HTTPGetAction");
    same(port, &json!({"port": 80}), "0a 00 12 06 08 00 10 50 1a 00 1a 00 22 00");
    same(port, &json!({"port": "web"}), "0a 00 12 09 08 01 10 00 1a 03 'web' 1a 00 22 00");
    assert_eq!(read_raw(port, &[]).unwrap(), json!({"port": 0}));
}

#[test]
fn quantities_are_texts_in_a_message() {
    let resources = recorded("io.k8s.api.core.v1.ResourceRequirements");
    let value = json!({"limits": {"cpu": "100m"}});
    same(resources, &value, "0a 0d 0a 03 'cpu' 12 06 0a 04 '100m'");
}

#[test]
fn structs_embedded_in_json_are_messages_of_their_own() {
    let volume = recorded("io.k8s.api.core.v1.Volume");
    same(volume, &json!({"name": "v"}), "0a 01 'v' 12 00");
    let empty_dir = json!({"name": "v", "emptyDir": {}});
    same(volume, &empty_dir, "0a 01 'v' 12 04 12 02 0a 00");
}

#[test]
fn lists_in_maps_and_the_verbs_of_resources_are_messages_of_their_own() {
    let user = recorded("io.k8s.api.authentication.v1.UserInfo");
    let value = json!({"extra": {"k": ["a", "b"]}});
    same(user, &value, "0a 00 12 00 22 0b 0a 01 'k' 12 06 0a 01 'a' 0a 01 'b'");
    let resource = ApiResource::type_def().unwrap();
    let value = json!({
        "name": "x", "singularName": "", "namespaced": true, "kind": "X", "verbs": ["get"]
    });
    same(resource, &value, "0a 01 'x' 10 01 1a 01 'X' 22 05 0a 03 'get' 32 00 42 00 4a 00 52 00");
}

#[test]
fn times_that_are_plain_are_empty_messages_when_they_are_zero() {
    let event = recorded("io.k8s.api.core.v1.EventSeries");
    same(event, &json!({"lastObservedTime": null}), "08 00 12 00");
    same(
        event,
        &json!({"lastObservedTime": "1969-12-31T23:59:59.250000Z"}),
        "08 00 12 10 08 ff ff ff ff ff ff ff ff ff 01 10 80 e5 9a 77",
    );
}

#[test]
fn bytes_are_base64_in_json_only() {
    let secret = recorded("io.k8s.api.core.v1.Secret");
    let written = raw(secret, &json!({"metadata": {}, "data": {"k": "AP8="}}));
    assert!(written.ends_with(&bytes("12 07 0a 01 'k' 12 02 00 ff 1a 00")), "{written:02x?}");
    assert_eq!(read_raw(secret, &written).unwrap(), json!({"metadata": {}, "data": {"k": "AP8="}}));
}

#[test]
fn json_of_any_form_is_kept_as_text() {
    let revision = recorded("io.k8s.api.apps.v1.ControllerRevision");
    let value = json!({"metadata": {}, "data": {"a<b": [1, null]}, "revision": 7});
    let written = raw(revision, &value);
    let end = bytes("12 12 0a 10 '{\"a<b\":[1,null]}' 18 07");
    assert!(written.ends_with(&end), "{written:02x?}");
    assert_eq!(read_raw(revision, &written).unwrap(), value);
}

#[test]
fn schemas_may_stand_beside_truth_lists_and_names() {
    let schema =
        recorded("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    for value in [
        json!({"additionalProperties": true, "additionalItems": false}),
        json!({"additionalProperties": {"type": "string"}, "items": {"type": "object"}}),
        json!({"items": [{"type": "string"}, {"maximum": 1.5, "minimum": 2}]}),
        json!({"dependencies": {"a": ["b"], "c": {"type": "string"}}}),
        json!({"default": {"x": []}, "enum": ["a", 1, {}], "example": "e"}),
    ] {
        let read = read_raw(schema, &raw(schema, &value)).unwrap();
        assert_eq!(read, value);
    }
}

#[test]
fn a_status_is_written_with_its_details_and_code() {
    let status = Status::bad_request("no");
    let expected = bytes(
        "'k8s' 00 0a 0c 0a 02 'v1' 12 06 'Status'
         12 24 0a 06 0a 00 12 00 1a 00 12 07 'Failure' 1a 02 'no' 22 0a 'BadRequest' 30 90 03
         1a 00 22 00",
    );
    assert_eq!(encode_status(&status), expected);
}

#[test]
fn a_list_holds_its_metadata_and_the_items_without_their_kinds() {
    let (type_def, kind) = flow_schema();
    let item = json!({"kind": "FlowSchema", "metadata": {"name": "a"}});
    let kind = GroupVersionKind { kind: "FlowSchemaList".to_owned(), ..kind };
    let written = encode_list(type_def, &kind, &json!({"resourceVersion": "7"}), [&item, &item]);
    let message = raw(type_def, &item);
    let mut expected = bytes("0a 07 0a 00 12 01 '7' 1a 00");
    for _ in 0..2 {
        expected.extend([0x12, u8::try_from(message.len()).unwrap()]);
        expected.extend(&message);
    }
    assert_eq!(Envelope::open(&written).unwrap().raw, expected);
}

#[test]
fn the_metadata_of_an_object_can_be_written_alone() {
    let object = json!({"metadata": {"name": "a"}, "spec": {"x": 1}});
    let expected = bytes("0a 11 0a 01 'a' 12 00 1a 00 22 00 2a 00 32 00 38 00 42 00");
    assert_eq!(raw(partial_object_metadata(), &object), expected);
}

#[test]
fn a_watch_frame_has_its_length_in_front_and_no_prefix() {
    let frame = with_length(&watch_event("ADDED", b"k8s\0x")).unwrap();
    assert_eq!(frame, bytes("00 00 00 10 0a 05 'ADDED' 12 07 0a 05 'k8s' 00 'x'"));
}

#[test]
fn an_object_inside_another_may_have_an_envelope() {
    let (type_def, kind) = flow_schema();
    let inner = encode(type_def, &kind, &json!({"metadata": {"name": "inner"}}));
    let event = api::meta::WatchEvent::type_def().unwrap();
    let frame = with_length(&watch_event("ADDED", &inner)).unwrap();
    let lookup = |found: &GroupVersionKind| (*found == kind).then(|| Arc::clone(type_def));
    let read = read::Reader::new(&lookup).message(event, &frame[4..]).unwrap();
    assert_eq!(read["object"]["metadata"]["name"], "inner");
    assert_eq!(read["object"]["kind"], "FlowSchema");
}
