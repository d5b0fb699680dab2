//! Lists of the past: rolled back from the present, and kept for the next page. Pure.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::{Entry, Event};
use crate::backend::{Key, Revision};

/// How many lists of the past are kept; they share their objects with the history.
const LISTS_MAX: usize = 8;

/// Objects in the order of their keys.
pub(super) type Entries<T> = Arc<[Arc<Entry<T>>]>;

/// A list and the revisions at which it was the right one.
#[derive(Debug)]
pub(super) struct PastList<T> {
    pub(super) entries: Entries<T>,
    pub(super) from: Revision,
    /// The revision of the change that made another list of it.
    pub(super) until: Revision,
}

/// The lists that were asked for lately, for whoever asks for their next page.
#[derive(Debug)]
pub(super) struct PastLists<T>(VecDeque<PastList<T>>);

impl<T> Default for PastLists<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> PastLists<T> {
    pub(super) fn at(&self, revision: Revision) -> Option<&Entries<T>> {
        let found = self.0.iter().find(|list| (list.from..list.until).contains(&revision));
        found.map(|list| &list.entries)
    }

    pub(super) fn keep(&mut self, list: PastList<T>) {
        if self.0.len() == LISTS_MAX {
            self.0.pop_front();
        }
        self.0.push_back(list);
    }

    /// Forgets lists that ended before a revision.
    pub(super) fn forget(&mut self, before: Revision) {
        self.0.retain(|list| list.until > before);
    }
}

/// How to get from a list of now to one of the past.
#[derive(Debug)]
pub(super) struct Rollback<T> {
    pub(super) now: Entries<T>,
    /// The changes since, oldest first; at least one.
    pub(super) undo: Vec<Arc<Event<T>>>,
    pub(super) from: Revision,
    pub(super) until: Revision,
}

impl<T> Rollback<T> {
    /// The list of the past. Takes a while for many objects: not for under a lock.
    pub(super) fn list(self) -> PastList<T> {
        let mut before: BTreeMap<&Key, Option<&Arc<Entry<T>>>> = BTreeMap::new();
        for event in &self.undo {
            // The first change of a key knows what was there before all of them.
            before.entry(&event.current.key).or_insert(event.previous.as_ref());
        }
        let mut entries = Vec::with_capacity(self.now.len() + before.len());
        let mut now = self.now.iter().peekable();
        for (key, previous) in before {
            while let Some(entry) = now.next_if(|entry| entry.key < *key) {
                entries.push(Arc::clone(entry));
            }
            now.next_if(|entry| entry.key == *key);
            entries.extend(previous.map(Arc::clone));
        }
        entries.extend(now.map(Arc::clone));
        PastList { entries: entries.into(), from: self.from, until: self.until }
    }
}
