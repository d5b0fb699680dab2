//! Whether handwritten and declarative rules found the same (spec: validation 16.2, 16.3).

use std::borrow::Cow;

use crate::field::{Error, ErrorList, ErrorType, Level};

/// A part of a field's path that declarative rules name differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalization {
    /// As declarative rules name it.
    pub from: String,
    /// As handwritten rules name it.
    pub to: String,
}

pub(super) struct Comparison<'a> {
    pub(super) normalizations: &'a [Normalization],
    pub(super) ancestors_match: bool,
    pub(super) enforce_beta: bool,
}

/// Whether a handwritten and a declarative error mean the same. Values and details do not matter.
pub(super) fn matches(
    handwritten: &Error,
    declarative: &Error,
    normalizations: &[Normalization],
) -> bool {
    same_but_field(handwritten, declarative)
        && handwritten.field == normalized(&declarative.field, normalizations)
}

fn same_but_field(a: &Error, b: &Error) -> bool {
    a.error_type == b.error_type
        && a.origin == b.origin
        && (a.error_type != ErrorType::Invalid || !a.origin.is_empty())
}

/// The path after the first normalization that changes it.
fn normalized<'f>(field: &'f str, normalizations: &[Normalization]) -> Cow<'f, str> {
    let changes = |rule: &&Normalization| field.contains(&rule.from);
    match normalizations.iter().find(changes) {
        Some(rule) => Cow::Owned(field.replace(&rule.from, &rule.to)),
        None => Cow::Borrowed(field),
    }
}

fn is_ancestor(ancestor: &str, field: &str) -> bool {
    field.strip_prefix(ancestor).is_some_and(|rest| rest.starts_with(['.', '[']))
}

impl Comparison<'_> {
    /// The messages about all differences.
    pub(super) fn differences(
        &self,
        handwritten: &ErrorList,
        declarative: &ErrorList,
    ) -> Vec<String> {
        let mut distinct: Vec<&Error> = Vec::new();
        for error in handwritten {
            if !distinct.iter().any(|seen| matches(seen, error, &[])) {
                distinct.push(error);
            }
        }
        let covered: Vec<&Error> = distinct.into_iter().filter(|error| error.covered).collect();
        let compared = || declarative.iter().filter(|error| error.level != Level::Standard);
        let mut messages = Vec::new();
        for error in &covered {
            if !compared().any(|twin| self.stands_for(twin, error)) {
                messages.push(self.message("unmatched", error, &error.field));
            }
        }
        for error in compared() {
            if !covered.iter().any(|twin| matches(twin, error, self.normalizations)) {
                let field = normalized(&error.field, self.normalizations);
                messages.push(self.message("extra", error, &field));
            }
        }
        messages
    }

    fn stands_for(&self, declarative: &Error, handwritten: &Error) -> bool {
        matches(handwritten, declarative, self.normalizations)
            || (self.ancestors_match
                && declarative.short_circuit
                && is_ancestor(
                    &normalized(&declarative.field, self.normalizations),
                    &handwritten.field,
                ))
    }

    fn message(&self, what: &str, error: &Error, field: &str) -> String {
        let also = if field == error.field {
            String::new()
        } else {
            format!(" (aka \"{}\")", error.field)
        };
        let advice = if self.enforce_beta && error.level != Level::Alpha {
            "Consider disabling the DeclarativeValidationBeta feature gate to keep data persisted \
             in etcd consistent with prior versions of Kubernetes."
        } else {
            "This difference should not affect system operation since hand written validation is \
             authoritative."
        };
        format!(
            "Unexpected difference between hand written validation and declarative validation \
             error results, {what} error(s) found {{Type=\"{}\", Field=\"{field}\"{also}, \
             Origin=\"{}\"}}. This indicates an issue with declarative validation. {advice}",
            error.error_type.text(),
            error.origin
        )
    }
}
