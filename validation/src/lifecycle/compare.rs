//! Whether handwritten and declarative rules found the same (spec: validation 16.2, 16.3).

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::field::{Error, ErrorList, ErrorType, Level, Origin};

/// A part of a field's path that declarative rules name differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalization {
    /// As declarative rules name it.
    pub from: String,
    /// As handwritten rules name it.
    pub to: String,
}

/// What two errors have in common that mean the same. Values and details do not matter. Ordered,
/// so that requests with many errors do not take time in the square of their number.
type Meaning<'e> = (ErrorType, Origin, Cow<'e, str>);

/// An error's meaning; `None` for one that means the same as no other.
fn meaning<'e>(error: &'e Error, normalizations: &[Normalization]) -> Option<Meaning<'e>> {
    let unnamed = error.error_type == ErrorType::Invalid && error.origin.is_empty();
    let field = normalized(&error.field, normalizations);
    (!unnamed).then_some((error.error_type, error.origin, field))
}

/// The path after the first normalization that changes it.
fn normalized<'e>(field: &'e str, normalizations: &[Normalization]) -> Cow<'e, str> {
    let changes = |rule: &&Normalization| field.contains(&rule.from);
    match normalizations.iter().find(changes) {
        Some(rule) => Cow::Owned(field.replace(&rule.from, &rule.to)),
        None => Cow::Borrowed(field),
    }
}

/// Some declarative errors by what they mean to handwritten rules.
pub(super) struct Twins<'e>(BTreeSet<Meaning<'e>>);

impl<'e> Twins<'e> {
    pub(super) fn of(
        declarative: impl Iterator<Item = &'e Error>,
        normalizations: &[Normalization],
    ) -> Self {
        Self(declarative.filter_map(|error| meaning(error, normalizations)).collect())
    }

    /// Whether a handwritten error means the same as one of them.
    pub(super) fn match_error(&self, handwritten: &Error) -> bool {
        meaning(handwritten, &[]).is_some_and(|meaning| self.0.contains(&meaning))
    }
}

pub(super) struct Comparison<'a> {
    pub(super) normalizations: &'a [Normalization],
    pub(super) ancestors_match: bool,
    pub(super) enforce_beta: bool,
}

impl Comparison<'_> {
    /// The messages about all differences.
    pub(super) fn differences(
        &self,
        handwritten: &ErrorList,
        declarative: &ErrorList,
    ) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let covered: Vec<&Error> = handwritten
            .iter()
            .filter(|error| meaning(error, &[]).is_none_or(|meaning| seen.insert(meaning)))
            .filter(|error| error.covered)
            .collect();
        let compared: Vec<&Error> =
            declarative.iter().filter(|error| error.level != Level::Standard).collect();
        let twins = Twins::of(compared.iter().copied(), self.normalizations);
        let stopped = self.stopped_fields(&compared);
        let mut messages = Vec::new();
        for error in &covered {
            if !twins.match_error(error) && !has_ancestor(&stopped, &error.field) {
                messages.push(self.message("unmatched", error, &error.field));
            }
        }
        let covered: BTreeSet<Meaning<'_>> =
            covered.into_iter().filter_map(|error| meaning(error, &[])).collect();
        for error in compared {
            let twin = meaning(error, self.normalizations);
            if !twin.is_some_and(|meaning| covered.contains(&meaning)) {
                let field = normalized(&error.field, self.normalizations);
                messages.push(self.message("extra", error, &field));
            }
        }
        messages
    }

    /// The fields in which declarative rules stopped, if these stand for errors inside them.
    fn stopped_fields<'e>(&self, compared: &[&'e Error]) -> BTreeSet<Cow<'e, str>> {
        let stops = |error: &&&Error| self.ancestors_match && error.short_circuit;
        let fields = compared.iter().filter(stops);
        fields.map(|error| normalized(&error.field, self.normalizations)).collect()
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

/// Whether a field lies inside one of those.
fn has_ancestor(fields: &BTreeSet<Cow<'_, str>>, field: &str) -> bool {
    let ends = field.match_indices(['.', '[']).map(|(at, _)| at);
    !fields.is_empty() && ends.into_iter().any(|end| fields.contains(&field[..end]))
}
