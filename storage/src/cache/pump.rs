//! From a backend's changes to caches: one task feeds them all.

use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use super::state::State;
use super::{Cache, Decoder, Entry};
use crate::backend::{At, Backend, Error, Event, Page, Revision, Watch, WatchEnd};

/// A cache as the feeding task sees it.
trait Fed: Send + Sync {
    fn prefix(&self) -> &str;
    fn apply(&self, event: &Event);
    fn close(&self);
}

impl<D: Decoder> Fed for Cache<D> {
    fn prefix(&self) -> &str {
        &self.prefix
    }

    fn apply(&self, event: &Event) {
        let current = self.decode(&event.current);
        self.state.lock().apply(event.kind, current);
    }

    fn close(&self) {
        self.state.lock().close();
    }
}

/// The caches above one backend.
pub struct CacheSet {
    backend: Arc<dyn Backend>,
    /// A cache that nobody uses any more is forgotten.
    caches: RwLock<Vec<Weak<dyn Fed>>>,
    progress: watch::Sender<Revision>,
    changes: Watch,
}

impl CacheSet {
    /// Starts at the backend's current revision.
    ///
    /// # Errors
    ///
    /// Those of [`Backend::watch`].
    pub fn new(backend: Arc<dyn Backend>) -> Result<Self, Error> {
        let revision = backend.status().revision;
        let changes = backend.watch("", revision)?;
        Ok(Self {
            backend,
            caches: RwLock::default(),
            progress: watch::Sender::new(revision),
            changes,
        })
    }

    /// Adds the cache of a prefix, filled with what is stored.
    ///
    /// # Errors
    ///
    /// Those of [`Backend::range`].
    pub async fn cache<D: Decoder>(
        &self,
        prefix: &str,
        decoder: D,
    ) -> Result<Arc<Cache<D>>, Error> {
        // Changes since then wait in `changes`, which nobody reads before `feed`.
        let revision = *self.progress.borrow();
        let stored = self.backend.range(prefix, At::Exact(revision), Page::default()).await?;
        let entries = stored.value.iter().map(|stored| {
            Arc::new(Entry {
                key: stored.key.clone(),
                modified: stored.modified,
                bytes: stored.value.len(),
                object: decoder.decode(stored),
            })
        });
        let state = State::new(entries.collect(), revision);
        let cache = Arc::new(Cache {
            prefix: prefix.to_owned(),
            decoder,
            state: Mutex::new(state),
            backend: Arc::clone(&self.backend),
            progress: self.progress.subscribe(),
        });
        let fed: Arc<dyn Fed> = Arc::clone(&cache) as _;
        self.caches.write().push(Arc::downgrade(&fed));
        Ok(cache)
    }

    /// What feeds the caches; its `run` is to be spawned. It ends with the backend.
    #[must_use]
    pub fn feed(self) -> Feed {
        Feed {
            backend: Arc::downgrade(&self.backend),
            caches: self.caches.into_inner(),
            progress: self.progress,
            changes: self.changes,
        }
    }
}

/// Feeds the caches of a [`CacheSet`].
pub struct Feed {
    backend: Weak<dyn Backend>,
    caches: Vec<Weak<dyn Fed>>,
    progress: watch::Sender<Revision>,
    changes: Watch,
}

impl Feed {
    /// Hands every change to its cache until the store is closed.
    pub async fn run(mut self) {
        loop {
            match self.changes.next().await {
                Ok(event) => self.hand_over(&event),
                Err(WatchEnd::Closed) => break,
                Err(WatchEnd::TooSlow) => {
                    // Nothing is lost as long as the backend still knows the changes.
                    let seen = *self.progress.borrow();
                    let Some(backend) = self.backend.upgrade() else { break };
                    match backend.watch("", seen) {
                        Ok(changes) => self.changes = changes,
                        Err(error) => {
                            tracing::error!(%error, "the watch caches lost the store's changes");
                            break;
                        }
                    }
                }
            }
        }
        for cache in self.caches.iter().filter_map(Weak::upgrade) {
            cache.close();
        }
    }

    fn hand_over(&self, event: &Event) {
        let key = event.current.key.as_str();
        for cache in self.caches.iter().filter_map(Weak::upgrade) {
            if key.starts_with(cache.prefix()) {
                cache.apply(event);
            }
        }
        self.progress.send_replace(event.revision());
    }
}
