//! What `#[derive(Schema)]` calls to put a field together.

use serde_json::Value;

use super::tag::Tag;
use super::{Field, ListType, PatchMerge, Presence, Shape, ValueType};

/// The parts of a [`Field`] that are declared; the rest follows from them.
#[derive(Debug)]
pub struct FieldParts {
    /// See [`Field::name`].
    pub name: &'static str,
    /// See [`Field::description`].
    pub description: &'static str,
    /// See [`Field::shape`].
    pub shape: Shape,
    /// See [`Field::presence`].
    pub presence: Presence,
    /// See [`Field::number`].
    pub number: u32,
    /// See [`Field::required`].
    pub required: bool,
    /// See [`Field::default`].
    pub default: Option<Value>,
}

impl Field {
    /// A field from its declared parts.
    #[must_use]
    pub fn described(parts: FieldParts) -> Self {
        let FieldParts { name, description, shape, presence, number, required, default } = parts;
        let openapi_default =
            if presence == Presence::Always { shape.openapi_zero() } else { None };
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            shape,
            presence,
            number,
            required,
            default,
            openapi_default,
            atomic: false,
            rules: Vec::new(),
            value_type: None,
        }
    }

    /// The same field with validation tags.
    #[must_use]
    pub fn with_rules(mut self, rules: Vec<Tag>, value_type: Option<ValueType>) -> Self {
        self.rules = rules;
        self.value_type = value_type;
        self
    }
}

impl Shape {
    /// The same list with a declared list type; other shapes stay as they are.
    #[must_use]
    pub fn with_list_type(mut self, list_type: ListType) -> Self {
        if let Self::List(list) = &mut self {
            list.list_type = list_type;
        }
        self
    }

    /// The same list with a declared patch strategy; other shapes stay as they are.
    #[must_use]
    pub fn with_patch_merge(mut self, patch_merge: PatchMerge) -> Self {
        if let Self::List(list) = &mut self {
            list.patch_merge = Some(patch_merge);
        }
        self
    }
}

/// A literal of an attribute as a JSON value.
pub fn literal(value: impl Into<Value>) -> Value {
    value.into()
}
