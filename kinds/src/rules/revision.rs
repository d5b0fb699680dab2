//! ControllerRevisions: one state of something, kept.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};

use super::checks;
use crate::value::Members;

/// The rules of a new revision.
pub(crate) fn create(object: &Value, errors: &mut ErrorList) {
    if !object.has("data") {
        errors.push(Error::required(&Path::new("data"), "data is mandatory"));
    }
    checks::not_negative(errors, object, &Path::default(), &["revision"]);
}

/// The rules of a changed revision.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut ErrorList) {
    checks::not_negative(errors, object, &Path::default(), &["revision"]);
    if object.member("data") != old.member("data") {
        let shown = Shown::json(object.member("data"));
        errors.push(Error::invalid(&Path::new("data"), shown, checks::IMMUTABLE));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_revision_holds_stays() {
        let revision = |data: u8, number: i64| json!({"data": {"a": data}, "revision": number});
        let mut errors = ErrorList::default();
        update(&revision(2, -1), &revision(1, 1), &mut errors);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "revision: Invalid value: -1: must be greater than or equal to 0",
                "data: Invalid value: {\"a\":2}: field is immutable",
            ]
        );
    }
}
