//! `format`: text with values in it.

use super::{Evaluated, convert, mismatch};
use crate::cel::eval::{EvalError, bounded};
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
        bounded(out.len())?;
    }
    Ok(Value::text(&out))
}

/// What is wrong with a template: a clause that is none.
pub(super) fn clause_problem(template: &str) -> Option<String> {
    let mut rest = template.chars();
    while let Some(character) = rest.next() {
        if character != '%' {
            continue;
        }
        let problem = match clause(&mut rest) {
            Ok((verb, _)) if "%sdfebxXo".contains(verb) => continue,
            Ok((verb, _)) => format!("unrecognized formatting clause \"{verb}\""),
            Err(error) => error.to_string(),
        };
        return Some(format!("could not parse formatting clause: {problem}"));
    }
    None
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
        ('e', Value::Double(number)) => scientific(*number, precision.unwrap_or(6)),
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

/// Such as `1.500000×10⁰³`.
fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { "⁻" } else { "" };
    let raised = |digit: char| {
        let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        digit
            .to_digit(10)
            .and_then(|digit| usize::try_from(digit).ok())
            .map_or('⁰', |digit| digits[digit])
    };
    let raised: String = format!("{:02}", exponent.unsigned_abs()).chars().map(raised).collect();
    format!("{digits}×10{sign}{raised}")
}

/// A value inside a list or a map: text in quotes.
fn inner(value: &Value<'_>) -> Result<String, EvalError> {
    match value {
        Value::Text(text) => Ok(format!("\"{text}\"")),
        other => plain(other),
    }
}

pub(super) fn plain(value: &Value<'_>) -> Result<String, EvalError> {
    let list = |items: Vec<Value<'_>>| -> Result<String, EvalError> {
        let items: Vec<String> = items.iter().map(inner).collect::<Result<_, _>>()?;
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
                Ok(format!("{}:{}", inner(key)?, inner(&value)?))
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
