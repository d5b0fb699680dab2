//! The state of a cache. Pure: no clock, no await.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::past::{Entries, PastList, PastLists, Rollback};
use super::{Entry, Event, ReadError, Subscription};
use crate::backend::{EventKind, Key, Revision};

/// How many changes are kept however old they are.
const HISTORY_EVENTS_KEPT: usize = 1024;

/// How many changes are kept however young they are.
pub const HISTORY_EVENTS_MAX: usize = 16_384;

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

impl<T> List<T> {
    /// Those whose keys begin with a prefix.
    #[must_use]
    pub fn below(&self, prefix: &str) -> &[Arc<Entry<T>>] {
        let begin = self.entries.partition_point(|entry| entry.key.as_str() < prefix);
        let from = &self.entries[begin..];
        &from[..from.partition_point(|entry| entry.key.as_str().starts_with(prefix))]
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self { entries: Arc::clone(&self.entries), revision: self.revision }
    }
}

/// What is known of a list of the past.
#[derive(Debug)]
pub(super) enum Past<T> {
    /// It is at hand.
    Known(Entries<T>),
    /// It has to be made.
    Made(Rollback<T>),
    /// The history does not reach back to it.
    Forgotten,
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
    /// The revision of the last change, or of the state that the cache was filled with.
    newest: Revision,
    /// The list as it was last asked for, until it changes.
    listed: Option<Entries<T>>,
    past: PastLists<T>,
    watchers: Vec<mpsc::Sender<Arc<Event<T>>>>,
}

impl<T> State<T> {
    pub(super) fn new(entries: Vec<Arc<Entry<T>>>, revision: Revision) -> Self {
        Self {
            bytes: entries.iter().map(|entry| entry.bytes as u64).sum(),
            objects: entries.into_iter().map(|entry| (entry.key.clone(), entry)).collect(),
            history: VecDeque::new(),
            oldest: revision,
            newest: revision,
            listed: None,
            past: PastLists::default(),
            watchers: Vec::new(),
        }
    }

    pub(super) fn size(&self) -> (usize, u64) {
        (self.objects.len(), self.bytes)
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<Entry<T>>> {
        self.objects.get(key).map(Arc::clone)
    }

    /// Makes a change and tells the watchers; those that do not keep up are dropped. States before
    /// `fresh_since` may be forgotten.
    pub(super) fn apply(&mut self, kind: EventKind, current: Arc<Entry<T>>, fresh_since: Revision) {
        let previous = match kind {
            EventKind::Put => self.objects.insert(current.key.clone(), Arc::clone(&current)),
            EventKind::Delete => self.objects.remove(&current.key),
        };
        self.bytes -= previous.as_ref().map_or(0, |previous| previous.bytes as u64);
        if kind == EventKind::Put {
            self.bytes += current.bytes as u64;
        }
        let until = current.modified;
        if let Some(entries) = self.listed.take() {
            self.past.keep(PastList { entries, from: self.newest, until });
        }
        self.newest = until;
        let event = Arc::new(Event { kind, current, previous });
        self.watchers.retain(|watcher| watcher.try_send(Arc::clone(&event)).is_ok());
        self.history.push_back(event);
        self.forget(fresh_since);
    }

    fn forget(&mut self, fresh_since: Revision) {
        while let Some(event) = self.history.front() {
            let old = event.revision() <= fresh_since;
            let kept = if old { HISTORY_EVENTS_KEPT } else { HISTORY_EVENTS_MAX };
            if self.history.len() <= kept {
                break;
            }
            self.oldest = event.revision();
            self.history.pop_front();
        }
        self.past.forget(fresh_since);
    }

    fn entries(&mut self) -> Entries<T> {
        let objects = &self.objects;
        let entries = self.listed.get_or_insert_with(|| objects.values().map(Arc::clone).collect());
        Arc::clone(entries)
    }

    /// The objects; `progress` is the revision up to which everything was applied.
    pub(super) fn list(&mut self, progress: Revision) -> List<T> {
        // A change may have been applied whose revision was not yet announced.
        List { entries: self.entries(), revision: progress.max(self.newest) }
    }

    /// The objects at a revision that was reached.
    pub(super) fn past(&mut self, revision: Revision) -> Past<T> {
        if revision >= self.newest {
            return Past::Known(self.entries());
        }
        if let Some(entries) = self.past.at(revision) {
            return Past::Known(Arc::clone(entries));
        }
        if revision < self.oldest {
            return Past::Forgotten;
        }
        let start = self.history.partition_point(|event| event.revision() <= revision);
        let before = start.checked_sub(1).and_then(|before| self.history.get(before));
        let from = before.map_or(self.oldest, |event| event.revision());
        let undo: Vec<_> = self.history.range(start..).map(Arc::clone).collect();
        let until = undo.first().map_or(self.newest, |event| event.revision());
        Past::Made(Rollback { now: self.entries(), undo, from, until })
    }

    /// Keeps a list of the past for whoever asks for its next page.
    pub(super) fn keep(&mut self, list: PastList<T>) {
        if self.past.at(list.from).is_none() {
            self.past.keep(list);
        }
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
        Subscription { initial, backlog, events, revision: progress.max(self.newest) }
    }

    /// Ends every watch.
    pub(super) fn close(&mut self) {
        self.watchers.clear();
    }
}

#[cfg(test)]
mod tests;
