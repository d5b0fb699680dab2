//! Amounts, such as `100m` or `1Gi`.

use std::cmp::Ordering;

use api::quantity::Quantity;

use super::{Evaluated, mismatch, sign_of};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;

pub(super) fn quantity<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(text)] = args else { return mismatch() };
    text.parse().map(Value::Quantity).map_err(|_| {
        EvalError::message(
            "quantities must match the regular expression \
             '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        )
    })
}

pub(super) fn is_quantity<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::Bool(text.parse::<Quantity>().is_ok())),
        _ => mismatch(),
    }
}

pub(super) fn is_integer<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Quantity(quantity)] => Ok(Value::Bool(quantity.whole().is_some())),
        _ => mismatch(),
    }
}

pub(super) fn as_integer<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Quantity(quantity)] = args else { return mismatch() };
    let whole = quantity.whole().map(Value::Int);
    whole.ok_or_else(|| EvalError::message("cannot convert value to integer"))
}

pub(super) fn as_float<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Quantity(quantity)] => Ok(Value::Double(quantity.approximate())),
        _ => mismatch(),
    }
}

pub(super) fn sign<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Quantity(quantity)] => Ok(sign_of(quantity.sign())),
        _ => mismatch(),
    }
}

/// Two amounts; the second may be a whole number.
fn pair(args: &[Value<'_>]) -> Result<(Quantity, Quantity), EvalError> {
    match args {
        [Value::Quantity(left), Value::Quantity(right)] => Ok((*left, *right)),
        [Value::Quantity(left), Value::Int(right)] => {
            Ok((*left, right.to_string().parse().unwrap_or(Quantity::ZERO)))
        }
        _ => Err(EvalError::NoSuchOverload),
    }
}

pub(super) fn add<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    pair(args).map(|(left, right)| Value::Quantity(left.plus(right)))
}

pub(super) fn subtract<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    pair(args).map(|(left, right)| Value::Quantity(left.minus(right)))
}

fn order(args: &[Value<'_>]) -> Result<Ordering, EvalError> {
    let (left, right) = pair(args)?;
    Ok(left.partial_cmp(&right).unwrap_or(Ordering::Equal))
}

pub(super) fn is_less<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    order(args).map(|order| Value::Bool(order.is_lt()))
}

pub(super) fn is_greater<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    order(args).map(|order| Value::Bool(order.is_gt()))
}

pub(super) fn compare<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    order(args).map(sign_of)
}
