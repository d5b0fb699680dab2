//! Names and the rest of metadata.

use api::meta::ObjectMeta;
use serde::Deserialize as _;
use serde_json::Value;
use validation::field::{Error, ErrorList, Path};
use validation::object_meta::{self, NameRule};

use crate::value::Members;

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
    match read(object) {
        Ok(metadata) => {
            let mut errors = object_meta::validate(&metadata, names.into());
            errors.extend(object_meta::validate_finalizer_names(&metadata.finalizers));
            errors
        }
        Err(error) => [error].into_iter().collect(),
    }
}

/// The errors of a changed object's metadata.
pub(super) fn of_changed(object: &Value, old: &Value) -> ErrorList {
    match (read(object), read(old)) {
        (Ok(metadata), Ok(old)) => {
            let mut errors = object_meta::validate(&metadata, NameRule::PathSegment);
            errors.extend(object_meta::validate_update(&metadata, &old));
            errors
        }
        (Err(error), _) | (_, Err(error)) => [error].into_iter().collect(),
    }
}

fn read(object: &Value) -> Result<ObjectMeta, Error> {
    match object.member("metadata") {
        Value::Null => Ok(ObjectMeta::default()),
        // Canonical objects always read; if one does not, validation itself is wrong.
        metadata => ObjectMeta::deserialize(metadata)
            .map_err(|error| Error::internal(&Path::nil(), error.to_string())),
    }
}
