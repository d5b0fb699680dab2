//! What must hold of the stored object, or of who writes, before anything is changed.

use api::status::Status;
use auth::authorize::{Attributes, Authorizer as _, ResourceTarget, Target};
use serde_json::Value;
use storage::Revision;
use validation::field::{Error, ErrorList, Path, Shown};

use super::{StoreError, WriteContext};
use crate::handlers::failure;
use crate::objects::metadata;
use crate::request::query::parse_uint;

impl WriteContext<'_> {
    /// A request may name the uid that the object must have; where there is none, it has no uid.
    pub(crate) fn check_uid(&self, live: &Value, wanted: Option<&str>) -> Result<(), Status> {
        let actual = metadata::text(live, "uid");
        match wanted.filter(|wanted| *wanted != actual) {
            None => Ok(()),
            Some(wanted) => {
                let place = match self.namespace {
                    "" => self.name.to_owned(),
                    namespace => format!("{namespace}/{}", self.name),
                };
                let why = format!(
                    "StorageError: invalid object, Code: 4, Key: /registry/{}/{place}, \
                     ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
                     precondition: {wanted}, UID in object meta: {actual}",
                    self.resource.described.plural
                );
                let resource = self.resource.group_resource();
                Err(Status::conflict(resource, self.name, &why))
            }
        }
    }

    /// Whoever changes an object that is not there needs the right to create it.
    pub(crate) fn check_may_create(&self) -> Result<(), Status> {
        let Some(user) = self.origin.user.as_deref() else { return Ok(()) };
        let target = ResourceTarget {
            group: &self.resource.kind.group,
            version: &self.resource.kind.version,
            resource: &self.resource.described.plural,
            namespace: self.namespace,
            name: self.name,
            ..ResourceTarget::default()
        };
        let attributes = Attributes { user, verb: "create", target: Target::Resource(target) };
        self.server.access.authorizer.check(&attributes).map_err(|refused| {
            Status::forbidden(self.resource.group_resource(), &refused.name, &refused.cause)
        })
    }

    /// If the object names the version that it is for, that must be the stored one.
    pub(super) fn check_version(&self, object: &Value, stored: Revision) -> Result<(), StoreError> {
        let text = metadata::text(object, "resourceVersion");
        let version = if text.is_empty() { 0 } else { parse_uint(text).map_err(Status::other)? };
        match version {
            0 if self.resource.strategy.allows_unconditional_update() => Ok(()),
            0 => Err(self.version_missing().into()),
            version if version == stored.0 => Ok(()),
            _ => {
                let resource = self.resource.group_resource();
                Err(Status::conflict(resource, self.name, failure::MODIFIED).into())
            }
        }
    }

    /// The kind does not let itself be overwritten by whoever did not look at it.
    pub(super) fn version_missing(&self) -> Status {
        let path = Path::new("metadata").child("resourceVersion");
        let error = Error::invalid(&path, Shown::json(&0), "must be specified for an update");
        let errors: ErrorList = std::iter::once(error).collect();
        let aggregate = errors.aggregate().unwrap_or_default();
        Status::invalid(self.resource.group_resource(), self.name, &aggregate, errors.causes())
    }

    /// The object's name must be that of the URL.
    pub(crate) fn check_name(&self, object: &Value) -> Result<(), Status> {
        match metadata::text(object, "name") {
            name if name == self.name => Ok(()),
            "" => Err(Status::bad_request(format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                self.name
            ))),
            other => Err(Status::bad_request(format!(
                "the name of the object ({other}) does not match the name on the URL ({})",
                self.name
            ))),
        }
    }
}
