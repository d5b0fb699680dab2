//! Reading and changing objects in canonical JSON by member names. An absent member, `null` and a
//! value of another type all read as nothing, so that no object can make these functions fail.

use serde_json::{Map, Value};

static NOTHING: Value = Value::Null;

/// Members of JSON objects by name.
pub(crate) trait Members {
    /// The member, or `null`.
    fn member(&self, name: &str) -> &Value;
    /// The text of a member, or none of it.
    fn text(&self, name: &str) -> &str;
    /// The whole number of a member.
    fn int(&self, name: &str) -> Option<i64>;
    /// Whether a member is `true`.
    fn flag(&self, name: &str) -> bool;
    /// The items of a list; none if it is absent.
    fn items(&self, name: &str) -> &[Value];
    /// The entries of a map; none if it is absent.
    fn entries(&self, name: &str) -> impl Iterator<Item = (&String, &Value)>;
    /// Whether the member is there at all, be it empty.
    fn has(&self, name: &str) -> bool;
    /// Whether the member is absent, empty text, an empty list or an empty map.
    fn is_blank(&self, name: &str) -> bool;
    /// Sets a member.
    fn set(&mut self, name: &str, value: impl Into<Value>);
    /// Sets a member that is absent or empty text.
    fn set_default(&mut self, name: &str, value: impl Into<Value>);
    /// Takes a member away and gives it back.
    fn take_member(&mut self, name: &str) -> Option<Value>;
    /// The member, as an empty object if it was absent.
    fn ensure(&mut self, name: &str) -> &mut Value;
    /// The member, if it is there.
    fn present_mut(&mut self, name: &str) -> Option<&mut Value>;
    /// The items of a list.
    fn items_mut(&mut self, name: &str) -> std::slice::IterMut<'_, Value>;
    /// Adds the entries of another map whose keys are not there yet, and sorts the map.
    fn add_missing(&mut self, name: &str, others: &Value);
    /// Adds an item to a list, which is made if it is absent.
    fn push_item(&mut self, name: &str, item: Value);
}

impl Members for Value {
    fn member(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NOTHING)
    }

    fn text(&self, name: &str) -> &str {
        self.member(name).as_str().unwrap_or_default()
    }

    fn int(&self, name: &str) -> Option<i64> {
        self.member(name).as_i64()
    }

    fn flag(&self, name: &str) -> bool {
        self.member(name) == &Self::Bool(true)
    }

    fn items(&self, name: &str) -> &[Value] {
        self.member(name).as_array().map(Vec::as_slice).unwrap_or_default()
    }

    fn entries(&self, name: &str) -> impl Iterator<Item = (&String, &Self)> {
        self.member(name).as_object().into_iter().flat_map(Map::iter)
    }

    fn has(&self, name: &str) -> bool {
        !self.member(name).is_null()
    }

    fn is_blank(&self, name: &str) -> bool {
        match self.member(name) {
            Self::Null => true,
            Self::String(text) => text.is_empty(),
            Self::Array(items) => items.is_empty(),
            Self::Object(members) => members.is_empty(),
            Self::Bool(_) | Self::Number(_) => false,
        }
    }

    fn set(&mut self, name: &str, value: impl Into<Self>) {
        if let Self::Object(members) = self {
            members.insert(name.to_owned(), value.into());
        }
    }

    fn set_default(&mut self, name: &str, value: impl Into<Self>) {
        let absent = match self.member(name) {
            Self::Null => true,
            Self::String(text) => text.is_empty(),
            _ => false,
        };
        if absent {
            self.set(name, value);
        }
    }

    fn take_member(&mut self, name: &str) -> Option<Value> {
        self.as_object_mut()?.shift_remove(name)
    }

    fn ensure(&mut self, name: &str) -> &mut Value {
        if !self.is_object() {
            *self = Self::Object(Map::new());
        }
        let member = &mut self[name];
        if member.is_null() {
            *member = Self::Object(Map::new());
        }
        member
    }

    fn present_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.get_mut(name).filter(|member| !member.is_null())
    }

    fn items_mut(&mut self, name: &str) -> std::slice::IterMut<'_, Value> {
        match self.get_mut(name) {
            Some(Self::Array(items)) => items.iter_mut(),
            _ => [].iter_mut(),
        }
    }

    fn add_missing(&mut self, name: &str, others: &Value) {
        let Some(others) = others.as_object().filter(|others| !others.is_empty()) else { return };
        let Self::Object(members) = self.ensure(name) else { return };
        for (key, value) in others {
            if !members.contains_key(key) {
                members.insert(key.clone(), value.clone());
            }
        }
        members.sort_keys();
    }

    fn push_item(&mut self, name: &str, item: Value) {
        match self.get_mut(name) {
            Some(Self::Array(items)) => items.push(item),
            _ => self.set(name, vec![item]),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_there_reads_as_nothing() {
        for value in [json!(null), json!({}), json!({"a": null}), json!([1]), json!("a")] {
            assert!(value.member("a").is_null() && value.is_blank("a") && !value.has("a"));
            assert_eq!((value.text("a"), value.int("a"), value.flag("a")), ("", None, false));
            assert!(value.items("a").is_empty() && value.entries("a").next().is_none());
        }
    }

    #[test]
    fn defaults_take_the_place_of_nothing_and_of_empty_text_only() {
        let mut value = json!({"empty": "", "null": null, "zero": 0, "set": "x"});
        for name in ["empty", "null", "zero", "set", "new"] {
            value.set_default(name, "d");
        }
        let expected = json!({"empty": "d", "null": "d", "zero": 0, "set": "x", "new": "d"});
        assert_eq!(value, expected);
    }

    #[test]
    fn maps_are_completed_in_order() {
        let mut value = json!({"m": {"b": 1}});
        value.add_missing("m", &json!({"b": 2, "a": 3}));
        assert_eq!(value.to_string(), r#"{"m":{"a":3,"b":1}}"#);
    }
}
