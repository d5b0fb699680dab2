//! From a backend's changes to caches: one task feeds them all.

use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};
use tokio::sync::{mpsc, oneshot, watch};

use super::state::State;
use super::timeline::Timeline;
use super::{Cache, Decoder, Entry};
use crate::backend::{At, Backend, Error, Event, KeyValue, Page, Revision, Watch, WatchEnd};

/// How many caches wait to be filled at the most; whoever wants one more waits for a place.
const JOINS_MAX: usize = 16;

/// A cache as the feeding task sees it.
trait Fed: Send + Sync {
    fn prefix(&self) -> &str;
    fn apply(&self, event: &Event, fresh_since: Revision);
    /// Starts anew with what is stored at a revision.
    fn replace(&self, stored: &[KeyValue], revision: Revision);
    fn close(&self);
}

impl<D: Decoder> Fed for Cache<D> {
    fn prefix(&self) -> &str {
        &self.prefix
    }

    fn apply(&self, event: &Event, fresh_since: Revision) {
        let current = self.decode(&event.current);
        self.state.lock().apply(event.kind, current, fresh_since);
    }

    fn replace(&self, stored: &[KeyValue], revision: Revision) {
        let state = State::new(decode_all(&self.decoder, stored), revision);
        // Ends the watches: what they missed is unknown.
        *self.state.lock() = state;
    }

    fn close(&self) {
        self.state.lock().close();
    }
}

fn decode_all<D: Decoder>(decoder: &D, stored: &[KeyValue]) -> Vec<Arc<Entry<D::Object>>> {
    stored.iter().map(|stored| Entry::decoded(decoder, stored)).collect()
}

/// The caches above one backend.
pub struct CacheSet {
    backend: Arc<dyn Backend>,
    /// A cache that nobody uses any more is forgotten.
    caches: RwLock<Vec<Weak<dyn Fed>>>,
    progress: watch::Sender<Revision>,
    timeline: Arc<Mutex<Timeline>>,
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
            timeline: Arc::new(Mutex::new(Timeline::new(revision))),
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
        let state = State::new(decode_all(&decoder, &stored.value), revision);
        let cache = Arc::new(Cache {
            prefix: prefix.to_owned(),
            decoder,
            state: Mutex::new(state),
            backend: Arc::clone(&self.backend),
            progress: self.progress.subscribe(),
            timeline: Arc::clone(&self.timeline),
        });
        let fed: Arc<dyn Fed> = Arc::clone(&cache) as _;
        self.caches.write().push(Arc::downgrade(&fed));
        Ok(cache)
    }

    /// What feeds the caches, whose `run` is to be spawned and which ends with the backend; and what
    /// adds further ones while it runs.
    #[must_use]
    pub fn feed(self) -> (Feed, Caches) {
        let (sender, joins) = mpsc::channel(JOINS_MAX);
        let caches = Caches {
            backend: Arc::downgrade(&self.backend),
            joins: sender,
            progress: self.progress.subscribe(),
            timeline: Arc::clone(&self.timeline),
        };
        let feed = Feed {
            backend: Arc::downgrade(&self.backend),
            caches: self.caches.into_inner(),
            progress: self.progress,
            timeline: self.timeline,
            changes: self.changes,
            joins,
        };
        (feed, caches)
    }
}

/// A cache that wants to be filled and fed.
struct Join {
    cache: Arc<dyn Fed>,
    filled: oneshot::Sender<Result<(), Error>>,
}

/// Adds caches to a [`Feed`] that runs.
pub struct Caches {
    backend: Weak<dyn Backend>,
    joins: mpsc::Sender<Join>,
    progress: watch::Receiver<Revision>,
    timeline: Arc<Mutex<Timeline>>,
}

impl Caches {
    /// Adds the cache of a prefix, filled with what is stored. It knows nothing of what was before.
    ///
    /// # Errors
    ///
    /// Those of [`Backend::range`]; [`Error::Closed`] after the feed ended.
    pub async fn cache<D: Decoder>(
        &self,
        prefix: &str,
        decoder: D,
    ) -> Result<Arc<Cache<D>>, Error> {
        let backend = self.backend.upgrade().ok_or(Error::Closed)?;
        let cache = Arc::new(Cache {
            prefix: prefix.to_owned(),
            decoder,
            state: Mutex::new(State::new(Vec::new(), *self.progress.borrow())),
            backend,
            progress: self.progress.clone(),
            timeline: Arc::clone(&self.timeline),
        });
        let (filled, done) = oneshot::channel();
        let join = Join { cache: Arc::clone(&cache) as _, filled };
        self.joins.send(join).await.map_err(|_| Error::Closed)?;
        done.await.map_err(|_| Error::Closed)??;
        Ok(cache)
    }
}

