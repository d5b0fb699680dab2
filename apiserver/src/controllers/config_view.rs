//! The objects of one kind as the configuration consumer sees them: read once for each version,
//! and watched as any client would watch them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use storage::cache::{Event, Freshness, Subscription};
use storage::{Key, Revision};
use tokio::time::Instant;

use super::writer::Kind;
use crate::metrics::{Endpoint, WatchMetrics, Watching};
use crate::objects::Object;

/// The objects of one kind.
pub(super) struct View<T> {
    pub(super) kind: Kind,
    /// Those that were read, and their versions.
    known: BTreeMap<Key, (Revision, Arc<T>)>,
    events: Subscription<Object>,
    metrics: WatchMetrics,
    /// Counted among the watches that are served.
    _watching: Watching,
}

impl<T: DeserializeOwned> View<T> {
    pub(super) fn new(kind: Kind) -> Self {
        let resource = &kind.store.resource;
        let (group, version) = (&resource.kind.group, &resource.kind.version);
        let metrics = &kind.server.metrics;
        let endpoint = Endpoint::watch_of(group, version, &resource.described.plural);
        let view = Self {
            known: BTreeMap::new(),
            events: kind.store.cache.subscribe_with_state(),
            metrics: metrics.watch(group, version, &resource.described.plural),
            _watching: metrics.requests.watching(&endpoint, Instant::now()),
            kind,
        };
        view.metrics.begins_with(view.events.initial.as_ref().map_or(0, |list| list.entries.len()));
        view
    }

    /// Every object that there is. Those that did not change since the last call are not read
    /// again.
    pub(super) async fn list(&mut self) -> Result<Vec<Arc<T>>, String> {
        let list = self.kind.store.cache.list(Freshness::Consistent).await;
        let list = list.map_err(|error| error.to_string())?;
        let mut known = BTreeMap::new();
        for entry in list.entries.iter() {
            let same = self.known.remove(&entry.key).filter(|(at, _)| *at == entry.modified);
            let read = || Some((entry.modified, Arc::new(self.kind.read(&entry.object)?)));
            if let Some(object) = same.or_else(read) {
                known.insert(entry.key.clone(), object);
            }
        }
        self.known = known;
        Ok(self.known.values().map(|(_, object)| Arc::clone(object)).collect())
    }

    /// Waits for a change that matters, and takes those that wait behind it. Should the watch end,
    /// it begins anew, as after a change.
    pub(super) async fn changed(&mut self, matters: fn(&Event<Object>) -> bool) {
        loop {
            let Some(event) = self.events.events.recv().await else {
                self.events = self.kind.store.cache.subscribe_with_state();
                return;
            };
            let mut found = self.take(&event, matters);
            while let Ok(event) = self.events.events.try_recv() {
                found |= self.take(&event, matters);
            }
            if found {
                return;
            }
        }
    }

    /// Whether changes wait that were not looked at.
    pub(super) fn has_changes(&self) -> bool {
        !self.events.events.is_empty()
    }

    fn take(&self, event: &Event<Object>, matters: fn(&Event<Object>) -> bool) -> bool {
        self.metrics.sent(event.current.object.item_json().len());
        matters(event)
    }
}
