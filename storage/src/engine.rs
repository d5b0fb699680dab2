//! What backends in this process share: the index behind a lock, and its watchers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, RwLock};
use tokio::sync::mpsc;

use crate::backend::{
    At, Change, Committed, Error, Event, Key, KeyValue, Page, Revision, Snapshot, Status,
    WATCH_EVENTS_MAX, Watch,
};
use crate::mvcc::{Index, stored_bytes};
use crate::registry::Options;

/// The index, its watchers, and whether changes are still taken.
#[derive(Debug)]
pub(crate) struct Engine {
    index: RwLock<Index>,
    options: Options,
    watchers: Mutex<Vec<Watcher>>,
    failure: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Watcher {
    prefix: String,
    /// What is not newer is not told: the watch may start in the future.
    after: Revision,
    events: mpsc::Sender<Arc<Event>>,
    too_slow: Arc<AtomicBool>,
}

impl Watcher {
    fn wants(&self, event: &Event) -> bool {
        event.revision() > self.after && event.current.key.as_str().starts_with(&self.prefix)
    }
}

impl Engine {
    pub(crate) fn new(index: Index, options: Options) -> Self {
        Self {
            index: RwLock::new(index),
            options,
            watchers: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, key: &Key, at: At) -> Result<Snapshot<Option<KeyValue>>, Error> {
        self.index.read().get(key, at)
    }

    pub(crate) fn range(
        &self,
        prefix: &str,
        at: At,
        page: &Page,
    ) -> Result<Snapshot<Vec<KeyValue>>, Error> {
        self.index.read().range(prefix, at, page)
    }

    /// Whether a change would be made now, when `pending_bytes` are about to be stored before it.
    /// Gives what is stored under its key.
    pub(crate) fn check(
        &self,
        change: &Change,
        pending_bytes: u64,
    ) -> Result<Option<KeyValue>, Error> {
        if let Some(failure) = self.failure() {
            return Err(Error::ReadOnly(failure));
        }
        let index = self.index.read();
        let previous = index.check(change)?;
        if let Some(value) = change.value() {
            let limit_bytes = self.options.value_bytes_max;
            if value.len() > limit_bytes {
                return Err(Error::TooLarge { limit_bytes });
            }
            let bytes = index.bytes() + pending_bytes + stored_bytes(change.key(), Some(value));
            if bytes > self.options.total_bytes_max {
                return Err(Error::NoSpace);
            }
        }
        Ok(previous)
    }

    pub(crate) fn revision(&self) -> Revision {
        self.index.read().revision()
    }

    /// Makes a change visible and tells the watchers. The caller makes one change at a time.
    pub(crate) fn apply(&self, change: &Change) -> Result<Committed, Error> {
        let mut index = self.index.write();
        let (committed, event) = index.apply(change)?;
        // Under the index's lock, so that a new watch misses nothing and sees nothing twice.
        self.tell(&Arc::new(event));
        Ok(committed)
    }

    fn tell(&self, event: &Arc<Event>) {
        self.watchers.lock().retain(|watcher| {
            if !watcher.wants(event) {
                return !watcher.events.is_closed();
            }
            match watcher.events.try_send(Arc::clone(event)) {
                Ok(()) => true,
                Err(mpsc::error::TrySendError::Closed(_)) => false,
                Err(mpsc::error::TrySendError::Full(_)) => {
                    watcher.too_slow.store(true, Ordering::Release);
                    false
                }
            }
        });
    }

    pub(crate) fn watch(&self, prefix: &str, after: Revision) -> Result<Watch, Error> {
        let index = self.index.read();
        let backlog = index.events_after(prefix, after)?;
        let (events, live) = mpsc::channel(WATCH_EVENTS_MAX);
        let too_slow = Arc::new(AtomicBool::new(false));
        let watcher =
            Watcher { prefix: prefix.to_owned(), after, events, too_slow: Arc::clone(&too_slow) };
        self.watchers.lock().push(watcher);
        Ok(Watch::new(backlog, live, too_slow))
    }

    pub(crate) fn compact(&self, up_to: Revision) -> Result<(), Error> {
        self.index.write().compact(up_to)
    }

    /// Ends every watch.
    pub(crate) fn close(&self) {
        self.watchers.lock().clear();
    }

    /// From now on no change is taken.
    pub(crate) fn fail(&self, why: &str) {
        self.failure.lock().get_or_insert_with(|| why.to_owned());
    }

    pub(crate) fn failure(&self) -> Option<String> {
        self.failure.lock().clone()
    }

    pub(crate) fn status(&self) -> Status {
        let index = self.index.read();
        Status {
            revision: index.revision(),
            compacted: index.compacted(),
            keys: index.keys(),
            bytes: index.bytes(),
            failure: self.failure(),
        }
    }
}
