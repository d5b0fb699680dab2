//! Merging maps.

use serde_json::{Map, Value};

use super::directive::{
    DELETE_FROM_PRIMITIVE_LIST, PATCH, SET_ELEMENT_ORDER, directed_map, discard_nulls, list_name,
    retain_keys, without_directives,
};
use super::lookup::Lookup;
use super::{list, order};
use crate::{PatchError, go_text};

/// Merges a patch into a map.
pub(super) fn merge(
    mut target: Map<String, Value>,
    mut patch: Map<String, Value>,
    lookup: Lookup<'_>,
) -> Result<Map<String, Value>, PatchError> {
    if patch.contains_key(PATCH) {
        return directed_map(patch);
    }
    retain_keys(&mut target, &mut patch)?;
    merge_ordered_lists(&mut target, &mut patch, lookup)?;
    for (key, value) in patch {
        if key.starts_with(DELETE_FROM_PRIMITIVE_LIST) {
            let name = list_name(&key, DELETE_FROM_PRIMITIVE_LIST)?;
            delete_from(&mut target, name, value, lookup)?;
        } else {
            merge_member(&mut target, key, value, lookup)?;
        }
    }
    Ok(target)
}

fn merge_member(
    target: &mut Map<String, Value>,
    name: String,
    mut patch: Value,
    lookup: Lookup<'_>,
) -> Result<(), PatchError> {
    let before = target.shift_remove(&name);
    if patch.is_null() {
        return Ok(());
    }
    let after = match (before, patch) {
        (Some(Value::Object(before)), Value::Object(patch)) => {
            Some(Value::Object(merge(before, patch, lookup.map_member(&name)?)?))
        }
        (Some(Value::Array(before)), Value::Array(patch)) => {
            Some(Value::Array(list::merge(before, patch, lookup.list_member(&name)?)?))
        }
        (_, other) => {
            patch = other;
            discard_nulls(&mut patch);
            without_directives(patch)
        }
    };
    if let Some(after) = after {
        target.insert(name, after);
    }
    Ok(())
}

/// `$deleteFromPrimitiveList/<name>`; `null` deletes the whole list.
fn delete_from(
    target: &mut Map<String, Value>,
    name: &str,
    deleted: Value,
    lookup: Lookup<'_>,
) -> Result<(), PatchError> {
    match (target.get_mut(name), deleted) {
        (Some(_), Value::Null) => drop(target.shift_remove(name)),
        (Some(Value::Array(items)), Value::Array(deleted)) => {
            let lookup = lookup.list_member(name)?;
            *items = list::delete(std::mem::take(items), deleted, lookup)?;
        }
        _ => {}
    }
    Ok(())
}

/// Merges the lists for which the patch gives an order, and takes them out of the patch.
fn merge_ordered_lists(
    target: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    lookup: Lookup<'_>,
) -> Result<(), PatchError> {
    let directives: Vec<String> =
        patch.keys().filter(|key| key.starts_with(SET_ELEMENT_ORDER)).cloned().collect();
    for key in directives {
        let Some(element_order) = patch.shift_remove(&key) else { continue };
        let element_order = list_value(element_order)?;
        let name = list_name(&key, SET_ELEMENT_ORDER)?;
        let before = target.get(name).cloned().map(list_value).transpose()?;
        let patched = patch.get(name).cloned().map(list_value).transpose()?;
        let list_lookup = lookup.list_member(name)?;
        let Some(patched_items) = &patched else {
            if let Some(before) = before {
                let ordered = order::enforce(before.clone(), &element_order, &before, list_lookup)?;
                target.insert(name.to_owned(), Value::Array(ordered));
            }
            continue;
        };
        order::check(patched_items, &element_order, list_lookup)?;
        let merged = match &before {
            Some(before) => list::merge(before.clone(), patched_items.clone(), list_lookup)?,
            None => patched_items.iter().cloned().filter_map(without_directives).collect(),
        };
        let before = before.unwrap_or_default();
        let ordered = order::enforce(merged, &element_order, &before, list_lookup)?;
        target.insert(name.to_owned(), Value::Array(ordered));
        patch.shift_remove(name);
    }
    Ok(())
}

fn list_value(value: Value) -> Result<Vec<Value>, PatchError> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Null => Err(bad_argument("%!s(<nil>)")),
        other => Err(bad_argument(go_text::type_name(&other))),
    }
}

fn bad_argument(found: &str) -> PatchError {
    PatchError::Internal(format!("expected a []interface {{}}, but received a {found}"))
}
