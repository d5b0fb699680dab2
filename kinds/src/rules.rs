//! What the server refuses.

use serde_json::Value;
use validation::field::ErrorList;

/// The errors of a new object.
#[must_use]
pub fn validate_create(group: &str, kind: &str, object: &Value) -> ErrorList {
    let _ = (group, kind, object);
    ErrorList::default()
}

/// The errors of a changed object.
#[must_use]
pub fn validate_update(group: &str, kind: &str, object: &Value, old: &Value) -> ErrorList {
    let _ = (group, kind, object, old);
    ErrorList::default()
}
