//! The schema at one place of an object, as far as ownership of fields cares.

use api::schema::{Field, List, ListType, Shape, TypeDef};
use serde_json::{Map, Value};

/// Objects of any kind, in objects of other kinds.
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/// What is declared for a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Node<'s> {
    Struct(&'s TypeDef),
    Map(&'s Shape),
    /// A map that is owned as a whole.
    AtomicMap(&'s Shape),
    List(&'s List),
    Scalar(Scalar),
    /// Anything; what it is depends on the value.
    Untyped,
    UntypedMap,
    UntypedList,
    /// An object of a type that is not known here, owned as a whole.
    Opaque,
}

/// What a scalar may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Text,
    Number,
    Boolean,
    Any,
}

/// The three ways in which values are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Scalar,
    List,
    Map,
}

impl<'s> Node<'s> {
    pub(super) fn of(shape: &'s Shape) -> Self {
        match shape {
            Shape::String(_) | Shape::Bytes => Self::Scalar(Scalar::Text),
            Shape::Bool => Self::Scalar(Scalar::Boolean),
            Shape::Int32 | Shape::Int64 | Shape::Double => Self::Scalar(Scalar::Number),
            Shape::Time | Shape::MicroTime | Shape::Quantity | Shape::IntOrString => {
                Self::Scalar(Scalar::Any)
            }
            Shape::Json(RAW_EXTENSION) => Self::Opaque,
            Shape::Json(_) => Self::Untyped,
            Shape::Struct(type_def) => Self::Struct(type_def),
            Shape::List(list) => Self::List(list),
            Shape::Map(shape) => Self::Map(shape),
        }
    }

    fn of_field(field: &'s Field) -> Self {
        match (&field.shape, field.atomic) {
            (Shape::Map(shape), true) => Self::AtomicMap(shape),
            (shape, _) => Self::of(shape),
        }
    }

    /// The same, but for an untyped value what the value is; `null` stands for a map.
    pub(super) fn resolved(self, value: &Value) -> Self {
        match (self, value) {
            (Self::Untyped, Value::Array(_)) => Self::UntypedList,
            (Self::Untyped, Value::Object(_) | Value::Null) => Self::UntypedMap,
            (Self::Untyped, _) => Self::Scalar(Scalar::Any),
            _ => self,
        }
    }

    pub(super) fn form(self) -> Form {
        match self {
            Self::Struct(_)
            | Self::Map(_)
            | Self::AtomicMap(_)
            | Self::Untyped
            | Self::UntypedMap
            | Self::Opaque => Form::Map,
            Self::List(_) | Self::UntypedList => Form::List,
            Self::Scalar(_) => Form::Scalar,
        }
    }

    /// Whether the value is owned as a whole.
    pub(super) fn is_atomic(self) -> bool {
        match self {
            Self::Struct(type_def) => type_def.atomic,
            Self::List(list) => matches!(list.list_type, ListType::Unset | ListType::Atomic),
            Self::AtomicMap(_) | Self::Opaque | Self::UntypedList | Self::Scalar(_) => true,
            Self::Map(_) | Self::Untyped | Self::UntypedMap => false,
        }
    }

    /// The declared field of that name, in structs.
    pub(super) fn named_field(self, name: &str) -> Option<&'s Field> {
        match self {
            Self::Struct(type_def) => type_def.field(name),
            _ => None,
        }
    }

    /// What is declared for a member; `None` if no such member may be.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        match self {
            Self::Struct(type_def) => match type_def.field(name) {
                Some(field) => Some(Self::of_field(field)),
                None => type_def.open.then_some(Self::Untyped),
            },
            Self::Map(shape) | Self::AtomicMap(shape) => Some(Self::of(shape)),
            Self::Untyped | Self::UntypedMap | Self::Opaque => Some(Self::Untyped),
            Self::List(_) | Self::UntypedList | Self::Scalar(_) => None,
        }
    }

    /// What is declared for the items of a list.
    pub(super) fn item(self) -> Self {
        match self {
            Self::List(list) => Self::of(&list.item),
            _ => Self::Untyped,
        }
    }

    /// What is declared for a member, or anything if nothing is: for values that have not been
    /// checked.
    pub(super) fn member_or_untyped(self, name: &str) -> Self {
        self.member(name).unwrap_or(Self::Untyped)
    }
}

/// The items of a list; none for everything else.
pub(super) fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The members of an object; `None` for everything else and for an empty one.
pub(super) fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object).filter(|members| !members.is_empty())
}
