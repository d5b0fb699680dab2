//! `TypeDef`: one table per type, read by everything that handles objects.

mod build;
mod described;
mod walk;

use std::sync::Arc;

use serde_json::Value;

pub use build::{FieldParts, literal};
pub use described::{Described, IntOrString, Json, Quantity};

/// Validation tags as they are written; `validation` understands and applies them.
pub mod tag {
    pub use validation_tags::{Argument, Literal, Payload, Tag};
}

use tag::Tag;

/// A struct type: its fields in encoding order and what clients are told about it.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// The type's own name, such as `FlowSchemaSpec`; decode errors name it.
    pub name: String,
    /// The name in OpenAPI documents, such as `io.k8s.api.flowcontrol.v1.FlowSchemaSpec`.
    pub openapi_name: String,
    /// What the type is, for OpenAPI and `kubectl explain`.
    pub description: String,
    /// The fields, in the order in which they are written.
    pub fields: Vec<Field>,
    /// `x-kubernetes-map-type: atomic`: owned and replaced as a whole by server-side apply.
    pub atomic: bool,
    /// Members that are not declared are kept as they came
    /// (`x-kubernetes-preserve-unknown-fields`).
    pub open: bool,
    /// `x-kubernetes-unions`.
    pub unions: Vec<Union>,
    /// The validation tags of the type itself.
    pub rules: Vec<Tag>,
}

/// A discriminated union of a type's fields (`x-kubernetes-unions`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Union {
    /// The JSON name of the discriminator.
    pub discriminator: String,
    /// JSON name of a member and the discriminator value that selects it.
    pub members: Vec<(String, String)>,
}

/// One field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The JSON name.
    pub name: String,
    /// What the field means, for OpenAPI and `kubectl explain`.
    pub description: String,
    /// What values it takes.
    pub shape: Shape,
    /// How an absent or zero value is treated.
    pub presence: Presence,
    /// The field number in the protobuf encoding; 0 for fields that have none.
    pub number: u32,
    /// Listed under `required` in OpenAPI.
    pub required: bool,
    /// The value that defaulting fills in where the field is absent (or zero, unless optional).
    pub default: Option<Value>,
    /// The value that OpenAPI documents as default; by rule the zero value of fields that are
    /// always written.
    pub openapi_default: Option<Value>,
    /// Server-side apply treats the map in it as one value (`x-kubernetes-map-type: atomic`).
    pub atomic: bool,
    /// The validation tags of the field.
    pub rules: Vec<Tag>,
    /// For text of a named type, what validation knows of that type.
    pub value_type: Option<ValueType>,
}

/// A named type of text, as validation knows it. Messages show its values as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueType {
    /// The validation tags of the type.
    pub rules: Vec<Tag>,
    /// The type's constants, which `enum` allows.
    pub constants: Vec<String>,
}

/// How an absent or zero value is treated when an object is brought into canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Absence means something: absent stays absent, an explicit zero stays.
    Optional,
    /// Absent and zero (or empty) are the same, and are not written.
    OmitZero,
    /// Absent and zero are the same, and the zero value is written.
    Always,
    /// Absent is written as `null`.
    Nullable,
}

/// What values a field, list item or map value takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Text; the listed values are the documented ones (OpenAPI `enum`), empty for free text.
    String(&'static [&'static str]),
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// A floating-point number.
    Double,
    /// Bytes, written as base64 text.
    Bytes,
    /// RFC 3339 with whole seconds, in UTC.
    Time,
    /// RFC 3339 with microseconds, in UTC.
    MicroTime,
    /// A `resource.Quantity` such as `100m`.
    Quantity,
    /// A number or text.
    IntOrString,
    /// Any JSON value, kept as it came; the name is the one in OpenAPI documents.
    Json(&'static str),
    /// A struct.
    Struct(TypeRef),
    /// A list.
    List(Box<List>),
    /// Text keys to values of one shape.
    Map(Box<Self>),
}

/// A list's items and how lists are merged.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// What an item is.
    pub item: Shape,
    /// How server-side apply treats it.
    pub list_type: ListType,
    /// Strategic merge patch merges instead of replacing; the merge key for lists of structs.
    pub patch_merge: Option<PatchMerge>,
}

/// `x-kubernetes-list-type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListType {
    /// Not declared; treated as atomic and not mentioned in OpenAPI.
    Unset,
    /// Owned and replaced as a whole.
    Atomic,
    /// Items are scalars, each owned by itself.
    Set,
    /// Items are structs, told apart by these JSON names.
    Map(Vec<String>),
}

/// `x-kubernetes-patch-strategy: merge`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchMerge {
    /// A list of scalars that is merged as a set.
    Primitives,
    /// A list of structs merged by this JSON name (`x-kubernetes-patch-merge-key`).
    ByKey(String),
}

/// A reference to a type, resolved at once or, for types that contain themselves, when walked.
#[derive(Clone)]
pub enum TypeRef {
    /// The type itself.
    Owned(Arc<TypeDef>),
    /// A built-in type, looked up when needed.
    Lazy(fn() -> &'static Arc<TypeDef>),
}

impl std::ops::Deref for TypeRef {
    type Target = TypeDef;

    fn deref(&self) -> &TypeDef {
        match self {
            Self::Owned(type_def) => type_def,
            Self::Lazy(resolve) => resolve(),
        }
    }
}

impl std::fmt::Debug for TypeRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TypeRef").field(&self.openapi_name).finish()
    }
}

impl PartialEq for TypeRef {
    fn eq(&self, other: &Self) -> bool {
        self.openapi_name == other.openapi_name
    }
}

impl TypeDef {
    /// The field of that JSON name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}
