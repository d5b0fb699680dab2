//! Deleting (spec: apimachinery 2.12).

use api::meta;
use api::status::{Details, GroupResource, Status};
use serde_json::{Value, json};
use storage::Error;

use super::options::{DeleteOptions, ListOptions, Propagation, delete_options_of_query};
use super::{Call, body_type, failure};
use crate::codec::{accept, body};
use crate::objects::{Object, ObjectEntry, metadata};
use crate::reply::Reply;
use crate::request::read_body;
use crate::resources::GroupVersionKind;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// How often a deletion is tried against others who write.
const CONFLICT_TRIES: u32 = 100;

/// What a deletion did.
enum Deleted {
    /// The object is gone.
    Gone(ObjectEntry),
    /// The object waits for its finalizers.
    Waiting(Box<Object>),
}

pub(super) async fn delete(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = call.delete_options().await?;
    let key = call.resource.key(&call.namespace, &call.name);
    match call.delete_key(&key, &call.name, &options).await? {
        Deleted::Gone(entry) => {
            let details = Details {
                uid: entry.object.metadata.uid.clone(),
                ..call.resource.group_resource().details(&call.name)
            };
            Ok(Reply::Status(Box::new(Status::success(details)), accepted))
        }
        Deleted::Waiting(object) => call.presenter(accepted)?.object(200, &object),
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
        match call.delete_key(entry.key.as_str(), name, &options).await {
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
        let value = tree.into_value();
        let options = <Option<meta::DeleteOptions> as serde::Deserialize>::deserialize(value)
            .map_err(|error| Status::bad_request(error.to_string()))?;
        DeleteOptions::check(options.unwrap_or_default())
    }

    async fn delete_key(
        &self,
        key: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        for _ in 0..CONFLICT_TRIES {
            let found = self.store.cache.get(key, storage::cache::Freshness::Consistent).await;
            let Some(entry) = found.map_err(|error| failure::read(&error))? else {
                return Err(Status::not_found(self.resource.group_resource(), name));
            };
            self.check_preconditions(&entry, name, options)?;
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
        let mut object = entry.object.value(&self.resource);
        let before = metadata::finalizers(&object);
        let finalizers = finalizers_after(before.clone(), options.propagation);
        if finalizers.is_empty() {
            if !options.dry_run {
                self.store.delete(key, entry.modified).await?;
            }
            return Ok(Deleted::Gone(ObjectEntry::clone(entry)));
        }
        if metadata::is_being_deleted(&object) && finalizers == before {
            return Ok(Deleted::Waiting(Box::new(Object::unstored(object))));
        }
        metadata::set(&mut object, "finalizers", json!(finalizers));
        self.mark_deleted(&mut object);
        if options.dry_run {
            return Ok(Deleted::Waiting(Box::new(Object::unstored(object))));
        }
        let stored = self.store.update(key, &object, entry.modified).await?;
        metadata::set_resource_version(&mut object, stored.modified.0);
        Ok(Deleted::Waiting(Box::new(Object::unstored(object))))
    }

    fn mark_deleted(&self, object: &mut Value) {
        if metadata::is_being_deleted(object) {
            return;
        }
        let now = self.server.clock.timestamp().to_string();
        metadata::set(object, "deletionTimestamp", json!(now));
        metadata::set(object, "deletionGracePeriodSeconds", json!(0));
        if let Some(generation) = object["metadata"]["generation"].as_i64().filter(|g| *g > 0) {
            metadata::set(object, "generation", json!(generation + 1));
        }
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
