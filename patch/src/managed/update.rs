//! Writes that are not applies.

use serde_json::Value;

use super::metadata::{with_managed_fields, without_managed_fields};
use super::ownership::{base_of_update, is_new, stripped};
use super::{Endpoint, Writer};

/// Keeps the books of a create, update or patch: gives back the new object with its
/// `managedFields`.
///
/// `live` is the stored object, `None` on create; `new` is what the request makes of it, decoded
/// and defaulted, with the `managedFields` the request sends. The writer owns what it added or
/// changed; nobody owns any longer what is gone. Objects that are stored without `managedFields`
/// stay without them.
#[must_use]
pub fn update(
    endpoint: &Endpoint<'_>,
    live: Option<&Value>,
    new: Value,
    writer: Writer<'_>,
) -> Value {
    let Some(type_def) = endpoint.versions.type_def(endpoint.group_version) else {
        return without_managed_fields(new);
    };
    let live = live.cloned().unwrap_or_else(|| type_def.zero());
    let mut entries = base_of_update(endpoint, &live, &new);
    let (live, new) = stripped(&live, new);
    if !entries.0.is_empty() || is_new(&live) {
        entries.track_update(endpoint, &live, &new, writer);
    }
    with_managed_fields(new, entries.encode())
}
