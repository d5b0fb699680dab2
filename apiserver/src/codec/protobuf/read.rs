//! From messages to values.

use std::borrow::Cow;
use std::sync::Arc;

use api::schema::{Field, Presence, Shape, TypeDef};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::envelope::Envelope;
use super::layout::{Layout, Place, go_name, is_wrapped_list};
use super::wire::{BYTES, Cursor, DOUBLE, Payload, Tag, VARINT};
use super::{DecodeError, any, scalar};
use crate::resources::GroupVersionKind;

/// How deep messages may stand in each other; the stack has to hold them.
const DEPTH_MAX: usize = 64;
/// How much an object may become: two bytes can stand for a struct of many members.
const COST_MAX: usize = 1 << 20;
/// What a struct costs besides its members.
const STRUCT_COST: usize = 4;

/// Finds the type of a kind.
pub type Lookup<'l> = dyn Fn(&GroupVersionKind) -> Option<Arc<TypeDef>> + 'l;

/// Reads objects within bounds.
pub(super) struct Reader<'l> {
    lookup: &'l Lookup<'l>,
    depth: usize,
    cost: usize,
}

/// What was found of a field so far.
enum Found<'b> {
    Value(Value),
    /// A message; what comes later is merged into what came before, which is the same as if the
    /// bytes had come in one piece.
    Message(Cow<'b, [u8]>),
    Items(Vec<Value>),
    Members(Map<String, Value>),
}

/// What was found of each field of a type.
type FoundFields<'b> = Vec<Option<Found<'b>>>;

impl<'l> Reader<'l> {
    pub(super) fn new(lookup: &'l Lookup<'l>) -> Self {
        Self { lookup, depth: 0, cost: 0 }
    }

    /// An object inside another, in its own envelope.
    pub(super) fn object(&mut self, bytes: &[u8]) -> Result<Value, DecodeError> {
        let envelope = Envelope::open(bytes)?;
        let kind = envelope.kind(None)?;
        let type_def = (self.lookup)(&kind).ok_or_else(|| DecodeError::NoKind(kind.clone()))?;
        let mut object = self.message(&type_def, &envelope.raw)?;
        crate::codec::body::set_type_meta(&mut object, &kind);
        Ok(object)
    }

    /// A struct in canonical form.
    pub(super) fn message(
        &mut self,
        type_def: &TypeDef,
        bytes: &[u8],
    ) -> Result<Value, DecodeError> {
        if self.depth == DEPTH_MAX {
            return Err(DecodeError::TooDeep);
        }
        self.depth += 1;
        self.charge(STRUCT_COST)?;
        let mut found: FoundFields<'_> = Vec::new();
        found.resize_with(type_def.fields.len(), || None);
        self.places(type_def, &Layout::of(type_def), bytes, &mut found)?;
        let mut members = Map::new();
        for (field, found) in type_def.fields.iter().zip(found) {
            if let Some(value) = self.canonical(type_def, field, found)? {
                self.charge(1)?;
                members.insert(field.name.clone(), value);
            }
        }
        self.depth -= 1;
        Ok(Value::Object(members))
    }

    /// The value of a field that is not repeated and whose form is a length and bytes.
    pub(super) fn single(&mut self, shape: &Shape, bytes: &[u8]) -> Result<Value, DecodeError> {
        Ok(match shape {
            Shape::Bytes => Value::from(STANDARD.encode(bytes)),
            Shape::Time => scalar::time(bytes, false)?,
            Shape::MicroTime => scalar::time(bytes, true)?,
            Shape::Quantity => scalar::quantity(bytes)?,
            Shape::IntOrString => scalar::int_or_string(bytes)?,
            Shape::Json(name) => any::read(self, name, bytes)?,
            Shape::Struct(type_def) => self.message(type_def, bytes)?,
            _ => scalar::text(bytes),
        })
    }

    /// Counts what an object becomes.
    pub(super) fn charge(&mut self, cost: usize) -> Result<(), DecodeError> {
        self.cost += cost;
        if self.cost > COST_MAX { Err(DecodeError::TooLarge) } else { Ok(()) }
    }

