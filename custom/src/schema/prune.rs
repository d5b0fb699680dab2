//! Taking away what the schema does not know (spec: apimachinery 9.3).

use api::meta::ObjectMeta;
use api::schema::Described;
use serde_json::{Map, Value};

use super::node::{Additional, Node};

/// What every object has, whatever its schema says.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Prunes an object of its own, or a value that only has its schema.
pub(crate) fn prune(node: &Node, value: &mut Value, is_object: bool) -> Vec<String> {
    let mut pruner = Pruner { path: String::new(), pruned: Vec::new() };
    pruner.value(Some(node), value, Scope { keeps: false, is_object, is_root: true });
    pruner.pruned.sort();
    pruner.pruned
}

#[derive(Clone, Copy)]
struct Scope {
    /// What is not declared is kept.
    keeps: bool,
    /// The value is an object with metadata.
    is_object: bool,
    /// It is the one that was asked for; others look after its metadata.
    is_root: bool,
}

struct Pruner {
    path: String,
    pruned: Vec<String>,
}

impl Pruner {
    fn value(&mut self, node: Option<&Node>, value: &mut Value, scope: Scope) {
        let keeps = scope.keeps || node.is_some_and(|node| node.preserves_unknown);
        let scope = Scope { keeps, ..scope };
        match value {
            Value::Object(members) => self.members(node, members, scope),
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let length = self.path.len();
                    self.path.push_str(&format!("[{index}]"));
                    self.below(node.and_then(|node| node.items.as_deref()), item, keeps);
                    self.path.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// A list passes on to its items that they keep what is not declared; a map does not.
    fn below(&mut self, node: Option<&Node>, value: &mut Value, keeps: bool) {
        if node.is_none() && keeps {
            return;
        }
        let is_object = node.is_some_and(|node| node.embedded);
        self.value(node, value, Scope { keeps, is_object, is_root: false });
    }

    fn members(&mut self, node: Option<&Node>, members: &mut Map<String, Value>, scope: Scope) {
        let mut unknown = Vec::new();
        for (name, value) in members.iter_mut() {
            if scope.is_object && META.contains(&name.as_str()) {
                if name == "metadata" && !scope.is_root {
                    self.metadata(value);
                }
                continue;
            }
            let length = self.path.len();
            self.step(name);
            match (
                node.and_then(|node| node.properties.get(name)),
                node.and_then(|node| node.additional.as_ref()),
            ) {
                (Some(declared), _) => self.below(Some(declared), value, false),
                (None, Some(Additional::Schema(schema))) => self.below(Some(schema), value, false),
                (None, Some(Additional::Allowed(_))) => self.below(None, value, false),
                (None, None) if scope.keeps => {}
                (None, None) => {
                    unknown.push(name.clone());
                    self.pruned.push(self.path.clone());
                }
            }
            self.path.truncate(length);
        }
        for name in unknown {
            members.shift_remove(&name);
        }
    }

    /// The metadata of an embedded object.
    fn metadata(&mut self, metadata: &mut Value) {
        let (Value::Object(members), Some(known)) = (metadata, ObjectMeta::type_def()) else {
            return;
        };
        let unknown: Vec<String> =
            members.keys().filter(|name| known.field(name).is_none()).cloned().collect();
        for name in unknown {
            let length = self.path.len();
            self.step("metadata");
            self.step(&name);
            self.pruned.push(self.path.clone());
            self.path.truncate(length);
            members.shift_remove(&name);
        }
    }

    fn step(&mut self, name: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }
}
