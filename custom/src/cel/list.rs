//! Lists, as the rules of their kind have them.

use super::eval::{EvalError, bounded};
use super::types::ListType;
use super::value::Value;

/// Two lists after each other. What a set has already is not added; what a list map has is replaced.
pub(super) fn concatenated<'v>(
    left: &Value<'v>,
    right: &Value<'v>,
) -> Result<Value<'v>, EvalError> {
    let (mut items, others) = (left.elements()?, right.elements()?);
    bounded(items.len().saturating_add(others.len()))?;
    let keys = match left {
        Value::JsonList(_, ListType { keys, .. }) => keys.as_deref(),
        _ => None,
    };
    for other in others {
        let same = |item: &Value<'v>| keys.is_some_and(|keys| same_item(keys, item, &other));
        match items.iter().position(same) {
            Some(at) => items[at] = other,
            None => items.push(other),
        }
    }
    Ok(Value::list(items))
}

fn same_item(keys: &[String], left: &Value<'_>, right: &Value<'_>) -> bool {
    if keys.is_empty() {
        return left.equals(right);
    }
    keys.iter().all(|key| {
        let name = Value::text(&super::escaped(key).unwrap_or_default());
        match (left.entry(&name), right.entry(&name)) {
            (Ok(Some(left)), Ok(Some(right))) => left.equals(&right),
            (Ok(None), Ok(None)) => true,
            _ => false,
        }
    })
}

/// The item at an index; `None` if there is none.
pub(super) fn item<'v>(list: &Value<'v>, index: i64) -> Result<Option<Value<'v>>, EvalError> {
    let Ok(index) = usize::try_from(index) else { return Ok(None) };
    match list {
        Value::List(items) => Ok(items.get(index).cloned()),
        Value::JsonList(items, list) => {
            items.get(index).map(|item| Value::of_json(item, &list.item)).transpose()
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}