    fn places<'b>(
        &mut self,
        type_def: &TypeDef,
        layout: &Layout<'_>,
        bytes: &'b [u8],
        found: &mut FoundFields<'b>,
    ) -> Result<(), DecodeError> {
        let mut cursor = Cursor::new(bytes);
        while let Some(tag) = cursor.tag(&type_def.name)? {
            match layout.find(tag.number) {
                None => cursor.skip(tag)?,
                Some(Place::Message(inner)) => {
                    tag.expect(BYTES, &type_def.name)?;
                    self.places(type_def, inner, cursor.bytes()?, found)?;
                }
                Some(Place::Field(index, field)) => {
                    let Some(found) = found.get_mut(*index) else { continue };
                    if is_wrapped_list(type_def, field) {
                        tag.expect(BYTES, &go_name(field))?;
                        let items = self.list_message(&field.shape, cursor.bytes()?)?;
                        *found = Some(Found::Value(items));
                    } else {
                        self.field(field, tag, &mut cursor, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn field<'b>(
        &mut self,
        field: &Field,
        tag: Tag,
        cursor: &mut Cursor<'b>,
        found: &mut Option<Found<'b>>,
    ) -> Result<(), DecodeError> {
        match &field.shape {
            Shape::List(list) => {
                let found = found.get_or_insert_with(|| Found::Items(Vec::new()));
                if let Found::Items(items) = found {
                    self.items(&list.item, &go_name(field), tag, cursor, items)?;
                }
            }
            Shape::Map(shape) => {
                tag.expect(BYTES, &go_name(field))?;
                let (key, value) = self.entry(shape, &go_name(field), cursor.bytes()?)?;
                let found = found.get_or_insert_with(|| Found::Members(Map::new()));
                if let Found::Members(members) = found {
                    members.insert(key, value);
                }
            }
            Shape::Struct(_) | Shape::IntOrString | Shape::Json(_) => {
                tag.expect(BYTES, &go_name(field))?;
                let bytes = cursor.bytes()?;
                match found {
                    Some(Found::Message(before)) => before.to_mut().extend_from_slice(bytes),
                    _ => *found = Some(Found::Message(Cow::Borrowed(bytes))),
                }
            }
            shape => {
                let payload = cursor.payload(tag, wire_type(shape), &go_name(field))?;
                *found = Some(Found::Value(self.value(shape, payload)?));
            }
        }
        Ok(())
    }

    /// A value of one of the forms.
    pub(super) fn value(
        &mut self,
        shape: &Shape,
        payload: Payload<'_>,
    ) -> Result<Value, DecodeError> {
        Ok(match (shape, payload) {
            (Shape::Bool, Payload::Varint(number)) => Value::from(number != 0),
            // The reference keeps the low bits of numbers that are too large.
            (Shape::Int32, Payload::Varint(number)) => Value::from(number as i32),
            (_, Payload::Varint(number)) => Value::from(number.cast_signed()),
            (_, Payload::Double(number)) => scalar::double(number),
            (shape, Payload::Bytes(bytes)) => self.single(shape, bytes)?,
        })
    }

    /// What is written for a field; `None` if nothing is.
    fn canonical(
        &mut self,
        type_def: &TypeDef,
        field: &Field,
        found: Option<Found<'_>>,
    ) -> Result<Option<Value>, DecodeError> {
        let value = match found {
            None => None,
            Some(Found::Value(value)) => Some(value),
            Some(Found::Items(items)) => Some(Value::Array(items)),
            Some(Found::Members(mut members)) => {
                members.sort_keys();
                Some(Value::Object(members))
            }
            Some(Found::Message(bytes)) => Some(self.single(&field.shape, &bytes)?),
        };
        let value = value.filter(|value| !value.is_null());
        Ok(match field.presence {
            // What says of which kind an object is stands in its envelope.
            _ if value.is_none() && Layout::is_outside(type_def, field) => None,
            Presence::Optional => value,
            Presence::OmitZero => value.filter(|value| !is_zero(&field.shape, value)),
            Presence::Nullable => Some(value.unwrap_or(Value::Null)),
            Presence::Always => match value {
                None if wire_type(&field.shape) == BYTES => Some(self.absent(&field.shape)?),
                None => Some(field.shape.zero()),
                value => value,
            },
        })
    }

    fn absent(&mut self, shape: &Shape) -> Result<Value, DecodeError> {
        match shape {
            Shape::List(_) | Shape::Map(_) => Ok(Value::Null),
            shape => self.single(shape, &[]),
        }
    }
}

fn is_zero(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (_, Value::Array(items)) => items.is_empty(),
        (Shape::Struct(type_def), value) => *value == type_def.zero(),
        (_, Value::Object(members)) => members.is_empty(),
        (shape, scalar) => *scalar == shape.zero(),
    }
}

/// The form of a value that is not packed.
pub(super) fn wire_type(shape: &Shape) -> u8 {
    match shape {
        Shape::Bool | Shape::Int32 | Shape::Int64 => VARINT,
        Shape::Double => DOUBLE,
        _ => BYTES,
    }
}
