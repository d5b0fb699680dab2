//! Taking fields out of an object, or everything but them.

use api::schema::TypeDef;
use serde_json::{Map, Value};

use super::item::path_element;
use super::node::{Form, Node};
use crate::fieldset::{FieldSet, PathElement};

/// The object without these fields and what is in them. Maps and lists of which nothing is left
/// become `null`.
#[must_use]
pub fn remove(type_def: &TypeDef, value: &Value, fields: &FieldSet) -> Value {
    walked(Node::Struct(type_def), value, fields, Kept::Others)
}

/// Only these fields of the object, with what is in them where the set says no more, and the key
/// fields of the items they are in.
#[must_use]
pub fn extract(type_def: &TypeDef, value: &Value, fields: &FieldSet) -> Value {
    walked(Node::Struct(type_def), value, fields, Kept::Fields)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Fields,
    Others,
}

fn walked(node: Node<'_>, value: &Value, fields: &FieldSet, kept: Kept) -> Value {
    let node = node.resolved(value);
    match (node.form(), value) {
        (Form::Scalar, _) => value.clone(),
        _ if node.is_atomic() => match kept {
            Kept::Fields => value.clone(),
            Kept::Others => Value::Null,
        },
        (Form::Map, Value::Object(members)) => {
            let left = walked_members(node, members, fields, kept);
            if left.is_empty() { Value::Null } else { Value::Object(left) }
        }
        (Form::List, Value::Array(items)) => {
            let left = walked_items(node, items, fields, kept);
            if left.is_empty() { Value::Null } else { Value::Array(left) }
        }
        _ => Value::Null,
    }
}

fn walked_members(
    node: Node<'_>,
    members: &Map<String, Value>,
    fields: &FieldSet,
    kept: Kept,
) -> Map<String, Value> {
    members
        .iter()
        .filter_map(|(name, member)| {
            let element = PathElement::field(name);
            let left = part(node.member_or_untyped(name), member, &element, fields, kept)?;
            Some((name.clone(), left))
        })
        .collect()
}

fn walked_items(node: Node<'_>, items: &[Value], fields: &FieldSet, kept: Kept) -> Vec<Value> {
    items
        .iter()
        .filter_map(|item| match path_element(node, item) {
            Ok(element) => {
                let left = part(node.item(), item, &element, fields, kept)?;
                Some(if kept == Kept::Fields { with_key(&element, left) } else { left })
            }
            Err(_) => (kept == Kept::Others).then(|| item.clone()),
        })
        .collect()
}

/// What is left of a member or item; `None` if it goes as a whole.
fn part(
    node: Node<'_>,
    value: &Value,
    element: &PathElement,
    fields: &FieldSet,
    kept: Kept,
) -> Option<Value> {
    match (kept, fields.has(element), fields.below(element)) {
        (Kept::Others, true, _) | (Kept::Fields, false, None) => None,
        (Kept::Others, false, None) | (Kept::Fields, true, None) => Some(value.clone()),
        (_, _, Some(below)) => Some(walked(node, value, below, kept)),
    }
}

fn with_key(element: &PathElement, item: Value) -> Value {
    match (element, item) {
        (PathElement::Key(fields), Value::Object(mut members)) => {
            for (name, value) in fields {
                members.entry(name.clone()).or_insert_with(|| value.0.clone());
            }
            Value::Object(members)
        }
        (_, item) => item,
    }
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::FlowSchema;
    use api::schema::Described;
    use serde_json::json;

    use super::*;

    fn object() -> Value {
        json!({
            "metadata": {"labels": {"a": "1", "b": "2"}, "finalizers": ["x/a", "x/b"]},
            "spec": {"matchingPrecedence": 1, "rules": [{}]},
            "status": {"conditions": [{"type": "A", "status": "s", "reason": "r"}, {"type": "B"}]},
        })
    }

    fn set(fields: &Value) -> FieldSet {
        FieldSet::from_fields_v1(fields).unwrap()
    }

    #[test]
    fn fields_are_removed_with_what_is_in_them() {
        let fields = set(&json!({
            "f:metadata": {"f:labels": {"f:a": {}}, "f:finalizers": {"v:\"x/b\"": {}}},
            "f:spec": {"f:rules": {}},
            "f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {"f:reason": {}}, "k:{\"type\":\"B\"}": {}}},
        }));
        assert_eq!(
            remove(FlowSchema::type_def().unwrap(), &object(), &fields),
            json!({
                "metadata": {"labels": {"b": "2"}, "finalizers": ["x/a"]},
                "spec": {"matchingPrecedence": 1},
                "status": {"conditions": [{"type": "A", "status": "s"}]},
            })
        );
    }

    #[test]
    fn what_has_lost_all_its_parts_is_null() {
        let fields = set(&json!({"f:metadata": {"f:labels": {"f:a": {}, "f:b": {}}}}));
        let left = remove(FlowSchema::type_def().unwrap(), &object(), &fields);
        assert_eq!(left["metadata"]["labels"], Value::Null);
        assert_eq!(left["metadata"]["finalizers"], json!(["x/a", "x/b"]));
    }

    #[test]
    fn only_the_wanted_fields_are_extracted_with_the_keys_of_their_items() {
        let fields = set(&json!({
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:spec": {"f:rules": {}},
            "f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {".": {}, "f:reason": {}}}},
        }));
        assert_eq!(
            extract(FlowSchema::type_def().unwrap(), &object(), &fields),
            json!({
                "metadata": {"labels": {"a": "1"}},
                "spec": {"rules": [{}]},
                "status": {"conditions": [{"reason": "r", "type": "A"}]},
            })
        );
    }
}
