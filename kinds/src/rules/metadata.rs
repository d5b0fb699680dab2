//! Names and the rest of metadata.

use serde_json::Value;
use validation::field::ErrorList;
use validation::object_meta::{self, Metadata, NameRule};

/// What a kind asks of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// A DNS-1123 subdomain.
    Subdomain,
    /// A DNS-1123 label.
    Label,
    /// Whatever can stand in a path.
    PathSegment,
}

impl From<Names> for NameRule {
    fn from(names: Names) -> Self {
        match names {
            Names::Subdomain => Self::DnsSubdomain,
            Names::Label => Self::DnsLabel,
            Names::PathSegment => Self::PathSegment,
        }
    }
}

/// The errors of a new object's metadata.
pub(super) fn of_new(object: &Value, names: Names) -> ErrorList {
    let metadata = Metadata::of(object);
    let mut errors = object_meta::validate(&metadata, names.into());
    errors.extend(object_meta::validate_finalizer_names(&metadata));
    errors
}

/// The errors of a changed object's metadata.
pub(super) fn of_changed(object: &Value, old: &Value) -> ErrorList {
    let metadata = Metadata::of(object);
    let mut errors = object_meta::validate(&metadata, NameRule::PathSegment);
    errors.extend(object_meta::validate_update(&metadata, &Metadata::of(old)));
    errors
}
