//! What goes wrong in storage, validation and patching, as Statuses.

use api::status::{Cause, Details, Reason, Status};
use patch::PatchError;
use patch::managed::ApplyError;
use storage::cache::ReadError;
use validation::field::ErrorList;

use crate::resources::Resource;

/// A failed read.
pub(super) fn read(error: &ReadError) -> Status {
    match error {
        ReadError::TooLarge { requested, current } => {
            Status::too_large_resource_version(requested.0, current.0)
        }
        ReadError::TooOld { .. } => {
            Status::expired("The resourceVersion for the provided list is too old.")
        }
        ReadError::Store(error) => storage(error),
    }
}

/// A failure of the store that is nobody's fault.
pub(super) fn storage(error: &storage::Error) -> Status {
    match error {
        storage::Error::TooLarge { limit_bytes } => {
            Status::request_entity_too_large(&format!("limit is {limit_bytes}"))
        }
        storage::Error::NoSpace | storage::Error::ReadOnly(_) | storage::Error::Closed => {
            Status::service_unavailable(error.to_string())
        }
        other => Status::internal_error(&other.to_string()),
    }
}

/// What is wrong with an object.
pub(super) fn invalid(resource: &Resource, name: &str, errors: &ErrorList) -> Result<(), Status> {
    match errors.aggregate() {
        None => Ok(()),
        Some(aggregate) => {
            Err(Status::invalid(resource.group_kind(), name, &aggregate, errors.causes()))
        }
    }
}

/// A patch that cannot be applied.
pub(super) fn patch(error: PatchError) -> Status {
    match error {
        PatchError::BadRequest(text) => Status::bad_request(text),
        PatchError::Unprocessable(_) => Status::unprocessable(),
        PatchError::Internal(text) => Status::other(text),
        PatchError::TooLarge(text) => {
            Status::failure(413, Some(Reason::RequestEntityTooLarge), text)
        }
    }
}

/// An apply that cannot be done.
pub(super) fn apply(error: ApplyError) -> Status {
    match error {
        ApplyError::BadRequest(text) => Status::bad_request(text),
        ApplyError::Internal(text) => Status::other(text),
        ApplyError::Conflict(conflicts) => {
            let causes = conflicts.causes().into_iter().map(|cause| Cause {
                reason: "FieldManagerConflict".to_owned(),
                message: cause.message,
                field: cause.field,
            });
            let details = Details { causes: causes.collect(), ..Details::default() };
            Status::failure(409, Some(Reason::Conflict), conflicts.to_string())
                .with_details(details)
        }
    }
}

/// The message of a write that met another state than it expected.
pub(super) const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";
