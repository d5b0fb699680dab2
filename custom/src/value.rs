//! Reading JSON by member names: what is absent, `null` or of another type reads as nothing.

use serde_json::{Map, Value};

static NOTHING: Value = Value::Null;

/// Members of JSON objects by name.
pub(crate) trait Members {
    /// The member, or `null`.
    fn member(&self, name: &str) -> &Value;
    /// The text of a member, or none of it.
    fn text(&self, name: &str) -> &str;
    /// Whether a member is `true`.
    fn flag(&self, name: &str) -> bool;
    /// Whether the member is there and not `null`.
    fn has(&self, name: &str) -> bool;
    /// The items of a list; none if it is absent.
    fn items(&self, name: &str) -> &[Value];
    /// The texts in a list.
    fn texts(&self, name: &str) -> Vec<String>;
    /// The entries of a map in the order of their keys.
    fn sorted(&self, name: &str) -> Vec<(&String, &Value)>;
}

impl Members for Value {
    fn member(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NOTHING)
    }

    fn text(&self, name: &str) -> &str {
        self.member(name).as_str().unwrap_or_default()
    }

    fn flag(&self, name: &str) -> bool {
        self.member(name) == &Self::Bool(true)
    }

    fn has(&self, name: &str) -> bool {
        !self.member(name).is_null()
    }

    fn items(&self, name: &str) -> &[Value] {
        self.member(name).as_array().map(Vec::as_slice).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.items(name).iter().filter_map(Self::as_str).map(str::to_owned).collect()
    }

    fn sorted(&self, name: &str) -> Vec<(&String, &Value)> {
        let mut entries: Vec<_> =
            self.member(name).as_object().into_iter().flat_map(Map::iter).collect();
        entries.sort_by_key(|(key, _)| *key);
        entries
    }
}

/// Whether two values are the same, whatever the order of members; numbers count by what they are
/// worth.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || (left.as_f64() == right.as_f64() && (left.is_f64() || right.is_f64()))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// Numbers from ten to this power are printed with an exponent.
const GO_EXPONENT_MAX: i32 = 6;

/// A floating-point number as the reference's programming language prints it.
pub(crate) fn go_float(number: f64) -> String {
    if number == 0.0 {
        return if number.is_sign_negative() { "-0" } else { "0" }.to_owned();
    }
    if !number.is_finite() {
        return if number.is_nan() {
            "NaN"
        } else if number > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        }
        .to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..GO_EXPONENT_MAX).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_count_by_what_they_are_worth() {
        assert!(equal(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
        assert!(!equal(&json!([1]), &json!([1.5])));
    }

    #[test]
    fn floats_are_printed_as_in_go() {
        for (number, text) in [
            (0.5, "0.5"),
            (100_000.0, "100000"),
            (1e21, "1e+21"),
            (12_345_678_901.0, "1.2345678901e+10"),
            (1.5e-7, "1.5e-07"),
            (3.0, "3"),
        ] {
            assert_eq!(go_float(number), text);
        }
    }
}
