use serde_json::json;

use super::*;
use crate::testing;
use crate::v2;

/// The values of a field of a message, in order.
fn fields(mut message: &[u8], wanted: usize) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let value = if key.is_multiple_of(8) {
            let start = message;
            varint(&mut message);
            &start[..start.len() - message.len()]
        } else {
            assert_eq!(key % 8, 2, "only varints and bytes are written");
            let length = varint(&mut message);
            let (value, rest) = message.split_at(length);
            message = rest;
            value
        };
        if key / 8 == wanted {
            found.push(value);
        }
    }
    found
}

fn varint(message: &mut &[u8]) -> usize {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = message.split_first().expect("a byte");
        *message = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// The only value at the end of a path of fields, as text.
fn text(message: &[u8], path: &[usize]) -> String {
    let value = path.iter().fold(message, |message, number| {
        fields(message, *number).first().copied().unwrap_or_default()
    });
    String::from_utf8(value.to_vec()).expect("text")
}

/// The value of a pair by its name.
fn named<'a>(message: &'a [u8], number: usize, name: &str) -> &'a [u8] {
    let pairs = fields(message, number);
    let pair = pairs.into_iter().find(|pair| text(pair, &[1]) == name).expect("a pair");
    fields(pair, 2).first().copied().expect("a value")
}

fn ours() -> Vec<u8> {
    encode(&v2::document(&[testing::flowcontrol()]))
}

#[test]
fn numbers_take_as_many_bytes_as_they_need() {
    let mut message = Message::default();
    message.varint(0);
    message.varint(127);
    message.varint(300);
    assert_eq!(message.0, [0, 127, 0xac, 2]);
}

#[test]
fn a_document_begins_with_its_version() {
    let document = json!({ "swagger": "2.0", "info": { "title": "T", "version": "1" } });
    assert_eq!(encode(&document), b"\x0a\x032.0\x12\x06\x0a\x01T\x12\x011");
}

#[test]
fn operations_keep_their_names_kinds_and_parameters() {
    let document = ours();
    let paths = fields(&document, 8)[0];
    let item = named(paths, 2, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{name}");
    assert_eq!(text(item, &[8, 5]), "patchFlowcontrolApiserverV1FlowSchema");
    let patch = fields(item, 8)[0];
    let kind = named(patch, 13, "x-kubernetes-group-version-kind");
    let kind: Value = serde_json::from_str(&text(kind, &[2])).expect("JSON");
    assert_eq!(
        kind,
        json!({ "group": "flowcontrol.apiserver.k8s.io", "version": "v1", "kind": "FlowSchema" })
    );
    let parameters = fields(patch, 8);
    assert_eq!(text(parameters[0], &[1, 1, 2]), "body");
    assert_eq!(text(parameters[1], &[2, 1]), "#/parameters/dryRun-query");
    let dry_run = named(fields(&document, 10)[0], 1, "dryRun-query");
    assert_eq!(text(dry_run, &[2, 3, 4]), "dryRun");
    assert_eq!(text(dry_run, &[2, 3, 6]), "string");
}

#[test]
fn definitions_keep_their_fields() {
    let document = ours();
    let definitions = fields(&document, 9)[0];
    let status = named(definitions, 1, "io.k8s.api.flowcontrol.v1.FlowSchemaStatus");
    assert_eq!(text(status, &[22, 1]), "object");
    let conditions = named(fields(status, 25)[0], 1, "conditions");
    assert_eq!(text(conditions, &[22, 1]), "array");
    assert_eq!(
        text(conditions, &[23, 1, 1]),
        "#/definitions/io.k8s.api.flowcontrol.v1.FlowSchemaCondition"
    );
    assert_eq!(text(named(conditions, 31, "x-kubernetes-list-type"), &[2]), "\"map\"");
    let count = v2::document(&[testing::flowcontrol()])["definitions"].as_object().map(Map::len);
    assert_eq!(Some(fields(definitions, 1).len()), count);
}
