//! The watch cache: the decoded objects of one prefix, their recent history, and watchers.
//!
//! A write is decoded once and shared by every reader. Lists, gets and watches are answered from
//! here; only states older than the history go to the backend.

mod handle;
mod past;
mod pump;
mod state;
mod timeline;

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::backend::{Error, EventKind, Key, KeyValue, Revision};

pub use handle::{Cache, FUTURE_WAIT};
pub use pump::{CacheSet, Caches, Feed};
pub use state::{HISTORY_EVENTS_MAX, List, WATCHER_EVENTS_MAX};
pub use timeline::FRESH_FOR;

/// Makes objects of stored bytes.
pub trait Decoder: Send + Sync + 'static {
    /// The object.
    type Object: Send + Sync + 'static;

    /// Makes an object. What does not decode must become an object that says so.
    fn decode(&self, stored: &KeyValue) -> Self::Object;
}

/// An object with what the store knows about it.
#[derive(Debug)]
pub struct Entry<T> {
    /// The key.
    pub key: Key,
    /// The revision of the last change.
    pub modified: Revision,
    /// How many bytes are stored.
    pub bytes: usize,
    /// The object.
    pub object: T,
}

impl<T> Entry<T> {
    fn decoded(decoder: &impl Decoder<Object = T>, stored: &KeyValue) -> Arc<Self> {
        Arc::new(Self {
            key: stored.key.clone(),
            modified: stored.modified,
            bytes: stored.value.len(),
            object: decoder.decode(stored),
        })
    }
}

/// A change of an object.
#[derive(Debug)]
pub struct Event<T> {
    /// What happened.
    pub kind: EventKind,
    /// The object now; for a deletion the last state, with the deletion's revision.
    pub current: Arc<Entry<T>>,
    /// The object before.
    pub previous: Option<Arc<Entry<T>>>,
}

impl<T> Event<T> {
    /// The revision of the change.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.current.modified
    }
}

/// Why a read failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The revision was not reached in time.
    #[error("revision {requested} is in the future; the current one is {current}")]
    TooLarge {
        /// What was asked for.
        requested: Revision,
        /// What there is.
        current: Revision,
    },
    /// The revision is no longer kept.
    #[error("revision {requested} is no longer kept")]
    TooOld {
        /// What was asked for.
        requested: Revision,
        /// The oldest revision that a watch can start from.
        oldest: Revision,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
}

/// What a read must at least have seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Whatever there is.
    Any,
    /// Everything that was acknowledged before.
    Consistent,
    /// That revision.
    NotOlderThan(Revision),
}

/// A watcher's place.
#[derive(Debug)]
pub struct Subscription<T> {
    /// The objects at the start, if they were asked for.
    pub initial: Option<List<T>>,
    /// Changes that were already there.
    pub backlog: Vec<Arc<Event<T>>>,
    /// Changes as they come; ends when the watcher is too slow or the cache is closed.
    pub events: mpsc::Receiver<Arc<Event<T>>>,
    /// The revision up to which everything is in `initial` and `backlog`.
    pub revision: Revision,
}

#[cfg(test)]
mod tests;
