//! Schemas as types of expressions, with what they say of the sizes of values.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cel::{FieldType, ListType, MapType, ObjectType, Type, escaped};
use crate::schema::{Kind, ListKind, Node};

/// The most bytes that a request has: what bounds values of which nothing else is said.
pub(super) const REQUEST_BYTES_MAX: u64 = 3 * 1024 * 1024;
/// The fewest bytes that values take in JSON.
const BOOL_BYTES_MIN: u64 = 4;
const NUMBER_BYTES_MIN: u64 = 1;
const TEXT_BYTES_MIN: u64 = 2;
const BRACKETS_BYTES: u64 = 2;
const DURATION_BYTES_MIN: u64 = 4;
const DATE_BYTES: u64 = 12;
const DATE_TIME_BYTES_MIN: u64 = 21;

/// The type of a schema's values, and the fewest bytes that one takes; `None` if expressions do not
/// see them.
pub(super) fn of(node: &Node, is_object: bool) -> Option<(Type, u64)> {
    if node.int_or_string {
        let max = bound(node.limits.max_length).map(|max| max.saturating_mul(4));
        return Some((Type::Dyn(max.unwrap_or(REQUEST_BYTES_MAX - 2)), NUMBER_BYTES_MIN));
    }
    match node.kind? {
        Kind::Boolean => Some((Type::Bool, BOOL_BYTES_MIN)),
        Kind::Integer => Some((Type::Int, NUMBER_BYTES_MIN)),
        Kind::Number => Some((Type::Double, NUMBER_BYTES_MIN)),
        Kind::String => Some(text(node)),
        Kind::Array => list(node),
        Kind::Object => match node.additional_schema() {
            Some(schema) if !is_object => map(node, schema),
            _ => Some(object(node, is_object)),
        },
    }
}

fn bound(bound: Option<i64>) -> Option<u64> {
    bound.map(|bound| u64::try_from(bound).unwrap_or(0))
}

fn text(node: &Node) -> (Type, u64) {
    let format = node.format.as_ref().map(|format| format.name.as_str());
    let max = bound(node.limits.max_length);
    match format {
        Some("byte") => (Type::Bytes(max.unwrap_or(REQUEST_BYTES_MAX - 2)), TEXT_BYTES_MIN),
        Some("duration") => (Type::Duration, DURATION_BYTES_MIN),
        Some("date") => (Type::Timestamp, DATE_BYTES),
        Some("date-time") => (Type::Timestamp, DATE_TIME_BYTES_MIN),
        _ => {
            let enumerated = node.limits.enumerated.iter().filter_map(|value| value.as_str());
            let longest = enumerated.map(str::len).max().and_then(|max| u64::try_from(max).ok());
            let max = max.map(|max| max.saturating_mul(4)).or(longest);
            (Type::Text(max.unwrap_or(REQUEST_BYTES_MAX - 2)), TEXT_BYTES_MIN)
        }
    }
}

fn list(node: &Node) -> Option<(Type, u64)> {
    let items = node.items.as_deref()?;
    let (item, bytes_min) = of(items, items.embedded)?;
    let fitting = (REQUEST_BYTES_MAX - BRACKETS_BYTES) / (bytes_min + 1);
    let keys = match &node.list {
        ListKind::Atomic => None,
        ListKind::Set => Some(Vec::new()),
        ListKind::Map(keys) => Some(keys.clone()),
    };
    let max = bound(node.limits.max_items).unwrap_or(fitting);
    Some((Type::List(Arc::new(ListType { item, max, keys, declared: true })), BRACKETS_BYTES))
}

fn map(node: &Node, schema: &Node) -> Option<(Type, u64)> {
    let (value, bytes_min) = of(schema, schema.embedded)?;
    let fitting = (REQUEST_BYTES_MAX - BRACKETS_BYTES) / (bytes_min + 6);
    let max = bound(node.limits.max_properties).unwrap_or(fitting);
    let key = Type::Text(REQUEST_BYTES_MAX - 2);
    Some((Type::Map(Arc::new(MapType { key, value, max })), BRACKETS_BYTES))
}

fn object(node: &Node, is_object: bool) -> (Type, u64) {
    let mut fields = BTreeMap::new();
    let mut bytes_min = BRACKETS_BYTES;
    for (name, property) in &node.properties {
        let Some((value_type, property_min)) = of(property, property.embedded) else { continue };
        if node.limits.required.contains(name) && property.default.is_none() {
            let name_bytes = u64::try_from(name.len()).unwrap_or(0);
            bytes_min = bytes_min.saturating_add(name_bytes + property_min + 4);
        }
        add(&mut fields, name, value_type);
    }
    if is_object {
        let text = || Type::Text(REQUEST_BYTES_MAX - 2);
        let mut metadata = BTreeMap::new();
        add(&mut metadata, "name", text());
        add(&mut metadata, "generateName", text());
        add(&mut fields, "apiVersion", text());
        add(&mut fields, "kind", text());
        add(&mut fields, "metadata", Type::Object(Arc::new(ObjectType { fields: metadata })));
    }
    (Type::Object(Arc::new(ObjectType { fields })), bytes_min)
}

fn add(fields: &mut BTreeMap<String, FieldType>, name: &str, value_type: Type) {
    if let Some(escaped) = escaped(name) {
        fields.insert(escaped, FieldType { json_name: name.to_owned(), value_type });
    }
}
