//! Where writes meet webhooks and policies.

use std::sync::Arc;

use api::status::Status;
use auth::User;
use serde_json::Value;

use crate::dynamic::{
    Mutated, Objects, Operation, Request, Round, check_policies, mutate, options, validate,
};
use crate::handlers::delete::Deletion;
use crate::handlers::write::WriteContext;
use crate::handlers::{Call, versions};
use crate::objects::{ObjectEntry, metadata};
use crate::request::Record;
use crate::resources::GroupVersionKind;
use crate::server::Server;

impl WriteContext<'_> {
    /// Has plugins and webhooks look at an object, and change it. What the one changed, the other
    /// looks at again, once.
    pub(in crate::handlers) async fn admit(
        &self,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Result<Mutated, Status> {
        self.ask_plugins(object, old).await?;
        let compiled = self.server.dynamic.now();
        let hooks = &compiled.mutating;
        let on = self.server.admission.plugins.has("MutatingAdmissionWebhook");
        if !on || hooks.is_empty() {
            return Ok(Mutated::Unchanged);
        }
        let name = self.object_name(object).to_owned();
        let Some(request) = self.request(&name, old) else { return Ok(Mutated::Unchanged) };
        let (mut round, mut changed) = (Round::default(), Some(object.take()));
        let mut mutated = Box::pin(mutate(hooks, &request, &mut changed, old, &mut round)).await?;
        if mutated == Mutated::Changed
            && let Some(object) = &mut changed
        {
            self.ask_plugins(object, old).await?;
            round.next(object);
            let second = mutate(hooks, &request, &mut changed, old, &mut round);
            Box::pin(second).await?;
            mutated = Mutated::Changed;
        }
        *object = changed.unwrap_or_default();
        Ok(mutated)
    }

    /// Has policies and webhooks look at what is to be stored.
    pub(in crate::handlers) async fn admit_valid(
        &self,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<(), Status> {
        if self.server.dynamic.is_idle() {
            return Ok(());
        }
        let name = self.object_name(object).to_owned();
        let Some(request) = self.request(&name, old) else { return Ok(()) };
        let objects = Objects { object: Some(object), old };
        Box::pin(self.server.admit_valid(&request, objects)).await
    }

    fn object_name<'a>(&'a self, object: &'a Value) -> &'a str {
        if self.name.is_empty() { metadata::text(object, "name") } else { self.name }
    }

    /// The request as webhooks and policies see it; `None` if they do not look at it. What the
    /// server writes by itself is not for them, nor is what a subresource changes of which they have
    /// seen the object.
    fn request<'a>(&'a self, name: &'a str, old: Option<&Value>) -> Option<Request<'a>> {
        let user = self.origin.user.as_deref()?;
        if self.origin.is_admitted {
            return None;
        }
        let (operation, kind) = match old {
            None => (Operation::Create, "CreateOptions"),
            Some(_) => (Operation::Update, "UpdateOptions"),
        };
        Some(Request {
            catalog: &self.server.catalog,
            resource: self.resource,
            subresource: self.part.subresource,
            kind: self.resource.kind.clone(),
            operation,
            namespace: self.namespace,
            name,
            user,
            dry_run: self.origin.dry_run,
            record: self.origin.record.as_deref(),
            options: options(kind, Some(&self.origin.manager), self.origin.dry_run),
        })
    }
}

impl Server {
    /// Has policies and webhooks look at a request.
    pub(in crate::handlers) async fn admit_valid(
        &self,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Result<(), Status> {
        let (compiled, on) = (self.dynamic.now(), &self.admission.plugins);
        if !compiled.policies.is_empty() && on.has("ValidatingAdmissionPolicy") {
            check_policies(&compiled.policies, request, objects).await?;
        }
        if !compiled.validating.is_empty() && on.has("ValidatingAdmissionWebhook") {
            validate(&compiled.validating, request, objects).await?;
        }
        Ok(())
    }

    /// Has webhooks look at a request of which they can change nothing, and then all that validates.
    pub(in crate::handlers) async fn admit_whole(
        &self,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Result<(), Status> {
        let compiled = self.dynamic.now();
        if !compiled.mutating.is_empty() && self.admission.plugins.has("MutatingAdmissionWebhook") {
            let mut object = objects.object.cloned();
            let mut round = Round::default();
            mutate(&compiled.mutating, request, &mut object, objects.old, &mut round).await?;
        }
        self.admit_valid(request, objects).await
    }
}

/// Who deletes, for those who have to be asked.
#[derive(Clone, Copy)]
pub(in crate::handlers) struct Deleter<'a> {
    pub(in crate::handlers) user: &'a User,
    pub(in crate::handlers) record: &'a Record,
}

impl Deletion<'_> {
    /// Has everybody look at a deletion.
    pub(in crate::handlers) async fn admit(
        &self,
        deleter: Deleter<'_>,
        entry: &ObjectEntry,
        dry_run: bool,
    ) -> Result<(), Status> {
        if self.server.dynamic.is_idle() {
            return Ok(());
        }
        let resource = self.resource;
        let shown = versions::as_served(self.server, resource, vec![Arc::clone(entry)]).await?;
        let old = shown.first().unwrap_or(entry).object.value(resource);
        let request = Request {
            catalog: &self.server.catalog,
            resource,
            subresource: "",
            kind: resource.kind.clone(),
            operation: Operation::Delete,
            namespace: metadata::text(&old, "namespace"),
            name: metadata::text(&old, "name"),
            user: deleter.user,
            dry_run,
            record: Some(deleter.record),
            options: options("DeleteOptions", None, dry_run),
        };
        let objects = Objects { object: None, old: Some(&old) };
        Box::pin(self.server.admit_whole(&request, objects)).await
    }
}

impl Call<'_> {
    /// Has everybody look at a request for a subresource whose objects are of a kind of their own.
    pub(in crate::handlers) async fn admit_action(
        &self,
        operation: Operation,
        subresource: &str,
        kind: GroupVersionKind,
        objects: Objects<'_>,
        dry_run: bool,
    ) -> Result<(), Status> {
        if self.server.dynamic.is_idle() {
            return Ok(());
        }
        let request = Request {
            catalog: &self.server.catalog,
            resource: &self.resource,
            subresource,
            kind,
            operation,
            namespace: &self.namespace,
            name: &self.name,
            user: &self.request.user,
            dry_run,
            record: Some(&self.request.record),
            options: match operation {
                Operation::Connect => Value::Null,
                Operation::Update => options("UpdateOptions", None, dry_run),
                _ => options("CreateOptions", None, dry_run),
            },
        };
        Box::pin(self.server.admit_whole(&request, objects)).await
    }
}
