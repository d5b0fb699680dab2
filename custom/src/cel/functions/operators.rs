//! Operators.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Evaluated, mismatch};
use crate::cel::eval::{EvalError, bounded};
use crate::cel::list;
use crate::cel::value::Value;

/// Decided before its arguments are known; see `Expr::And`, `Expr::Or` and `Expr::Conditional`.
pub(super) fn not_called<'v>(_: &[Value<'v>]) -> Evaluated<'v> {
    mismatch()
}

pub(super) fn equal<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [left, right] => Ok(Value::Bool(left.equals(right))),
        _ => mismatch(),
    }
}

pub(super) fn not_equal<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [left, right] => Ok(Value::Bool(!left.equals(right))),
        _ => mismatch(),
    }
}

fn ordered<'v>(args: &[Value<'v>], holds: fn(Ordering) -> bool) -> Evaluated<'v> {
    let [left, right] = args else { return mismatch() };
    let is_nan = |value: &Value<'_>| matches!(value, Value::Double(number) if number.is_nan());
    match left.order(right) {
        Some(order) => Ok(Value::Bool(holds(order))),
        None if is_nan(left) || is_nan(right) => Ok(Value::Bool(false)),
        None => mismatch(),
    }
}

pub(super) fn less<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    ordered(args, Ordering::is_lt)
}

pub(super) fn less_or_equal<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    ordered(args, Ordering::is_le)
}

pub(super) fn greater<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    ordered(args, Ordering::is_gt)
}

pub(super) fn greater_or_equal<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    ordered(args, Ordering::is_ge)
}

pub(super) fn not<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Bool(flag)] => Ok(Value::Bool(!flag)),
        _ => mismatch(),
    }
}

fn overflow() -> EvalError {
    EvalError::message("integer overflow")
}

pub(super) fn negate<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Int(number)] => number.checked_neg().map(Value::Int).ok_or_else(overflow),
        [Value::Double(number)] => Ok(Value::Double(-number)),
        _ => mismatch(),
    }
}

fn moved<'v>(moment: jiff::Timestamp, nanos: i64) -> Evaluated<'v> {
    let moment = moment.checked_add(jiff::SignedDuration::from_nanos(nanos));
    moment.map(Value::Timestamp).map_err(|_| EvalError::message("timestamp overflow"))
}

pub(super) fn add<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [left, right] = args else { return mismatch() };
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => {
            left.checked_add(*right).map(Value::Int).ok_or_else(overflow)
        }
        (Value::Uint(left), Value::Uint(right)) => {
            left.checked_add(*right).map(Value::Uint).ok_or_else(overflow)
        }
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left + right)),
        (Value::Text(left), Value::Text(right)) => {
            bounded(left.len().saturating_add(right.len()))?;
            Ok(Value::Text([&**left, &**right].concat().into()))
        }
        (Value::Bytes(left), Value::Bytes(right)) => {
            bounded(left.len().saturating_add(right.len()))?;
            Ok(Value::Bytes([&**left, &**right].concat().into()))
        }
        (Value::List(_) | Value::JsonList(..), Value::List(_) | Value::JsonList(..)) => {
            list::concatenated(left, right)
        }
        (Value::Timestamp(moment), Value::Duration(nanos))
        | (Value::Duration(nanos), Value::Timestamp(moment)) => moved(*moment, *nanos),
        (Value::Duration(left), Value::Duration(right)) => {
            left.checked_add(*right).map(Value::Duration).ok_or_else(overflow)
        }
        _ => mismatch(),
    }
}

