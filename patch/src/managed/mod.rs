//! Who manages which field: the bookkeeping of `metadata.managedFields` and server-side apply
//! (spec: apimachinery 2.10, 2.11).
//!
//! [`update`] keeps the books for every write that is not an apply, [`apply`] is server-side apply
//! itself. Objects carry their `apiVersion` and `kind`. Neither enforces what the endpoint resets:
//! the caller still takes the reset fields of the result from the live object, as it does for other
//! writes.

mod apply;
mod conflict;
mod entries;
mod last_applied;
mod metadata;
mod ownership;
mod times;
mod update;
mod versions;

use api::time::Timestamp;
use validation::text::is_printable;

pub use apply::{ApplyError, apply};
pub use conflict::{Cause, Conflicts};
pub use times::keep_times_if_unchanged;
pub use update::update;
pub use versions::{OneVersion, Versions};

use crate::fieldset::{FieldSet, Path};

/// The manager of fields that were there before the first apply to an object.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";
/// The manager in whose name the oldest updates are kept together.
const ANCIENT_CHANGES: &str = "ancient-changes";
/// How many entries of updates an object may have.
const UPDATE_ENTRIES_MAX: usize = 10;
/// How many bytes of a User-Agent make a manager's name.
const MANAGER_BYTES_MAX: usize = 128;

/// Where objects are written.
#[derive(Clone, Copy)]
pub struct Endpoint<'a> {
    /// The group and version of the URL, such as `flowcontrol.apiserver.k8s.io/v1`; objects come in
    /// and go out in this version.
    pub group_version: &'a str,
    /// The kind, such as `FlowSchema`.
    pub kind: &'a str,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The fields that a write to this endpoint does not change; they are never owned through it.
    pub reset_fields: &'a FieldSet,
    /// The versions of the kind.
    pub versions: &'a dyn Versions,
}

impl std::fmt::Debug for Endpoint<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint")
            .field("group_version", &self.group_version)
            .field("kind", &self.kind)
            .field("subresource", &self.subresource)
            .field("reset_fields", &self.reset_fields)
            .finish_non_exhaustive()
    }
}

/// Who writes, and when.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The manager's name; empty counts as `unknown`.
    pub manager: &'a str,
    /// The time of the write.
    pub now: Timestamp,
}

impl<'a> Writer<'a> {
    fn name(self) -> &'a str {
        if self.manager.is_empty() { "unknown" } else { self.manager }
    }
}

/// The fields that a write to the object itself resets, for kinds with a status.
#[must_use]
pub fn reset_on_main() -> FieldSet {
    [Path::of_fields(&["status"])].into_iter().collect()
}

/// The fields that a write to `/status` resets, for kinds that take only the status from it.
#[must_use]
pub fn reset_on_status() -> FieldSet {
    [Path::of_fields(&["metadata"]), Path::of_fields(&["spec"])].into_iter().collect()
}

/// The manager's name where the request names none: the User-Agent up to its first slash, without
/// what cannot be printed, at most 128 bytes.
#[must_use]
pub fn manager_from_user_agent(user_agent: &str) -> String {
    let product = user_agent.split('/').next().unwrap_or_default();
    let mut name = String::new();
    for character in product.chars().filter(|character| is_printable(*character)) {
        if name.len() + character.len_utf8() > MANAGER_BYTES_MAX {
            break;
        }
        name.push(character);
    }
    name
}

#[cfg(test)]
mod tests;
