//! A parsed document in which nothing is lost: duplicate keys and their order are kept.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

/// A parsed document.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    String(String),
    /// A list.
    List(Vec<Self>),
    /// Members in document order, duplicates included.
    Object(Vec<(String, Self)>),
}

/// The text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(String);

/// Parses JSON text. Nesting deeper than 128 levels is an error.
///
/// # Errors
///
/// [`SyntaxError`], in the words of the parser, but for text that ends too early, which reads as
/// the reference's `unexpected end of JSON input`.
pub fn parse_json(text: &[u8]) -> Result<Tree, SyntaxError> {
    serde_json::from_slice(text).map_err(|error| {
        SyntaxError(if error.is_eof() {
            "unexpected end of JSON input".to_owned()
        } else {
            error.to_string()
        })
    })
}

impl Tree {
    /// The kind of value, in the words of decode errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The last member of that name, as text.
    #[must_use]
    pub fn text_member(&self, name: &str) -> Option<&str> {
        match self.member(name)? {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The last member of that name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().rev().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    /// The same as a value; of duplicates the last one wins.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(number) => Value::Number(number),
            Self::String(text) => Value::String(text),
            Self::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Self::Object(members) => Value::Object(
                members.into_iter().map(|(name, value)| (name, value.into_value())).collect(),
            ),
        }
    }
}

impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(members) => Self::Object(
                members.into_iter().map(|(name, value)| (name, Self::from(value))).collect(),
            ),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> DeserializeSeed<'de> for TreeVisitor {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Number::from_f64(value).map_or(Tree::Null, Tree::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree, E> {
        Ok(Tree::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
        let mut object = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            object.push((name, members.next_value_seed(Self)?));
        }
        Ok(Tree::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_members_are_kept_in_document_order() {
        let tree = parse_json(br#"{"b":1,"a":2,"b":3}"#).unwrap();
        let Tree::Object(members) = &tree else { panic!("not an object") };
        let names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "a", "b"]);
    }

    #[test]
    fn of_duplicate_members_the_last_one_wins() {
        let tree = parse_json(br#"{"b":1,"b":3}"#).unwrap();
        assert_eq!(tree.into_value(), serde_json::json!({"b": 3}));
    }

    #[test]
    fn text_that_ends_too_early_says_so() {
        let error = parse_json(br#"{"a":"#).unwrap_err();
        assert_eq!(error.to_string(), "unexpected end of JSON input");
    }

    #[test]
    fn a_thousand_levels_are_refused_and_do_not_overflow_the_stack() {
        let text = "[".repeat(1000) + &"]".repeat(1000);
        assert!(parse_json(text.as_bytes()).is_err());
    }
}
