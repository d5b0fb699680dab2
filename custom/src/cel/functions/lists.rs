//! Lists.

use std::cmp::Ordering;

use super::{Evaluated, mismatch, operators};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;

fn items<'v>(args: &[Value<'v>]) -> Result<Vec<Value<'v>>, EvalError> {
    match args.first() {
        Some(list @ (Value::List(_) | Value::JsonList(..))) => list.elements(),
        _ => Err(EvalError::NoSuchOverload),
    }
}

pub(super) fn is_sorted<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    for pair in items(args)?.windows(2) {
        match pair[0].order(&pair[1]) {
            Some(Ordering::Greater) => return Ok(Value::Bool(false)),
            Some(_) => {}
            None => return mismatch(),
        }
    }
    Ok(Value::Bool(true))
}

pub(super) fn sum<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let items = items(args)?;
    let Some((first, rest)) = items.split_first() else { return Ok(Value::Int(0)) };
    rest.iter().try_fold(first.clone(), |sum, item| operators::add(&[sum, item.clone()]))
}

fn extreme<'v>(args: &[Value<'v>], name: &str, wanted: Ordering) -> Evaluated<'v> {
    let items = items(args)?;
    let Some((first, rest)) = items.split_first() else {
        return Err(EvalError::message(format!("{name} called on empty list")));
    };
    let mut found = first;
    for item in rest {
        match item.order(found) {
            Some(order) if order == wanted => found = item,
            Some(_) => {}
            None => return mismatch(),
        }
    }
    Ok(found.clone())
}

pub(super) fn min<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    extreme(args, "min", Ordering::Less)
}

pub(super) fn max<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    extreme(args, "max", Ordering::Greater)
}

fn position(found: Option<usize>) -> Value<'static> {
    Value::Int(found.map_or(-1, |found| i64::try_from(found).unwrap_or(i64::MAX)))
}

pub(super) fn index_of<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [_, item] = args else { return mismatch() };
    if matches!(args, [Value::Text(_), _]) {
        return super::strings::index_of(args);
    }
    Ok(position(items(args)?.iter().position(|each| each.equals(item))))
}

pub(super) fn last_index_of<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [_, item] = args else { return mismatch() };
    if matches!(args, [Value::Text(_), _]) {
        return super::strings::last_index_of(args);
    }
    Ok(position(items(args)?.iter().rposition(|each| each.equals(item))))
}

fn both<'v>(args: &[Value<'v>]) -> Result<[Vec<Value<'v>>; 2], EvalError> {
    Ok([items(args)?, items(args.get(1..).unwrap_or_default())?])
}

fn has(list: &[Value<'_>], item: &Value<'_>) -> bool {
    list.iter().any(|each| each.equals(item))
}

pub(super) fn contains<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [list, part] = both(args)?;
    Ok(Value::Bool(part.iter().all(|item| has(&list, item))))
}

pub(super) fn equivalent<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [left, right] = both(args)?;
    let same =
        left.iter().all(|item| has(&right, item)) && right.iter().all(|item| has(&left, item));
    Ok(Value::Bool(same))
}

pub(super) fn intersects<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [left, right] = both(args)?;
    Ok(Value::Bool(left.iter().any(|item| has(&right, item))))
}
