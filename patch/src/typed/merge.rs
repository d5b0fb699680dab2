//! Merging what is applied into what is there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use api::schema::TypeDef;
use serde_json::{Map, Value};

use super::item::path_element;
use super::node::{Form, Node, items, members};
use crate::fieldset::PathElement;

/// Merges an applied object into a live one: structs, maps, sets and list maps part by part,
/// everything else is replaced. Members come out in the order of the live object.
#[must_use]
pub fn merge(type_def: &TypeDef, live: &Value, applied: &Value) -> Value {
    merged(Node::Struct(type_def), Some(live), Some(applied)).unwrap_or(Value::Null)
}

/// `None` if nothing is left.
fn merged(node: Node<'_>, live: Option<&Value>, applied: Option<&Value>) -> Option<Value> {
    let node = node.resolved(applied.or(live)?);
    match node.form() {
        Form::List if !node.is_atomic() => {
            let (live_items, applied_items) = (items(live), items(applied));
            if !(live_items.is_empty() && applied_items.is_empty()) {
                let merged = merged_items(node, live_items, applied_items);
                return (!merged.is_empty()).then_some(Value::Array(merged));
            }
        }
        Form::Map if !node.is_atomic() => {
            let (live_members, applied_members) = (members(live), members(applied));
            if live_members.or(applied_members).is_some() {
                let merged = merged_members(node, live_members, applied_members);
                return (!merged.is_empty()).then_some(Value::Object(merged));
            }
        }
        _ => {}
    }
    applied.or(live).cloned()
}

fn merged_members(
    node: Node<'_>,
    live: Option<&Map<String, Value>>,
    applied: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    let mut names: Vec<&String> = live.into_iter().flat_map(Map::keys).collect();
    let is_new = |name: &&String| live.is_none_or(|live| !live.contains_key(*name));
    names.extend(applied.into_iter().flat_map(Map::keys).filter(is_new));
    names
        .into_iter()
        .filter_map(|name| {
            let [live, applied] =
                [live, applied].map(|members| members.and_then(|all| all.get(name)));
            Some((name.clone(), merged(node.member_or_untyped(name), live, applied)?))
        })
        .collect()
}

fn merged_items(node: Node<'_>, live: &[Value], applied: &[Value]) -> Vec<Value> {
    let elements = |items: &[Value]| -> Vec<PathElement> {
        items.iter().filter_map(|item| path_element(node, item).ok()).collect()
    };
    let (live_elements, applied_elements) = (elements(live), elements(applied));
    if live_elements.len() != live.len() || applied_elements.len() != applied.len() {
        // Checked values do not come here; what cannot be told apart is replaced.
        return applied.to_vec();
    }
    let mut merger = Merger {
        node: node.item(),
        live_values: live_values(&live_elements, live),
        applied_values: applied_elements.iter().cloned().zip(applied).collect(),
        merged: Vec::with_capacity(live.len().max(applied.len())),
        done: BTreeSet::new(),
    };
    merger.run(live_elements.into_iter().zip(live).collect(), applied_elements.into());
    merger.merged
}

/// What is merged with an applied item: nothing where several items have its key.
fn live_values<'v>(
    elements: &[PathElement],
    items: &'v [Value],
) -> BTreeMap<PathElement, Option<&'v Value>> {
    let mut values = BTreeMap::new();
    for (element, item) in elements.iter().zip(items) {
        values.entry(element.clone()).and_modify(|value| *value = None).or_insert(Some(item));
    }
    values
}

/// Interleaves two lists: applied items keep the applied order, items that only the live list has
/// keep their place among the others as far as that order allows.
struct Merger<'s, 'v> {
    node: Node<'s>,
    live_values: BTreeMap<PathElement, Option<&'v Value>>,
    applied_values: BTreeMap<PathElement, &'v Value>,
    merged: Vec<Value>,
    /// The applied items that have been merged.
    done: BTreeSet<PathElement>,
}

