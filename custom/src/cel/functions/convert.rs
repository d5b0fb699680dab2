//! From one type to another.

use super::{Evaluated, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;
use crate::value::go_float;

pub(super) fn same<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    args.first().cloned().ok_or(EvalError::NoSuchOverload)
}

pub(super) fn type_of<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    args.first().map(|value| Value::Type(value.type_name())).ok_or(EvalError::NoSuchOverload)
}

/// What is said of text that is no value of a type.
pub(super) fn unreadable(wanted: &str) -> EvalError {
    EvalError::message(format!("type conversion error from 'string' to '{wanted}'"))
}

fn out_of_range() -> EvalError {
    EvalError::message("integer overflow")
}

pub(super) fn int<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Int(number)] => Ok(Value::Int(*number)),
        [Value::Uint(number)] => i64::try_from(*number).map(Value::Int).map_err(|_| out_of_range()),
        [Value::Double(number)] if number.abs() < i64::MAX as f64 => Ok(Value::Int(*number as i64)),
        [Value::Double(_)] => Err(out_of_range()),
        [Value::Text(text)] => text.parse().map(Value::Int).map_err(|_| unreadable("int")),
        [Value::Timestamp(moment)] => Ok(Value::Int(moment.as_second())),
        _ => mismatch(),
    }
}

pub(super) fn uint<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Uint(number)] => Ok(Value::Uint(*number)),
        [Value::Int(number)] => u64::try_from(*number).map(Value::Uint).map_err(|_| out_of_range()),
        [Value::Double(number)] if *number >= 0.0 && *number < u64::MAX as f64 => {
            Ok(Value::Uint(*number as u64))
        }
        [Value::Double(_)] => Err(out_of_range()),
        [Value::Text(text)] => text.parse().map(Value::Uint).map_err(|_| unreadable("uint")),
        _ => mismatch(),
    }
}

pub(super) fn double<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Double(number)] => Ok(Value::Double(*number)),
        [Value::Int(number)] => Ok(Value::Double(*number as f64)),
        [Value::Uint(number)] => Ok(Value::Double(*number as f64)),
        [Value::Text(text)] => text.parse().map(Value::Double).map_err(|_| unreadable("double")),
        _ => mismatch(),
    }
}

/// A duration in seconds, such as `1.5s`.
fn seconds(nanos: i64) -> String {
    let text = format!(
        "{}.{:09}",
        nanos.unsigned_abs() / 1_000_000_000,
        nanos.unsigned_abs() % 1_000_000_000
    );
    let sign = if nanos < 0 { "-" } else { "" };
    format!("{sign}{}s", text.trim_end_matches('0').trim_end_matches('.'))
}

pub(super) fn string<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    Ok(Value::text(&match args {
        [Value::Text(text)] => return Ok(Value::Text(text.clone())),
        [Value::Int(number)] => number.to_string(),
        [Value::Uint(number)] => number.to_string(),
        [Value::Double(number)] => go_float(*number),
        [Value::Bool(flag)] => flag.to_string(),
        [Value::Bytes(bytes)] => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                return Err(EvalError::message("invalid UTF-8 in bytes, cannot convert to string"));
            }
        },
        [Value::Timestamp(moment)] => moment.to_string(),
        [Value::Duration(nanos)] => seconds(*nanos),
        [Value::Ip(address)] => address.to_string(),
        [Value::Cidr(address, bits)] => format!("{address}/{bits}"),
        [Value::Quantity(quantity)] => quantity.to_string(),
        _ => return mismatch(),
    }))
}

pub(super) fn bytes<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Bytes(bytes)] => Ok(Value::Bytes(bytes.clone())),
        [Value::Text(text)] => Ok(Value::Bytes(text.as_bytes().into())),
        _ => mismatch(),
    }
}

pub(super) fn bool<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Bool(flag)] => Ok(Value::Bool(*flag)),
        [Value::Text(text)] => match &**text {
            "true" | "True" | "TRUE" | "t" | "T" | "1" => Ok(Value::Bool(true)),
            "false" | "False" | "FALSE" | "f" | "F" | "0" => Ok(Value::Bool(false)),
            _ => Err(unreadable("bool")),
        },
        _ => mismatch(),
    }
}
