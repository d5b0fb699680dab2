//! Deleting (spec: apimachinery 2.12).

use std::sync::Arc;

use api::status::{Details, GroupResource, Status};
use api::time::Timestamp;
use auth::authorize::node::restriction::Operation;
use serde_json::{Value, json};
use storage::Error;

use super::admission::Deleter;
use super::allocation::release_all;
use super::options::{DeleteOptions, ListOptions, Propagation, delete_options_of_query};
use super::{Call, body_type, failure, versions};
use crate::codec::{accept, body};
use crate::objects::{Object, ObjectEntry, ObjectStore, metadata};
use crate::reply::Reply;
use crate::request::read_body;
use crate::resources::{GroupVersionKind, Resource};
use crate::server::Server;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// How often a deletion is tried against others who write.
const CONFLICT_TRIES: u32 = 100;

/// What a deletion did.
pub(crate) enum Deleted {
    /// The object is gone; so it was at last.
    Gone(Box<Object>),
    /// The object waits for its finalizers.
    Waiting(Box<Object>),
}

pub(super) async fn delete(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = call.delete_options().await?;
    if options.propagation.is_none()
        && let Some(warning) = call.resource.strategy.deletion_warning()
    {
        call.request.record.warn(warning.to_owned());
    }
    call.check_node("", Operation::Delete, &Value::Null)?;
    let key = call.resource.key(&call.namespace, &call.name);
    match call.deletion().ask_and_delete(&key, &call.name, &options, call.deleter()).await? {
        Deleted::Gone(object) if !call.resource.described.returns_deleted_object => {
            let details = Details {
                uid: object.metadata.uid.clone(),
                ..call.resource.group_resource().details(&call.name)
            };
            Ok(Reply::Status(Box::new(Status::success(details)), accepted))
        }
        Deleted::Gone(object) | Deleted::Waiting(object) => {
            let object = versions::one_as_served(call.server, &call.resource, object).await?;
            call.presenter(accepted)?.object(200, &object)
        }
    }
}

pub(super) async fn delete_collection(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = call.delete_options().await?;
    let list_options = ListOptions::read(&call.request.query, false)?;
    call.check_fields(&list_options)?;
    let page = call.page(&list_options).await?;
    for entry in &page.entries {
        let name = &entry.object.metadata.name;
        let deletion = call.deletion();
        match deletion.ask_and_delete(entry.key.as_str(), name, &options, call.deleter()).await {
            Ok(_) => {}
            // Somebody else was quicker.
            Err(status) if status.code == 404 => {}
            Err(status) => return Err(status),
        }
    }
    call.presenter(accepted)?.list(&page.entries, &page.meta)
}

impl Call<'_> {
    /// The options in the body or, if there is none, in the query.
    async fn delete_options(&mut self) -> Result<DeleteOptions, Status> {
        let text = read_body(&mut self.request.body).await?;
        if text.is_empty() {
            return DeleteOptions::check(delete_options_of_query(&self.request.query)?);
        }
        let media_type = body_type(&self.request.parts.headers)?;
        let tree = body::parse(&text, media_type).map_err(Status::bad_request)?;
        let kind = tree.text_member("kind").unwrap_or("DeleteOptions");
        let api_version = tree.text_member("apiVersion").unwrap_or("v1");
        let known = api_version == "v1"
            || api_version.starts_with("meta.k8s.io/")
            || api_version == self.resource.kind.group_version();
        if kind != "DeleteOptions" || !known {
            let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
            let unknown = GroupVersionKind::new(group, version, kind);
            return Err(Status::bad_request(body::no_kind(&unknown)));
        }
        DeleteOptions::read(tree.into_value())
    }

    fn deleter(&self) -> Deleter<'_> {
        Deleter { user: &self.request.user, record: &self.request.record }
    }

    pub(super) fn deletion(&self) -> Deletion<'_> {
        Deletion { server: self.server, resource: &self.resource, store: &self.store }
    }
}

/// Deletes objects of a kind, for clients and for the server itself.
pub(crate) struct Deletion<'a> {
    pub(crate) server: &'a Server,
    pub(crate) resource: &'a Arc<Resource>,
    pub(crate) store: &'a ObjectStore,
}

