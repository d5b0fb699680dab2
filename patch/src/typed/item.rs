//! How items of sets and list maps are told apart.

use api::schema::{ListType, Shape};
use serde_json::{Map, Value};

use super::node::Node;
use crate::fieldset::{Literal, PathElement};

/// An item that cannot be told apart from others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ItemError {
    #[error("invalid indexing of non-associative list")]
    NotAssociative,
    #[error("associative list with keys may not have a null element")]
    NullWithKeys,
    #[error("associative list with keys may not have non-map elements")]
    NotAMap,
    #[error(
        "associative list with keys has an element that omits key field {0:?} (and doesn't have \
         default value)"
    )]
    MissingKey(String),
    #[error("associative list without keys has an element that's a map type")]
    Map,
    #[error("not supported: associative list without keys has an element that's a list type")]
    List,
    #[error("associative list without keys has an element that's an explicit null")]
    Null,
}

/// The step to an item of a set or list map.
pub(super) fn path_element(node: Node<'_>, item: &Value) -> Result<PathElement, ItemError> {
    let Node::List(list) = node else { return Err(ItemError::NotAssociative) };
    match &list.list_type {
        ListType::Unset | ListType::Atomic => Err(ItemError::NotAssociative),
        ListType::Set => match item {
            Value::Object(_) => Err(ItemError::Map),
            Value::Array(_) => Err(ItemError::List),
            Value::Null => Err(ItemError::Null),
            scalar => Ok(PathElement::Value(Literal(scalar.clone()))),
        },
        ListType::Map(keys) => match item {
            Value::Object(members) => key_fields(&list.item, keys, members),
            Value::Null => Err(ItemError::NullWithKeys),
            _ => Err(ItemError::NotAMap),
        },
    }
}

fn key_fields(
    shape: &Shape,
    keys: &[String],
    members: &Map<String, Value>,
) -> Result<PathElement, ItemError> {
    let mut fields = Vec::with_capacity(keys.len());
    for key in keys {
        let value = members
            .get(key)
            .or_else(|| default(shape, key))
            .ok_or_else(|| ItemError::MissingKey(key.clone()))?;
        fields.push((key.clone(), Literal(value.clone())));
    }
    fields.sort();
    Ok(PathElement::Key(fields))
}

/// What the schema documents as the value of a key that is left out.
fn default<'s>(shape: &'s Shape, key: &str) -> Option<&'s Value> {
    let Shape::Struct(type_def) = shape else { return None };
    let field = type_def.field(key)?;
    field.default.as_ref().or(field.openapi_default.as_ref())
}
