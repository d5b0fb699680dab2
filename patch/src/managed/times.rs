//! Writes that change nothing.

use serde_json::Value;

use super::metadata::{managed_fields, with_managed_fields, without_managed_fields};
use crate::fieldset::equal;

/// Gives the new object the old times of its `managedFields` if nothing but these times differs,
/// so that a write that changes nothing is seen to change nothing.
pub fn keep_times_if_unchanged(old: &Value, new: &mut Value) {
    let (old_entries, new_entries) = (managed_fields(old), managed_fields(new));
    let same_entries = old_entries.len() == new_entries.len()
        && old_entries
            .iter()
            .zip(new_entries)
            .all(|(old, new)| equal(&without_time(old), &without_time(new)));
    if same_entries
        && equal(&without_managed_fields(old.clone()), &without_managed_fields(new.clone()))
    {
        let entries = old_entries.to_vec();
        *new = with_managed_fields(std::mem::take(new), entries);
    }
}

fn without_time(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Value::Object(members) = &mut entry {
        members.shift_remove("time");
    }
    entry
}
