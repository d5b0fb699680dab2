//! Follows the watch caches of all kinds that can own or be owned, also those that come later.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use openapi::resource::Verb;
use storage::cache::{Event, Subscription};

use super::graph::{Node, Owner, Phase, Place, Uid};
use crate::objects::{Object, ObjectEntry, ObjectStore};
use crate::server::Server;

/// The finalizers by which the collector remembers what it has to do.
pub(super) const ORPHAN: &str = "orphan";
pub(super) const FOREGROUND: &str = "foregroundDeletion";

/// What was seen.
pub(super) enum Sight {
    /// All objects of a kind.
    All(Arc<str>, Vec<(Uid, Node)>),
    /// An object as it is.
    There(Uid, Node),
    /// An object is gone.
    Gone(Uid),
}

type Recv = (Arc<str>, Subscription<Object>, Option<Arc<Event<Object>>>);

/// The kinds that are followed.
pub(super) struct Followed {
    server: Arc<Server>,
    stores: BTreeMap<Arc<str>, Arc<ObjectStore>>,
    next: FuturesUnordered<Pin<Box<dyn Future<Output = Recv> + Send>>>,
}

impl Followed {
    pub(super) fn new(server: &Arc<Server>) -> Self {
        Self { server: Arc::clone(server), stores: BTreeMap::new(), next: FuturesUnordered::new() }
    }

    pub(super) fn store(&self, prefix: &str) -> Option<&Arc<ObjectStore>> {
        self.stores.get(prefix)
    }

    /// Begins to follow kinds that came since the last call, and forgets those that went.
    pub(super) fn catch_up(&mut self) -> Vec<Sight> {
        let current: BTreeMap<Arc<str>, Arc<ObjectStore>> = self
            .server
            .stores
            .iter()
            .filter(|store| is_collectable(store))
            .map(|store| (Arc::from(store.resource.key_prefix()), Arc::clone(store)))
            .collect();
        let same = |prefix: &Arc<str>, store: &Arc<ObjectStore>| {
            current.get(prefix).is_some_and(|now| Arc::ptr_eq(now, store))
        };
        let before = std::mem::take(&mut self.stores);
        let (kept, gone): (BTreeMap<_, _>, BTreeMap<_, _>) =
            before.into_iter().partition(|(prefix, store)| same(prefix, store));
        self.stores = kept;
        let mut sights: Vec<Sight> =
            gone.into_keys().map(|prefix| Sight::All(prefix, Vec::new())).collect();
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
        if !self.stores.contains_key(&prefix) {
            return None;
        }
        let Some(event) = event else {
            // The watch did not keep up, or the kind was made anew.
            return self.follow(prefix);
        };
        self.wait(Arc::clone(&prefix), watch);
        Some(match event.kind {
            storage::EventKind::Put => {
                let (uid, node) = node(&prefix, &event.current);
                Sight::There(uid, node)
            }
            storage::EventKind::Delete => {
                Sight::Gone(event.current.object.metadata.uid.as_str().into())
            }
        })
    }

    fn follow(&mut self, prefix: Arc<str>) -> Option<Sight> {
        let mut watch = self.stores.get(&prefix)?.cache.subscribe_with_state();
        let initial = watch.initial.take();
        let entries = initial.iter().flat_map(|list| list.entries.iter());
        let nodes = entries.map(|entry| node(&prefix, entry)).collect();
        self.wait(Arc::clone(&prefix), watch);
        Some(Sight::All(prefix, nodes))
    }

    fn wait(&self, prefix: Arc<str>, mut watch: Subscription<Object>) {
        self.next.push(Box::pin(async move {
            let event = watch.events.recv().await;
            (prefix, watch, event)
        }));
    }
}

/// Events are about objects and belong to none; what clients cannot delete is not deleted.
fn is_collectable(store: &ObjectStore) -> bool {
    let described = &store.resource.described;
    store.resource.kind.kind != "Event"
        && [Verb::List, Verb::Watch, Verb::Delete].into_iter().all(|verb| described.offers(verb))
}

fn node(prefix: &Arc<str>, entry: &ObjectEntry) -> (Uid, Node) {
    let metadata = &entry.object.metadata;
    let owners = metadata.owner_references.iter().map(|owner| Owner {
        uid: owner.uid.as_str().into(),
        blocks: owner.block_owner_deletion.unwrap_or(false),
    });
    let has = |name: &str| metadata.finalizers.iter().any(|finalizer| finalizer == name);
    let node = Node {
        place: Place {
            prefix: Arc::clone(prefix),
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
        },
        owners: owners.collect(),
        phase: match &metadata.deletion_timestamp {
            None => Phase::Live,
            Some(_) if has(ORPHAN) => Phase::Orphaning,
            Some(_) if has(FOREGROUND) => Phase::Foreground,
            Some(_) => Phase::Going,
        },
    };
    (metadata.uid.as_str().into(), node)
}
