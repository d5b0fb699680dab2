//! Times, quantities and numbers-or-text: single values that are messages.

use api::time::Timestamp;
use serde_json::{Number, Value};

use super::DecodeError;
use super::wire::{BYTES, Cursor, VARINT, put_bytes, put_integer};

/// The zero time of Go, in seconds since the Unix epoch; it is written as an empty message.
const ZERO_SECONDS: i64 = -62_135_596_800;
const NANOS: i128 = 1_000_000_000;

/// Writes a time; anything that is none is the zero time.
pub(super) fn put_time(out: &mut Vec<u8>, value: &Value, with_nanos: bool) {
    let Some(time) = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok()) else {
        return;
    };
    let nanos = time.as_nanosecond();
    let seconds = nanos.div_euclid(NANOS) as i64;
    let nanos = if with_nanos { nanos.rem_euclid(NANOS) as i64 / 1000 * 1000 } else { 0 };
    if seconds == ZERO_SECONDS && nanos == 0 {
        return;
    }
    put_integer(out, 1, seconds);
    put_integer(out, 2, nanos);
}

/// Reads a time; the zero time is `null`.
pub(super) fn time(bytes: &[u8], with_nanos: bool) -> Result<Value, DecodeError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0_i32);
    let mut cursor = Cursor::new(bytes);
    while let Some(tag) = cursor.tag("Timestamp")? {
        match tag.number {
            1 => {
                tag.expect(VARINT, "Seconds")?;
                seconds = cursor.varint()?.cast_signed();
            }
            2 => {
                tag.expect(VARINT, "Nanos")?;
                nanos = cursor.varint()? as i32;
            }
            _ => cursor.skip(tag)?,
        }
    }
    // JSON has no more digits, and the same object must come out of both.
    let nanos = if with_nanos { nanos / 1000 * 1000 } else { 0 };
    if seconds == ZERO_SECONDS && nanos == 0 {
        return Ok(Value::Null);
    }
    if !with_nanos {
        let time = Timestamp::from_unix_seconds(seconds).ok_or(DecodeError::Time)?;
        return Ok(Value::from(time.to_string()));
    }
    let nanos = i128::from(seconds) * NANOS + i128::from(nanos);
    let time = jiff::Timestamp::from_nanosecond(nanos).map_err(|_| DecodeError::Time)?;
    Ok(Value::from(format!("{time:.6}")))
}

/// Writes a quantity.
pub(super) fn put_quantity(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::String(text) if !text.is_empty() => put_bytes(out, 1, text.as_bytes()),
        Value::Number(number) => put_bytes(out, 1, number.to_string().as_bytes()),
        _ => put_bytes(out, 1, b"0"),
    }
}

/// Reads a quantity.
pub(super) fn quantity(bytes: &[u8]) -> Result<Value, DecodeError> {
    let text = last_bytes(bytes, "Quantity", "String")?.unwrap_or_default();
    Ok(if text.is_empty() { Value::from("0") } else { self::text(text) })
}

/// Writes a number or text.
pub(super) fn put_int_or_string(out: &mut Vec<u8>, value: &Value) {
    let text = value.as_str();
    put_integer(out, 1, i64::from(text.is_some()));
    put_integer(out, 2, value.as_i64().unwrap_or_default());
    put_bytes(out, 3, text.unwrap_or_default().as_bytes());
}

/// Reads a number or text.
pub(super) fn int_or_string(bytes: &[u8]) -> Result<Value, DecodeError> {
    let (mut is_text, mut number, mut text) = (false, 0_i32, &[][..]);
    let mut cursor = Cursor::new(bytes);
    while let Some(tag) = cursor.tag("IntOrString")? {
        match tag.number {
            1 => {
                tag.expect(VARINT, "Type")?;
                is_text = cursor.varint()? == 1;
            }
            2 => {
                tag.expect(VARINT, "IntVal")?;
                number = cursor.varint()? as i32;
            }
            3 => {
                tag.expect(BYTES, "StrVal")?;
                text = cursor.bytes()?;
            }
            _ => cursor.skip(tag)?,
        }
    }
    Ok(if is_text { self::text(text) } else { Value::from(number) })
}

/// The last value of the field with the number 1, in a message that has no other.
pub(super) fn last_bytes<'b>(
    bytes: &'b [u8],
    message: &str,
    field: &str,
) -> Result<Option<&'b [u8]>, DecodeError> {
    let mut found = None;
    let mut cursor = Cursor::new(bytes);
    while let Some(tag) = cursor.tag(message)? {
        if tag.number == 1 {
            tag.expect(BYTES, field)?;
            found = Some(cursor.bytes()?);
        } else {
            cursor.skip(tag)?;
        }
    }
    Ok(found)
}

/// Text; what is not UTF-8 is replaced, as the reference does when it writes JSON.
pub(super) fn text(bytes: &[u8]) -> Value {
    Value::from(String::from_utf8_lossy(bytes))
}

/// A floating-point number as JSON would have it: without a fraction where there is none.
pub(super) fn double(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
