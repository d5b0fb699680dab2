//! What the server refuses. Texts, paths and order are the reference's.

pub(crate) mod admission;
pub(crate) mod batch;
mod checks;
mod container;
pub(crate) mod core;
mod cron;
mod metadata;
pub(crate) mod networking;
pub(crate) mod pod;
pub(crate) mod pod_spec;
mod probe;
pub(crate) mod rbac;
mod resources;
mod selector;
pub(crate) mod service;
pub(crate) mod storage;
mod volume;
pub(crate) mod workloads;

use serde_json::Value;
use validation::field::ErrorList;

pub(crate) use metadata::Names;

use crate::registry;

/// The errors of a new object, which has its defaults and was prepared.
#[must_use]
pub fn validate_create(group: &str, kind: &str, object: &Value) -> ErrorList {
    let Some(kind) = registry::find(group, kind) else {
        return metadata::of_new(object, Names::Subdomain);
    };
    let mut errors = metadata::of_new(object, kind.names);
    (kind.validate_create)(object, &mut errors);
    errors
}

/// The errors of a changed object. Errors that two rules find are listed twice, as in the
/// reference; whoever answers lists them once.
#[must_use]
pub fn validate_update(group: &str, kind: &str, object: &Value, old: &Value) -> ErrorList {
    let mut errors = metadata::of_changed(object, old);
    if let Some(kind) = registry::find(group, kind) {
        match kind.validate_update {
            Some(validate) => validate(object, old, &mut errors),
            None => (kind.validate_create)(object, &mut errors),
        }
    }
    errors
}
