//! The watch cache: the decoded objects of one prefix, their recent history, and watchers.
//!
//! A write is decoded once and shared by every reader. Lists, gets and watches are answered from
//! here; only states older than the history go to the backend.

mod pump;
mod state;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};

use crate::backend::{At, Backend, Error, EventKind, Key, KeyValue, Page, Revision};
use state::State;

pub use pump::{CacheSet, Feed};
pub use state::{List, WATCHER_EVENTS_MAX};

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

/// How long a read waits for a revision in the future.
pub const FUTURE_WAIT: Duration = Duration::from_secs(3);

/// The cache of one prefix.
pub struct Cache<D: Decoder> {
    prefix: String,
    decoder: D,
    state: Mutex<State<D::Object>>,
    backend: Arc<dyn Backend>,
    progress: watch::Receiver<Revision>,
}

impl<D: Decoder> Cache<D> {
    /// The prefix of its keys.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The revision up to which the cache has seen everything.
    #[must_use]
    pub fn progress(&self) -> Revision {
        *self.progress.borrow()
    }

    /// How many objects there are, and how many bytes they have together.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        self.state.lock().size()
    }

    /// Waits until the cache has seen a revision.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`] if it never will.
    pub async fn wait_for(&self, revision: Revision) -> Result<(), Error> {
        let mut progress = self.progress.clone();
        progress.wait_for(|seen| *seen >= revision).await.map_err(|_| Error::Closed)?;
        Ok(())
    }

    /// Waits until the cache is as fresh as asked for.
    ///
    /// # Errors
    ///
    /// [`ReadError::TooLarge`] for a revision that does not come in time.
    pub async fn wait_until(&self, freshness: Freshness) -> Result<(), ReadError> {
        match freshness {
            Freshness::Any => Ok(()),
            Freshness::Consistent => Ok(self.wait_for(self.backend.status().revision).await?),
            Freshness::NotOlderThan(requested) => {
                match tokio::time::timeout(FUTURE_WAIT, self.wait_for(requested)).await {
                    Ok(seen) => Ok(seen?),
                    Err(_) => Err(ReadError::TooLarge { requested, current: self.progress() }),
                }
            }
        }
    }

    /// One object.
    ///
    /// # Errors
    ///
    /// See [`Self::wait_until`].
    pub async fn get(
        &self,
        key: &str,
        freshness: Freshness,
    ) -> Result<Option<Arc<Entry<D::Object>>>, ReadError> {
        self.wait_until(freshness).await?;
        Ok(self.state.lock().get(key))
    }

    /// All objects.
    ///
    /// # Errors
    ///
    /// See [`Self::wait_until`].
    pub async fn list(&self, freshness: Freshness) -> Result<List<D::Object>, ReadError> {
        self.wait_until(freshness).await?;
        Ok(self.state.lock().list(self.progress()))
    }

    /// All objects as they were at a revision.
    ///
    /// # Errors
    ///
    /// [`ReadError::TooLarge`], [`ReadError::TooOld`].
    pub async fn list_exact(&self, revision: Revision) -> Result<List<D::Object>, ReadError> {
        self.wait_until(Freshness::NotOlderThan(revision)).await?;
        if let Some(list) = self.state.lock().list_exact(revision) {
            return Ok(list);
        }
        let read = self.backend.range(&self.prefix, At::Exact(revision), Page::default()).await;
        match read {
            Ok(read) => {
                let entries = read.value.iter().map(|stored| self.decode(stored)).collect();
                Ok(List { entries, revision })
            }
            Err(Error::Compacted { oldest }) => {
                Err(ReadError::TooOld { requested: revision, oldest })
            }
            Err(Error::FutureRevision { current }) => {
                Err(ReadError::TooLarge { requested: revision, current })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Follows changes after a revision.
    ///
    /// # Errors
    ///
    /// [`ReadError::TooOld`].
    pub fn subscribe(&self, after: Revision) -> Result<Subscription<D::Object>, ReadError> {
        let mut state = self.state.lock();
        state.subscribe(after, self.progress())
    }

    /// Follows changes from now on, with the objects as they are.
    #[must_use]
    pub fn subscribe_with_state(&self) -> Subscription<D::Object> {
        self.state.lock().subscribe_with_state(self.progress())
    }

    fn decode(&self, stored: &KeyValue) -> Arc<Entry<D::Object>> {
        Arc::new(Entry {
            key: stored.key.clone(),
            modified: stored.modified,
            bytes: stored.value.len(),
            object: self.decoder.decode(stored),
        })
    }
}

impl<D: Decoder> std::fmt::Debug for Cache<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cache").field(&self.prefix).finish()
    }
}

#[cfg(test)]
mod tests;
