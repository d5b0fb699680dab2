//! What a write needs around it to be let through (spec: apimachinery 6).

use api::status::{Cause, GroupResource, Status};
use serde_json::Value;
use storage::cache::Freshness;

use super::failure;
use super::write::WriteContext;
use crate::objects::metadata;

const NAMESPACES: GroupResource<'static> = GroupResource { group: "", resource: "namespaces" };

impl WriteContext<'_> {
    /// New objects need a namespace that is there, and there to stay.
    pub(super) async fn check_namespace(&self, object: &Value) -> Result<(), Status> {
        if !self.resource.described.namespaced {
            return Ok(());
        }
        let Some(namespaces) = self.server.stores.find("", "namespaces") else { return Ok(()) };
        let key = namespaces.resource.key("", self.namespace);
        let found = namespaces.cache.get(&key, Freshness::Consistent).await;
        let Some(namespace) = found.map_err(|error| failure::read(&error))? else {
            return Err(Status::not_found(NAMESPACES, self.namespace));
        };
        if namespace.object.metadata.deletion_timestamp.is_none() {
            return Ok(());
        }
        let why = format!(
            "unable to create new content in namespace {} because it is being terminated",
            self.namespace
        );
        let name = metadata::text(object, "name");
        let mut status = Status::forbidden(self.resource.group_resource(), name, &why);
        let cause = Cause {
            reason: "NamespaceTerminating".to_owned(),
            message: format!("namespace {} is being terminated", self.namespace),
            field: "metadata.namespace".to_owned(),
        };
        status.details.get_or_insert_default().causes.push(cause);
        Err(status)
    }
}
