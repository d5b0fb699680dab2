//! Lists.

use std::cmp::Ordering;

use super::{Evaluated, mismatch, operators};
use crate::cel::eval::{EvalError, bounded, sorted};
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

pub(super) fn includes<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [_, item] = args else { return mismatch() };
    Ok(Value::Bool(has(&items(args)?, item)))
}

pub(super) fn reverse<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let mut items = items(args)?;
    items.reverse();
    Ok(Value::list(items))
}

pub(super) fn slice<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [_, Value::Int(from), Value::Int(to)] = args else { return mismatch() };
    let items = items(args)?;
    let refuse =
        |why: String| Err(EvalError::message(format!("cannot slice({from}, {to}), {why}")));
    if *from < 0 || *to < 0 {
        return refuse("negative indexes not supported".to_owned());
    }
    if from > to {
        return refuse("start index must be less than or equal to end index".to_owned());
    }
    let range = usize::try_from(*from).ok().zip(usize::try_from(*to).ok());
    match range.and_then(|(from, to)| items.get(from..to)) {
        Some(part) => Ok(Value::list(part.to_vec())),
        None => refuse("list is length ".to_owned() + &items.len().to_string()),
    }
}

/// How deep lists may be flattened.
const FLATTEN_DEPTH_MAX: i64 = 64;

pub(super) fn flatten<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let depth = match args {
        [_] => 1,
        [_, Value::Int(depth)] if *depth < 0 => {
            return Err(EvalError::message("level must be non-negative"));
        }
        [_, Value::Int(depth)] => (*depth).min(FLATTEN_DEPTH_MAX),
        _ => return mismatch(),
    };
    let mut flat = Vec::new();
    flatten_into(&mut flat, items(args)?, depth)?;
    Ok(Value::list(flat))
}

fn flatten_into<'v>(
    flat: &mut Vec<Value<'v>>,
    items: Vec<Value<'v>>,
    depth: i64,
) -> Result<(), EvalError> {
    bounded(flat.len().saturating_add(items.len()))?;
    for item in items {
        match item {
            list @ (Value::List(_) | Value::JsonList(..)) if depth > 0 => {
                flatten_into(flat, list.elements()?, depth - 1)?;
            }
            other => flat.push(other),
        }
    }
    Ok(())
}

pub(super) fn distinct<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let mut distinct: Vec<Value<'v>> = Vec::new();
    for item in items(args)? {
        if !has(&distinct, &item) {
            distinct.push(item);
        }
    }
    Ok(Value::list(distinct))
}

pub(super) fn sort<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let keyed = items(args)?.into_iter().map(|item| (item.clone(), item)).collect();
    sorted(keyed).map(Value::list)
}

/// What it costs is paid before, by how many there will be.
pub(super) fn range<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Int(count)] = args else { return mismatch() };
    bounded(usize::try_from(*count).unwrap_or(0))?;
    Ok(Value::list((0..*count).map(Value::Int).collect()))
}
