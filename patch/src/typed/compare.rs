//! What differs between two values of a type.

use std::collections::{BTreeMap, BTreeSet};

use api::schema::TypeDef;
use serde_json::Value;

use super::item::path_element;
use super::node::{Form, Node, items, members};
use crate::fieldset::{FieldSet, PathElement, equal};

/// The fields that differ between two values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison {
    /// Fields that only the new value has, with the structs and lists that are new as a whole.
    pub added: FieldSet,
    /// Leaves that differ.
    pub modified: FieldSet,
    /// Fields that only the old value has.
    pub removed: FieldSet,
}

impl Comparison {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    /// The same without these fields and all below them.
    #[must_use]
    pub fn without(&self, fields: &FieldSet) -> Self {
        Self {
            added: self.added.recursive_difference(fields),
            modified: self.modified.recursive_difference(fields),
            removed: self.removed.recursive_difference(fields),
        }
    }

    /// The fields that the new value has and the old one has not, or has differently.
    #[must_use]
    pub fn set(&self) -> FieldSet {
        self.added.union(&self.modified)
    }
}

/// Compares two values of a type.
#[must_use]
pub fn compare(type_def: &TypeDef, old: &Value, new: &Value) -> Comparison {
    let mut comparer = Comparer { path: Vec::new(), differences: Comparison::default() };
    comparer.value(Node::Struct(type_def), Some(old), Some(new));
    comparer.differences
}

struct Comparer {
    path: Vec<PathElement>,
    differences: Comparison,
}

impl Comparer {
    fn value(&mut self, node: Node<'_>, old: Option<&Value>, new: Option<&Value>) {
        let was_leaf = match (old, new) {
            (None, None) => return,
            (Some(value), None) | (None, Some(value)) => self.walk(node.resolved(value), old, new),
            (Some(before), Some(after)) => {
                let (before, after) = (node.resolved(before), node.resolved(after));
                if before.form() != after.form() {
                    self.walk(before, old, new);
                }
                self.walk(after, old, new)
            }
        };
        if !was_leaf {
            self.note_presence(old, new);
        }
    }

    /// Notes what differs; `true` if the value has been compared as a whole.
    fn walk(&mut self, node: Node<'_>, old: Option<&Value>, new: Option<&Value>) -> bool {
        // Both empty is compared as a whole, so that `null` and empty stay apart.
        let nothing_inside = match node.form() {
            Form::Scalar => true,
            Form::List => items(old).is_empty() && items(new).is_empty(),
            Form::Map => members(old).is_none() && members(new).is_none(),
        };
        if node.is_atomic() || nothing_inside {
            self.leaf(old, new);
            return true;
        }
        match node.form() {
            Form::List => self.items(node, items(old), items(new)),
            Form::Map | Form::Scalar => self.members(node, old, new),
        }
        false
    }

    fn leaf(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (Some(old), Some(new)) if !equal(old, new) => {
                self.differences.modified.insert(&self.path);
            }
            _ => self.note_presence(old, new),
        }
    }

    fn note_presence(&mut self, old: Option<&Value>, new: Option<&Value>) {
        match (old, new) {
            (None, Some(_)) => self.differences.added.insert(&self.path),
            (Some(_), None) => self.differences.removed.insert(&self.path),
            _ => {}
        }
    }

    fn members(&mut self, node: Node<'_>, old: Option<&Value>, new: Option<&Value>) {
        let (old, new) = (members(old), members(new));
        let names: BTreeSet<&String> =
            old.into_iter().chain(new).flat_map(serde_json::Map::keys).collect();
        for name in names {
            self.path.push(PathElement::field(name));
            let [before, after] = [old, new].map(|members| members.and_then(|all| all.get(name)));
            self.value(node.member_or_untyped(name), before, after);
            self.path.pop();
        }
    }

    fn items(&mut self, node: Node<'_>, old: &[Value], new: &[Value]) {
        let (old, new) = (by_element(node, old), by_element(node, new));
        let elements: BTreeSet<&PathElement> = old.keys().chain(new.keys()).collect();
        for element in elements {
            self.path.push(element.clone());
            let [before, after] =
                [&old, &new].map(|items| items.get(element).map_or(&[][..], Vec::as_slice));
            self.item(node.item(), before, after);
            self.path.pop();
        }
    }

    /// Items of the same key; those that come twice are compared as one.
    fn item(&mut self, node: Node<'_>, old: &[&Value], new: &[&Value]) {
        match (old, new) {
            ([] | [_], [] | [_]) => {
                self.value(node, old.first().copied(), new.first().copied());
            }
            ([_, _, ..], [_, _, ..]) => {
                let same =
                    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| equal(old, new));
                if !same {
                    self.differences.modified.insert(&self.path);
                }
            }
            ([_, _, ..], _) => {
                self.value(node, None, new.first().copied());
                self.differences.removed.insert(&self.path);
            }
            (_, [_, _, ..]) => {
                self.value(node, old.first().copied(), None);
                self.differences.added.insert(&self.path);
            }
        }
    }
}

