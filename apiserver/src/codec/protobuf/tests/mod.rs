mod documents;
mod hostile;
mod round_trips;
mod vectors;

use std::sync::Arc;

use api::flowcontrol::v1::FlowSchema;
use api::schema::{Described, TypeDef};

use super::*;

fn flow_schema() -> (&'static Arc<TypeDef>, GroupVersionKind) {
    let kind = GroupVersionKind::new("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema");
    (FlowSchema::type_def().unwrap(), kind)
}

/// Reads whatever kind is named as an object of that type.
fn decode_as(
    type_def: &Arc<TypeDef>,
    bytes: &[u8],
) -> Result<(GroupVersionKind, Value), DecodeError> {
    decode(bytes, None, &|_| Some(Arc::clone(type_def)))
}

fn recorded(name: &str) -> &'static Arc<TypeDef> {
    openapi::recorded::type_def(name).unwrap()
}

/// Bytes from hexadecimal digits; text in quotes stands for itself.
fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, part) in text.split('\'').enumerate() {
        if index % 2 == 1 {
            out.extend(part.bytes());
            continue;
        }
        for pair in part.split_whitespace() {
            out.push(u8::from_str_radix(pair, 16).unwrap());
        }
    }
    out
}

/// The message of a value without an envelope.
fn raw(type_def: &TypeDef, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write::message(&mut out, type_def, value);
    out
}

/// Reads a message without an envelope.
fn read_raw(type_def: &TypeDef, bytes: &[u8]) -> Result<Value, DecodeError> {
    read::Reader::new(&|_| None).message(type_def, bytes)
}
