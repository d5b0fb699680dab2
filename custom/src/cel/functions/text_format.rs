//! `format`: text with values in it.

use super::{Evaluated, convert, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;
use crate::value::go_float;

/// How many digits after the point may be asked for.
const PRECISION_MAX: usize = 100;

pub(super) fn format<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(template), values] = args else { return mismatch() };
    let values = values.elements()?;
    let mut values = values.iter();
    let mut out = String::new();
    let mut rest = template.chars();
    while let Some(character) = rest.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        let (verb, precision) = clause(&mut rest)?;
        if verb == '%' {
            out.push('%');
            continue;
        }
        let value = values.next().ok_or_else(|| {
            EvalError::message("format: error during formatting: index out of range")
        })?;
        out.push_str(&formatted(value, verb, precision)?);
    }
    Ok(Value::text(&out))
}

/// The letter of a clause such as `%.3f`, and its precision.
fn clause(rest: &mut std::str::Chars<'_>) -> Result<(char, Option<usize>), EvalError> {
    let unfinished = || EvalError::message("format: unexpected end of format string");
    let mut precision = None;
    let mut next = rest.next().ok_or_else(unfinished)?;
    if next == '.' {
        let mut digits = String::new();
        next = rest.next().ok_or_else(unfinished)?;
        while next.is_ascii_digit() {
            digits.push(next);
            next = rest.next().ok_or_else(unfinished)?;
        }
        let digits = digits.parse::<usize>().ok().filter(|digits| *digits <= PRECISION_MAX);
        precision = Some(digits.ok_or_else(|| EvalError::message("format: invalid precision"))?);
    }
    Ok((next, precision))
}

fn formatted(value: &Value<'_>, verb: char, precision: Option<usize>) -> Result<String, EvalError> {
    let wrong = |what: &str| {
        EvalError::message(format!(
            "error during formatting: {what} was given {}",
            value.type_name()
        ))
    };
    Ok(match (verb, value) {
        ('s', value) => plain(value)?,
        ('d', Value::Int(number)) => number.to_string(),
        ('d', Value::Uint(number)) => number.to_string(),
        ('f', Value::Double(number)) => format!("{number:.*}", precision.unwrap_or(6)),
        ('f', Value::Int(number)) => format!("{:.*}", precision.unwrap_or(6), *number as f64),
        ('e', Value::Double(number)) => format!("{number:.*e}", precision.unwrap_or(6)),
        ('b', Value::Int(number)) => format!("{number:b}"),
        ('b', Value::Uint(number)) => format!("{number:b}"),
        ('b', Value::Bool(flag)) => u8::from(*flag).to_string(),
        ('o', Value::Int(number)) => format!("{number:o}"),
        ('o', Value::Uint(number)) => format!("{number:o}"),
        ('x', Value::Int(number)) => format!("{number:x}"),
        ('x', Value::Uint(number)) => format!("{number:x}"),
        ('X', Value::Int(number)) => format!("{number:X}"),
        ('X', Value::Uint(number)) => format!("{number:X}"),
        ('x', Value::Text(text)) => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        ('X', Value::Text(text)) => text.bytes().map(|byte| format!("{byte:02X}")).collect(),
        ('d', _) => return Err(wrong("decimal clause can only be used on integers, which")),
        ('f' | 'e', _) => {
            return Err(wrong("fixed-point clause can only be used on doubles, which"));
        }
        ('b' | 'o' | 'x' | 'X', _) => {
            return Err(wrong("clause can only be used on integers, which"));
        }
        (other, _) => {
            return Err(EvalError::message(format!("unrecognized formatting clause \"{other}\"")));
        }
    })
}

pub(super) fn plain(value: &Value<'_>) -> Result<String, EvalError> {
    let list = |items: Vec<Value<'_>>| -> Result<String, EvalError> {
        let items: Vec<String> = items.iter().map(plain).collect::<Result<_, _>>()?;
        Ok(format!("[{}]", items.join(", ")))
    };
    match value {
        Value::Null => Ok("null".to_owned()),
        Value::Type(name) => Ok((*name).to_owned()),
        Value::Double(number) => Ok(go_float(*number)),
        Value::List(_) | Value::JsonList(..) => list(value.elements()?),
        Value::Map(_) | Value::JsonMap(..) => {
            let entry = |key: &Value<'_>| -> Result<String, EvalError> {
                let value = value.entry(key)?.ok_or(EvalError::NoSuchOverload)?;
                Ok(format!("{}: {}", plain(key)?, plain(&value)?))
            };
            let mut entries: Vec<String> =
                value.elements()?.iter().map(entry).collect::<Result<_, _>>()?;
            entries.sort();
            Ok(format!("{{{}}}", entries.join(", ")))
        }
        other => match convert::string(std::slice::from_ref(other))? {
            Value::Text(text) => Ok(text.to_string()),
            _ => Err(EvalError::NoSuchOverload),
        },
    }
}
