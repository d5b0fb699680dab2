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

    /// Whether custom resources are stored where built-in ones are; they are not served then.
    #[must_use]
    pub fn is_built_in(&self, custom: &Resource) -> bool {
        self.kept.of(custom).is_some()
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
