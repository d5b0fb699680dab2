//! The schema as clients are told of it (spec: apimachinery 9.3).

use serde_json::{Map, Value, json};

use super::KindName;
use crate::value::Members;

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const JUNCTORS: [&str; 4] = ["allOf", "anyOf", "oneOf", "not"];
/// Where schemas are nested.
const NESTED: [&str; 3] = ["items", "additionalProperties", "not"];

/// Version 3 says everything that a schema says.
pub(super) fn v3(kind: KindName<'_>, schema: &Value) -> Value {
    published(kind, schema.clone(), "#/components/schemas/", false)
}

/// Version 2 has no words for alternatives, for `null` and for fields that are not declared; kubectl
/// would refuse what is allowed.
pub(super) fn v2(kind: KindName<'_>, schema: &Value) -> Value {
    let open = schema.flag("x-kubernetes-preserve-unknown-fields");
    let schema = if open { json!({ "type": "object" }) } else { narrowed(schema) };
    if open {
        return sorted(with_kind(kind, schema));
    }
    published(kind, schema, "#/definitions/", true)
}

fn published(kind: KindName<'_>, mut schema: Value, references: &str, is_v2: bool) -> Value {
    embed(&mut schema, references, is_v2);
    add_properties(&mut schema, references);
    sorted(with_kind(kind, schema))
}

fn with_kind(kind: KindName<'_>, mut schema: Value) -> Value {
    let KindName { group, version, kind } = kind;
    schema["x-kubernetes-group-version-kind"] =
        json!([{ "group": group, "kind": kind, "version": version }]);
    schema
}

/// What every object has.
fn add_properties(schema: &mut Value, references: &str) {
    let Some(members) = schema.as_object_mut() else { return };
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return };
    let text = |description| json!({ "description": description, "type": "string" });
    properties.insert(
        "apiVersion".to_owned(),
        text("The API group and version this object is written in."),
    );
    properties.insert("kind".to_owned(), text("The kind of object this is."));
    properties.insert(
        "metadata".to_owned(),
        json!({
            "$ref": format!("{references}{OBJECT_META}"),
            "description": "The object's metadata.",
        }),
    );
}

/// Tells of the type and metadata of embedded objects.
fn embed(schema: &mut Value, references: &str, is_v2: bool) {
    each_nested(schema, &mut |nested| embed(nested, references, is_v2));
    let open = schema.flag("x-kubernetes-preserve-unknown-fields");
    if !schema.flag("x-kubernetes-embedded-resource") || (open && is_v2) {
        return;
    }
    add_properties(schema, references);
    let mut required = schema.texts("required");
    for name in ["kind", "apiVersion"] {
        if !required.iter().any(|present| present == name) {
            required.push(name.to_owned());
        }
    }
    schema["required"] = json!(required);
}

fn each_nested(schema: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    let Some(members) = schema.as_object_mut() else { return };
    for name in NESTED {
        if let Some(nested) = members.get_mut(name).filter(|nested| nested.is_object()) {
            visit(nested);
        }
    }
    for name in JUNCTORS {
        if let Some(Value::Array(nested)) = members.get_mut(name) {
            nested.iter_mut().for_each(&mut *visit);
        }
    }
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.values_mut().for_each(visit);
    }
}

/// What version 2 can say of a schema.
fn narrowed(schema: &Value) -> Value {
    let Some(members) = schema.as_object() else { return schema.clone() };
    let mut members: Map<String, Value> = members.clone();
    for name in JUNCTORS {
        members.shift_remove(name);
    }
    let nullable = schema.flag("nullable");
    if nullable {
        members.shift_remove("type");
        members.shift_remove("nullable");
    }
    if nullable || schema.flag("x-kubernetes-preserve-unknown-fields") {
        members.shift_remove("items");
        members.shift_remove("properties");
    }
    if !members.contains_key("items") && members.get("type") == Some(&json!("array")) {
        members.shift_remove("type");
    }
    let is_nullable = |name: &str| schema.member("properties").member(name).flag("nullable");
    let mut required = schema.texts("required");
    required.retain(|name| !is_nullable(name));
    if required.is_empty() || schema.member("additionalProperties").flag("nullable") {
        members.shift_remove("required");
    } else {
        members.insert("required".to_owned(), json!(required));
    }
    let mut schema = Value::Object(members);
    each_nested(&mut schema, &mut |nested| *nested = narrowed(nested));
    schema
}

/// The members of all objects in order, as documents have them.
fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}
