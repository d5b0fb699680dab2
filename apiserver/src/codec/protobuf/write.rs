//! From values to messages.

use api::schema::{Field, Shape, TypeDef};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::layout::{Layout, Place, is_plain, is_wrapped_list};
use super::wire::{put_bytes, put_double, put_integer, put_message};
use super::{any, scalar};

/// Writes the fields of a struct; anything but an object is a struct of zero values.
pub(super) fn message(out: &mut Vec<u8>, type_def: &TypeDef, value: &Value) {
    Struct { type_def, members: value.as_object() }.places(out, &Layout::of(type_def));
}

struct Struct<'v> {
    type_def: &'v TypeDef,
    members: Option<&'v Map<String, Value>>,
}

impl Struct<'_> {
    fn places(&self, out: &mut Vec<u8>, layout: &Layout<'_>) {
        for (number, place) in layout.places() {
            match place {
                Place::Field(_, field) => self.field(out, *number, field),
                Place::Message(inner) => put_message(out, *number, |out| self.places(out, inner)),
            }
        }
    }

    fn field(&self, out: &mut Vec<u8>, number: u32, field: &Field) {
        let present = self.members.and_then(|members| members.get(&field.name));
        match present.filter(|value| !value.is_null()) {
            Some(value) if is_wrapped_list(self.type_def, field) => {
                put_message(out, number, |out| put_value(out, 1, &field.shape, value));
            }
            Some(value) => put_value(out, number, &field.shape, value),
            None if is_plain(self.type_def, field) => {
                put_value(out, number, &field.shape, &Value::Null);
            }
            None => {}
        }
    }
}

/// Writes a field; `null` stands for the zero value.
pub(super) fn put_value(out: &mut Vec<u8>, number: u32, shape: &Shape, value: &Value) {
    match shape {
        Shape::String(_) => put_bytes(out, number, value.as_str().unwrap_or_default().as_bytes()),
        Shape::Bool => put_integer(out, number, i64::from(value.as_bool().unwrap_or_default())),
        Shape::Int32 | Shape::Int64 => {
            put_integer(out, number, value.as_i64().unwrap_or_default());
        }
        Shape::Double => put_double(out, number, value.as_f64().unwrap_or_default()),
        Shape::Bytes => {
            let text = value.as_str().unwrap_or_default();
            put_bytes(out, number, &STANDARD.decode(text).unwrap_or_default());
        }
        Shape::Time => put_message(out, number, |out| scalar::put_time(out, value, false)),
        Shape::MicroTime => put_message(out, number, |out| scalar::put_time(out, value, true)),
        Shape::Quantity => put_message(out, number, |out| scalar::put_quantity(out, value)),
        Shape::IntOrString => {
            put_message(out, number, |out| scalar::put_int_or_string(out, value));
        }
        Shape::Json(name) => put_message(out, number, |out| any::put(out, name, value)),
        Shape::Struct(type_def) => put_message(out, number, |out| message(out, type_def, value)),
        Shape::List(list) => {
            for item in value.as_array().into_iter().flatten() {
                put_value(out, number, &list.item, item);
            }
        }
        Shape::Map(shape) => put_entries(out, number, shape, value),
    }
}

/// Writes a map as its entries, in the order of their keys.
fn put_entries(out: &mut Vec<u8>, number: u32, shape: &Shape, value: &Value) {
    let mut entries: Vec<(&String, &Value)> = value.as_object().into_iter().flatten().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    for (key, value) in entries {
        put_message(out, number, |out| {
            put_bytes(out, 1, key.as_bytes());
            match shape {
                // An entry has one value, so that lists are messages of their own there.
                Shape::List(_) => put_message(out, 2, |out| put_value(out, 1, shape, value)),
                shape => put_value(out, 2, shape, value),
            }
        });
    }
}
