//! Specs as messages about mandatory objects show them: by the names of the stored form, with
//! every member (spec: validation 8.3).

use api::schema::{Described, Field, Presence, Shape, TypeDef};
use serde_json::{Map, Value};

use crate::field::Shown;

/// A value of a type as messages show its stored form.
pub(super) fn shown_as<T: Described>(value: &Value) -> Shown {
    match T::type_def() {
        Some(type_def) => Shown::json(&stored_form(type_def, value)),
        None => Shown::json(value),
    }
}

/// The value with the names of the stored form; what is absent is there as `null` or zero.
fn stored_form(type_def: &TypeDef, value: &Value) -> Value {
    let member = |field: &Field| match value.get(&field.name) {
        Some(present) if !present.is_null() => shown(&field.shape, present),
        _ if field.presence == Presence::OmitZero => field.shape.zero(),
        _ => Value::Null,
    };
    let members: Map<String, Value> =
        type_def.fields.iter().map(|field| (stored_name(&field.name), member(field))).collect();
    Value::Object(members)
}

fn shown(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Struct(type_def), value) => stored_form(type_def, value),
        (Shape::List(list), Value::Array(items)) => {
            items.iter().map(|item| shown(&list.item, item)).collect()
        }
        (_, scalar) => scalar.clone(),
    }
}

/// `apiGroups` is stored as `APIGroups`, everything else with a capital letter.
fn stored_name(name: &str) -> String {
    if let Some(rest) = name.strip_prefix("api") {
        return format!("API{rest}");
    }
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
