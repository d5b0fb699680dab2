//! Values as rules see them: typed views of JSON in which what is absent has its zero value.

use serde_json::{Map, Value};
use validation_tags::model::{Kind, Model, Type};
use validation_tags::{Literal, Rule};

use crate::field::Shown;
use crate::view::member;

/// A value that is not nil; inside, the JSON, or nothing where it is left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a>(Option<&'a Value>);

/// A value, or nil.
pub(super) type Slot<'a> = Option<Given<'a>>;

impl<'a> Given<'a> {
    /// What an absent value is.
    pub(super) const NOTHING: Self = Self(None);

    pub(super) fn new(value: &'a Value) -> Self {
        Self(Some(value).filter(|value| !value.is_null()))
    }

    pub(super) fn text(self) -> &'a str {
        self.0.and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn flag(self) -> bool {
        self.0.and_then(Value::as_bool).unwrap_or_default()
    }

    pub(super) fn int(self) -> i128 {
        let number = self.0.and_then(Value::as_number);
        number.and_then(serde_json::Number::as_i128).unwrap_or_default()
    }

    fn float(self) -> f64 {
        self.0.and_then(Value::as_f64).unwrap_or_default()
    }

    pub(super) fn items(self) -> &'a [Value] {
        self.0.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(super) fn entries(self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.0.and_then(Value::as_object).into_iter().flatten()
    }

    pub(super) fn entry(self, key: &str) -> Option<&'a Value> {
        self.0.and_then(|value| value.get(key))
    }

    pub(super) fn len(self) -> usize {
        match self.0 {
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(entries)) => entries.len(),
            _ => 0,
        }
    }
}

/// What a model says about values.
#[derive(Clone, Copy)]
pub(super) struct Values<'a>(pub(super) &'a Model<Rule>);

impl<'a> Values<'a> {
    /// A member of a struct, list or map; nil only if its type can be nil.
    pub(super) fn member<'v>(self, member_type: &Type, value: Option<&'v Value>) -> Slot<'v> {
        let given = Given(value.filter(|value| !value.is_null()));
        match (self.0.kind(member_type), given.0) {
            (Kind::Pointer(_), None) => None,
            _ => Some(given),
        }
    }

    /// A field of a struct that may itself be nil.
    pub(super) fn field<'v>(self, field_type: &Type, owner: Slot<'v>, name: &str) -> Slot<'v> {
        self.member(field_type, owner?.0.map(|object| member(object, name)))
    }

    /// Whether a value counts as set (spec: validation 12.5).
    pub(super) fn is_set(self, value_type: &Type, slot: Slot<'_>) -> bool {
        let Some(given) = slot else { return false };
        match self.0.kind(value_type) {
            Kind::Pointer(_) | Kind::Struct(_) => true,
            Kind::List(_) | Kind::Map(..) => given.len() > 0,
            Kind::String => !given.text().is_empty(),
            Kind::Bool => given.flag(),
            Kind::Int(_) => given.int() != 0,
            Kind::Float => given.float() != 0.0,
            Kind::Opaque | Kind::Unknown => given.0.is_some(),
        }
    }

    /// Whether two values mean the same (spec: validation 12.4).
    pub(super) fn equal(self, value_type: &Type, a: Slot<'_>, b: Slot<'_>) -> bool {
        let (a, b) = match (a, b) {
            (None, None) => return true,
            (Some(a), Some(b)) => (a, b),
            _ => return false,
        };
        match self.0.kind(value_type) {
            Kind::Pointer(target) => self.equal(target, Some(a), Some(b)),
            Kind::String => a.text() == b.text(),
            Kind::Bool => a.flag() == b.flag(),
            Kind::Int(_) => a.int() == b.int(),
            Kind::Float => a.float().to_bits() == b.float().to_bits(),
            Kind::Opaque | Kind::Unknown => a.0 == b.0,
            Kind::Struct(fields) => fields.iter().all(|field| {
                let of = |owner| self.field(&field.value_type, Some(owner), &field.name);
                self.equal(&field.value_type, of(a), of(b))
            }),
            Kind::List(item) => {
                let same = |(a, b)| {
                    let of = |value| self.member(item, Some(value));
                    self.equal(item, of(a), of(b))
                };
                a.len() == b.len() && a.items().iter().zip(b.items()).all(same)
            }
            Kind::Map(_, value) => {
                let same = |(key, entry): (&String, &Value)| {
                    b.entry(key).is_some_and(|other| {
                        let of = |entry| self.member(value, Some(entry));
                        self.equal(value, of(entry), of(other))
                    })
                };
                a.len() == b.len() && a.entries().all(same)
            }
        }
    }

    /// A value as JSON with every field that is written.
    pub(super) fn json(self, value_type: &Type, slot: Slot<'_>) -> Value {
        let Some(given) = slot else { return Value::Null };
        match self.0.kind(value_type) {
            Kind::Pointer(target) => self.json(target, slot),
            Kind::String => given.text().into(),
            Kind::Bool => given.flag().into(),
            Kind::Int(_) | Kind::Float => given.0.cloned().unwrap_or_else(|| 0.into()),
            Kind::Opaque | Kind::Unknown => given.0.cloned().unwrap_or_default(),
            Kind::Struct(fields) => {
                let mut object = Map::new();
                for field in fields {
                    let slot = self.field(&field.value_type, slot, &field.name);
                    let unset = field.omitted_when_unset && !self.is_set(&field.value_type, slot);
                    if !unset {
                        object.insert(field.name.clone(), self.json(&field.value_type, slot));
                    }
                }
                Value::Object(object)
            }
            Kind::List(_) if given.0.is_none() => Value::Null,
            Kind::List(item) => {
                let json = |value| self.json(item, self.member(item, Some(value)));
                given.items().iter().map(json).collect()
            }
            Kind::Map(..) if given.0.is_none() => Value::Null,
            Kind::Map(_, value) => {
                let json = |(key, entry): (&String, &Value)| {
                    (key.clone(), self.json(value, self.member(value, Some(entry))))
                };
                Value::Object(given.entries().map(json).collect())
            }
        }
    }

    /// A value as messages show it (spec: validation 1.3): text of a named type as JSON, other
    /// text quoted.
    pub(super) fn shown(self, value_type: &Type, slot: Slot<'_>) -> Shown {
        let target = match value_type {
            Type::Pointer(target) => target,
            other => other,
        };
        match (target, slot) {
            (Type::String, Some(given)) => Shown::from(given.text()),
            _ => Shown::json(&self.json(target, slot)),
        }
    }

    /// Whether a value is that of a literal.
    pub(super) fn is(self, value_type: &Type, slot: Slot<'_>, literal: &Literal) -> bool {
        let Some(given) = slot else { return false };
        match literal {
            Literal::Text(text) => given.text() == text,
            Literal::Bool(flag) => given.flag() == *flag,
            Literal::Int(digits) => {
                matches!(self.0.target_kind(value_type), Kind::Int(_) | Kind::Float)
                    && given.int().to_string() == *digits
            }
        }
    }

    /// The type itself or the one it points to.
    pub(super) fn target(self, value_type: &'a Type) -> &'a Type {
        match self.0.kind(value_type) {
            Kind::Pointer(target) => target,
            _ => value_type,
        }
    }
}
