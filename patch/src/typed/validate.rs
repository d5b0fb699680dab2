//! Whether a value can be one of its type at all.

use std::collections::BTreeSet;
use std::fmt;

use api::schema::TypeDef;
use serde_json::{Map, Value};

use super::item::path_element;
use super::node::{Form, Node, Scalar};
use crate::fieldset::{Path, PathElement};
use crate::go_text;

/// What to think of items of sets and list maps that come twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Stored objects may have them.
    Allowed,
    /// Applied objects may not.
    Refused,
}

/// What is wrong with a value: `.spec.zoo: field not declared in schema`, or a list of such lines
/// below `errors:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(Vec<Problem>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    path: Path,
    message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.0.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [problem] = self.0.as_slice() {
            return problem.fmt(f);
        }
        f.write_str("errors:")?;
        self.0.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
    }
}

impl std::error::Error for Invalid {}

/// Checks a value against its type: declared fields only, the right kinds of values, items that can
/// be told apart.
///
/// # Errors
///
/// [`Invalid`] with everything that is wrong, in document order.
pub fn validate(type_def: &TypeDef, value: &Value, duplicates: Duplicates) -> Result<(), Invalid> {
    let mut validator = Validator { path: Vec::new(), duplicates, problems: Vec::new() };
    validator.value(Node::Struct(type_def), value);
    if validator.problems.is_empty() { Ok(()) } else { Err(Invalid(validator.problems)) }
}

struct Validator {
    path: Vec<PathElement>,
    duplicates: Duplicates,
    problems: Vec<Problem>,
}

impl Validator {
    fn value(&mut self, node: Node<'_>, value: &Value) {
        if value.is_null() {
            return;
        }
        let node = node.resolved(value);
        match (node.form(), node, value) {
            (Form::Map, _, Value::Object(members)) => self.members(node, members),
            (Form::Map, ..) => self.note(format!("expected map, got {}", pointer(value))),
            (Form::List, _, Value::Array(items)) => self.items(node, items),
            (Form::List, ..) => self.note(format!("expected list, got {}", pointer(value))),
            (Form::Scalar, Node::Scalar(scalar), _) => self.scalar(scalar, value),
            (Form::Scalar, ..) => {}
        }
    }

    fn members(&mut self, node: Node<'_>, members: &Map<String, Value>) {
        for (name, member) in members {
            self.path.push(PathElement::field(name));
            let declared = node.member(name);
            match declared {
                Some(declared) => self.value(declared, member),
                None => self.note("field not declared in schema".to_owned()),
            }
            self.path.pop();
            if declared.is_none() {
                // The reference looks no further in this map.
                return;
            }
        }
    }

    fn items(&mut self, node: Node<'_>, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let element = if node.is_atomic() {
                PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX))
            } else {
                match path_element(node, item) {
                    Ok(element) => element,
                    Err(error) => {
                        self.note(format!("element {index}: {error}"));
                        return;
                    }
                }
            };
            if !seen.insert(element.clone()) && self.duplicates == Duplicates::Refused {
                self.note(format!("duplicate entries for key {element}"));
            }
            self.path.push(element);
            self.value(node.item(), item);
            self.path.pop();
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value) {
        match (scalar, value) {
            (Scalar::Text, Value::String(_))
            | (Scalar::Number, Value::Number(_))
            | (Scalar::Boolean, Value::Bool(_))
            | (Scalar::Any, Value::String(_) | Value::Number(_) | Value::Bool(_)) => {}
            (Scalar::Text, _) => self.note(format!(
                "expected string, got &value.valueUnstructured{{Value:{}}}",
                go_text::syntax(value)
            )),
            (Scalar::Number, _) => self.note(format!(
                "expected numeric (int or float), got {}",
                go_text::type_name(value)
            )),
            (Scalar::Boolean, _) => self.note(format!("expected boolean, got {}", pointer(value))),
            (Scalar::Any, _) => self.note(format!("expected any scalar, got {}", pointer(value))),
        }
    }

    fn note(&mut self, message: String) {
        self.problems.push(Problem { path: Path(self.path.clone()), message });
    }
}

/// A value as the reference shows the box it keeps it in.
fn pointer(value: &Value) -> String {
    format!("&{{{}}}", go_text::plain(value))
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
    use api::schema::Described;
    use serde_json::json;

    use super::*;

    fn problems<T: Described>(value: &Value) -> String {
        match validate(T::type_def().unwrap(), value, Duplicates::Refused) {
            Ok(()) => String::new(),
            Err(invalid) => invalid.to_string(),
        }
    }

    #[test]
    fn each_problem_is_named_with_its_path() {
        for (value, text) in [
            (json!({"spec": {"zoo": 1}}), ".spec.zoo: field not declared in schema"),
            (json!({"metadata": 5}), ".metadata: expected map, got &{5}"),
            (json!({"spec": {"rules": {"a": "b"}}}), ".spec.rules: expected list, got &{map[a:b]}"),
            (
                json!({"metadata": {"labels": {"a": 5}}}),
                ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:5}",
            ),
            (
                json!({"spec": {"matchingPrecedence": "x"}}),
                ".spec.matchingPrecedence: expected numeric (int or float), got string",
            ),
            (
                json!({"spec": {"rules": [{"resourceRules": [{"clusterScope": "x"}]}]}}),
                ".spec.rules[0].resourceRules[0].clusterScope: expected boolean, got &{x}",
            ),
            (
                json!({"metadata": {"finalizers": ["x", null]}}),
                ".metadata.finalizers: element 1: associative list without keys has an element \
                 that's an explicit null",
            ),
            (
                json!({"status": {"conditions": [{"status": "True"}]}}),
                ".status.conditions: element 0: associative list with keys has an element that \
                 omits key field \"type\" (and doesn't have default value)",
            ),
            (json!({"spec": null, "metadata": {"labels": null}}), ""),
        ] {
            assert_eq!(problems::<FlowSchema>(&value), text, "{value}");
        }
    }

    #[test]
    fn several_problems_are_listed_below_each_other() {
        let value = json!({"spec": {"type": 1, "zoo": 1}, "zoo": 1});
        assert_eq!(
            problems::<PriorityLevelConfiguration>(&value),
            "errors:\n  .spec.type: expected string, got &value.valueUnstructured{Value:1}\n  \
             .spec.zoo: field not declared in schema\n  .zoo: field not declared in schema"
        );
    }

    #[test]
    fn items_that_come_twice_are_refused_unless_they_are_allowed() {
        let value = json!({"status": {"conditions": [{"type": "B"}, {"type": "B"}]}});
        assert_eq!(
            problems::<FlowSchema>(&value),
            ".status.conditions: duplicate entries for key [type=\"B\"]"
        );
        let type_def = FlowSchema::type_def().unwrap();
        assert_eq!(validate(type_def, &value, Duplicates::Allowed), Ok(()));
    }
}
