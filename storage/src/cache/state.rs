//! The state of a cache. Pure: no clock, no await.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::{Entry, Event, ReadError, Subscription};
use crate::backend::{EventKind, Key, Revision};

/// How many changes are kept for watchers that come late and for lists of the past.
const HISTORY_EVENTS_MAX: usize = 4096;

/// How many events wait for a watcher before it is given up.
pub const WATCHER_EVENTS_MAX: usize = 1024;

/// Objects in the order of their keys, at a revision. Cloning shares them.
#[derive(Debug)]
pub struct List<T> {
    /// The objects.
    pub entries: Arc<[Arc<Entry<T>>]>,
    /// The revision.
    pub revision: Revision,
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), revision: self.revision }
    }
}

/// The objects, the recent changes, the watchers.
#[derive(Debug)]
pub(super) struct State<T> {
    objects: BTreeMap<Key, Arc<Entry<T>>>,
    bytes: u64,
    /// The recent changes, oldest first.
    history: VecDeque<Arc<Event<T>>>,
    /// Changes after this revision are all in the history.
    oldest: Revision,
    /// The list as it was last asked for, until it changes.
    listed: Option<Arc<[Arc<Entry<T>>]>>,
    watchers: Vec<mpsc::Sender<Arc<Event<T>>>>,
}

impl<T> State<T> {
    pub(super) fn new(entries: Vec<Arc<Entry<T>>>, oldest: Revision) -> Self {
        Self {
            bytes: entries.iter().map(|entry| entry.bytes as u64).sum(),
            objects: entries.into_iter().map(|entry| (entry.key.clone(), entry)).collect(),
            history: VecDeque::new(),
            oldest,
            listed: None,
            watchers: Vec::new(),
        }
    }

    pub(super) fn size(&self) -> (usize, u64) {
        (self.objects.len(), self.bytes)
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<Entry<T>>> {
        self.objects.get(key).map(Arc::clone)
    }

    /// Makes a change and tells the watchers; those that do not keep up are dropped.
    pub(super) fn apply(&mut self, kind: EventKind, current: Arc<Entry<T>>) {
        let previous = match kind {
            EventKind::Put => self.objects.insert(current.key.clone(), Arc::clone(&current)),
            EventKind::Delete => self.objects.remove(&current.key),
        };
        self.bytes -= previous.as_ref().map_or(0, |previous| previous.bytes as u64);
        if kind == EventKind::Put {
            self.bytes += current.bytes as u64;
        }
        self.listed = None;
        let event = Arc::new(Event { kind, current, previous });
        self.watchers.retain(|watcher| watcher.try_send(Arc::clone(&event)).is_ok());
        self.history.push_back(event);
        if self.history.len() > HISTORY_EVENTS_MAX
            && let Some(forgotten) = self.history.pop_front()
        {
            self.oldest = forgotten.revision();
        }
    }

    /// The objects; `progress` is the revision up to which everything was applied.
    pub(super) fn list(&mut self, progress: Revision) -> List<T> {
        let objects = &self.objects;
        let entries = self.listed.get_or_insert_with(|| objects.values().map(Arc::clone).collect());
        // A change may have been applied whose revision was not yet announced.
        let newest = self.history.back().map_or(progress, |event| event.revision());
        List { entries: Arc::clone(entries), revision: progress.max(newest) }
    }

    /// The objects at a revision, if the history reaches back to it.
    pub(super) fn list_exact(&self, revision: Revision) -> Option<List<T>> {
        if revision < self.oldest {
            return None;
        }
        let mut objects = self.objects.clone();
        for event in self.history.iter().rev().take_while(|event| event.revision() > revision) {
            match &event.previous {
                Some(previous) => drop(objects.insert(previous.key.clone(), Arc::clone(previous))),
                None => drop(objects.remove(&event.current.key)),
            }
        }
        Some(List { entries: objects.into_values().collect(), revision })
    }

    pub(super) fn subscribe(
        &mut self,
        after: Revision,
        progress: Revision,
    ) -> Result<Subscription<T>, ReadError> {
        if after < self.oldest {
            return Err(ReadError::TooOld { requested: after, oldest: self.oldest });
        }
        let start = self.history.partition_point(|event| event.revision() <= after);
        let backlog = self.history.range(start..).map(Arc::clone).collect();
        Ok(self.watcher(None, backlog, progress))
    }

    pub(super) fn subscribe_with_state(&mut self, progress: Revision) -> Subscription<T> {
        let list = self.list(progress);
        self.watcher(Some(list), Vec::new(), progress)
    }

    fn watcher(
        &mut self,
        initial: Option<List<T>>,
        backlog: Vec<Arc<Event<T>>>,
        progress: Revision,
    ) -> Subscription<T> {
        self.watchers.retain(|watcher| !watcher.is_closed());
        let (sender, events) = mpsc::channel(WATCHER_EVENTS_MAX);
        self.watchers.push(sender);
        let newest = self.history.back().map_or(progress, |event| event.revision());
        Subscription { initial, backlog, events, revision: progress.max(newest) }
    }

    /// Ends every watch.
    pub(super) fn close(&mut self) {
        self.watchers.clear();
    }
}
