//! Objects inside objects have a type and metadata (spec: apimachinery 9.3).

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::object_meta::{self, Metadata, NameRule};

use super::lists::{shown, sorted};
use super::node::Node;
use crate::definition::label_problem;

/// What is wrong with the objects inside a value; of the value itself only if it is asked for.
pub(crate) fn validate(node: &Node, value: &Value, path: &Path, is_object: bool) -> ErrorList {
    let mut errors = ErrorList::default();
    walk(&mut errors, node, value, path, is_object);
    errors
}

fn walk(errors: &mut ErrorList, node: &Node, value: &Value, path: &Path, is_object: bool) {
    match value {
        Value::Object(members) => {
            if is_object {
                check(errors, value, path);
            }
            for (name, member) in sorted(members) {
                if let Some(schema) = node.properties.get(name) {
                    walk(errors, schema, member, &path.child(name), schema.embedded);
                } else if let Some(schema) = node.additional_schema() {
                    walk(errors, schema, member, &path.key(name), schema.embedded);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = &node.items else { return };
            for (index, item) in items.iter().enumerate() {
                walk(errors, schema, item, &path.index(index), schema.embedded);
            }
        }
        _ => {}
    }
}

fn check(errors: &mut ErrorList, object: &Value, path: &Path) {
    for name in ["apiVersion", "kind"] {
        if object.get(name).is_none() {
            errors.push(Error::required(&path.child(name), ""));
        }
    }
    for name in ["apiVersion", "kind"] {
        let Some(value) = object.get(name) else { continue };
        let path = path.child(name);
        match value.as_str() {
            None => errors.push(Error::invalid(&path, shown(value), "must be a string")),
            Some("") => errors.push(Error::invalid(&path, "", "must not be empty")),
            Some(text) => check_name(errors, name, text, &path),
        }
    }
    if let Some(metadata) = object.get("metadata") {
        check_metadata(errors, metadata, path);
    }
}

fn check_name(errors: &mut ErrorList, member: &str, text: &str, path: &Path) {
    if member == "apiVersion" {
        if text.matches('/').count() > 1 {
            errors.push(Error::invalid(
                path,
                text,
                format!("unexpected GroupVersion string: {text}"),
            ));
        }
        return;
    }
    let problem = label_problem(&text.to_lowercase());
    if member == "kind" && !problem.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {problem}");
        errors.push(Error::invalid(path, text, detail));
    }
}

fn check_metadata(errors: &mut ErrorList, metadata: &Value, path: &Path) {
    if !metadata.is_object() {
        let detail = "must be an object";
        errors.push(Error::invalid(&path.child("metadata"), Shown::json(metadata), detail));
        return;
    }
    let mut named = serde_json::json!({ "metadata": metadata });
    let has_name =
        metadata.get("name").and_then(Value::as_str).is_some_and(|name| !name.is_empty());
    if !has_name && let Some(members) = named["metadata"].as_object_mut() {
        // Objects inside others need no name, but the rules of metadata ask for one.
        members.insert("name".to_owned(), "fakename".into());
    }
    let found = object_meta::validate(&Metadata::of(&named), NameRule::PathSegment);
    errors.extend(found.into_iter().map(|mut error| {
        let nil = Path::nil();
        let around = if *path == nil { String::new() } else { format!("{path}.") };
        error.field = around + &error.field;
        error
    }));
}
