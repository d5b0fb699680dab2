//! What schemas say of how lists and maps are merged.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};

use crate::value::Members;

const LIST_TYPE: &str = "x-kubernetes-list-type";
const MAP_TYPE: &str = "x-kubernetes-map-type";
const KEYS: &str = "x-kubernetes-list-map-keys";

pub(super) fn validate(errors: &mut ErrorList, schema: &Value, path: &Path) {
    let preserve = "x-kubernetes-preserve-unknown-fields";
    if schema.member(preserve) == &Value::Bool(false) {
        errors.push(Error::invalid(&path.child(preserve), false, "must be true or undefined"));
    }
    map_type(errors, schema, path);
    list_type(errors, schema, path);
    keys(errors, schema, path);
    items(errors, schema, path);
}

fn must_be(errors: &mut ErrorList, schema: &Value, path: &Path, kind: &str, detail: String) {
    let found = schema.text("type");
    if found.is_empty() {
        errors.push(Error::required(&path.child("type"), detail));
    } else if found != kind {
        errors.push(Error::invalid(&path.child("type"), found, detail));
    }
}

fn map_type(errors: &mut ErrorList, schema: &Value, path: &Path) {
    if !schema.has(MAP_TYPE) {
        return;
    }
    must_be(errors, schema, path, "object", format!("must be object if {MAP_TYPE} is specified"));
    let (map_type, known) = (schema.text(MAP_TYPE), ["atomic", "granular"]);
    if !known.contains(&map_type) {
        errors.push(Error::not_supported(&path.child(MAP_TYPE), map_type, &known));
    }
}

fn list_type(errors: &mut ErrorList, schema: &Value, path: &Path) {
    if !schema.has(LIST_TYPE) {
        return;
    }
    let (list_type, known) = (schema.text(LIST_TYPE), ["atomic", "set", "map"]);
    let items = schema.member("items");
    if schema.text("type") != "array" {
        let detail = format!("must be array if {LIST_TYPE} is specified");
        must_be(errors, schema, path, "array", detail);
    } else if list_type == "set" && items.is_object() {
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let wrong = match items.text("type") {
            "array" if items.has(LIST_TYPE) && items.text(LIST_TYPE) != "atomic" => Some(LIST_TYPE),
            "object" if items.text(MAP_TYPE) != "atomic" => Some(MAP_TYPE),
            _ => None,
        };
        if let Some(member) = wrong {
            let shown = Shown::json(items.member(LIST_TYPE));
            errors.push(Error::invalid(&path.child("items").child(member), shown, detail));
        }
    }
    if !known.contains(&list_type) {
        errors.push(Error::not_supported(&path.child(LIST_TYPE), list_type, &known));
    }
}

fn keys(errors: &mut ErrorList, schema: &Value, path: &Path) {
    let keys = schema.texts(KEYS);
    if !keys.is_empty() && schema.text(LIST_TYPE) != "map" {
        let detail = format!("must be map if {KEYS} is non-empty");
        let path = path.child(LIST_TYPE);
        errors.push(if schema.has(LIST_TYPE) {
            Error::invalid(&path, schema.text(LIST_TYPE), detail)
        } else {
            Error::required(&path, detail)
        });
    }
    if schema.text(LIST_TYPE) != "map" {
        return;
    }
    let (items, items_path) = (schema.member("items"), path.child("items"));
    if keys.is_empty() {
        let detail = format!("must not be empty if {LIST_TYPE} is map");
        errors.push(Error::required(&path.child(KEYS), detail));
    }
    if items.is_null() {
        let detail = format!("must have a schema if {LIST_TYPE} is map");
        errors.push(Error::required(&items_path, detail));
    } else if items.is_object() && items.text("type") != "object" {
        let detail = format!("must be object if parent array's {LIST_TYPE} is map");
        errors.push(Error::invalid(&items_path.child("type"), items.text("type"), detail));
    }
    if items.text("type") != "object" {
        return;
    }
    for (index, key) in keys.iter().enumerate() {
        let property = items.member("properties").member(key);
        if !property.is_object() {
            let detail = "entries must all be names of item properties";
            errors.push(Error::invalid(&path.child(KEYS), Shown::json(&keys), detail));
        } else if matches!(property.text("type"), "array" | "object") {
            let detail = format!("must be a scalar type if parent array's {LIST_TYPE} is map");
            let path = items_path.child("properties").key(key).child("type");
            errors.push(Error::invalid(&path, items.text("type"), detail));
        }
        if keys[..index].contains(key) {
            let detail = "must not contain duplicate entries";
            errors.push(Error::invalid(&path.child(KEYS), Shown::json(&keys), detail));
        }
    }
}

/// Items of sets and list maps are never `null`, and have all their keys.
fn items(errors: &mut ErrorList, schema: &Value, path: &Path) {
    let (items, list_type) = (schema.member("items"), schema.text(LIST_TYPE));
    let path = path.child("items");
    if !items.is_object() || !matches!(list_type, "set" | "map") {
        return;
    }
    if items.flag("nullable") {
        let detail = format!("cannot be nullable when {LIST_TYPE} is {list_type}");
        errors.push(Error::forbidden(&path.child("nullable"), detail));
    }
    if list_type != "map" {
        return;
    }
    let required = items.texts("required");
    for key in schema.texts(KEYS) {
        let property = items.member("properties").member(&key);
        let path = path.child("properties").key(&key);
        if !property.is_object() {
            continue;
        }
        if !required.contains(&key) && !property.has("default") {
            let detail = format!(
                "this property is in {KEYS}, so it must have a default or be a required property"
            );
            errors.push(Error::required(&path.child("default"), detail));
        }
        if property.flag("nullable") {
            let detail = format!("this property is in {KEYS}, so it cannot be nullable");
            errors.push(Error::forbidden(&path.child("nullable"), detail));
        }
    }
}
