//! Values that may not be there.

use super::{Evaluated, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;

pub(super) fn of<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    args.first().cloned().map(Value::some).ok_or(EvalError::NoSuchOverload)
}

pub(super) fn none<'v>(_: &[Value<'v>]) -> Evaluated<'v> {
    Ok(Value::none())
}

fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Int(number) => *number == 0,
        Value::Uint(number) => *number == 0,
        Value::Double(number) => *number == 0.0,
        Value::Duration(nanos) => *nanos == 0,
        Value::Optional(inner) => inner.is_none(),
        Value::Text(_)
        | Value::Bytes(_)
        | Value::List(_)
        | Value::JsonList(..)
        | Value::Map(_)
        | Value::JsonMap(..)
        | Value::Object(..) => value.size() == 0,
        _ => false,
    }
}

pub(super) fn of_non_zero<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [value] if is_zero(value) => Ok(Value::none()),
        _ => of(args),
    }
}

pub(super) fn has_value<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Optional(inner)] => Ok(Value::Bool(inner.is_some())),
        _ => mismatch(),
    }
}

pub(super) fn value<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Optional(Some(inner))] => Ok((**inner).clone()),
        [Value::Optional(None)] => Err(EvalError::message("optional.none() dereference")),
        _ => mismatch(),
    }
}

pub(super) fn or_value<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Optional(Some(inner)), _] => Ok((**inner).clone()),
        [Value::Optional(None), otherwise] => Ok(otherwise.clone()),
        _ => mismatch(),
    }
}

pub(super) fn or<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [some @ Value::Optional(Some(_)), _] => Ok(some.clone()),
        [Value::Optional(None), other @ Value::Optional(_)] => Ok(other.clone()),
        _ => mismatch(),
    }
}
