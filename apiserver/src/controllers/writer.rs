//! How the server's own controllers read and write: the way of every write, without HTTP.

use std::sync::Arc;

use api::flowcontrol::GROUP;
use api::status::Status;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use storage::cache::Freshness;

use crate::handlers::{Origin, Part, WriteContext};
use crate::objects::{Object, ObjectStore};
use crate::server::Server;

/// Reads and writes one kind.
pub(super) struct Kind {
    pub(super) server: Arc<Server>,
    pub(super) store: Arc<ObjectStore>,
}

impl Kind {
    /// The kind of flow control with that plural.
    pub(super) fn of(server: &Arc<Server>, plural: &str) -> Result<Self, String> {
        Self::find(server, GROUP, api::flowcontrol::v1::VERSION, plural)
    }

    /// The kind of that group, version and plural.
    pub(super) fn find(
        server: &Arc<Server>,
        group: &str,
        version: &str,
        plural: &str,
    ) -> Result<Self, String> {
        let served = server.catalog.peek();
        let resource = served.resources.find(group, version, plural);
        let store = resource.and_then(|resource| served.stores.of(resource)).map(Arc::clone);
        let store = store.ok_or_else(|| format!("{plural} are not served"))?;
        Ok(Self { server: Arc::clone(server), store })
    }

    /// Every object that there is.
    pub(super) async fn list<T: DeserializeOwned>(&self) -> Result<Vec<Arc<T>>, String> {
        let list = self.store.cache.list(Freshness::Consistent).await;
        let list = list.map_err(|error| error.to_string())?;
        Ok(list.entries.iter().filter_map(|entry| self.read(&entry.object)).map(Arc::new).collect())
    }

    /// A stored object; `None` if it cannot be read.
    pub(super) fn read<T: DeserializeOwned>(&self, object: &Object) -> Option<T> {
        serde_json::from_value(object.value(&self.store.resource)).ok()
    }

    /// Writes as a field manager.
    pub(super) fn context<'a>(
        &'a self,
        manager: &str,
        namespace: &'a str,
        name: &'a str,
        part: Part,
    ) -> WriteContext<'a> {
        WriteContext {
            server: &self.server,
            resource: &self.store.resource,
            store: &self.store,
            namespace,
            name,
            part,
            origin: Origin::own(manager),
        }
    }

    /// Creates an object. If somebody was quicker, what they made stays.
    pub(super) async fn create_missing(
        &self,
        context: &WriteContext<'_>,
        object: &impl Serialize,
    ) -> Result<(), Status> {
        match context.create(self.canonical(object)?).await {
            Ok(_) => Ok(()),
            Err(status) if status.code == 409 => Ok(()),
            Err(status) => Err(status),
        }
    }

    /// A typed object in canonical form, with defaults.
    pub(super) fn canonical(&self, object: &impl Serialize) -> Result<Value, Status> {
        let value = serde_json::to_value(object).map_err(|e| Status::other(e.to_string()))?;
        let context = self.context("", "", "", Part::WHOLE);
        context.decode(value).map(|(object, _)| object).map_err(Status::other)
    }
}
