//! JSON: pointers, the two ways of writing it that matter here, and differences.

use std::fmt::Write as _;

use serde::Serialize as _;
use serde_json::{Map, Value};

/// The value that a JSON pointer leads to. A negative number counts from an array's end.
#[must_use]
pub fn pointer<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| {
        let part = part.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Array(items) => match part.parse::<i64>().ok()? {
                index if index < 0 => {
                    items.len().checked_sub(usize::try_from(-index).ok()?).map(|at| &items[at])
                }
                index => items.get(usize::try_from(index).ok()?),
            },
            Value::Object(members) => members.get(&part),
            _ => None,
        }
    })
}

/// Only what the pointers lead to, `<absent>` where one leads nowhere.
#[must_use]
pub fn select(value: &Value, pointers: &[String]) -> Value {
    let absent = || Value::from("<absent>");
    let pick = |at: &String| (at.clone(), pointer(value, at).cloned().unwrap_or_else(absent));
    pointers.iter().map(pick).collect::<Map<_, _>>().into()
}

/// How members are ordered when JSON is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// As they stand.
    AsTheyStand,
    /// By name. The recorded answers are sorted by this form's text.
    Sorted,
}

/// JSON in ASCII, with a blank after each comma and colon: the form in which the reference got its
/// requests, and by whose text the recorded answers are sorted.
#[must_use]
pub fn ascii(value: &Value, members: Members) -> String {
    let mut out = String::new();
    write_ascii(value, members, &mut out);
    out
}

fn write_ascii(value: &Value, order: Members, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            if order == Members::Sorted {
                members.sort_by(|a, b| a.0.cmp(b.0));
            }
            out.push('{');
            for (number, (name, value)) in members.into_iter().enumerate() {
                separate(number, out);
                write_string(name, out);
                out.push_str(": ");
                write_ascii(value, order, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                separate(number, out);
                write_ascii(item, order, out);
            }
            out.push(']');
        }
        Value::String(text) => write_string(text, out),
        other => out.push_str(&other.to_string()),
    }
}

fn separate(number: usize, out: &mut String) {
    if number > 0 {
        out.push_str(", ");
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _written = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

/// The lines in which two values differ, with two lines around them; `None` where they are equal.
#[must_use]
pub fn diff(want: &Value, got: &Value) -> Option<String> {
    if want == got {
        return None;
    }
    let (want, got) = (pretty(want), pretty(got));
    let diff = similar::TextDiff::from_lines(&want, &got);
    let mut unified = diff.unified_diff();
    Some(unified.context_radius(2).header("on record", "this server").to_string())
}

fn pretty(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    let mut out = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let written = sorted.serialize(&mut serde_json::Serializer::with_formatter(&mut out, format));
    match written {
        Ok(()) => String::from_utf8_lossy(&out).into_owned() + "\n",
        Err(why) => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pointers_go_through_members_and_items() {
        let value = json!({"a": [{"b/c": 1, "d~e": 2}, 3]});
        let at = |path| pointer(&value, path).cloned();
        assert_eq!(at("/a/0/b~1c"), Some(json!(1)));
        assert_eq!(at("/a/0/d~0e"), Some(json!(2)));
        assert_eq!(at("/a/-1"), Some(json!(3)));
        assert_eq!(at(""), Some(value.clone()));
        for nowhere in ["/b", "/a/2", "/a/-3", "/a/x", "/a/1/b"] {
            assert_eq!(at(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn a_selection_says_what_is_absent() {
        let selected = select(&json!({"a": null}), &["/a".to_owned(), "/b".to_owned()]);
        assert_eq!(selected, json!({"/a": null, "/b": "<absent>"}));
    }

    #[test]
    fn the_ascii_form_escapes_and_sorts() {
        let value = json!({"b": "é😀\u{7f}\u{1}", "a": [1, 2.5, null, true]});
        assert_eq!(
            ascii(&value, Members::Sorted),
            r#"{"a": [1, 2.5, null, true], "b": "\u00e9\ud83d\ude00\u007f\u0001"}"#
        );
        assert!(ascii(&value, Members::AsTheyStand).starts_with(r#"{"b""#));
    }

    #[test]
    fn a_difference_shows_the_lines_around_it() {
        assert_eq!(diff(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})), None);
        let diff = diff(&json!({"a": 1, "b": 2}), &json!({"a": 1, "b": 3})).unwrap();
        assert!(diff.contains("- \"b\": 2\n"), "{diff}");
        assert!(diff.contains("+ \"b\": 3\n"), "{diff}");
    }

    #[test]
    fn whole_numbers_and_fractions_differ() {
        assert!(diff(&json!(1), &json!(1.0)).is_some());
    }
}
