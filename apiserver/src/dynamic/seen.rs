//! What expressions see of a request.

use api::status::Status;
use custom::admission::Subject;
use serde_json::Value;

use super::hook::Sent;
use super::request::{Objects, Request};
use crate::resources::Resource;

/// A request with its objects, had it been made for another version of its resource.
pub(super) struct Seen {
    sent: Sent,
    described: Value,
    namespace: Option<Value>,
}

impl Seen {
    pub(super) async fn of(
        request: &Request<'_>,
        resource: &Resource,
        objects: Objects<'_>,
    ) -> Result<Self, Status> {
        let sent = Sent::new(request, resource, objects).await;
        Ok(Self {
            sent: sent.map_err(|why| Status::internal_error(&why))?,
            described: Value::Object(request.described(resource)),
            namespace: request.surrounding_namespace(objects),
        })
    }

    /// The same as expressions name it, or why it cannot be.
    pub(super) fn subject(&self) -> Result<Subject<'_>, String> {
        let Self { sent, described, namespace } = self;
        Subject::new(sent.object.as_ref(), sent.old.as_ref(), described, namespace.as_ref())
            .map_err(|error| error.to_string())
    }
}
