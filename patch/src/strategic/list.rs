//! Merging lists.

use serde_json::{Map, Value};

use super::directive::{PATCH, unknown};
use super::lookup::{ListLookup, Lookup};
use super::{map, order};
use crate::{PatchError, go_text};

/// Merges a patch into a list as the schema says.
pub(super) fn merge(
    target: Vec<Value>,
    patch: Vec<Value>,
    lookup: ListLookup<'_>,
) -> Result<Vec<Value>, PatchError> {
    if lookup.merge.is_none() {
        return Ok(patch);
    }
    if target.is_empty() && patch.is_empty() {
        return Ok(target);
    }
    if !are_maps(&[&target, &patch])? {
        let merged = merge_scalars(&target, &patch);
        return order::enforce(merged, &patch, &target, lookup);
    }
    let key = lookup.merge_key().ok_or_else(|| no_merge_key_declared(lookup.item))?;
    let (target, patch) = carry_out_directives(target, patch, key)?;
    let merged = merge_maps(target.clone(), &patch, key, lookup.item)?;
    order::enforce(merged, &patch, &target, lookup)
}

/// `$deleteFromPrimitiveList`: the list without the given scalars.
pub(super) fn delete(
    target: Vec<Value>,
    deleted: Vec<Value>,
    lookup: ListLookup<'_>,
) -> Result<Vec<Value>, PatchError> {
    if target.is_empty() && deleted.is_empty() {
        return Ok(target);
    }
    if are_maps(&[&target, &deleted])? {
        let by_key = lookup.merge_key().ok_or_else(|| no_merge_key_declared(lookup.item))?;
        let (target, deleted) = carry_out_directives(target, deleted, by_key)?;
        return merge_maps(target, &deleted, by_key, lookup.item);
    }
    Ok(target.into_iter().filter(|item| !deleted.contains(item)).collect())
}

fn no_merge_key_declared(item: Lookup<'_>) -> PatchError {
    PatchError::Internal(format!("cannot merge lists without merge key for {}", item.name()))
}

/// Whether the items of the lists are maps; they all have to be of one type.
pub(super) fn are_maps(lists: &[&[Value]]) -> Result<bool, PatchError> {
    let mut items = lists.iter().flat_map(|list| list.iter());
    let Some(first) = items.next() else {
        return Err(PatchError::Internal("no elements in any of the given slices".to_owned()));
    };
    if first.is_array() {
        return Err(PatchError::Unprocessable("lists of lists are not supported".to_owned()));
    }
    let first_type = go_text::type_name(first);
    if first.is_null() || items.any(|item| go_text::type_name(item) != first_type) {
        let shown: Vec<String> =
            lists.iter().map(|list| go_text::plain(&Value::Array(list.to_vec()))).collect();
        return Err(PatchError::Internal(format!(
            "list element types are not identical: [{}]",
            shown.join(" ")
        )));
    }
    Ok(first.is_object())
}

fn merge_scalars(target: &[Value], patch: &[Value]) -> Vec<Value> {
    let mut merged: Vec<Value> = Vec::with_capacity(target.len() + patch.len());
    for item in target.iter().chain(patch) {
        if !merged.contains(item) {
            merged.push(item.clone());
        }
    }
    merged
}

/// Carries out the `$patch` of list items: gives back the list without what was deleted or
/// replaced, and the items of the patch that are still to be merged.
fn carry_out_directives(
    mut target: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut replace = false;
    for item in patch {
        let Value::Object(members) = item else {
            plain.push(item);
            continue;
        };
        let Some(directive) = members.get(PATCH) else {
            plain.push(Value::Object(members));
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let value = key_value(&members, key)?;
                target.retain(|item| item.get(key) != Some(value));
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(PatchError::Internal(
                    "merging lists cannot yet be specified in the patch".to_owned(),
                ));
            }
            _ => return Err(unknown(members)),
        }
    }
    Ok(if replace { (plain, Vec::new()) } else { (target, plain) })
}

fn merge_maps(
    mut target: Vec<Value>,
    patch: &[Value],
    key: &str,
    item: Lookup<'_>,
) -> Result<Vec<Value>, PatchError> {
    for patched in patch {
        let Value::Object(members) = patched else { continue };
        let value = key_value(members, key)?;
        match target.iter_mut().find(|item| item.get(key) == Some(value)) {
            Some(Value::Object(before)) => {
                *before = map::merge(std::mem::take(before), members.clone(), item)?;
            }
            _ => target.push(patched.clone()),
        }
    }
    Ok(target)
}

/// The value by which an item is told apart.
pub(super) fn key_value<'v>(
    members: &'v Map<String, Value>,
    key: &str,
) -> Result<&'v Value, PatchError> {
    members.get(key).ok_or_else(|| {
        let map = go_text::plain(&Value::Object(members.clone()));
        PatchError::Internal(format!("map: {map} does not contain declared merge key: {key}"))
    })
}
