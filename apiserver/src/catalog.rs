//! What is served at the moment. Definitions of custom resources change it while requests run: it is
//! swapped as a whole, so that a request waits for nobody and never sees half of a change.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use storage::{Backend, Error};

use crate::nonresource::{AboutServer, Documents};
use crate::objects::{ObjectStore, StoreOpener, Stores};
use crate::resources::{Resource, Resources};

/// What is served, with the objects and documents that belong to it.
#[derive(Debug)]
pub struct Served {
    /// The kinds.
    pub resources: Resources,
    /// Their objects.
    pub stores: Stores,
    /// What clients are told of them.
    pub documents: Documents,
}

/// A custom resource in all its versions.
#[derive(Debug, Clone)]
pub struct CustomResource {
    /// The version that objects are stored in, served or not. As long as it is the same, so are the
    /// cache and the watches on it.
    pub stored: Arc<Resource>,
    /// The versions that are served.
    pub served: Vec<Arc<Resource>>,
}

/// Keeps what is served.
#[derive(Debug)]
pub struct Catalog {
    current: ArcSwap<Served>,
    built_in: Resources,
    /// The stores of the built-in kinds, which stay.
    kept: Stores,
    opener: StoreOpener,
    about: Arc<AboutServer>,
}

impl Catalog {
    /// Serves the built-in kinds.
    ///
    /// # Errors
    ///
    /// Those of the backend.
    pub async fn open(
        backend: &Arc<dyn Backend>,
        built_in: Resources,
        about: AboutServer,
    ) -> Result<Self, Error> {
        let about = Arc::new(about);
        let (stores, opener) = Stores::open(backend, &built_in).await?;
        let served = Served {
            documents: Documents::new(&built_in, &about, None),
            resources: built_in.clone(),
            stores: stores.clone(),
        };
        let current = ArcSwap::from_pointee(served);
        Ok(Self { current, built_in, kept: stores, opener, about })
    }

    /// What is served now, for a moment's look.
    pub fn peek(&self) -> Guard<Arc<Served>> {
        self.current.load()
    }

    /// What is served now, to be kept.
    #[must_use]
    pub fn now(&self) -> Arc<Served> {
        self.current.load_full()
    }

    /// Whether custom resources have the paths of built-in ones, or are stored where those are; they
    /// are not served then.
    #[must_use]
    pub fn is_built_in(&self, custom: &Resource) -> bool {
        let (group, plural) = (&custom.kind.group, &custom.described.plural);
        self.kept.of(custom).is_some() || self.built_in.has_resource(group, plural)
    }

    /// Serves the built-in kinds and these. Only one task may do so.
    ///
    /// # Errors
    ///
    /// Those of the backend; nothing has changed then.
    pub async fn serve(&self, custom: &[CustomResource]) -> Result<(), Error> {
        let before = self.now();
        let mut stores = self.kept.clone();
        for CustomResource { stored, .. } in custom {
            let store = match before.stores.of(stored) {
                Some(store) if Arc::ptr_eq(&store.resource, stored) => Arc::clone(store),
                _ => self.opener.open(stored).await?,
            };
            stores.add(store);
        }
        let resources = self.built_in.with(custom.iter().flat_map(|custom| &custom.served));
        let documents = Documents::new(&resources, &self.about, Some(&before.documents));
        self.current.store(Arc::new(Served { resources, stores, documents }));
        self.end_watches(&before);
        Ok(())
    }

    /// Watches of what is served otherwise now, or no more, end when they have sent what came before.
    fn end_watches(&self, before: &Served) {
        let now = self.peek();
        let kept = |store: &Arc<ObjectStore>| {
            now.stores.of(&store.resource).is_some_and(|kept| Arc::ptr_eq(kept, store))
        };
        before.stores.iter().filter(|store| !kept(store)).for_each(|store| {
            store.cache.end_watches();
        });
    }
}

#[cfg(test)]
mod tests {
    use storage::Key;
    use storage::cache::Freshness;
    use storage::memory::Memory;

    use super::*;
    use crate::options::RuntimeConfig;
    use crate::resources::custom::Compiled;
    use crate::resources::custom::testing::definition;

    async fn catalog() -> Catalog {
        let backend: Arc<dyn Backend> = Arc::new(Memory::new());
        let change = storage::Change::Create {
            key: Key::new("/registry/example.com/widgets/default/a"),
            value:
                br#"{"metadata":{"name":"a","namespace":"default"},"spec":{}}"#.as_slice().into(),
        };
        backend.commit(change).await.unwrap();
        let built_in = Resources::built_in(&RuntimeConfig::default());
        Catalog::open(&backend, built_in, AboutServer::default()).await.unwrap()
    }

    fn store(catalog: &Catalog, custom: &CustomResource) -> Option<Arc<ObjectStore>> {
        catalog.peek().stores.of(&custom.stored).map(Arc::clone)
    }

    #[tokio::test]
    async fn what_is_stored_is_there_when_its_kind_is_served() {
        let catalog = catalog().await;
        let custom = Compiled::new(&definition()).unwrap().serve(false);
        assert!(store(&catalog, &custom).is_none());
        catalog.serve(std::slice::from_ref(&custom)).await.unwrap();
        let served = catalog.now();
        assert!(served.resources.find("example.com", "v1", "widgets").is_some());
        assert!(served.resources.find("example.com", "v1beta1", "widgets").is_some());
        assert!(!served.resources.is_typed_group("example.com"));
        let list = store(&catalog, &custom).unwrap().cache.list(Freshness::Consistent).await;
        let [widget] = &list.unwrap().entries[..] else { panic!("not one widget") };
        let widget = widget.object.value(&custom.stored);
        assert_eq!(widget["spec"]["color"], "blue", "read with its defaults");
        catalog.serve(&[]).await.unwrap();
        assert!(!catalog.peek().resources.has_group("example.com"));
        assert!(served.resources.has_group("example.com"), "who looked before sees what was");
    }

    #[tokio::test]
    async fn a_cache_stays_with_its_schema_and_its_watches_with_the_cache() {
        let catalog = catalog().await;
        let compiled = Compiled::new(&definition()).unwrap();
        catalog.serve(&[compiled.serve(false)]).await.unwrap();
        let first = store(&catalog, &compiled.serve(false)).unwrap();
        let mut watch = first.cache.subscribe_with_state();
        catalog.serve(&[compiled.serve(true)]).await.unwrap();
        assert!(Arc::ptr_eq(&store(&catalog, &compiled.serve(true)).unwrap(), &first));
        assert!(watch.events.try_recv().is_err() && !watch.events.is_closed());

        let anew = Compiled::new(&definition()).unwrap().serve(false);
        catalog.serve(std::slice::from_ref(&anew)).await.unwrap();
        assert!(!Arc::ptr_eq(&store(&catalog, &anew).unwrap(), &first));
        assert!(watch.events.recv().await.is_none(), "the watch ends");
    }
}
