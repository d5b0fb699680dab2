//! Writing values as YAML: keys in order, two spaces, lists level with their key.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::scalar::{self, Place};

/// Longer keys stand behind a question mark.
const KEY_BYTES_MAX: usize = 128;

/// The value as a YAML document.
#[must_use]
pub fn to_vec(value: &Value) -> Vec<u8> {
    let mut out = String::new();
    node(&mut out, value, 0);
    // A block of text that ends with an empty line needs its end as well.
    out.push('\n');
    out.into_bytes()
}

/// Writes a value that stands where the line stands; its further lines are indented by `indent`.
fn node(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => mapping(out, members, indent),
        Value::Array(items) if !items.is_empty() => sequence(out, items, indent),
        _ => inline(out, value, indent),
    }
}

fn inline(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => {
            let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
            scalar::write(out, text, Place::new(column, indent));
        }
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
    }
}

fn mapping(out: &mut String, members: &Map<String, Value>, indent: usize) {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by(|(a, _), (b, _)| natural_order(a, b));
    for (at, (key, value)) in members.into_iter().enumerate() {
        if at > 0 {
            new_line(out, indent);
        }
        if needs_question(key) {
            out.push_str("? ");
            scalar::write(out, key, Place::new(indent + 2, indent + 2));
            new_line(out, indent);
            out.push_str(": ");
            node(out, value, indent + 2);
            continue;
        }
        scalar::write(out, key, Place::of_key(indent));
        out.push(':');
        match value {
            Value::Object(members) if !members.is_empty() => {
                new_line(out, indent + 2);
                mapping(out, members, indent + 2);
            }
            Value::Array(items) if !items.is_empty() => {
                new_line(out, indent);
                sequence(out, items, indent);
            }
            scalar => {
                out.push(' ');
                inline(out, scalar, indent + 2);
            }
        }
    }
}

/// Whether a key is too long to be one without a sign in front of it.
fn needs_question(key: &str) -> bool {
    key.len() > KEY_BYTES_MAX || key.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

fn sequence(out: &mut String, items: &[Value], indent: usize) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            new_line(out, indent);
        }
        out.push_str("- ");
        node(out, item, indent + 2);
    }
}

fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Keys in the reference's order: letters behind other characters, digits by their number.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = a.iter().zip(&b).position(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    let (x, y) = (a[at], b[at]);
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => x.cmp(&y),
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => {
            let (first, second) = (digits(&a[at..]), digits(&b[at..]));
            number(first).cmp(&number(second)).then(first.len().cmp(&second.len())).then(x.cmp(&y))
        }
    }
}

fn digits(text: &[char]) -> &[char] {
    let end = text.iter().position(|c| !c.is_ascii_digit()).unwrap_or(text.len());
    &text[..end]
}

fn number(digits: &[char]) -> u128 {
    digits
        .iter()
        .take(30)
        .fold(0, |sum, digit| sum * 10 + u128::from(digit.to_digit(10).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_stand_level_with_their_key_and_keys_are_sorted() {
        let value = json!({
            "versions": [{"version": "v1", "groupVersion": "g/v1"}], "kind": "APIGroup", "e": {}, "l": [],
        });
        assert_eq!(
            String::from_utf8(to_vec(&value)).unwrap(),
            "e: {}\nkind: APIGroup\nl: []\nversions:\n- groupVersion: g/v1\n  version: v1\n"
        );
    }

    #[test]
    fn nested_lists_and_maps_keep_their_depth() {
        let value = json!({"a": {"b": [["c", {"d": 1}]]}});
        assert_eq!(String::from_utf8(to_vec(&value)).unwrap(), "a:\n  b:\n  - - c\n    - d: 1\n");
    }
}