impl Deletion<'_> {
    /// Deletes an object, or marks it if something holds it. Nobody is asked.
    pub(crate) async fn delete(
        &self,
        key: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        self.delete_for(key, name, options, None).await
    }

    /// Deletes an object if webhooks and policies have nothing against it.
    async fn ask_and_delete(
        &self,
        key: &str,
        name: &str,
        options: &DeleteOptions,
        deleter: Deleter<'_>,
    ) -> Result<Deleted, Status> {
        self.delete_for(key, name, options, Some(deleter)).await
    }

    async fn delete_for(
        &self,
        key: &str,
        name: &str,
        options: &DeleteOptions,
        deleter: Option<Deleter<'_>>,
    ) -> Result<Deleted, Status> {
        let lasting = self.server.admission.plugins.has("NamespaceLifecycle");
        if let Some(why) = self.resource.strategy.deletion_refusal(name).filter(|_| lasting) {
            return Err(Status::forbidden(self.resource.group_resource(), name, why));
        }
        for _ in 0..CONFLICT_TRIES {
            let found = self.store.cache.get(key, storage::cache::Freshness::Consistent).await;
            let Some(entry) = found.map_err(|error| failure::read(&error))? else {
                return Err(Status::not_found(self.resource.group_resource(), name));
            };
            self.check_preconditions(&entry, name, options)?;
            if let Some(deleter) = deleter {
                self.admit(deleter, &entry, options.dry_run).await?;
            }
            match self.try_delete(key, &entry, options).await {
                Ok(deleted) => return Ok(deleted),
                Err(Error::Conflict(_) | Error::KeyNotFound) => {}
                Err(error) => return Err(failure::storage(&error)),
            }
        }
        Err(Status::conflict(self.resource.group_resource(), name, failure::MODIFIED))
    }

    async fn try_delete(
        &self,
        key: &str,
        entry: &ObjectEntry,
        options: &DeleteOptions,
    ) -> Result<Deleted, Error> {
        let strategy = &self.resource.strategy;
        let mut object = entry.object.value(self.resource);
        let before = metadata::finalizers(&object);
        let mut finalizers = self.finalizers_after(before.clone(), options.propagation);
        if let Some(own) = strategy.finalizer()
            && !metadata::is_being_deleted(&object)
            && !finalizers.iter().any(|finalizer| finalizer == own)
        {
            finalizers.push(own.to_owned());
        }
        let grace = strategy.deletion_grace_seconds(&object, options.grace_period_seconds);
        let ends_at_once = grace.unwrap_or(0) == 0;
        if finalizers.is_empty() && ends_at_once && !strategy.holds(&object) {
            if grace.is_some() {
                self.mark_deleted(&mut object, 0);
            }
            if !options.dry_run {
                self.store.delete(key, entry.modified).await?;
                release_all(self.server, self.resource, &object).await;
            }
            return Ok(Deleted::Gone(self.unstored(object)));
        }
        let hurries = grace.is_some_and(|grace| {
            object["metadata"]["deletionGracePeriodSeconds"].as_i64().is_some_and(|g| grace < g)
        });
        if metadata::is_being_deleted(&object) && finalizers == before && !hurries {
            return Ok(Deleted::Waiting(self.unstored(object)));
        }
        metadata::set(&mut object, "finalizers", json!(finalizers));
        self.mark_deleted(&mut object, grace.unwrap_or(0));
        if options.dry_run {
            return Ok(Deleted::Waiting(self.unstored(object)));
        }
        let written = self.resource.to_stored(object.clone());
        let stored = self.store.update(key, &written, entry.modified).await?;
        metadata::set_resource_version(&mut object, stored.modified.0);
        Ok(Deleted::Waiting(self.unstored(object)))
    }

    fn unstored(&self, object: Value) -> Box<Object> {
        Box::new(Object::unstored(self.resource.to_stored(object), self.resource.layout))
    }

    /// Writes down that the object is to be gone in `grace` seconds, if not sooner.
    fn mark_deleted(&self, object: &mut Value, grace: i64) {
        let was = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
        let begun = metadata::is_being_deleted(object);
        if begun && was.is_none_or(|was| was <= grace) {
            return;
        }
        let now = self.server.clock.timestamp();
        let at = Timestamp::from_unix_seconds(now.unix_seconds() + grace).unwrap_or(now);
        metadata::set(object, "deletionTimestamp", json!(at.to_string()));
        // What its own finalizer holds has as long as that takes, and is as wanted as before.
        let held = self.resource.strategy.finalizer().is_some();
        if !held {
            metadata::set(object, "deletionGracePeriodSeconds", json!(grace));
        }
        if begun {
            return;
        }
        self.resource.strategy.begin_deletion(object);
        if held {
            return;
        }
        if let Some(generation) = object["metadata"]["generation"].as_i64().filter(|g| *g > 0) {
            metadata::set(object, "generation", json!(generation + 1));
        }
    }

    /// The finalizers once it is said what becomes of dependents, by the client or the kind.
    fn finalizers_after(&self, before: Vec<String>, asked: Option<Propagation>) -> Vec<String> {
        let says = before.iter().any(|finalizer| finalizer == ORPHAN || finalizer == FOREGROUND);
        let usual = self.resource.strategy.orphans_by_default() && !says;
        finalizers_after(before, asked.or(usual.then_some(Propagation::Orphan)))
    }

    /// Conflicts of deletions name the kind, all others the resource.
    fn check_preconditions(
        &self,
        entry: &ObjectEntry,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<(), Status> {
        let kind: GroupResource<'_> = self.resource.group_kind();
        let uid = &entry.object.metadata.uid;
        if let Some(wanted) = options.uid.as_ref().filter(|wanted| *wanted != uid) {
            let why = format!(
                "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). \
                 The object might have been deleted and then recreated"
            );
            return Err(Status::conflict(kind, name, &why));
        }
        let version = entry.modified.to_string();
        if let Some(wanted) = options.resource_version.as_ref().filter(|wanted| **wanted != version)
        {
            let why = format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the \
                 ResourceVersion in record ({version}). The object might have been modified"
            );
            return Err(Status::conflict(kind, name, &why));
        }
        Ok(())
    }
}

/// The finalizers once it was said what becomes of dependents.
fn finalizers_after(mut finalizers: Vec<String>, propagation: Option<Propagation>) -> Vec<String> {
    let Some(propagation) = propagation else { return finalizers };
    finalizers.retain(|finalizer| finalizer != ORPHAN && finalizer != FOREGROUND);
    match propagation {
        Propagation::Background => {}
        Propagation::Foreground => finalizers.push(FOREGROUND.to_owned()),
        Propagation::Orphan => finalizers.push(ORPHAN.to_owned()),
    }
    finalizers
}
