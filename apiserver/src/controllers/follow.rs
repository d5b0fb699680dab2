//! Follows the watch caches of many kinds, also of those that come later.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use storage::cache::{Event, List, Subscription};

use crate::objects::{Object, ObjectStore};
use crate::server::Server;

/// What was seen of a kind.
pub(super) enum Sight {
    /// It is followed from now on, or was lost from sight for a while: all its objects.
    All(Arc<ObjectStore>, List<Object>),
    /// An object changed.
    Changed(Arc<ObjectStore>, Arc<Event<Object>>),
    /// It is not served any more. What its keys began with.
    Unserved(Arc<str>),
}

type Recv = (Arc<str>, Subscription<Object>, Option<Arc<Event<Object>>>);

/// The kinds that are followed.
pub(super) struct Followed {
    server: Arc<Server>,
    /// Whether a kind is one of them.
    wanted: fn(&ObjectStore) -> bool,
    stores: BTreeMap<Arc<str>, Arc<ObjectStore>>,
    next: FuturesUnordered<Pin<Box<dyn Future<Output = Recv> + Send>>>,
}

impl Followed {
    pub(super) fn new(server: &Arc<Server>, wanted: fn(&ObjectStore) -> bool) -> Self {
        Self {
            server: Arc::clone(server),
            wanted,
            stores: BTreeMap::new(),
            next: FuturesUnordered::new(),
        }
    }

    pub(super) fn store(&self, prefix: &str) -> Option<&Arc<ObjectStore>> {
        self.stores.get(prefix)
    }

    /// Begins to follow kinds that came since the last call, and forgets those that went.
    pub(super) fn catch_up(&mut self) -> Vec<Sight> {
        let current: BTreeMap<Arc<str>, Arc<ObjectStore>> = self
            .server
            .served()
            .stores
            .iter()
            .filter(|store| (self.wanted)(store))
            .map(|store| (Arc::from(store.resource.key_prefix()), Arc::clone(store)))
            .collect();
        let same = |prefix: &Arc<str>, store: &Arc<ObjectStore>| {
            current.get(prefix).is_some_and(|now| Arc::ptr_eq(now, store))
        };
        let before = std::mem::take(&mut self.stores);
        let (kept, gone): (BTreeMap<_, _>, BTreeMap<_, _>) =
            before.into_iter().partition(|(prefix, store)| same(prefix, store));
        self.stores = kept;
        let mut sights: Vec<Sight> = gone.into_keys().map(Sight::Unserved).collect();
        for (prefix, store) in current {
            if !self.stores.contains_key(&prefix) {
                self.stores.insert(Arc::clone(&prefix), store);
                sights.extend(self.follow(prefix));
            }
        }
        sights
    }

    /// What is seen next.
    pub(super) async fn next(&mut self) -> Sight {
        loop {
            let Some((prefix, watch, event)) = self.next.next().await else {
                return std::future::pending().await;
            };
            if let Some(sight) = self.take(prefix, watch, event) {
                return sight;
            }
        }
    }

    /// What was seen already, if anything.
    pub(super) fn next_ready(&mut self) -> Option<Sight> {
        loop {
            let (prefix, watch, event) =
                tokio::task::unconstrained(self.next.next()).now_or_never()??;
            if let Some(sight) = self.take(prefix, watch, event) {
                return Some(sight);
            }
        }
    }

    fn take(
        &mut self,
        prefix: Arc<str>,
        watch: Subscription<Object>,
        event: Option<Arc<Event<Object>>>,
    ) -> Option<Sight> {
        let store = Arc::clone(self.stores.get(&prefix)?);
        let Some(event) = event else {
            // The watch did not keep up, or the kind was made anew.
            return self.follow(prefix);
        };
        self.wait(prefix, watch);
        Some(Sight::Changed(store, event))
    }

    fn follow(&mut self, prefix: Arc<str>) -> Option<Sight> {
        let store = Arc::clone(self.stores.get(&prefix)?);
        let mut watch = store.cache.subscribe_with_state();
        let initial = watch.initial.take()?;
        self.wait(prefix, watch);
        Some(Sight::All(store, initial))
    }

    fn wait(&self, prefix: Arc<str>, mut watch: Subscription<Object>) {
        self.next.push(Box::pin(async move {
            let event = watch.events.recv().await;
            (prefix, watch, event)
        }));
    }
}
