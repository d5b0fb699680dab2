//! `LabelSelector`s in objects, read once.

use serde_json::Value;

/// What labels something must have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selector(Vec<Requirement>);

#[derive(Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug, PartialEq, Eq)]
enum Test {
    In(Vec<Value>),
    NotIn(Vec<Value>),
    Exists,
    Absent,
}

impl Selector {
    /// The selector that stands there; none means everything.
    pub(crate) fn of(selector: &Value) -> Self {
        let equal = selector["matchLabels"].as_object().into_iter().flatten();
        let equal = equal.map(|(key, value)| Requirement {
            key: key.clone(),
            test: Test::In(vec![value.clone()]),
        });
        let expressions = selector["matchExpressions"].as_array().into_iter().flatten();
        let expressions = expressions.map(|expression| {
            let values = || expression["values"].as_array().cloned().unwrap_or_default();
            Requirement {
                key: expression["key"].as_str().unwrap_or_default().to_owned(),
                test: match expression["operator"].as_str() {
                    Some("In") => Test::In(values()),
                    Some("NotIn") => Test::NotIn(values()),
                    Some("Exists") => Test::Exists,
                    _ => Test::Absent,
                },
            }
        });
        Self(equal.chain(expressions).collect())
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an object with that `metadata` matches.
    pub(crate) fn matches(&self, metadata: &Value) -> bool {
        self.0.iter().all(|Requirement { key, test }| {
            let label = metadata["labels"].get(key);
            match test {
                Test::In(values) => label.is_some_and(|label| values.contains(label)),
                Test::NotIn(values) => label.is_none_or(|label| !values.contains(label)),
                Test::Exists => label.is_some(),
                Test::Absent => label.is_none(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_requirements_must_hold() {
        let metadata = json!({ "labels": { "a": "1", "b": "2" } });
        let expression = |key: &str, operator: &str, values: &[&str]| json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] });
        for (selector, expected) in [
            (json!({}), true),
            (Value::Null, true),
            (json!({ "matchLabels": { "a": "1", "b": "2" } }), true),
            (json!({ "matchLabels": { "a": "1", "b": "3" } }), false),
            (expression("a", "In", &["0", "1"]), true),
            (expression("c", "In", &["1"]), false),
            (expression("a", "NotIn", &["1"]), false),
            (expression("c", "NotIn", &["1"]), true),
            (expression("a", "Exists", &[]), true),
            (expression("c", "DoesNotExist", &[]), true),
            (expression("a", "DoesNotExist", &[]), false),
        ] {
            assert_eq!(Selector::of(&selector).matches(&metadata), expected, "{selector}");
        }
        assert!(!Selector::of(&json!({ "matchLabels": { "a": "1" } })).matches(&json!({})));
    }
}