pub(super) fn subtract<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [left, right] = args else { return mismatch() };
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => {
            left.checked_sub(*right).map(Value::Int).ok_or_else(overflow)
        }
        (Value::Uint(left), Value::Uint(right)) => {
            left.checked_sub(*right).map(Value::Uint).ok_or_else(overflow)
        }
        (Value::Double(left), Value::Double(right)) => Ok(Value::Double(left - right)),
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            let nanos = left.duration_since(*right).as_nanos();
            i64::try_from(nanos).map(Value::Duration).map_err(|_| overflow())
        }
        (Value::Timestamp(moment), Value::Duration(nanos)) => {
            moved(*moment, nanos.checked_neg().ok_or_else(overflow)?)
        }
        (Value::Duration(left), Value::Duration(right)) => {
            left.checked_sub(*right).map(Value::Duration).ok_or_else(overflow)
        }
        _ => mismatch(),
    }
}

pub(super) fn multiply<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Int(left), Value::Int(right)] => {
            left.checked_mul(*right).map(Value::Int).ok_or_else(overflow)
        }
        [Value::Uint(left), Value::Uint(right)] => {
            left.checked_mul(*right).map(Value::Uint).ok_or_else(overflow)
        }
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left * right)),
        _ => mismatch(),
    }
}

pub(super) fn divide<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(EvalError::message("division by zero"))
        }
        [Value::Int(left), Value::Int(right)] => {
            left.checked_div(*right).map(Value::Int).ok_or_else(overflow)
        }
        [Value::Uint(left), Value::Uint(right)] => Ok(Value::Uint(left / right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left / right)),
        _ => mismatch(),
    }
}

pub(super) fn modulo<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err(EvalError::message("modulus by zero"))
        }
        [Value::Int(left), Value::Int(right)] => {
            left.checked_rem(*right).map(Value::Int).ok_or_else(overflow)
        }
        [Value::Uint(left), Value::Uint(right)] => Ok(Value::Uint(left % right)),
        _ => mismatch(),
    }
}

pub(super) fn among<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [item, range] = args else { return mismatch() };
    match range {
        Value::Map(_) | Value::JsonMap(..) => Ok(Value::Bool(range.entry(item)?.is_some())),
        _ => Ok(Value::Bool(range.elements()?.iter().any(|each| each.equals(item)))),
    }
}

/// The index of a list, which may be a number of another kind.
fn position(index: &Value<'_>) -> Option<i64> {
    match index {
        Value::Int(index) => Some(*index),
        Value::Uint(index) => i64::try_from(*index).ok(),
        Value::Double(index) if index.fract() == 0.0 => Some(*index as i64),
        _ => None,
    }
}

fn found<'v>(range: &Value<'v>, index: &Value<'v>) -> Result<Option<Value<'v>>, EvalError> {
    match range {
        Value::List(_) | Value::JsonList(..) => {
            list::item(range, position(index).ok_or(EvalError::NoSuchOverload)?)
        }
        _ => range.entry(index),
    }
}

pub(super) fn index<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [range, index] = args else { return mismatch() };
    if matches!(range, Value::Optional(_)) {
        return optional_index(args);
    }
    if let Some(value) = found(range, index)? {
        return Ok(value);
    }
    Err(EvalError::message(match (range, index) {
        (Value::List(_) | Value::JsonList(..), index) => {
            format!("index out of bounds: {}", position(index).unwrap_or(-1))
        }
        (_, Value::Text(key)) => format!("no such key: {key}"),
        (_, Value::Int(key)) => format!("no such key: {key}"),
        _ => "no such key".to_owned(),
    }))
}

pub(super) fn optional_index<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [range, index] = args else { return mismatch() };
    match range {
        Value::Optional(None) => Ok(Value::none()),
        Value::Optional(Some(range)) => Ok(Value::Optional(found(range, index)?.map(Arc::new))),
        range => Ok(Value::Optional(found(range, index)?.map(Arc::new))),
    }
}

pub(super) fn size<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [value] = args else { return mismatch() };
    let size = match value {
        Value::Text(text) => u64::try_from(text.chars().count()).unwrap_or(u64::MAX),
        Value::Bytes(_)
        | Value::List(_)
        | Value::JsonList(..)
        | Value::Map(_)
        | Value::JsonMap(..) => value.size(),
        _ => return mismatch(),
    };
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}
