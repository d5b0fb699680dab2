//! What `kubectl apply` without `--server-side` left behind: the annotation with the last applied
//! configuration.

use serde_json::{Map, Value};

use super::Endpoint;
use crate::fieldset::FieldSet;
use crate::typed::{Duplicates, compare, field_set, validate};

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The manager for which the annotation is looked at.
pub(super) const KUBECTL: &str = "kubectl";
/// How many bytes all annotations of an object may have, keys and values.
const ANNOTATIONS_BYTES_MAX: usize = 256 * 1024;

/// The fields that `kubectl` applied last and that nobody has changed since: taking them over is
/// no conflict. `None` if the annotation is missing or of no use.
pub(super) fn fields_of_last_applied(endpoint: &Endpoint<'_>, live: &Value) -> Option<FieldSet> {
    let last_applied: Value = serde_json::from_str(annotation(live)?).ok()?;
    let text = |name: &str| last_applied.get(name).and_then(Value::as_str);
    if text("apiVersion") != Some(endpoint.group_version) || text("kind").is_none() {
        return None;
    }
    let type_def = endpoint.versions.type_def(endpoint.group_version)?;
    validate(type_def, live, Duplicates::Allowed).ok()?;
    validate(type_def, &last_applied, Duplicates::Refused).ok()?;
    let differences = compare(type_def, &last_applied, live);
    let fields = field_set(type_def, &last_applied)
        .difference(&differences.modified)
        .difference(&differences.added)
        .difference(&differences.removed);
    Some(fields)
}

/// Writes what is applied into the annotation, if the object has one. An annotation that would
/// become too large goes.
pub(super) fn refresh(object: &mut Value, applied: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let text = annotation_text(applied);
    let Some(annotations) = annotations_mut(object) else { return };
    annotations.insert(LAST_APPLIED.to_owned(), Value::String(text));
    let bytes: usize = annotations
        .iter()
        .map(|(name, value)| name.len() + value.as_str().map_or(0, str::len))
        .sum();
    if bytes > ANNOTATIONS_BYTES_MAX {
        annotations.shift_remove(LAST_APPLIED);
    }
}

/// The applied object without the annotation, with sorted members, and a line feed.
fn annotation_text(applied: &Value) -> String {
    let mut applied = applied.clone();
    if let Some(annotations) = annotations_mut(&mut applied) {
        annotations.shift_remove(LAST_APPLIED);
    }
    let mut text = sorted(&applied).to_string();
    text.push('\n');
    text
}

fn annotation(object: &Value) -> Option<&str> {
    let text = object.get("metadata")?.get("annotations")?.get(LAST_APPLIED)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

fn annotations_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}

/// The value with sorted members, at all depths.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut sorted_members: Map<String, Value> =
                members.iter().map(|(name, member)| (name.clone(), sorted(member))).collect();
            sorted_members.sort_keys();
            Value::Object(sorted_members)
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        scalar => scalar.clone(),
    }
}
