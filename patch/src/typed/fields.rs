//! The fields a value has.

use std::collections::BTreeMap;

use api::schema::TypeDef;
use serde_json::{Map, Value};

use super::item::path_element;
use super::node::{Form, Node, items, members};
use crate::fieldset::{FieldSet, PathElement};

/// The fields that an object has and that can be owned: leaves, values that are owned as a whole,
/// items of sets and list maps, members of maps, and members that are empty or `null`. Structs and
/// lists around them are not among them.
#[must_use]
pub fn field_set(type_def: &TypeDef, value: &Value) -> FieldSet {
    let mut collector = Collector { path: Vec::new(), fields: FieldSet::new() };
    collector.value(Node::Struct(type_def), value);
    collector.fields
}

struct Collector {
    path: Vec<PathElement>,
    fields: FieldSet,
}

impl Collector {
    fn value(&mut self, node: Node<'_>, value: &Value) {
        let node = node.resolved(value);
        if node.is_atomic() {
            self.fields.insert(&self.path);
            return;
        }
        match node.form() {
            Form::Map => {
                if let Some(members) = members(Some(value)) {
                    self.members(node, members);
                }
            }
            Form::List => self.items(node, items(Some(value))),
            Form::Scalar => {}
        }
    }

    fn members(&mut self, node: Node<'_>, members: &Map<String, Value>) {
        for (name, member) in members {
            self.path.push(PathElement::field(name));
            self.value(node.member_or_untyped(name), member);
            let is_empty = member.is_null() || member.as_object().is_some_and(Map::is_empty);
            if is_empty || node.named_field(name).is_none() {
                self.fields.insert(&self.path);
            }
            self.path.pop();
        }
    }

    /// Items that come twice are owned as one, without what is in them.
    fn items(&mut self, node: Node<'_>, items: &[Value]) {
        let mut by_element: BTreeMap<PathElement, Vec<&Value>> = BTreeMap::new();
        for item in items {
            if let Ok(element) = path_element(node, item) {
                by_element.entry(element).or_default().push(item);
            }
        }
        for (element, items) in by_element {
            self.path.push(element);
            if let [item] = items.as_slice() {
                self.value(node.item(), item);
            }
            self.fields.insert(&self.path);
            self.path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::FlowSchema;
    use api::schema::Described;
    use serde_json::json;

    use super::*;

    fn fields(value: &Value) -> Value {
        field_set(FlowSchema::type_def().unwrap(), value).to_fields_v1()
    }

    #[test]
    fn structs_are_not_owned_but_their_leaves_are() {
        let value = json!({"spec": {"priorityLevelConfiguration": {"name": "x"}, "rules": [{}]}});
        assert_eq!(
            fields(&value),
            json!({"f:spec": {"f:priorityLevelConfiguration": {"f:name": {}}, "f:rules": {}}})
        );
    }

    #[test]
    fn members_of_maps_and_items_of_lists_are_owned() {
        let value = json!({
            "metadata": {"labels": {"a": "1"}, "finalizers": ["x/a"]},
            "status": {"conditions": [{"type": "A", "lastTransitionTime": null}]},
        });
        assert_eq!(
            fields(&value),
            json!({
                "f:metadata": {"f:finalizers": {"v:\"x/a\"": {}}, "f:labels": {"f:a": {}}},
                "f:status": {"f:conditions": {
                    "k:{\"type\":\"A\"}": {".": {}, "f:lastTransitionTime": {}, "f:type": {}},
                }},
            })
        );
    }

    #[test]
    fn what_is_empty_or_null_is_owned_itself() {
        let value = json!({"metadata": {"labels": {}, "annotations": null}, "spec": {}});
        assert_eq!(
            fields(&value),
            json!({"f:metadata": {"f:annotations": {}, "f:labels": {}}, "f:spec": {}})
        );
    }

    #[test]
    fn atomic_structs_and_lists_are_leaves() {
        let value = json!({"metadata": {"ownerReferences": [{"uid": "u", "name": "n"}]}});
        assert_eq!(
            fields(&value),
            json!({"f:metadata": {"f:ownerReferences": {"k:{\"uid\":\"u\"}": {}}}})
        );
    }

    #[test]
    fn items_that_come_twice_are_owned_as_one() {
        let value =
            json!({"status": {"conditions": [{"type": "A"}, {"type": "A", "status": "x"}]}});
        assert_eq!(
            fields(&value),
            json!({"f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {}}}})
        );
    }
}
