//! Which part of an object was which part of the object that it replaces.

use serde_json::Value;

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
