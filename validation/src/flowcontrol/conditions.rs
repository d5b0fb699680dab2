//! Conditions: each type once, none without a type (spec: validation 5.7).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::field::{Error, ErrorList, Shown, Trail};
use crate::view::{items, member, text};

/// The rules of an object's status.
pub(super) fn validate(object: &Value) -> ErrorList {
    let path = Trail::new("status");
    let path = path.child("conditions");
    let mut errors = ErrorList::default();
    let mut seen = BTreeSet::new();
    let conditions = items(member(member(object, "status"), "conditions"));
    for (index, condition) in conditions.iter().enumerate() {
        let condition_type = text(member(condition, "type"));
        let path = path.index(index);
        let path = path.child("type");
        if !seen.insert(condition_type) {
            errors.push(Error::duplicate(&path, Shown::json(&condition_type)));
        }
        if condition_type.is_empty() {
            errors.push(Error::required(&path, ""));
        }
    }
    errors
}
