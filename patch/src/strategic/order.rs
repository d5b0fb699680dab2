//! The order of merged lists: items of the patch in the patch's order, the others among them where
//! the list had them.

use serde_json::Value;

use super::directive::{PATCH, SET_ELEMENT_ORDER};
use super::list::key_value;
use super::lookup::ListLookup;
use crate::{PatchError, go_text};

/// Brings a merged list into order: what is in `patch_order` in that order, the rest in the order
/// of `before`; where the two meet, `before` decides as far as it knows both items.
pub(super) fn enforce(
    merged: Vec<Value>,
    patch_order: &[Value],
    before: &[Value],
    lookup: ListLookup<'_>,
) -> Result<Vec<Value>, PatchError> {
    let key = lookup.merge_key();
    for item in merged.iter().chain(patch_order) {
        require_key(item, key)?;
    }
    let place =
        |order: &[Value], item: &Value| order.iter().position(|other| same(other, item, key));
    let (mut patched, mut others): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|item| place(patch_order, item).is_some());
    patched.sort_by_key(|item| place(patch_order, item));
    others.sort_by_key(|item| place(before, item));

    let mut ordered = Vec::with_capacity(patched.len() + others.len());
    let mut patched = patched.into_iter().peekable();
    for other in others {
        let other_place = place(before, &other);
        while let Some(item) = patched.next_if(
            |item| !matches!((other_place, place(before, item)), (Some(l), Some(r)) if l < r),
        ) {
            ordered.push(item);
        }
        ordered.push(other);
    }
    ordered.extend(patched);
    Ok(ordered)
}

/// Whether a patch list stands in the order that its `$setElementOrder` gives.
pub(super) fn check(
    patch: &[Value],
    element_order: &[Value],
    lookup: ListLookup<'_>,
) -> Result<(), PatchError> {
    let key = lookup.merge_key();
    let mut expected = element_order.iter();
    let kept =
        patch.iter().filter(|item| item.get(PATCH).and_then(Value::as_str) != Some("delete"));
    for item in kept {
        require_key(item, key)?;
        if !expected.any(|listed| same(listed, item, key)) {
            return Err(PatchError::Internal(format!(
                "The order in patch list:\n{}\n doesn't match {SET_ELEMENT_ORDER} list:\n{}\n",
                go_text::plain(&Value::Array(patch.to_vec())),
                go_text::plain(&Value::Array(element_order.to_vec())),
            )));
        }
    }
    Ok(())
}

fn require_key(item: &Value, key: Option<&str>) -> Result<(), PatchError> {
    match (key, item) {
        (None, _) => Ok(()),
        (Some(key), Value::Object(members)) => key_value(members, key).map(drop),
        (Some(_), other) => Err(PatchError::Internal(format!(
            "expected a map[string]interface {{}}, but received a {}",
            go_text::type_name(other)
        ))),
    }
}

/// Whether two items are the same one, by key or, in lists of scalars, by value.
fn same(left: &Value, right: &Value, key: Option<&str>) -> bool {
    match key {
        Some(key) => left.get(key) == right.get(key),
        None => left == right,
    }
}
