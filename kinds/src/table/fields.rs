//! Reading objects. What is absent, null or of another type is the zero value of what was asked
//! for, as it is for the reference's decoded objects.

use api::time::Timestamp;
use serde_json::{Map, Value};

use super::age;

/// The value at a path, unless it is absent or null.
pub(super) fn present<'a>(object: &'a Value, pointer: &str) -> Option<&'a Value> {
    object.pointer(pointer).filter(|value| !value.is_null())
}

/// The text at a path, if there is one. An empty text is there.
pub(super) fn optional<'a>(object: &'a Value, pointer: &str) -> Option<&'a str> {
    object.pointer(pointer)?.as_str()
}

/// The text at a path, else an empty one.
pub(super) fn string<'a>(object: &'a Value, pointer: &str) -> &'a str {
    optional(object, pointer).unwrap_or_default()
}

/// The text at a path, or another one for none or an empty one.
pub(super) fn string_or<'a>(object: &'a Value, pointer: &str, other: &'a str) -> &'a str {
    Some(string(object, pointer)).filter(|text| !text.is_empty()).unwrap_or(other)
}

/// The whole number at a path, else 0.
pub(super) fn integer(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

/// Whether there is `true` at a path.
pub(super) fn boolean(object: &Value, pointer: &str) -> bool {
    object.pointer(pointer).and_then(Value::as_bool).unwrap_or(false)
}

/// The elements at a path.
pub(super) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts at a path.
pub(super) fn strings<'a>(object: &'a Value, pointer: &str) -> Vec<&'a str> {
    list(object, pointer).iter().filter_map(Value::as_str).collect()
}

/// The members at a path.
pub(super) fn map<'a>(object: &'a Value, pointer: &str) -> Option<&'a Map<String, Value>> {
    object.pointer(pointer)?.as_object()
}

/// How many elements or members there are at a path.
pub(super) fn count(object: &Value, pointer: &str) -> usize {
    match object.pointer(pointer) {
        Some(Value::Array(elements)) => elements.len(),
        Some(Value::Object(members)) => members.len(),
        _ => 0,
    }
}

/// An annotation of the object. Annotations' names have slashes, which paths would need to escape.
pub(super) fn annotation<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    map(object, "/metadata/annotations")?.get(name)?.as_str()
}

/// Whether the object waits to be removed.
pub(super) fn is_terminating(object: &Value) -> bool {
    present(object, "/metadata/deletionTimestamp").is_some()
}

/// The first condition of a type among those at a path.
pub(super) fn condition<'a>(
    object: &'a Value,
    pointer: &str,
    condition_type: &str,
) -> Option<&'a Value> {
    list(object, pointer).iter().find(|condition| string(condition, "/type") == condition_type)
}

/// Whether the first condition of a type among `status.conditions` holds.
pub(super) fn holds(object: &Value, condition_type: &str) -> bool {
    condition(object, "/status/conditions", condition_type)
        .is_some_and(|condition| string(condition, "/status") == "True")
}

/// A number or text (`IntOrString`, a quantity) in words.
pub(super) fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A quantity in a map of resources; one that is missing is zero.
pub(super) fn quantity(resources: Option<&Map<String, Value>>, name: &str) -> String {
    resources
        .and_then(|resources| resources.get(name))
        .filter(|value| !value.is_null())
        .map_or_else(|| "0".to_owned(), scalar)
}

/// The time at a path.
pub(super) fn time(object: &Value, pointer: &str) -> Option<Timestamp> {
    optional(object, pointer)?.parse().ok()
}

/// How long ago a time was.
pub(super) fn elapsed(time: Option<Timestamp>, now: Timestamp) -> String {
    time.map_or_else(
        || "<unknown>".to_owned(),
        |time| age(now.unix_seconds().saturating_sub(time.unix_seconds())),
    )
}

/// How long ago the time at a path was.
pub(super) fn since(object: &Value, pointer: &str, now: Timestamp) -> String {
    elapsed(time(object, pointer), now)
}

/// The cell of the object's name.
pub(super) fn name(object: &Value) -> Value {
    text(object, "/metadata/name")
}

/// The text at a path as a cell, empty if there is none.
pub(super) fn text(object: &Value, pointer: &str) -> Value {
    string(object, pointer).into()
}

/// The text at a path as a cell, or another one for none or an empty one.
pub(super) fn text_or(object: &Value, pointer: &str, other: &str) -> Value {
    string_or(object, pointer, other).into()
}

/// The text at a path as a cell, or another one if there is none. An empty one is shown.
pub(super) fn optional_or(object: &Value, pointer: &str, other: &str) -> Value {
    optional(object, pointer).unwrap_or(other).into()
}

/// The whole number at a path as a cell.
pub(super) fn number(object: &Value, pointer: &str) -> Value {
    integer(object, pointer).into()
}

/// Whether there is `true` at a path, as a cell.
pub(super) fn flag(object: &Value, pointer: &str) -> Value {
    boolean(object, pointer).into()
}