impl<'v> Merger<'_, 'v> {
    fn run(
        &mut self,
        mut live: VecDeque<(PathElement, &'v Value)>,
        mut applied: VecDeque<PathElement>,
    ) {
        let is_shared = |element: &&PathElement| self.live_values.contains_key(*element);
        let mut shared: VecDeque<PathElement> = applied.iter().filter(is_shared).cloned().collect();
        // The next shared item in the applied order: live items may not overtake it.
        let mut next_shared = shared.pop_front();
        while let Some(turn) = self.turn(&live, &applied, next_shared.as_ref()) {
            match turn {
                Turn::Skip => drop(live.pop_front()),
                Turn::Live => {
                    if let Some((_, item)) = live.pop_front() {
                        self.push(Some(item), None);
                    }
                }
                Turn::Applied { with_live } => {
                    if with_live {
                        live.pop_front();
                    }
                    let Some(element) = applied.pop_front() else { continue };
                    if with_live || next_shared.as_ref() == Some(&element) {
                        next_shared = shared.pop_front();
                    }
                    let live_value = self.live_values.get(&element).copied().flatten();
                    self.push(live_value, self.applied_values.get(&element).copied());
                    self.done.insert(element);
                }
            }
        }
    }

    /// Which item comes next; `None` when both lists are used up.
    fn turn(
        &self,
        live: &VecDeque<(PathElement, &Value)>,
        applied: &VecDeque<PathElement>,
        next_shared: Option<&PathElement>,
    ) -> Option<Turn> {
        let Some((live_element, _)) = live.front() else {
            return applied.front().map(|_| Turn::Applied { with_live: false });
        };
        let is_applied = self.applied_values.contains_key(live_element);
        if let Some(applied_element) = applied.front() {
            if live_element == applied_element {
                return Some(Turn::Applied { with_live: true });
            }
            if is_applied && next_shared.is_some_and(|next| next != live_element) {
                return Some(Turn::Skip);
            }
        }
        if !is_applied {
            return Some(Turn::Live);
        }
        let is_done = self.done.contains(live_element);
        if applied.is_empty() {
            Some(Turn::Skip)
        } else {
            Some(Turn::Applied { with_live: is_done })
        }
    }

    fn push(&mut self, live: Option<&Value>, applied: Option<&Value>) {
        self.merged.extend(merged(self.node, live, applied));
    }
}

enum Turn {
    /// The live item is merged elsewhere.
    Skip,
    /// The live item, which is not applied.
    Live,
    /// The applied item, merged with the live one of its key.
    Applied {
        /// Whether the live item at the front goes with it: it is the same, or merged already.
        with_live: bool,
    },
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::FlowSchema;
    use api::schema::Described;
    use serde_json::json;

    use super::*;

    fn merged_object(live: &Value, applied: &Value) -> Value {
        merge(FlowSchema::type_def().unwrap(), live, applied)
    }

    fn finalizers(live: &[&str], applied: &[&str]) -> Value {
        let object = |finalizers: &[&str]| json!({"metadata": {"finalizers": finalizers}});
        merged_object(&object(live), &object(applied))["metadata"]["finalizers"].clone()
    }

    #[test]
    fn structs_and_maps_merge_and_atomic_lists_are_replaced() {
        let live = json!({"metadata": {"labels": {"a": "1", "b": "2"}}, "spec": {"matchingPrecedence": 1, "rules": [{}, {}]}});
        let applied =
            json!({"metadata": {"labels": {"b": "3"}}, "spec": {"rules": [{"subjects": []}]}});
        assert_eq!(
            merged_object(&live, &applied),
            json!({"metadata": {"labels": {"a": "1", "b": "3"}}, "spec": {"matchingPrecedence": 1, "rules": [{"subjects": []}]}})
        );
    }

    #[test]
    fn null_replaces_a_leaf_but_not_a_map() {
        let live = json!({"metadata": {"name": "a", "labels": {"a": "1"}}});
        let applied = json!({"metadata": {"name": null, "labels": null}});
        assert_eq!(
            merged_object(&live, &applied),
            json!({"metadata": {"name": null, "labels": {"a": "1"}}})
        );
    }

    #[test]
    fn applied_items_keep_their_order_and_live_ones_their_places() {
        for (live, applied, expected) in [
            (&["a", "b"][..], &["c"][..], json!(["a", "b", "c"])),
            (&["a", "b", "c"], &["c", "a"], json!(["b", "c", "a"])),
            (&["a", "x", "b"], &["a", "n", "b"], json!(["a", "x", "n", "b"])),
            (&["a", "b"], &["b", "a"], json!(["b", "a"])),
            (&[], &["b", "a"], json!(["b", "a"])),
            (&["a", "a", "b"], &["b"], json!(["a", "a", "b"])),
            (&["a", "a"], &["a"], json!(["a"])),
            (&["a", "a", "x"], &["a", "n"], json!(["a", "n", "x"])),
        ] {
            assert_eq!(finalizers(live, applied), expected, "{live:?} {applied:?}");
        }
    }

    #[test]
    fn items_merge_by_key() {
        let status = |conditions: Value| json!({"status": {"conditions": conditions}});
        let live = status(json!([{"type": "A", "status": "x", "reason": "r"}]));
        let applied = status(json!([{"type": "A", "status": "y"}]));
        assert_eq!(
            merged_object(&live, &applied),
            status(json!([{"type": "A", "status": "y", "reason": "r"}]))
        );
    }
}
