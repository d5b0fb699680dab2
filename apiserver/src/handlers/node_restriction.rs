//! Kubelets write about their own node and its pods only (upstream: the admission plugin
//! NodeRestriction, if it is enabled).

use api::status::{GroupResource, Status};
use auth::User;
use auth::authorize::node::restriction::{Lookup, Operation, Refusal, Write, restrict};
use serde_json::Value;

use super::Call;
use super::write::WriteContext;
use crate::objects::{Stores, metadata};
use crate::resources::Resource;
use crate::server::Server;

/// Stored objects as they are known now.
struct Stored<'a>(&'a Stores);

impl Lookup for Stored<'_> {
    fn find(&self, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let found = self.0.peek("", plural, namespace, name)?;
        serde_json::from_slice(found.object.item_json()).ok()
    }
}

impl WriteContext<'_> {
    /// Refuses what is not for the writer to write, if that is a kubelet. `live` is the object as
    /// it was; `None` for a new one.
    pub(super) fn check_node(&self, live: Option<&Value>, object: &Value) -> Result<(), Status> {
        let Some(user) = self.origin.user.as_deref() else { return Ok(()) };
        let write = Write {
            resource: group_resource(self.resource),
            subresource: self.part.subresource,
            namespace: self.namespace,
            name: metadata::text(object, "name"),
            operation: if live.is_some() { Operation::Update } else { Operation::Create },
            object,
            old: live.unwrap_or(&Value::Null),
        };
        check(self.server, self.resource, user, &write)
    }
}

impl Call<'_> {
    /// The same for a deletion, or for what is done with an object beside reading and writing it:
    /// `object` is what that takes.
    pub(super) fn check_node(
        &self,
        subresource: &str,
        operation: Operation,
        object: &Value,
    ) -> Result<(), Status> {
        let old = self.server.access.restricts_nodes.then(|| {
            let found = self.store.cache.peek(&self.resource.key(&self.namespace, &self.name));
            found.map(|entry| entry.object.value(&self.resource)).unwrap_or_default()
        });
        let write = Write {
            resource: group_resource(&self.resource),
            subresource,
            namespace: &self.namespace,
            name: &self.name,
            operation,
            object,
            old: &old.unwrap_or_default(),
        };
        check(self.server, &self.resource, &self.request.user, &write)
    }
}

fn group_resource(resource: &Resource) -> (&str, &str) {
    (&resource.kind.group, &resource.described.plural)
}

fn check(
    server: &Server,
    resource: &Resource,
    user: &User,
    write: &Write<'_>,
) -> Result<(), Status> {
    if !server.access.restricts_nodes {
        return Ok(());
    }
    restrict(user, write, &Stored(&server.catalog.now().stores)).map_err(|refusal| match refusal {
        Refusal::Forbidden(why) => Status::forbidden(resource.group_resource(), write.name, &why),
        Refusal::NotFound(plural, name) => {
            Status::not_found(GroupResource { group: "", resource: plural }, &name)
        }
    })
}
