//! What is around an object: the prefix, its kind, and for watches a frame.

use serde_json::Value;
use validation::text::go_quote as quote;

use super::wire::{BYTES, Cursor, put_bytes, put_message};
use super::{DecodeError, PREFIX};
use crate::resources::GroupVersionKind;

/// An object of which only the kind was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The API version, such as `v1`; empty if the body has none.
    pub api_version: String,
    /// The kind; empty if the body has none.
    pub kind: String,
    /// The object's message.
    pub raw: Vec<u8>,
}

impl Envelope {
    /// Reads what is around an object.
    ///
    /// # Errors
    ///
    /// If the prefix is missing or the bytes are not in the wire format.
    pub fn open(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.is_empty() {
            return Err(DecodeError::Empty);
        }
        let message = bytes.strip_prefix(&PREFIX).ok_or(DecodeError::Prefix)?;
        if message.is_empty() {
            return Err(DecodeError::EmptyBody);
        }
        let mut envelope =
            Self { api_version: String::new(), kind: String::new(), raw: Vec::new() };
        let mut cursor = Cursor::new(message);
        while let Some(tag) = cursor.tag("Unknown")? {
            match tag.number {
                1 => {
                    tag.expect(BYTES, "TypeMeta")?;
                    envelope.read_type_meta(cursor.bytes()?)?;
                }
                2 => {
                    tag.expect(BYTES, "Raw")?;
                    envelope.raw = cursor.bytes()?.to_vec();
                }
                3 => {
                    tag.expect(BYTES, "ContentEncoding")?;
                    cursor.bytes()?;
                }
                4 => {
                    tag.expect(BYTES, "ContentType")?;
                    cursor.bytes()?;
                }
                _ => cursor.skip(tag)?,
            }
        }
        Ok(envelope)
    }

    fn read_type_meta(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut cursor = Cursor::new(bytes);
        while let Some(tag) = cursor.tag("TypeMeta")? {
            let (place, field) = match tag.number {
                1 => (&mut self.api_version, "APIVersion"),
                2 => (&mut self.kind, "Kind"),
                _ => {
                    cursor.skip(tag)?;
                    continue;
                }
            };
            tag.expect(BYTES, field)?;
            *place = String::from_utf8_lossy(cursor.bytes()?).into_owned();
        }
        Ok(())
    }

    /// The kind; what the body leaves out is that of `default`.
    ///
    /// # Errors
    ///
    /// If there is no kind or no version.
    pub fn kind(
        &self,
        default: Option<&GroupVersionKind>,
    ) -> Result<GroupVersionKind, DecodeError> {
        let (group, version) = match self.api_version.split_once('/') {
            None => ("", self.api_version.as_str()),
            // The reference does not look at versions that it cannot take apart.
            Some((_, version)) if version.contains('/') => ("", ""),
            Some(parts) => parts,
        };
        let mut found = GroupVersionKind::new(group, version, &self.kind);
        if let Some(default) = default {
            if found.kind.is_empty() {
                found.kind.clone_from(&default.kind);
            }
            if found.version.is_empty() {
                found.group.clone_from(&default.group);
                found.version.clone_from(&default.version);
            }
        }
        if found.kind.is_empty() {
            return Err(DecodeError::MissingKind(self.type_meta()));
        }
        if found.version.is_empty() {
            return Err(DecodeError::MissingVersion(self.type_meta()));
        }
        Ok(found)
    }

    /// As Go shows the struct.
    fn type_meta(&self) -> String {
        format!(
            "runtime.TypeMeta{{APIVersion:{}, Kind:{}}}",
            quote(&self.api_version),
            quote(&self.kind)
        )
    }
}

/// Puts an object's message into an envelope. The reference writes both empty texts at the end.
pub(super) fn seal(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let mut out = PREFIX.to_vec();
    put_message(&mut out, 1, |out| {
        put_bytes(out, 1, api_version.as_bytes());
        put_bytes(out, 2, kind.as_bytes());
    });
    put_bytes(&mut out, 2, raw);
    put_bytes(&mut out, 3, &[]);
    put_bytes(&mut out, 4, &[]);
    out
}

/// One event of a watch: `object` is in its envelope, the event is not.
#[must_use]
pub fn watch_event(event_type: &str, object: &[u8]) -> Vec<u8> {
    let mut event = Vec::with_capacity(object.len() + 32);
    put_bytes(&mut event, 1, event_type.as_bytes());
    put_message(&mut event, 2, |out| put_bytes(out, 1, object));
    event
}

/// A message of a stream, with its length in front. `None` for one of 4 GiB or more.
#[must_use]
pub fn with_length(message: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(message.len()).ok()?;
    let mut frame = Vec::with_capacity(4 + message.len());
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(message);
    Some(frame)
}

/// Levels of JSON in a value; readers of JSON refuse more than they have room for.
pub(super) fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or_default(),
        _ => 0,
    }
}
