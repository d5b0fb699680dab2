//! NamespaceLifecycle: new objects need a namespace that is there, and there to stay
//! (spec: apimachinery 2.4).

use api::status::{Cause, GroupResource, Status};
use serde_json::{Value, json};
use storage::cache::Freshness;

use crate::handlers::failure;
use crate::handlers::write::WriteContext;
use crate::objects::metadata;

const CERTIFICATE_REQUEST: (&str, &str) = ("certificates.k8s.io", "CertificateSigningRequest");
const NAMESPACES: GroupResource<'static> = GroupResource { group: "", resource: "namespaces" };

impl WriteContext<'_> {
    /// New objects need a namespace that is there, and there to stay.
    pub(in crate::handlers) async fn check_namespace(&self, object: &Value) -> Result<(), Status> {
        let on = self.server.admission.plugins.has("NamespaceLifecycle");
        if !self.resource.described.namespaced || !on {
            return Ok(());
        }
        let served = self.server.served();
        let Some(namespaces) = served.stores.find("", "namespaces") else { return Ok(()) };
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

    /// A request for a certificate tells who made it; what the client says of that is not taken.
    pub(in crate::handlers) fn note_requester(&self, object: &mut Value) {
        let kind = (self.resource.kind.group.as_str(), self.resource.kind.kind.as_str());
        let (true, Some(user)) = (kind == CERTIFICATE_REQUEST, &self.origin.user) else { return };
        let spec = &mut object["spec"];
        if !spec.is_object() {
            return;
        }
        spec["username"] = json!(user.name);
        for (member, value, is_empty) in [
            ("uid", json!(user.uid), user.uid.is_empty()),
            ("groups", json!(user.groups), user.groups.is_empty()),
            ("extra", json!(user.extra), user.extra.is_empty()),
        ] {
            spec[member] = if is_empty { Value::Null } else { value };
        }
    }
}
