//! An object's members, taken one by one; what nobody takes is an error, so that no part of a
//! case goes unheeded.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Why an object cannot be read.
pub(super) type Why = String;

/// The members not yet taken.
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    /// The members of an object.
    pub(super) fn of(value: Value) -> Result<Self, Why> {
        match value {
            Value::Object(members) => Ok(Self(members)),
            other => Err(format!("{other} is not an object")),
        }
    }

    /// A member as it stands.
    pub(super) fn raw(&mut self, name: &str) -> Option<Value> {
        self.0.shift_remove(name)
    }

    /// A member that may be missing or null.
    pub(super) fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Why> {
        match self.raw(name) {
            None => Ok(None),
            Some(value) => serde_json::from_value(value).map_err(|why| format!("{name}: {why}")),
        }
    }

    /// A member with a default.
    pub(super) fn or<T: DeserializeOwned>(&mut self, name: &str, default: T) -> Result<T, Why> {
        Ok(self.optional(name)?.unwrap_or(default))
    }

    /// A member that must be there.
    pub(super) fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Why> {
        self.optional(name)?.ok_or_else(|| format!("{name} is missing"))
    }

    /// An object's members in order, none when it is missing.
    pub(super) fn pairs<T: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> Result<Vec<(String, T)>, Why> {
        let members: Map<String, Value> = self.or(name, Map::new())?;
        let read = |(key, value)| match serde_json::from_value(value) {
            Ok(value) => Ok((key, value)),
            Err(why) => Err(format!("{name}.{key}: {why}")),
        };
        members.into_iter().map(read).collect()
    }

    /// Fails where something was not taken.
    pub(super) fn done(self) -> Result<(), Why> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => Err(format!("{name} means nothing here")),
        }
    }
}
