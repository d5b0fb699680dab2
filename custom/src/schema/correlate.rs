//! Which part of an object was which part of the object that it replaces.

use serde_json::Value;

use super::node::{ListKind, Node};
use crate::value::equal;

/// The value that a value replaces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Old<'v> {
    Known(&'v Value),
    /// There is none, or it cannot be told which.
    Unknown,
}

impl<'v> Old<'v> {
    pub(crate) fn value(self) -> Option<&'v Value> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown => None,
        }
    }

    /// What a member was.
    pub(crate) fn member(self, name: &str) -> Self {
        match self {
            Self::Known(value) => value.get(name).map_or(Self::Unknown, Self::Known),
            Self::Unknown => Self::Unknown,
        }
    }

    /// What an item was. Only items of list maps can be told apart, by their keys.
    pub(crate) fn item(self, item: &Value, keys: Option<&[String]>) -> Self {
        let (Self::Known(Value::Array(items)), Some(keys)) = (self, keys) else {
            return Self::Unknown;
        };
        let same_key = |old: &&Value| {
            keys.iter().all(|key| match (old.get(key), item.get(key)) {
                (Some(old), Some(new)) => equal(old, new),
                (None, None) => true,
                _ => false,
            })
        };
        items.iter().find(same_key).map_or(Self::Unknown, Self::Known)
    }
}

/// Whether a value is what it was. In objects the reference only compares what the schema knows: one in
/// which there is anything else counts as changed.
pub(crate) fn is_unchanged(node: &Node, value: &Value, old: &Value) -> bool {
    match (value, old) {
        (Value::Array(items), Value::Array(before)) => {
            let (ListKind::Map(keys), Some(schema)) = (&node.list, &node.items) else {
                return equal(value, old);
            };
            items.len() == before.len()
                && items.iter().all(|item| {
                    let before = Old::Known(old).item(item, Some(keys)).value();
                    before.is_some_and(|before| is_unchanged(schema, item, before))
                })
        }
        (Value::Object(members), Value::Object(before)) => {
            members.len() == before.len()
                && members.iter().all(|(name, member)| {
                    let schema = node.properties.get(name).or_else(|| node.additional_schema());
                    schema
                        .zip(before.get(name))
                        .is_some_and(|(schema, before)| is_unchanged(schema, member, before))
                })
        }
        _ => equal(value, old),
    }
}
