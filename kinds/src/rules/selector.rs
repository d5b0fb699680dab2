//! Label selectors: whether they are right, and what they match.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::checks;
use crate::value::Members;

/// A label selector as it stands in objects; nothing is wrong with an absent one.
pub(super) fn validate(errors: &mut ErrorList, selector: &Value, path: &Path) {
    checks::labels(errors, selector, path, "matchLabels");
    for (index, requirement) in selector.items("matchExpressions").iter().enumerate() {
        validate_requirement(errors, requirement, &path.child("matchExpressions").index(index));
    }
}

fn validate_requirement(errors: &mut ErrorList, requirement: &Value, path: &Path) {
    let operator = requirement.text("operator");
    let none = requirement.is_blank("values");
    match operator {
        "In" | "NotIn" if none => errors.push(Error::required(
            &path.child("values"),
            "must be specified when `operator` is 'In' or 'NotIn'",
        )),
        "Exists" | "DoesNotExist" if !none => errors.push(Error::forbidden(
            &path.child("values"),
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )),
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        _ => errors.push(Error::invalid(
            &path.child("operator"),
            Shown::json(&operator),
            "not a valid selector operator",
        )),
    }
    let key = requirement.text("key");
    checks::each_message(errors, &path.child("key"), key, format::qualified_name(key));
    for (index, value) in requirement.items("values").iter().enumerate() {
        let value = value.as_str().unwrap_or_default();
        let path = path.child("values").index(index);
        checks::each_message(errors, &path, value, format::label_value(value));
    }
}

/// Whether a selector has no requirements at all.
pub(super) fn is_empty(selector: &Value) -> bool {
    selector.is_blank("matchLabels") && selector.is_blank("matchExpressions")
}

/// Whether a selector matches labels; `None` if it cannot be read. An absent one matches nothing.
pub(super) fn matches(selector: &Value, labels: &Value) -> Option<bool> {
    if selector.is_null() {
        return Some(false);
    }
    let mut errors = ErrorList::default();
    validate(&mut errors, selector, &Path::nil());
    if !errors.is_empty() {
        return None;
    }
    let expected = selector.entries("matchLabels").all(|(key, value)| labels.member(key) == value);
    Some(expected && selector.items("matchExpressions").iter().all(|each| holds(each, labels)))
}

fn holds(requirement: &Value, labels: &Value) -> bool {
    let value = labels.member(requirement.text("key"));
    let listed = requirement.items("values").contains(value);
    match requirement.text("operator") {
        "In" => listed,
        "NotIn" => !listed,
        "Exists" => !value.is_null(),
        _ => value.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requirements_are_all_to_hold() {
        let labels = json!({"a": "1", "b": "2"});
        let expression = |operator: &str, key: &str, values: &[&str]| {
            let requirement = json!({"key": key, "operator": operator, "values": values});
            matches(&json!({"matchLabels": {"a": "1"}, "matchExpressions": [requirement]}), &labels)
        };
        assert_eq!(expression("In", "b", &["2", "3"]), Some(true));
        assert_eq!(expression("NotIn", "b", &["2"]), Some(false));
        assert_eq!(expression("NotIn", "c", &["2"]), Some(true));
        assert_eq!(expression("Exists", "c", &[]), Some(false));
        assert_eq!(expression("DoesNotExist", "c", &[]), Some(true));
        assert_eq!(expression("Is", "c", &[]), None);
        assert_eq!(matches(&Value::Null, &labels), Some(false));
    }

    #[test]
    fn values_belong_to_operators_that_use_them() {
        let mut errors = ErrorList::default();
        let selector = json!({"matchExpressions": [{"key": "a", "operator": "In"},
            {"key": "", "operator": "Exists", "values": ["x"]}]});
        validate(&mut errors, &selector, &Path::new("s"));
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        let expressions = ["s.matchExpressions[0].values", "s.matchExpressions[1].values"];
        assert_eq!(fields[..2], expressions);
        assert!(fields[2..].iter().all(|field| *field == "s.matchExpressions[1].key"));
    }
}
