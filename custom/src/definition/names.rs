//! What things are called.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path};
use validation::format::{self, Unit};

use crate::value::Members;

const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
                     start with an alphabetic character, and end with an alphanumeric character \
                     (e.g. 'my-name',  or 'abc-123', regex used for validation is \
                     '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_BYTES_MAX: usize = 63;

/// What is wrong with a DNS-1035 label, in the reference's words; nothing if it is one.
pub(crate) fn label_problem(text: &str) -> String {
    let is_label = format::dns_label(text, Unit::Characters).is_empty();
    let mut wrong = Vec::new();
    if text.len() > LABEL_BYTES_MAX {
        wrong.push("must be no more than 63 characters");
    }
    let starts_well = text.starts_with(|first: char| first.is_ascii_lowercase());
    if (!is_label && text.len() <= LABEL_BYTES_MAX) || !starts_well {
        wrong.push(LABEL);
    }
    wrong.join(",")
}

pub(super) fn label(errors: &mut ErrorList, text: &str, path: &Path) {
    let problem = label_problem(text);
    if !problem.is_empty() {
        errors.push(Error::invalid(path, text, problem));
    }
}

/// A label in which capital letters are allowed.
fn caseless_label(errors: &mut ErrorList, text: &str, path: &Path) {
    let problem = label_problem(&text.to_lowercase());
    if !problem.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {problem}");
        errors.push(Error::invalid(path, text, detail));
    }
}

/// The names that must be there.
pub(super) fn require(errors: &mut ErrorList, names: &Value, path: &Path) {
    for member in ["plural", "singular", "kind", "listKind"] {
        if names.text(member).is_empty() {
            errors.push(Error::required(&path.child(member), ""));
        }
    }
}

/// The names that are there, wished or accepted.
pub(super) fn validate(errors: &mut ErrorList, names: &Value, path: &Path) {
    for member in ["plural", "singular"] {
        if !names.text(member).is_empty() {
            label(errors, names.text(member), &path.child(member));
        }
    }
    for member in ["kind", "listKind"] {
        if !names.text(member).is_empty() {
            caseless_label(errors, names.text(member), &path.child(member));
        }
    }
    let list = |errors: &mut ErrorList, member: &str| {
        for (index, name) in names.items(member).iter().enumerate() {
            label(errors, name.as_str().unwrap_or_default(), &path.child(member).index(index));
        }
    };
    list(errors, "shortNames");
    let kind = names.text("kind");
    if !kind.is_empty() && kind == names.text("listKind") {
        let detail = "kind and listKind may not be the same";
        errors.push(Error::invalid(&path.child("listKind"), kind, detail));
    }
    list(errors, "categories");
}
