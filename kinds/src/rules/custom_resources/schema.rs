//! Structural schemas: every value has a type.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};

use crate::value::Members;

/// Schemas are not nested deeper than this; a JSON reader gives up long before.
const DEPTH_MAX: usize = 128;

/// Where a schema stands in another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// The schema of a version.
pub(super) fn validate(errors: &mut ErrorList, schema: &Value, path: &Path) {
    walk(errors, schema, Level::Root, path, 0);
}

fn walk(errors: &mut ErrorList, schema: &Value, level: Level, path: &Path, depth: usize) {
    if !schema.is_object() || depth > DEPTH_MAX {
        return;
    }
    validate_default(errors, schema, path);
    if schema.text("type") == "array" && !schema.has("items") {
        errors.push(Error::required(&path.child("items"), "must be specified"));
    }
    walk(errors, schema.member("items"), Level::Item, &path.child("items"), depth + 1);
    for (name, property) in schema.entries("properties") {
        let path = path.child("properties").key(name);
        walk(errors, property, Level::Field, &path, depth + 1);
    }
    let member = "additionalProperties";
    walk(errors, schema.member(member), Level::Field, &path.child(member), depth + 1);
    validate_type(errors, schema, level, &path.child("type"));
}

fn validate_type(errors: &mut ErrorList, schema: &Value, level: Level, path: &Path) {
    let kind = schema.text("type");
    let open = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"];
    let open = level != Level::Root && open.iter().any(|mark| schema.flag(mark));
    if kind.is_empty() && !open {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.push(Error::required(path, detail));
    } else if level == Level::Root && kind != "object" {
        errors.push(Error::invalid(path, kind, "must be object at the root"));
    } else {
        let known = ["array", "boolean", "integer", "number", "object", "string"];
        if !kind.is_empty() && !known.contains(&kind) {
            errors.push(Error::not_supported(path, kind, &known));
        }
    }
}

/// A default is a value that the schema allows.
fn validate_default(errors: &mut ErrorList, schema: &Value, path: &Path) {
    let (default, allowed) = (schema.member("default"), schema.items("enum"));
    if default.is_null() || allowed.is_empty() || allowed.contains(default) {
        return;
    }
    let allowed: Vec<String> = allowed.iter().map(plain).collect();
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let shown = Shown::json(default);
    errors.push(Error::not_supported(&path.child("default"), shown, &allowed));
}

/// A value as text, without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_value_has_a_type() {
        let schema = json!({"properties": {
            "a": {}, "b": {"type": "array"}, "c": {"type": "array", "items": {}},
            "d": {"x-kubernetes-int-or-string": true}, "e": {"type": "text"},
            "f": {"type": "string", "enum": ["x"], "default": "y"}}});
        let mut errors = ErrorList::default();
        validate(&mut errors, &schema, &Path::new("s"));
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "s.properties[a].type: Required value: must not be empty for specified object fields",
                "s.properties[b].items: Required value: must be specified",
                "s.properties[c].items.type: Required value: must not be empty for specified array \
                 items",
                "s.properties[e].type: Unsupported value: \"text\": supported values: \"array\", \
                 \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
                "s.properties[f].default: Unsupported value: \"y\": supported values: \"x\"",
                "s.type: Required value: must not be empty at the root",
            ]
        );
    }
}
