//! `metadata.managedFields` in an object.

use serde_json::{Map, Value};

const MANAGED_FIELDS: &str = "managedFields";

/// The entries as they stand in the object.
pub(super) fn managed_fields(object: &Value) -> &[Value] {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(MANAGED_FIELDS))
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The object without its entries.
pub(super) fn without_managed_fields(mut object: Value) -> Value {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.shift_remove(MANAGED_FIELDS);
    }
    object
}

/// The object with these entries, which stand last in its metadata; without the member if there
/// are none.
pub(super) fn with_managed_fields(object: Value, entries: Vec<Value>) -> Value {
    let mut object = without_managed_fields(object);
    if entries.is_empty() {
        return object;
    }
    if let Value::Object(members) = &mut object {
        let metadata = members.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(metadata) = metadata {
            metadata.insert(MANAGED_FIELDS.to_owned(), Value::Array(entries));
        }
    }
    object
}

/// A text member of the object's metadata; empty if it is absent.
pub(super) fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(name))
        .and_then(Value::as_str)
        .unwrap_or_default()
}
