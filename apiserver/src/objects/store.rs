//! The objects of each resource: read from the watch cache, written to the backend.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use storage::cache::{Cache, CacheSet, Caches, Entry};
use storage::{Backend, Change, Error, Key, Revision};

use super::{Object, ObjectDecoder};
use crate::codec::json;
use crate::resources::{Resource, Resources};

/// An object and its revision.
pub type ObjectEntry = Arc<Entry<Object>>;

/// The objects of one resource.
#[derive(Debug)]
pub struct ObjectStore {
    /// What they are.
    pub resource: Arc<Resource>,
    /// Where they are read.
    pub cache: Arc<Cache<ObjectDecoder>>,
    backend: Arc<dyn Backend>,
}

impl ObjectStore {
    /// Stores a new object.
    ///
    /// # Errors
    ///
    /// [`Error::KeyExists`] and others.
    pub async fn create(&self, key: &str, object: &Value) -> Result<ObjectEntry, Error> {
        let change = Change::Create { key: Key::new(key), value: stored(object) };
        self.commit(change, object).await
    }

    /// Stores a changed object over the one of revision `expected`.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`], [`Error::KeyNotFound`] and others.
    pub async fn update(
        &self,
        key: &str,
        object: &Value,
        expected: Revision,
    ) -> Result<ObjectEntry, Error> {
        let change = Change::Update { key: Key::new(key), value: stored(object), expected };
        self.commit(change, object).await
    }

    /// Removes the object of revision `expected`.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`], [`Error::KeyNotFound`] and others.
    pub async fn delete(&self, key: &str, expected: Revision) -> Result<(), Error> {
        let change = Change::Delete { key: Key::new(key), expected };
        let committed = self.backend.commit(change).await?;
        self.cache.wait_for(committed.revision).await
    }

    /// Commits, and waits until whoever reads next sees it.
    async fn commit(&self, change: Change, object: &Value) -> Result<ObjectEntry, Error> {
        let key = change.key().clone();
        let committed = self.backend.commit(change).await?;
        self.cache.wait_for(committed.revision).await?;
        let modified = committed.revision;
        let object = Object::new(object.clone(), modified.0, self.resource.layout);
        let bytes = object.item_json().len();
        Ok(Arc::new(Entry { key, modified, bytes, object }))
    }
}

/// What is stored of an object: everything but its resource version, which is its revision.
fn stored(object: &Value) -> bytes::Bytes {
    let mut object = object.clone();
    super::metadata::members_mut(&mut object).shift_remove("resourceVersion");
    json::to_vec(&object).into()
}

/// Opens stores of kinds that are defined while the server runs.
#[derive(Debug)]
pub struct StoreOpener {
    caches: Caches,
    backend: Arc<dyn Backend>,
}

impl StoreOpener {
    /// Opens the store of a resource; its objects are decoded as the resource says.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    pub async fn open(&self, resource: &Arc<Resource>) -> Result<Arc<ObjectStore>, Error> {
        let decoder = ObjectDecoder { resource: Arc::clone(resource) };
        Ok(Arc::new(ObjectStore {
            resource: Arc::clone(resource),
            cache: self.caches.cache(resource.key_prefix(), decoder).await?,
            backend: Arc::clone(&self.backend),
        }))
    }
}

/// The stores of all resources.
#[derive(Debug, Clone, Default)]
pub struct Stores {
    stores: BTreeMap<String, Arc<ObjectStore>>,
}

impl Stores {
    /// Opens a store for each resource and feeds their caches.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    pub async fn open(
        backend: &Arc<dyn Backend>,
        resources: &Resources,
    ) -> Result<(Self, StoreOpener), Error> {
        let caches = CacheSet::new(Arc::clone(backend))?;
        let mut stores = Self::default();
        for resource in resources.iter().filter(|resource| resource.is_stored_as_served()) {
            let decoder = ObjectDecoder { resource: Arc::clone(resource) };
            stores.add(Arc::new(ObjectStore {
                resource: Arc::clone(resource),
                cache: caches.cache(resource.key_prefix(), decoder).await?,
                backend: Arc::clone(backend),
            }));
        }
        let (feed, caches) = caches.feed();
        tokio::spawn(feed.run());
        Ok((stores, StoreOpener { caches, backend: Arc::clone(backend) }))
    }

    /// Adds a store, in the place of one for the same objects.
    pub fn add(&mut self, store: Arc<ObjectStore>) {
        self.stores.insert(store.resource.key_prefix().to_owned(), store);
    }

    /// The store of a resource.
    #[must_use]
    pub fn of(&self, resource: &Resource) -> Option<&Arc<ObjectStore>> {
        self.stores.get(resource.key_prefix())
    }

    /// The store of a resource by its group and plural.
    #[must_use]
    pub fn find(&self, group: &str, plural: &str) -> Option<&Arc<ObjectStore>> {
        self.stores.values().find(|store| {
            store.resource.kind.group == group && store.resource.described.plural == plural
        })
    }

    /// An object as it is known now; the namespace is empty for objects of the whole cluster.
    #[must_use]
    pub fn peek(
        &self,
        group: &str,
        plural: &str,
        namespace: &str,
        name: &str,
    ) -> Option<ObjectEntry> {
        let store = self.find(group, plural)?;
        store.cache.peek(&store.resource.key(namespace, name))
    }

    /// All stores.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ObjectStore>> {
        self.stores.values()
    }
}
