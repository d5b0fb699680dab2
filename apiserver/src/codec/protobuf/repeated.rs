//! Lists and maps: fields that come once for each item.

use std::borrow::Cow;

use api::schema::Shape;
use serde_json::Value;

use super::DecodeError;
use super::read::{Reader, wire_type};
use super::wire::{BYTES, Cursor, Payload, Tag};

impl Reader<'_> {
    /// One item, or for numbers any count of them in one piece.
    pub(super) fn items(
        &mut self,
        shape: &Shape,
        name: &str,
        tag: Tag,
        cursor: &mut Cursor<'_>,
        items: &mut Vec<Value>,
    ) -> Result<(), DecodeError> {
        let wanted = wire_type(shape);
        if wanted == BYTES || tag.wire_type != BYTES {
            self.charge(1)?;
            let payload = cursor.payload(tag, wanted, name)?;
            items.push(self.value(shape, payload)?);
            return Ok(());
        }
        let mut packed = Cursor::new(cursor.bytes()?);
        while !packed.is_empty() {
            self.charge(1)?;
            let payload = packed.value(wanted)?;
            items.push(self.value(shape, payload)?);
        }
        Ok(())
    }

    /// A list that is a message of its own.
    pub(super) fn list_message(
        &mut self,
        shape: &Shape,
        bytes: &[u8],
    ) -> Result<Value, DecodeError> {
        let mut items = Vec::new();
        let Shape::List(list) = shape else { return Ok(Value::Null) };
        let mut cursor = Cursor::new(bytes);
        while let Some(tag) = cursor.tag("Items")? {
            if tag.number == 1 {
                self.items(&list.item, "Items", tag, &mut cursor, &mut items)?;
            } else {
                cursor.skip(tag)?;
            }
        }
        Ok(Value::Array(items))
    }

    /// A key and a value; absent ones are zero. The reference does not ask for their forms.
    pub(super) fn entry(
        &mut self,
        shape: &Shape,
        name: &str,
        bytes: &[u8],
    ) -> Result<(String, Value), DecodeError> {
        self.charge(1)?;
        let (mut key, mut value) = (Cow::Borrowed(""), None);
        let mut cursor = Cursor::new(bytes);
        while let Some(tag) = cursor.tag(name)? {
            match tag.number {
                1 => {
                    tag.expect(BYTES, name)?;
                    key = String::from_utf8_lossy(cursor.bytes()?);
                }
                2 => value = Some(cursor.payload(tag, wire_type(shape), name)?),
                _ => cursor.skip(tag)?,
            }
        }
        let value = match (shape, value) {
            (Shape::List(_), Some(Payload::Bytes(bytes))) => self.list_message(shape, bytes)?,
            (Shape::List(_), _) => Value::Null,
            (shape, Some(payload)) => self.value(shape, payload)?,
            (shape, None) if wire_type(shape) == BYTES => self.single(shape, &[])?,
            (shape, None) => shape.zero(),
        };
        Ok((key.into_owned(), value))
    }
}
