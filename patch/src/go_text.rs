//! Values as the reference's error texts show them: the notations of Go's `fmt` package.

use serde_json::{Map, Number, Value};
use validation::text::go_quote as quoted;

/// `%v`: `map[a:1 b:[x y]]`, text bare, `<nil>` for `null`. Keys are sorted.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => number(value),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", joined(items, plain)),
        Value::Object(members) => format!("map[{}]", members_joined(members, plain)),
    }
}

/// `%s`: as [`plain`], but what is not text is marked: `%!s(int64=5)`.
#[must_use]
pub fn as_text(value: &Value) -> String {
    match value {
        Value::Null => "%!s(<nil>)".to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("%!s({}={})", type_name(value), plain(value)),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", joined(items, as_text)),
        Value::Object(members) => format!("map[{}]", members_joined(members, as_text)),
    }
}

/// `%#v`: the value in Go's own syntax.
#[must_use]
pub fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(_) | Value::Number(_) => plain(value),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(syntax).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = sorted(members)
                .into_iter()
                .map(|(name, value)| format!("{}:{}", quoted(name), syntax(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
    }
}

/// `%T`; `<nil>` for `null`.
#[must_use]
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Whole numbers in full, unless they are too large for an `int64`; others in the shortest form, with
/// an exponent where it is far from 1 (`%g`).
fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if !number.is_i64() => {
            let exponent = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
            if (-4.0..6.0).contains(&exponent) { value.to_string() } else { scientific(value) }
        }
        _ => number.to_string(),
    }
}

/// `1.5e+21`: a sign and at least two digits in the exponent.
fn scientific(value: f64) -> String {
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => match exponent.strip_prefix('-') {
            Some(digits) => format!("{mantissa}e-{digits:0>2}"),
            None => format!("{mantissa}e+{exponent:0>2}"),
        },
        None => text,
    }
}

fn joined(items: &[Value], show: fn(&Value) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(" ")
}

fn members_joined(members: &Map<String, Value>, show: fn(&Value) -> String) -> String {
    let members: Vec<String> = sorted(members)
        .into_iter()
        .map(|(name, value)| format!("{name}:{}", show(value)))
        .collect();
    members.join(" ")
}

fn sorted(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn maps_are_shown_with_sorted_keys_and_bare_text() {
        let value = json!({"b": [1, "x", null], "a": {"c": true}});
        assert_eq!(plain(&value), "map[a:map[c:true] b:[1 x <nil>]]");
    }

    #[test]
    fn numbers_have_an_exponent_where_they_are_no_int64_and_far_from_one() {
        for (text, shown) in [
            ("18446744073709551615", "1.8446744073709552e+19"),
            ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9.223372036854776e+18"),
            ("123456789.5", "1.234567895e+08"),
            ("2000000.0", "2e+06"),
            ("1.5", "1.5"),
            ("1e5", "100000"),
            ("1e6", "1e+06"),
            ("2.5e21", "2.5e+21"),
            ("1e-7", "1e-07"),
            ("12345678901234", "12345678901234"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(plain(&value), shown);
        }
        assert_eq!(type_name(&json!(u64::MAX)), "float64");
    }

    #[test]
    fn what_is_not_text_is_marked_where_text_is_expected() {
        assert_eq!(as_text(&json!("zap")), "zap");
        assert_eq!(as_text(&json!(5)), "%!s(int64=5)");
        assert_eq!(as_text(&json!(null)), "%!s(<nil>)");
        assert_eq!(as_text(&json!({"a": true})), "map[a:%!s(bool=true)]");
    }

    #[test]
    fn go_syntax_names_types_and_quotes_text() {
        let value = json!({"a": ["x", 1]});
        assert_eq!(syntax(&value), r#"map[string]interface {}{"a":[]interface {}{"x", 1}}"#);
    }

    #[test]
    fn quotes_escape_what_cannot_be_printed() {
        assert_eq!(quoted("a\"\\\n\u{1}\u{7f}é'\u{200b}"), "\"a\\\"\\\\\\n\\x01\\x7fé'\\u200b\"");
    }
}
