//! Bytes that nobody should send.

use api::schema::TypeDef;

use super::super::generate::{Source, object};
use super::*;

#[track_caller]
fn refused(text: &str) -> String {
    let (type_def, _) = flow_schema();
    decode_as(type_def, &bytes(text)).unwrap_err().to_string()
}

/// What reading a FlowSchema's message fails with.
#[track_caller]
fn refused_raw(text: &str) -> String {
    read_raw(flow_schema().0, &bytes(text)).unwrap_err().to_string()
}

#[test]
fn what_is_no_envelope_is_refused_in_the_words_of_the_reference() {
    assert_eq!(refused(""), "empty data");
    assert_eq!(refused("'k8s' 00"), "empty body");
    let prefix =
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]";
    assert_eq!(refused("'k8s'"), prefix);
    assert_eq!(refused("'{}'"), prefix);
    assert_eq!(
        refused("'k8s' 00 0a 04 0a 02 'v1'"),
        r#"Object 'Kind' is missing in 'runtime.TypeMeta{APIVersion:"v1", Kind:""}'"#
    );
    assert_eq!(
        refused("'k8s' 00 0a 03 12 01 'K'"),
        r#"Object 'apiVersion' is missing in 'runtime.TypeMeta{APIVersion:"", Kind:"K"}'"#
    );
}

#[test]
fn the_route_says_which_kind_it_is_where_the_body_does_not() {
    let (type_def, kind) = flow_schema();
    let lookup = |_: &GroupVersionKind| Some(Arc::clone(type_def));
    let (found, _) = decode(&bytes("'k8s' 00 12 00"), Some(&kind), &lookup).unwrap();
    assert_eq!(found, kind);
    let other = envelope::seal("g/v2", "Other", &[]);
    let (found, _) = decode(&other, Some(&kind), &lookup).unwrap();
    assert_eq!(found, GroupVersionKind::new("g", "v2", "Other"));
}

#[test]
fn a_kind_without_a_type_is_refused() {
    let error = decode(&envelope::seal("g/v1", "K", &[]), None, &|_| None);
    assert_eq!(error.unwrap_err(), DecodeError::NoKind(GroupVersionKind::new("g", "v1", "K")));
}

#[test]
fn broken_wire_formats_are_refused_in_the_words_of_the_reference() {
    assert_eq!(refused_raw("08 01"), "proto: wrong wireType = 0 for field ObjectMeta");
    assert_eq!(
        refused_raw("12 02 12 00"),
        "proto: wrong wireType = 2 for field MatchingPrecedence"
    );
    assert_eq!(refused_raw("0a 02 28 01"), "proto: wrong wireType = 0 for field UID");
    assert_eq!(refused_raw("0a 05 01"), "unexpected EOF");
    assert_eq!(refused_raw("0c"), "proto: FlowSchema: wiretype end group for non-group");
    assert_eq!(refused_raw("00 01"), "proto: FlowSchema: illegal tag 0 (wire type 0)");
    assert_eq!(
        refused_raw("80 80 80 80 80 01"),
        "proto: FlowSchema: illegal tag 0 (wire type 34359738368)"
    );
    assert_eq!(refused_raw("7f"), "proto: illegal wireType 7");
    assert_eq!(
        refused_raw("08 80 80 80 80 80 80 80 80 80 80 01"),
        "proto: wrong wireType = 0 for field ObjectMeta"
    );
    assert_eq!(refused_raw("78 80 80 80 80 80 80 80 80 80 80 01"), "proto: integer overflow");
    assert_eq!(
        refused_raw("7a ff ff ff ff ff ff ff ff ff 01"),
        "proto: negative length found during unmarshaling"
    );
}

#[test]
fn unknown_fields_of_every_form_are_passed_over() {
    let text = "78 01 79 00 00 00 00 00 00 00 00 7a 01 00 7d 00 00 00 00 7b 7b 78 01 7c 7c";
    let (type_def, _) = flow_schema();
    assert_eq!(read_raw(type_def, &bytes(text)), read_raw(type_def, &[]));
    assert_eq!(refused_raw("7b 78 01"), "unexpected EOF");
}

#[test]
fn schemas_in_schemas_end_at_a_depth() {
    let schema =
        recorded("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    let not = schema.field("not").unwrap().number;
    let nested = |count: usize| {
        let mut message = Vec::new();
        for _ in 0..count {
            let inner = std::mem::take(&mut message);
            wire::put_bytes(&mut message, not, &inner);
        }
        read_raw(schema, &message)
    };
    assert!(nested(60).is_ok());
    assert_eq!(nested(70), Err(DecodeError::TooDeep));
    assert_eq!(nested(2_000), Err(DecodeError::TooDeep));
}

#[test]
fn a_few_bytes_cannot_become_an_object_of_any_size() {
    let pods = recorded("io.k8s.api.core.v1.PodSpec");
    let containers = pods.field("containers").unwrap().number;
    let mut message = Vec::new();
    for _ in 0..400_000 {
        wire::put_bytes(&mut message, containers, &[]);
    }
    assert_eq!(read_raw(pods, &message), Err(DecodeError::TooLarge));
}

#[test]
fn times_beyond_the_calendar_are_refused() {
    let meta = api::meta::ObjectMeta::type_def().unwrap();
    let far = bytes("42 0c 08 ff ff ff ff ff ff ff ff 7f 10 00");
    assert_eq!(read_raw(meta, &far), Err(DecodeError::Time));
}

/// Whatever is read has to be written and read again as the same.
fn is_stable(type_def: &Arc<TypeDef>, bytes: &[u8]) -> bool {
    let Ok((kind, object)) = decode_as(type_def, bytes) else { return false };
    let (_, again) = decode_as(type_def, &encode(type_def, &kind, &object)).unwrap();
    assert_eq!(again.to_string(), object.to_string());
    true
}

#[test]
fn bytes_of_any_kind_are_read_or_refused() {
    let (type_def, kind) = flow_schema();
    let mut source = Source::new(1);
    for _ in 0..5_000 {
        let message: Vec<u8> =
            (0..source.below(60)).map(|_| source.next().to_le_bytes()[0]).collect();
        is_stable(type_def, &message);
        is_stable(type_def, &envelope::seal(&kind.group_version(), &kind.kind, &message));
    }
}

#[test]
fn broken_objects_are_read_or_refused() {
    let (_, kind) = flow_schema();
    let mut read = 0;
    for name in [
        "io.k8s.api.flowcontrol.v1.FlowSchema",
        "io.k8s.api.core.v1.Pod",
        "io.k8s.api.core.v1.Event",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    ] {
        let type_def = recorded(name);
        for seed in 0..300 {
            let mut source = Source::new(seed);
            let value = object(&mut source, type_def, 8);
            let mut message = encode(type_def, &kind, &value);
            for _ in 0..=source.below(3) {
                let at = source.below(message.len());
                match source.below(3) {
                    0 => message[at] = source.next().to_le_bytes()[0],
                    1 => message[at] ^= 1 << source.below(8),
                    _ => message.truncate(at.max(1)),
                }
            }
            read += usize::from(is_stable(type_def, &message));
        }
    }
    assert!(read > 20, "too few of them were read to show anything: {read}");
}
