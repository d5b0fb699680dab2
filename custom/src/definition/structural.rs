//! Whether a schema is structural: every value has a type, and what stands inside `allOf` and its
//! like only narrows what stands outside (spec: apimachinery 9.2).

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path};

use crate::pattern::Pattern;
use crate::value::Members;

/// Where a schema stands in another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What is wrong with the schema of a version, sorted by how it reads.
pub(super) fn validate(schema: &Value, path: &Path) -> ErrorList {
    let mut errors = ErrorList::default();
    walk(&mut errors, schema, Level::Root, path);
    completeness(&mut errors, schema, Some(schema), path, path);
    let mut errors: Vec<Error> = errors.into_iter().collect();
    errors.sort_by_cached_key(ToString::to_string);
    errors.into_iter().collect()
}

fn walk(errors: &mut ErrorList, schema: &Value, level: Level, path: &Path) {
    if !schema.is_object() {
        return;
    }
    if schema.text("type") == "array" && !schema.has("items") {
        errors.push(Error::required(&path.child("items"), "must be specified"));
    }
    walk(errors, schema.member("items"), Level::Item, &path.child("items"));
    for (name, property) in schema.sorted("properties") {
        walk(errors, property, Level::Field, &path.child("properties").key(name));
    }
    if schema.has("additionalProperties") {
        let path = path.child("additionalProperties");
        if level == Level::Root {
            errors.push(Error::forbidden(&path, "must not be used at the root"));
        }
        walk(errors, schema.member("additionalProperties"), Level::Field, &path);
    }
    extensions(errors, schema, path);
    values(errors, schema, path);
    types(errors, schema, level, path);
    metadata(errors, schema, level, path);
    if schema.flag("x-kubernetes-embedded-resource")
        && !schema.flag("x-kubernetes-preserve-unknown-fields")
        && schema.sorted("properties").is_empty()
    {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        errors.push(Error::required(&path.child("properties"), detail));
    }
}

fn extensions(errors: &mut ErrorList, schema: &Value, path: &Path) {
    if !schema.flag("x-kubernetes-int-or-string") {
        return;
    }
    for name in ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] {
        if schema.flag(name) {
            let detail = "must be false if x-kubernetes-int-or-string is true";
            errors.push(Error::invalid(&path.child(name), true, detail));
        }
    }
}

fn types(errors: &mut ErrorList, schema: &Value, level: Level, path: &Path) {
    let (kind, type_path) = (schema.text("type"), path.child("type"));
    let open = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"];
    let embedded = schema.flag("x-kubernetes-embedded-resource");
    if embedded && kind != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(if kind.is_empty() {
            Error::required(&type_path, detail)
        } else {
            Error::invalid(&type_path, kind, detail)
        });
    } else if kind.is_empty() && !open.iter().any(|mark| schema.flag(mark)) {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.push(Error::required(&type_path, detail));
    }
    if embedded && schema.has("additionalProperties") {
        let detail = "must not be used if x-kubernetes-embedded-resource is set";
        errors.push(Error::forbidden(&path.child("additionalProperties"), detail));
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        errors.push(Error::invalid(&type_path, kind, "must be object at the root"));
    }
}

/// Schemas may say of the metadata of objects only what names are like.
fn metadata(errors: &mut ErrorList, schema: &Value, level: Level, path: &Path) {
    let has_metadata = level == Level::Root || schema.flag("x-kubernetes-embedded-resource");
    let properties = path.child("properties");
    for name in ["kind", "apiVersion"] {
        let property = schema.member("properties").member(name);
        if has_metadata && property.is_object() && property.text("type") != "string" {
            let path = properties.key(name).child("type");
            errors.push(Error::invalid(&path, property.text("type"), "must be string"));
        }
    }
    let metadata = schema.member("properties").member("metadata");
    if !metadata.is_object() {
        return;
    }
    let path = properties.key("metadata");
    if has_metadata && metadata.text("type") != "object" {
        errors.push(Error::invalid(&path.child("type"), metadata.text("type"), "must be object"));
    }
    if level == Level::Root && !only_names(metadata) {
        let detail = "must not specify anything other than name and generateName, but metadata is \
                      implicitly specified";
        errors.push(Error::forbidden(&path, detail));
    }
}

fn only_names(metadata: &Value) -> bool {
    let names = ["name", "generateName"];
    let properties = metadata.sorted("properties");
    let members = metadata.as_object().into_iter().flat_map(serde_json::Map::keys);
    properties.iter().all(|(name, _)| names.contains(&name.as_str()))
        && members
            .into_iter()
            .all(|name| matches!(name.as_str(), "type" | "properties" | "default"))
}

