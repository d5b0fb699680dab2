//! Conditions: each type once, none without a type (spec: validation 5.7).

use std::collections::BTreeSet;

use crate::field::{Error, ErrorList, Path, Shown};

pub(super) fn validate<'a>(types: impl Iterator<Item = &'a str>) -> ErrorList {
    let path = Path::new("status").child("conditions");
    let mut errors = ErrorList::default();
    let mut seen = BTreeSet::new();
    for (index, condition_type) in types.enumerate() {
        let path = path.index(index).child("type");
        if !seen.insert(condition_type) {
            errors.push(Error::duplicate(&path, Shown::json(&condition_type)));
        }
        if condition_type.is_empty() {
            errors.push(Error::required(&path, ""));
        }
    }
    errors
}
