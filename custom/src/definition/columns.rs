//! Printer columns, selectable fields, and the paths of the scale subresource.

use std::collections::BTreeSet;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path};

use super::field_path;
use crate::value::Members;

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
/// How many fields field selectors may name.
const SELECTABLE_MAX: usize = 8;

pub(super) fn columns(errors: &mut ErrorList, columns: &[Value], path: &Path) {
    for (index, column) in columns.iter().enumerate() {
        let path = path.index(index);
        if column.text("name").is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        }
        let (kind, format) = (column.text("type"), column.text("format"));
        let detail = format!("must be one of {}", TYPES.join(","));
        if kind.is_empty() {
            errors.push(Error::required(&path.child("type"), detail));
        } else if !TYPES.contains(&kind) {
            errors.push(Error::invalid(&path.child("type"), kind, detail));
        }
        if !format.is_empty() && !FORMATS.contains(&format) {
            let detail = format!("must be one of {}", FORMATS.join(","));
            errors.push(Error::invalid(&path.child("format"), format, detail));
        }
        let json_path = column.text("jsonPath");
        if json_path.is_empty() {
            errors.push(Error::required(&path.child("JSONPath"), ""));
        } else {
            simple_path(errors, json_path, &path.child("JSONPath"));
        }
    }
}

/// Whether a path starts as one does.
fn simple_path(errors: &mut ErrorList, text: &str, path: &Path) -> bool {
    let starts_well = text.starts_with('.');
    if !starts_well {
        errors.push(Error::invalid(path, text, "must be a simple json path starting with ."));
    }
    starts_well
}

pub(super) fn subresources(errors: &mut ErrorList, subresources: &Value, path: &Path) {
    let scale = subresources.member("scale");
    if !scale.is_object() {
        return;
    }
    for (member, parent) in [("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")] {
        let (text, path) = (scale.text(member), path.child(&format!("scale.{member}")));
        if text.is_empty() {
            errors.push(Error::required(&path, ""));
        } else if simple_path(errors, text, &path) && !text.starts_with(parent) {
            let parent = parent.trim_end_matches('.');
            let detail = format!("should be a json path under {parent}");
            errors.push(Error::invalid(&path, text, detail));
        }
    }
    let (text, path) = (scale.text("labelSelectorPath"), path.child("scale.labelSelectorPath"));
    let is_below = |parent| text.starts_with(parent);
    if !text.is_empty()
        && simple_path(errors, text, &path)
        && !is_below(".spec.")
        && !is_below(".status.")
    {
        let detail = "should be a json path under either .spec or .status";
        errors.push(Error::invalid(&path, text, detail));
    }
}

pub(super) fn selectable(errors: &mut ErrorList, fields: &[Value], schema: &Value, path: &Path) {
    let mut seen = BTreeSet::new();
    for (index, field) in fields.iter().enumerate() {
        let (text, path) = (field.text("jsonPath"), path.index(index).child("jsonPath"));
        if text.is_empty() {
            errors.push(Error::required(&path, ""));
            continue;
        }
        let (found, target) = match field_path::resolve(text, schema, false) {
            Ok(resolved) => resolved,
            Err(problem) => {
                errors.push(Error::invalid(&path, text, format!("is an invalid path: {problem}")));
                continue;
            }
        };
        if found == "metadata" || found.starts_with("metadata.") {
            errors.push(Error::invalid(&path, text, "must not point to fields in metadata"));
        }
        if !matches!(target.text("type"), "string" | "boolean" | "integer") {
            let detail = "must point to a field of type string, boolean or integer. Enum string \
                          fields and strings with formats are allowed.";
            errors.push(Error::invalid(&path, text, detail));
        }
        if !seen.insert(found) {
            errors.push(Error::duplicate(&path, text));
        }
    }
    if seen.len() > SELECTABLE_MAX {
        errors.push(Error::too_many(path, seen.len(), SELECTABLE_MAX));
    }
}
