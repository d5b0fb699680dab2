//! From Rust types to shapes: what `#[derive(Schema)]` builds on.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{List, ListType, Presence, Shape, TypeDef, TypeRef};
use crate::time::{MicroTime, Timestamp};

/// A Rust type that stands for a wire type.
pub trait Described {
    /// The shape of a value of this type.
    fn shape() -> Shape;

    /// How a field of this type is treated when it is absent, unless its attributes say otherwise.
    fn presence() -> Presence {
        Presence::Always
    }

    /// The table of a struct type; `None` for everything else.
    fn type_def() -> Option<&'static Arc<TypeDef>> {
        None
    }
}

/// Any JSON value, kept as it came.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(pub Value);

/// A `resource.Quantity`, kept as text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quantity(pub String);

/// A number or text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum IntOrString {
    /// A number.
    Int(i32),
    /// Text.
    String(String),
}

macro_rules! scalars {
    ($($type:ty => $shape:expr),* $(,)?) => {$(
        impl Described for $type {
            fn shape() -> Shape {
                $shape
            }
        }
    )*};
}

scalars! {
    String => Shape::String(&[]),
    bool => Shape::Bool,
    i32 => Shape::Int32,
    i64 => Shape::Int64,
    f64 => Shape::Double,
    Quantity => Shape::Quantity,
    IntOrString => Shape::IntOrString,
    Timestamp => Shape::Time,
    MicroTime => Shape::MicroTime,
    Json => Shape::Json("io.k8s.apimachinery.pkg.runtime.RawExtension"),
}

impl<T: Described> Described for Option<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn presence() -> Presence {
        Presence::Optional
    }

    fn type_def() -> Option<&'static Arc<TypeDef>> {
        T::type_def()
    }
}

impl<T: Described> Described for Vec<T> {
    fn shape() -> Shape {
        let list = List { item: T::shape(), list_type: ListType::Unset, patch_merge: None };
        Shape::List(Box::new(list))
    }

    fn presence() -> Presence {
        Presence::OmitZero
    }
}

impl<T: Described> Described for BTreeMap<String, T> {
    fn shape() -> Shape {
        Shape::Map(Box::new(T::shape()))
    }

    fn presence() -> Presence {
        Presence::OmitZero
    }
}

impl Shape {
    /// The zero value, written where a field of this shape is always present.
    #[must_use]
    pub fn zero(&self) -> Value {
        match self {
            Self::String(_) | Self::Bytes | Self::Quantity => Value::from(""),
            Self::Bool => Value::from(false),
            Self::Int32 | Self::Int64 | Self::Double | Self::IntOrString => Value::from(0),
            Self::Time | Self::MicroTime | Self::Json(_) | Self::List(_) | Self::Map(_) => {
                Value::Null
            }
            Self::Struct(type_def) => type_def.zero(),
        }
    }

    /// What OpenAPI shows as the default of a field that is always written.
    #[must_use]
    pub fn openapi_zero(&self) -> Option<Value> {
        match self {
            Self::String(_) | Self::Bool | Self::Int32 | Self::Int64 | Self::Double => {
                Some(self.zero())
            }
            Self::Struct(_) => Some(Value::Object(serde_json::Map::new())),
            Self::Bytes
            | Self::Time
            | Self::MicroTime
            | Self::Quantity
            | Self::IntOrString
            | Self::Json(_)
            | Self::List(_)
            | Self::Map(_) => None,
        }
    }
}

impl TypeRef {
    /// A reference to a built-in type.
    #[must_use]
    pub fn of<T: Described>() -> Option<Self> {
        T::type_def().map(|type_def| Self::Owned(Arc::clone(type_def)))
    }
}