fn by_element<'v>(node: Node<'_>, items: &'v [Value]) -> BTreeMap<PathElement, Vec<&'v Value>> {
    let mut by_element: BTreeMap<PathElement, Vec<&Value>> = BTreeMap::new();
    for item in items {
        if let Ok(element) = path_element(node, item) {
            by_element.entry(element).or_default().push(item);
        }
    }
    by_element
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::FlowSchema;
    use api::schema::Described;
    use serde_json::json;

    use super::*;

    /// The added, modified and removed fields.
    fn differences(old: &Value, new: &Value) -> [Value; 3] {
        let comparison = compare(FlowSchema::type_def().unwrap(), old, new);
        [comparison.added, comparison.modified, comparison.removed].map(|set| set.to_fields_v1())
    }

    #[test]
    fn what_is_new_as_a_whole_is_added_with_its_parts() {
        assert_eq!(
            differences(
                &json!({"metadata": {}, "spec": {"matchingPrecedence": 1}}),
                &json!({"metadata": {"labels": {"a": "1"}}, "spec": {"matchingPrecedence": 2}}),
            ),
            [
                json!({"f:metadata": {"f:labels": {".": {}, "f:a": {}}}}),
                json!({"f:spec": {"f:matchingPrecedence": {}}}),
                json!({}),
            ]
        );
    }

    #[test]
    fn items_are_compared_by_key_whatever_their_order() {
        let status = |conditions: Value| json!({"status": {"conditions": conditions}});
        assert_eq!(
            differences(
                &status(json!([{"type": "A", "status": "x"}, {"type": "B"}])),
                &status(json!([{"type": "C"}, {"type": "A", "status": "y"}])),
            ),
            [
                json!({"f:status": {"f:conditions": {"k:{\"type\":\"C\"}": {".": {}, "f:type": {}}}}}),
                json!({"f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {"f:status": {}}}}}),
                json!({"f:status": {"f:conditions": {"k:{\"type\":\"B\"}": {".": {}, "f:type": {}}}}}),
            ]
        );
    }

    #[test]
    fn null_and_empty_are_told_apart() {
        assert_eq!(
            differences(
                &json!({"metadata": {"labels": null}}),
                &json!({"metadata": {"labels": {}}})
            ),
            [json!({}), json!({"f:metadata": {"f:labels": {}}}), json!({})]
        );
    }

    #[test]
    fn items_that_come_twice_are_compared_as_one() {
        let set = |finalizers: Value| json!({"metadata": {"finalizers": finalizers}});
        let one = json!({"f:metadata": {"f:finalizers": {"v:\"a\"": {}}}});
        let none = json!({});
        let twice = set(json!(["a", "a"]));
        let once = set(json!(["a"]));
        assert_eq!(differences(&once, &twice), [one.clone(), none.clone(), one.clone()]);
        assert_eq!(differences(&twice, &once), [one.clone(), none.clone(), one.clone()]);
        let thrice = set(json!(["a", "a", "a"]));
        assert_eq!(differences(&twice, &thrice), [none.clone(), one, none.clone()]);
        assert_eq!(differences(&twice, &twice), [none.clone(), none.clone(), none]);
    }
}
