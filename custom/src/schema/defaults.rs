//! Filling in what was left out (spec: apimachinery 9.3).

use serde_json::{Map, Value};

use super::node::Node;

/// Drops `null` where it is not allowed and nothing stands in for it, then fills in defaults.
pub(super) fn apply(node: &Node, value: &mut Value) {
    drop_nulls(Some(node), value);
    fill(node, value);
}

fn drop_nulls(node: Option<&Node>, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let must_go = |name: &str, member: &Value| {
                let node = node.and_then(|node| node.member(name));
                member.is_null()
                    && node.is_some_and(|node| !node.nullable && node.default.is_none())
            };
            members.retain(|name, member| !must_go(name, member));
            for (name, member) in members.iter_mut() {
                drop_nulls(node.and_then(|node| node.member(name)), member);
            }
        }
        Value::Array(items) => {
            for item in items {
                drop_nulls(node.and_then(|node| node.items.as_deref()), item);
            }
        }
        _ => {}
    }
}

fn fill(node: &Node, value: &mut Value) {
    match value {
        Value::Object(members) => fill_members(node, members),
        Value::Array(items) => {
            let Some(node) = &node.items else { return };
            for item in items {
                replace_null(node, item);
                fill(node, item);
            }
        }
        _ => {}
    }
}

fn fill_members(node: &Node, members: &mut Map<String, Value>) {
    for (name, property) in &node.properties {
        let Some(default) = &property.default else { continue };
        let stands_open = match members.get(name) {
            None => true,
            Some(value) => value.is_null() && !property.nullable,
        };
        if stands_open {
            members.insert(name.clone(), default.clone());
        }
    }
    for (name, member) in members.iter_mut() {
        let Some(schema) = node.member(name) else { continue };
        if !node.is_declared(name) {
            replace_null(schema, member);
        }
        fill(schema, member);
    }
}

fn replace_null(node: &Node, value: &mut Value) {
    if let (true, false, Some(default)) = (value.is_null(), node.nullable, &node.default) {
        *value = default.clone();
    }
}