impl std::fmt::Debug for Caches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caches").finish_non_exhaustive()
    }
}

/// Feeds the caches of a [`CacheSet`].
pub struct Feed {
    backend: Weak<dyn Backend>,
    caches: Vec<Weak<dyn Fed>>,
    progress: watch::Sender<Revision>,
    timeline: Arc<Mutex<Timeline>>,
    changes: Watch,
    joins: mpsc::Receiver<Join>,
}

impl Feed {
    /// Hands every change to its cache until the store is closed.
    pub async fn run(mut self) {
        loop {
            // Both wait in channels: whichever is not taken is lost by nobody.
            let next = tokio::select! {
                next = self.changes.next() => next,
                Some(join) = self.joins.recv() => {
                    self.join(join).await;
                    continue;
                }
            };
            match next {
                Ok(event) => self.hand_over(&event),
                Err(WatchEnd::Closed) => break,
                Err(WatchEnd::TooSlow) => {
                    let Some(backend) = self.backend.upgrade() else { break };
                    if let Err(error) = self.catch_up(&*backend).await {
                        tracing::error!(%error, "the watch caches lost the store's changes");
                        break;
                    }
                }
            }
        }
        for cache in self.caches.iter().filter_map(Weak::upgrade) {
            cache.close();
        }
    }

    /// Fills a cache with the state after the last change that was handed over, and feeds it from
    /// there on: between two changes nothing can be missed.
    async fn join(&mut self, join: Join) {
        let Join { cache, filled } = join;
        let result = self.fill(&*cache).await;
        if result.is_ok() {
            self.caches.retain(|cache| cache.strong_count() > 0);
            self.caches.push(Arc::downgrade(&cache));
        }
        // Nobody has to wait for it any more.
        let _gone = filled.send(result);
    }

    async fn fill(&self, cache: &dyn Fed) -> Result<(), Error> {
        let backend = self.backend.upgrade().ok_or(Error::Closed)?;
        let revision = *self.progress.borrow();
        let stored = backend.range(cache.prefix(), At::Exact(revision), Page::default()).await?;
        cache.replace(&stored.value, revision);
        Ok(())
    }

    /// Goes on after the backend ended a watch that was too slow.
    async fn catch_up(&mut self, backend: &dyn Backend) -> Result<(), Error> {
        let seen = *self.progress.borrow();
        match backend.watch("", seen) {
            // Nothing was lost.
            Ok(changes) => self.changes = changes,
            Err(Error::Compacted { .. }) => self.start_anew(backend).await?,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Fills the caches with what is stored now; watches of what happened meanwhile end.
    async fn start_anew(&mut self, backend: &dyn Backend) -> Result<(), Error> {
        let revision = backend.status().revision;
        self.changes = backend.watch("", revision)?;
        for cache in self.caches.iter().filter_map(Weak::upgrade) {
            let at = At::Exact(revision);
            let stored = backend.range(cache.prefix(), at, Page::default()).await?;
            cache.replace(&stored.value, revision);
        }
        self.announce(revision);
        Ok(())
    }

    fn hand_over(&self, event: &Event) {
        let key = event.current.key.as_str();
        let fresh_since = self.fresh_since();
        for cache in self.caches.iter().filter_map(Weak::upgrade) {
            if key.starts_with(cache.prefix()) {
                cache.apply(event, fresh_since);
            }
        }
        self.announce(event.revision());
    }

    fn fresh_since(&self) -> Revision {
        self.timeline.lock().fresh_since(tokio::time::Instant::now().into_std())
    }

    fn announce(&self, revision: Revision) {
        let now = tokio::time::Instant::now().into_std();
        self.timeline.lock().note(now, revision);
        self.progress.send_replace(revision);
    }
}
