//! The directives a patch may carry, and taking them out of what is kept.

use serde_json::{Map, Value};

use crate::{PatchError, go_text};

/// `$patch` in a map or list item.
pub(super) const PATCH: &str = "$patch";
/// `$retainKeys` in a map.
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
/// `$setElementOrder/<list>` beside a list.
pub(super) const SET_ELEMENT_ORDER: &str = "$setElementOrder";
/// `$deleteFromPrimitiveList/<list>` beside a list.
pub(super) const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";

/// What comes of a map whose patch carries `$patch`.
pub(super) fn directed_map(
    mut patch: Map<String, Value>,
) -> Result<Map<String, Value>, PatchError> {
    match patch.get(PATCH).and_then(Value::as_str) {
        Some("replace") => {
            patch.shift_remove(PATCH);
            Ok(patch)
        }
        Some("delete") => Ok(Map::new()),
        _ => Err(unknown(patch)),
    }
}

/// The error for a `$patch` that means nothing where it stands.
pub(super) fn unknown(patch: Map<String, Value>) -> PatchError {
    let directive = patch.get(PATCH).map(go_text::as_text).unwrap_or_default();
    let map = go_text::plain(&Value::Object(patch));
    PatchError::Internal(format!("unknown patch type: {directive} in map: {map}"))
}

/// Carries out `$retainKeys`: of the target only the listed members stay. What the patch sets has
/// to be listed.
pub(super) fn retain_keys(
    target: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
) -> Result<(), PatchError> {
    let Some(listed) = patch.shift_remove(RETAIN_KEYS) else { return Ok(()) };
    let refused = || PatchError::BadRequest("invalid patch format of retainKeys".to_owned());
    let Value::Array(listed) = listed else { return Err(refused()) };
    let is_listed = |name: &str| listed.iter().any(|key| key.as_str() == Some(name));
    let sets = |name: &str, value: &Value| {
        !value.is_null()
            && !name.starts_with(DELETE_FROM_PRIMITIVE_LIST)
            && !name.starts_with(SET_ELEMENT_ORDER)
    };
    if patch.iter().any(|(name, value)| sets(name, value) && !is_listed(name)) {
        return Err(refused());
    }
    target.retain(|name, _| is_listed(name));
    Ok(())
}

/// The list that a directive such as `$setElementOrder/conditions` is about.
pub(super) fn list_name<'k>(key: &'k str, prefix: &str) -> Result<&'k str, PatchError> {
    match key.split_once('/') {
        Some((directive, name)) if directive == prefix => Ok(name),
        _ => Err(PatchError::BadRequest(format!(
            "invalid patch format of {}",
            if prefix == SET_ELEMENT_ORDER { "setElementOrder list" } else { "primitive list" }
        ))),
    }
}

/// The same without maps that carry `$patch`; `None` if the value itself is one.
pub(super) fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(PATCH) => None,
        Value::Object(members) => Some(Value::Object(
            members
                .into_iter()
                .filter_map(|(name, value)| Some((name, without_directives(value)?)))
                .collect(),
        )),
        Value::Array(items) => {
            Some(Value::Array(items.into_iter().filter_map(without_directives).collect()))
        }
        scalar => Some(scalar),
    }
}

/// Takes out members that are `null`, at any depth.
pub(super) fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(discard_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}
