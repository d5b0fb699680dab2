//! Objects in canonical form, read where they are. Handwritten rules see them through views that
//! borrow: copying an object into Rust types would cost more than all its rules.

use serde::Serialize;
use serde_json::{Map, Value};

/// What stands in the place of what is absent.
pub(crate) static NULL: Value = Value::Null;

/// Declares a variable for each of some members of an object; `null` where there is none. All are
/// found in one pass: structs have few members, and comparing with names that are known at compile
/// time is faster than a hash.
macro_rules! members {
    ($object:expr => $($variable:ident: $name:literal),+ $(,)?) => {
        $(let mut $variable = &$crate::view::NULL;)+
        if let ::serde_json::Value::Object(members) = $object {
            for (name, value) in members {
                match name.as_str() {
                    $($name => $variable = value,)+
                    _ => {}
                }
            }
        }
    };
}

pub(crate) use members;

/// So many names are faster compared than hashed.
const FEW: usize = 16;

/// A member by its name; `null` if there is none.
pub(crate) fn member<'a>(object: &'a Value, name: &str) -> &'a Value {
    let Value::Object(members) = object else { return &NULL };
    let found = match members.len() {
        ..=FEW => members.iter().find(|(key, _)| *key == name).map(|(_, value)| value),
        _ => members.get(name),
    };
    found.unwrap_or(&NULL)
}

/// Text; empty where there is none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A whole number of 32 bits; 0 where there is none.
pub(crate) fn int32(value: &Value) -> i32 {
    value.as_i64().and_then(|number| i32::try_from(number).ok()).unwrap_or_default()
}

/// The items of a list; none where there is no list.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What may be absent and means something if it is.
pub(crate) fn optional(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

/// A list of texts. Messages show it as JSON.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(transparent)]
pub(crate) struct Texts<'a>(&'a [Value]);

impl<'a> Texts<'a> {
    pub(crate) fn of(value: &'a Value) -> Self {
        Self(items(value))
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(text)
    }

    pub(crate) fn len(self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(self, wanted: &str) -> bool {
        self.iter().any(|text| text == wanted)
    }
}

/// A map of texts, in the order of its keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextMap<'a>(Option<&'a Map<String, Value>>);

impl<'a> TextMap<'a> {
    pub(crate) fn of(value: &'a Value) -> Self {
        Self(value.as_object())
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.into_iter().flatten().map(|(key, value)| (key.as_str(), text(value)))
    }

    pub(crate) fn contains_key(self, key: &str) -> bool {
        self.0.is_some_and(|map| map.contains_key(key))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_found_wherever_they_stand() {
        let object = json!({"c": 1, "x": 2, "a": "b"});
        members!(&object => a: "a", b: "b", c: "c");
        assert_eq!([a, b, c], [&json!("b"), &Value::Null, &json!(1)]);
        members!(&NULL => d: "d");
        assert!(d.is_null());
    }

    #[test]
    fn what_is_absent_is_empty() {
        let absent = member(&Value::Null, "a");
        assert!(optional(absent).is_none());
        assert_eq!((text(absent), int32(absent), items(absent).len()), ("", 0, 0));
        assert!(Texts::of(absent).is_empty());
        assert_eq!(TextMap::of(absent).iter().count(), 0);
    }

    #[test]
    fn texts_are_shown_as_a_list() {
        let list = json!(["a", "<"]);
        assert_eq!(crate::text::json(&Texts::of(&list)), "[\"a\",\"\\u003c\"]");
    }
}
