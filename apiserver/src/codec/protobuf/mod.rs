//! `application/vnd.kubernetes.protobuf`: objects as protobuf messages in an envelope
//! (spec: apimachinery, appendix C).
//!
//! There are no generated messages: the table of a type says where each field stands. What is
//! written is what the reference writes byte for byte: fields in the order of their numbers, map
//! entries in the order of their keys, and plain values even where they are zero.

mod any;
mod envelope;
#[cfg(test)]
pub(super) mod generate;
pub mod known;
mod layout;
mod partial;
mod read;
mod repeated;
mod scalar;
mod wire;
mod write;

use api::meta::ListMeta;
use api::schema::{Described, TypeDef};
use api::status::Status;
use serde_json::Value;

use crate::resources::GroupVersionKind;

pub use envelope::{Envelope, watch_event, with_length};
pub use partial::partial_object_metadata;
pub use read::Lookup;
pub use wire::WireError;

/// What every object begins with: `k8s` and a zero byte.
pub const PREFIX: [u8; 4] = *b"k8s\0";

/// How many levels of JSON an object may have, so that it can be read from JSON again.
const LEVELS_MAX: usize = 127;

/// Bytes that are no object, in the reference's words where it has some.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// There are no bytes.
    #[error("empty data")]
    Empty,
    /// The prefix is missing.
    #[error(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
    )]
    Prefix,
    /// There is only the prefix.
    #[error("empty body")]
    EmptyBody,
    /// No kind is given.
    #[error("Object 'Kind' is missing in '{0}'")]
    MissingKind(String),
    /// No version is given.
    #[error("Object 'apiVersion' is missing in '{0}'")]
    MissingVersion(String),
    /// The kind has no type.
    #[error("no kind {:?} is registered for version {:?}", .0.kind, .0.group_version())]
    NoKind(GroupVersionKind),
    /// The bytes are not in the wire format.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A value is to be JSON and is not.
    #[error("not JSON: {0}")]
    Json(String),
    /// A time that RFC 3339 cannot write.
    #[error("Time.MarshalJSON: year outside of range [0,9999]")]
    Time,
    /// Messages stand in messages more often than the server has room for.
    #[error("exceeded max depth")]
    TooDeep,
    /// The object would become larger than the server has room for.
    #[error("the object has too many fields")]
    TooLarge,
}

/// An object in its envelope.
#[must_use]
pub fn encode(type_def: &TypeDef, kind: &GroupVersionKind, object: &Value) -> Vec<u8> {
    let mut raw = Vec::new();
    write::message(&mut raw, type_def, object);
    envelope::seal(&kind.group_version(), &kind.kind, &raw)
}

/// A list in its envelope; `kind` is that of the list, `item` the type of what is in it.
#[must_use]
pub fn encode_list<'v>(
    item: &TypeDef,
    kind: &GroupVersionKind,
    metadata: &Value,
    items: impl IntoIterator<Item = &'v Value>,
) -> Vec<u8> {
    let mut raw = Vec::new();
    if let Some(list_meta) = ListMeta::type_def() {
        wire::put_message(&mut raw, 1, |out| write::message(out, list_meta, metadata));
    }
    for value in items {
        wire::put_message(&mut raw, 2, |out| write::message(out, item, value));
    }
    envelope::seal(&kind.group_version(), &kind.kind, &raw)
}

/// A Status in its envelope.
#[must_use]
pub fn encode_status(status: &Status) -> Vec<u8> {
    let mut raw = Vec::new();
    // A Status is made of texts and numbers, which always become JSON.
    let value = serde_json::to_value(status).unwrap_or_default();
    if let Some(type_def) = api::meta::status::Status::type_def() {
        write::message(&mut raw, type_def, &value);
    }
    envelope::seal("v1", "Status", &raw)
}

/// Reads an object in its envelope into canonical form; defaults are not yet filled in. What the
/// envelope leaves out of the kind is that of `default`.
///
/// # Errors
///
/// [`DecodeError`] for what is no object of a type that `lookup` knows.
pub fn decode(
    bytes: &[u8],
    default: Option<&GroupVersionKind>,
    lookup: &Lookup<'_>,
) -> Result<(GroupVersionKind, Value), DecodeError> {
    let envelope = Envelope::open(bytes)?;
    let kind = envelope.kind(default)?;
    let type_def = lookup(&kind).ok_or_else(|| DecodeError::NoKind(kind.clone()))?;
    let mut object = read::Reader::new(lookup).message(&type_def, &envelope.raw)?;
    if envelope::levels(&object) > LEVELS_MAX {
        return Err(DecodeError::TooDeep);
    }
    super::body::set_type_meta(&mut object, &kind);
    Ok((kind, object))
}

#[cfg(test)]
mod tests;
