//! The way of every write, whoever asks for it: prepare, keep the books, validate, store
//! (spec: apimachinery 2.4, 2.7, 2.8; validation 3.1, 3.2).

mod books;
mod create;
mod names;
mod preconditions;
mod scarce;
mod update;

use std::sync::Arc;

use api::decode::Tree;
use api::status::Status;
use auth::User;
use serde_json::{Value, json};
use storage::cache::Freshness;

use super::part::Part;
use super::{failure, versions};
use crate::objects::{Object, ObjectEntry, ObjectStore, metadata};
use crate::request::Record;
use crate::resources::Resource;
use crate::server::Server;

pub(crate) use names::generated_start;
pub(super) use names::random_suffix;

/// Who writes.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The field manager.
    pub(crate) manager: String,
    /// The user; `None` for the server itself.
    pub(crate) user: Option<Arc<User>>,
    /// Everything is done but for storing.
    pub(crate) dry_run: bool,
    /// Who is warned.
    pub(crate) record: Option<Arc<Record>>,
    /// Webhooks and policies have already seen what is asked for.
    pub(crate) is_admitted: bool,
}

impl Origin {
    /// The server itself, under the name of a field manager.
    pub(crate) fn own(manager: &str) -> Self {
        Self {
            manager: manager.to_owned(),
            user: None,
            dry_run: false,
            record: None,
            is_admitted: false,
        }
    }
}

/// Where something is written, and who writes.
pub(crate) struct WriteContext<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) resource: &'a Arc<Resource>,
    pub(crate) store: &'a Arc<ObjectStore>,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) part: Part,
    pub(crate) origin: Origin,
}

/// What a write would make of an object.
pub(crate) struct Proposal {
    /// The object, decoded and with defaults.
    pub(crate) object: Value,
    /// Whether the books of managed fields are already kept.
    pub(crate) applied: bool,
    /// The uid that the object must have, by the request.
    pub(crate) uid: Option<String>,
}

/// What a write did.
pub(crate) enum Written {
    /// The object is stored so.
    Stored(ObjectEntry),
    /// It is not known how the object is stored, or nothing was; this is what it looks like.
    Unstored(Box<Object>),
}

impl std::ops::Deref for Written {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Stored(entry) => &entry.object,
            Self::Unstored(object) => object,
        }
    }
}

impl<'c> WriteContext<'c> {
    fn warn(&self, object: &Value, old: Option<&Value>) {
        let Some(record) = &self.origin.record else { return };
        let warnings = self.resource.strategy.warnings(object, old);
        warnings.into_iter().for_each(|warning| record.warn(warning));
    }

    /// Sees to it that the object is in the namespace of the request.
    fn place(&self, object: &mut Value) -> Result<(), Status> {
        if !self.resource.described.namespaced {
            metadata::set(object, "namespace", Value::Null);
            return Ok(());
        }
        match metadata::text(object, "namespace") {
            "" => metadata::set(object, "namespace", json!(self.namespace)),
            namespace if namespace == self.namespace => {}
            _ => {
                return Err(Status::bad_request(
                    "the namespace of the provided object does not match the namespace sent on \
                     the request",
                ));
            }
        }
        Ok(())
    }

    /// The status is written through its subresource only.
    fn reset_status(&self, object: &mut Value, old: Option<&Value>) {
        let kept = old.is_none() && self.resource.strategy.keeps_status_on_create();
        if !self.resource.has_status || kept {
            return;
        }
        let status = match old {
            None => self.resource.zero().get("status").cloned(),
            Some(old) => old.get("status").cloned(),
        };
        put_status(object, status);
    }

    async fn existing(&self, key: &str) -> Result<Option<ObjectEntry>, Status> {
        let found = self.store.cache.get(key, Freshness::Consistent).await;
        let found = found.map_err(|error| failure::read(&error))?;
        let found = found.into_iter().collect();
        Ok(versions::as_served(self.server, self.resource, found).await?.pop())
    }

    /// The stored object; `None` if there is none.
    pub(crate) async fn live(&self) -> Result<Option<ObjectEntry>, Status> {
        self.existing(&self.resource.key(self.namespace, self.name)).await
    }

    /// The object as it is stored. What another version keeps in annotations is the client's word,
    /// and must be of the right type to become a member.
    async fn stored(&self, object: Value) -> Result<Value, Status> {
        let stored = versions::as_stored(self.server, self.resource, object).await?;
        if self.resource.is_stored_as_served() {
            return Ok(stored);
        }
        let decoded =
            self.store.resource.decode(Tree::from(stored)).map_err(Status::bad_request)?;
        let mut stored = decoded.value;
        self.store.resource.drop_empty(&mut stored);
        self.store.resource.set_type_meta(&mut stored);
        Ok(stored)
    }

    /// A copy for the answer, where others would have to be asked how what is stored looks in the
    /// version of the request.
    fn kept_as_sent(&self, object: &Value) -> Option<Value> {
        self.resource.reviewed.as_ref().map(|_| object.clone())
    }

    /// What was stored, as it was sent if that was kept.
    fn written(&self, entry: ObjectEntry, sent: Option<Value>) -> Written {
        let Some(object) = sent else { return Written::Stored(entry) };
        let object = Object::new(object, entry.modified.0, self.resource.layout);
        Written::Unstored(Box::new(object))
    }

    fn unstored(&self, object: Value) -> Written {
        let stored = self.resource.to_stored(object);
        Written::Unstored(Box::new(Object::unstored(stored, self.resource.layout)))
    }

    /// Decodes what a patch made and fills in defaults. Gives also what a strict reader refuses.
    pub(crate) fn decode(&self, value: Value) -> Result<(Value, Vec<String>), String> {
        let decoded = self.resource.decode(Tree::from(value))?;
        let mut object = decoded.value;
        self.resource.apply_defaults(&mut object);
        if self.resource.is_typed() {
            self.resource.set_type_meta(&mut object);
        }
        Ok((object, decoded.problems))
    }
}

/// The object with that status, or with none.
fn put_status(object: &mut Value, status: Option<Value>) {
    match (status, object) {
        (Some(status), object) => object["status"] = status,
        (None, Value::Object(members)) => drop(members.shift_remove("status")),
        (None, _) => {}
    }
}

/// Why a changed object was not stored.
enum StoreError {
    /// Somebody else wrote meanwhile.
    Conflict,
    /// It must not be.
    Refused(Box<Status>),
}

impl From<Status> for StoreError {
    fn from(status: Status) -> Self {
        Self::Refused(Box::new(status))
    }
}

fn store_error(error: &storage::Error) -> StoreError {
    match error {
        storage::Error::Conflict(_) | storage::Error::KeyNotFound => StoreError::Conflict,
        other => failure::storage(other).into(),
    }
}
