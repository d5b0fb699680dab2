//! A JSON value that can stand in sets: with an order, and numbers that are equal by value.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Map, Number, Value};
use validation::text::go_quote;

use crate::go_text;

/// A value of a set, or of a key in a list.
#[derive(Debug, Clone)]
pub struct Literal(pub Value);

impl Ord for Literal {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Literal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Literal {}

/// As in paths: `"text"`, `5`, `true`.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Value::Null => f.write_str("null"),
            Value::String(text) => f.write_str(&go_quote(text)),
            Value::Array(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| Self(item.clone()).to_string()).collect();
                write!(f, "[{}]", items.join(","))
            }
            Value::Object(members) => members
                .iter()
                .try_for_each(|(name, value)| write!(f, "{name}={}", Self(value.clone()))),
            scalar => f.write_str(&go_text::plain(scalar)),
        }
    }
}

/// Whether two values are the same, whatever the order of members; `1` is `1.0`.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    compare(left, right) == Ordering::Equal
}

/// Numbers before text before booleans before lists before maps before `null`.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => compare_items(left, right),
        (Value::Object(left), Value::Object(right)) => compare_members(left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => {
            let [left, right] = [left, right].map(|number| number.as_f64().unwrap_or(f64::NAN));
            left.total_cmp(&right)
        }
    }
}

fn compare_items(left: &[Value], right: &[Value]) -> Ordering {
    left.iter()
        .zip(right)
        .map(|(left, right)| compare(left, right))
        .find(|ordering| ordering.is_ne())
        .unwrap_or_else(|| left.len().cmp(&right.len()))
}

fn compare_members(left: &Map<String, Value>, right: &Map<String, Value>) -> Ordering {
    let [left, right] = [left, right].map(|members| {
        let mut members: Vec<_> = members.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        members
    });
    left.iter()
        .zip(&right)
        .map(|(left, right)| left.0.cmp(right.0).then_with(|| compare(left.1, right.1)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or_else(|| left.len().cmp(&right.len()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_members_in_any_order() {
        assert!(equal(&json!(1), &json!(1.0)));
        assert!(equal(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})));
        assert!(!equal(&json!("1"), &json!(1)));
        assert!(!equal(&json!([]), &json!(null)));
    }

    #[test]
    fn kinds_of_values_have_an_order() {
        let ordered = [json!(2), json!("a"), json!(true), json!([0]), json!({}), json!(null)];
        assert!(ordered.windows(2).all(|pair| compare(&pair[0], &pair[1]).is_lt()));
    }
}
