//! What readers and watchers ask a cache for.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::state::{List, Past, State};
use super::timeline::Timeline;
use super::{Decoder, Entry, Freshness, ReadError, Subscription};
use crate::backend::{At, Backend, Error, KeyValue, Page, Revision};

/// How long a read waits for a revision in the future.
pub const FUTURE_WAIT: Duration = Duration::from_secs(3);

/// The cache of one prefix.
pub struct Cache<D: Decoder> {
    pub(super) prefix: String,
    pub(super) decoder: D,
    pub(super) state: Mutex<State<D::Object>>,
    pub(super) backend: Arc<dyn Backend>,
    pub(super) progress: watch::Receiver<Revision>,
    pub(super) timeline: Arc<Mutex<Timeline>>,
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

    /// One object as the cache knows it now, which may be a moment behind the store.
    #[must_use]
    pub fn peek(&self, key: &str) -> Option<Arc<Entry<D::Object>>> {
        self.state.lock().get(key)
    }

    /// All objects as the cache knows them now, which may be a moment behind the store.
    #[must_use]
    pub fn peek_list(&self) -> List<D::Object> {
        self.state.lock().list(self.progress())
    }

    /// All objects.
    ///
    /// # Errors
    ///
    /// See [`Self::wait_until`].
    pub async fn list(&self, freshness: Freshness) -> Result<List<D::Object>, ReadError> {
        self.wait_until(freshness).await?;
        Ok(self.peek_list())
    }

    /// All objects as they were at a revision. They can be read until it is compacted, and even then
    /// for [`super::FRESH_FOR`] after the next revision came.
    ///
    /// # Errors
    ///
    /// [`ReadError::TooLarge`], [`ReadError::TooOld`].
    pub async fn list_exact(&self, revision: Revision) -> Result<List<D::Object>, ReadError> {
        self.wait_until(Freshness::NotOlderThan(revision)).await?;
        let oldest = self.backend.status().compacted;
        if revision < oldest && revision < self.fresh_since() {
            return Err(ReadError::TooOld { requested: revision, oldest });
        }
        let past = self.state.lock().past(revision);
        match past {
            Past::Known(entries) => Ok(List { entries, revision }),
            Past::Made(rollback) => {
                let list = rollback.list();
                let entries = Arc::clone(&list.entries);
                self.state.lock().keep(list);
                Ok(List { entries, revision })
            }
            Past::Forgotten => self.list_stored(revision).await,
        }
    }

    /// The backend knows more of the past.
    async fn list_stored(&self, revision: Revision) -> Result<List<D::Object>, ReadError> {
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

    /// Follows changes after a revision. If that is in the future, it is up to the watcher to leave
    /// out the changes up to it.
    ///
    /// # Errors
    ///
    /// [`ReadError::TooOld`].
    pub fn subscribe(&self, after: Revision) -> Result<Subscription<D::Object>, ReadError> {
        let mut state = self.state.lock();
        state.subscribe(after, self.progress())
    }

    /// Follows changes from now on, with the objects as they are. To have the state at least as
    /// fresh as something, [`Self::wait_until`] that.
    #[must_use]
    pub fn subscribe_with_state(&self) -> Subscription<D::Object> {
        self.state.lock().subscribe_with_state(self.progress())
    }

    /// Ends every watch, once it has what was already handed to it. For a cache that others take
    /// the place of.
    pub fn end_watches(&self) {
        self.state.lock().close();
    }

    fn fresh_since(&self) -> Revision {
        self.timeline.lock().fresh_since(tokio::time::Instant::now().into_std())
    }

    pub(super) fn decode(&self, stored: &KeyValue) -> Arc<Entry<D::Object>> {
        Entry::decoded(&self.decoder, stored)
    }
}

impl<D: Decoder> std::fmt::Debug for Cache<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cache").field(&self.prefix).finish()
    }
}