/// What a schema asks of values, beside their type.
fn values(errors: &mut ErrorList, schema: &Value, path: &Path) {
    let either = json!([{ "type": "integer" }, { "type": "string" }]);
    let skips_any = schema.member("anyOf") == &either;
    let skips_first =
        schema.items("allOf").first().is_some_and(|first| first.member("anyOf") == &either);
    value_validation(errors, schema, path, skips_any, skips_first);
}

fn value_validation(
    errors: &mut ErrorList,
    schema: &Value,
    path: &Path,
    skips_any: bool,
    skips_first: bool,
) {
    if !skips_any {
        for (index, each) in schema.items("anyOf").iter().enumerate() {
            nested(errors, each, &path.child("anyOf").index(index), false);
        }
    }
    for (index, each) in schema.items("allOf").iter().enumerate() {
        nested(errors, each, &path.child("allOf").index(index), skips_first && index == 0);
    }
    for (index, each) in schema.items("oneOf").iter().enumerate() {
        nested(errors, each, &path.child("oneOf").index(index), false);
    }
    nested(errors, schema.member("not"), &path.child("not"), false);
    let pattern = schema.text("pattern");
    if !pattern.is_empty()
        && let Err(error) = Pattern::compile(pattern)
    {
        let detail = format!("must be a valid regular expression, but isn't: {error}");
        errors.push(Error::invalid(&path.child("pattern"), pattern, detail));
    }
}

/// What must not stand inside `allOf` and its like, and what is said then.
const FORBIDDEN: [(&str, &str); 12] = [
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
];

fn nested(errors: &mut ErrorList, schema: &Value, path: &Path, skips_any: bool) {
    if !schema.is_object() {
        return;
    }
    value_validation(errors, schema, path, skips_any, false);
    nested(errors, schema.member("items"), &path.child("items"), false);
    for (name, property) in schema.sorted("properties") {
        nested(errors, property, &path.child("properties").key(name), false);
    }
    for (name, detail) in FORBIDDEN {
        let is_set = match schema.member(name) {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        };
        if is_set {
            errors.push(Error::forbidden(&path.child(name), detail));
        }
    }
    if !schema.items("x-kubernetes-validations").is_empty() {
        let detail = "must be empty to be structural";
        errors.push(Error::forbidden(&path.child("x-kubernetes-validations"), detail));
    }
    if schema.member("properties").has("metadata") {
        let path = path.child("properties").key("metadata");
        errors.push(Error::forbidden(&path, "must not be specified in a nested context"));
    }
}

/// What alternatives ask of a value, the schema itself must declare.
fn completeness(
    errors: &mut ErrorList,
    narrowing: &Value,
    schema: Option<&Value>,
    path: &Path,
    narrowing_path: &Path,
) {
    let each = |errors: &mut ErrorList, narrowing: &Value, narrowing_path: Path| {
        nested_completeness(errors, narrowing, schema, path, &narrowing_path);
    };
    each(errors, narrowing.member("not"), narrowing_path.child("not"));
    for junctor in ["allOf", "anyOf", "oneOf"] {
        for (index, narrowing) in narrowing.items(junctor).iter().enumerate() {
            each(errors, narrowing, narrowing_path.child(junctor).index(index));
        }
    }
}

fn nested_completeness(
    errors: &mut ErrorList,
    narrowing: &Value,
    schema: Option<&Value>,
    path: &Path,
    narrowing_path: &Path,
) {
    if !narrowing.is_object() {
        return;
    }
    let Some(schema) = schema else {
        let detail = format!("because it is defined in {narrowing_path}");
        errors.push(Error::required(path, detail));
        return;
    };
    completeness(errors, narrowing, Some(schema), path, narrowing_path);
    let items = Some(schema.member("items")).filter(|items| items.is_object());
    let (items_path, narrowing_items) = (path.child("items"), narrowing_path.child("items"));
    nested_completeness(errors, narrowing.member("items"), items, &items_path, &narrowing_items);
    for (name, narrowing) in narrowing.sorted("properties") {
        let property = Some(schema.member("properties").member(name));
        let property = property.filter(|property| property.is_object());
        let path = path.child("properties").key(name);
        let narrowing_path = narrowing_path.child("properties").key(name);
        nested_completeness(errors, narrowing, property, &path, &narrowing_path);
    }
}
