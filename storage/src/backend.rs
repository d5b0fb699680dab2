//! What a store must do: seven operations on one ordered keyspace with one revision counter.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

/// A future that is kept in a box, so that backends can be chosen at run time.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A number that grows by one with every change of the store and survives restarts. A
/// `resourceVersion` is a revision in decimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision(pub u64);

impl Revision {
    /// The revision of a store that never changed. The first change makes revision 2, as in etcd.
    pub const FIRST: Self = Self(1);

    /// The revision that the next change makes.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A key such as `/registry/group/resource/name`; ordered by bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Arc<str>);

impl Key {
    /// A key with that text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// A key and what is stored under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Key,
    /// The stored bytes.
    pub value: Bytes,
    /// The revision at which the key came into being.
    pub created: Revision,
    /// The revision of its last change.
    pub modified: Revision,
}

/// At which revision to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The current one.
    Latest,
    /// That one.
    Exact(Revision),
}

/// Which part of a range to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Keys from this one on, itself included; `None` starts at the beginning.
    pub from: Option<String>,
    /// At most so many; `None` for all.
    pub limit: Option<usize>,
}

/// Something read, and the revision at which it was so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot<T> {
    /// The revision.
    pub revision: Revision,
    /// What was read.
    pub value: T,
}

/// A change of one key that is made only if the key is in the expected state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The key must not exist.
    Create {
        /// The key.
        key: Key,
        /// What to store.
        value: Bytes,
    },
    /// The key must have been changed last at `expected`.
    Update {
        /// The key.
        key: Key,
        /// What to store.
        value: Bytes,
        /// The revision of the key's last change.
        expected: Revision,
    },
    /// The key must have been changed last at `expected`.
    Delete {
        /// The key.
        key: Key,
        /// The revision of the key's last change.
        expected: Revision,
    },
}

impl Change {
    /// The key that is changed.
    #[must_use]
    pub fn key(&self) -> &Key {
        match self {
            Self::Create { key, .. } | Self::Update { key, .. } | Self::Delete { key, .. } => key,
        }
    }

    /// What is to be stored; `None` for a deletion.
    #[must_use]
    pub fn value(&self) -> Option<&Bytes> {
        match self {
            Self::Create { value, .. } | Self::Update { value, .. } => Some(value),
            Self::Delete { .. } => None,
        }
    }
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The revision it made.
    pub revision: Revision,
    /// What was stored before.
    pub previous: Option<KeyValue>,
}

/// What happened to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// It was created or changed.
    Put,
    /// It was deleted.
    Delete,
}

/// A change, as watchers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The key and its new value; for a deletion, the last value and the revision of the deletion.
    pub current: KeyValue,
    /// What was stored before.
    pub previous: Option<KeyValue>,
}

impl Event {
    /// The revision of the change.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.current.modified
    }
}

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The key to create exists.
    #[error("the key exists")]
    KeyExists(Box<KeyValue>),
    /// The key to change does not exist.
    #[error("the key does not exist")]
    KeyNotFound,
    /// The key was changed since.
    #[error("the key was changed since")]
    Conflict(Box<KeyValue>),
    /// The revision is no longer kept.
    #[error("the revision is compacted; the oldest that is kept is {oldest}")]
    Compacted {
        /// The oldest revision that can be read.
        oldest: Revision,
    },
    /// The revision has not been reached.
    #[error("the revision is in the future; the current one is {current}")]
    FutureRevision {
        /// The current revision.
        current: Revision,
    },
    /// The value is too large to store.
    #[error("the value is larger than {limit_bytes} bytes")]
    TooLarge {
        /// How many bytes a value may have.
        limit_bytes: usize,
    },
    /// The store is full. Reads, deletions and compaction go on.
    #[error("the store is full")]
    NoSpace,
    /// The store takes no more changes, because it failed.
    #[error("the store is read-only: {0}")]
    ReadOnly(String),
    /// The store's files are not usable.
    #[error("{0}")]
    Corrupt(String),
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
}

/// How a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The current revision.
    pub revision: Revision,
    /// The newest revision that is no longer kept.
    pub compacted: Revision,
    /// How many keys there are.
    pub keys: usize,
    /// How many bytes they have with their values, old versions and deletions included.
    pub bytes: u64,
    /// Why the store takes no more changes, if it does not.
    pub failure: Option<String>,
}

/// Why a watch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WatchEnd {
    /// The watcher did not keep up.
    #[error("the watcher did not keep up")]
    TooSlow,
    /// The store was closed.
    #[error("the store was closed")]
    Closed,
}

/// How many events a watch holds for its reader.
pub const WATCH_EVENTS_MAX: usize = 8192;

/// Events of one prefix, in order, none left out.
#[derive(Debug)]
pub struct Watch {
    backlog: std::vec::IntoIter<Arc<Event>>,
    live: mpsc::Receiver<Arc<Event>>,
    too_slow: Arc<std::sync::atomic::AtomicBool>,
}

impl Watch {
    pub(crate) fn new(
        backlog: Vec<Arc<Event>>,
        live: mpsc::Receiver<Arc<Event>>,
        too_slow: Arc<std::sync::atomic::AtomicBool>,
    ) -> Self {
        Self { backlog: backlog.into_iter(), live, too_slow }
    }

    /// The next event. Dropping the future loses none.
    ///
    /// # Errors
    ///
    /// [`WatchEnd`] once there are no more.
    pub async fn next(&mut self) -> Result<Arc<Event>, WatchEnd> {
        if let Some(event) = self.backlog.next() {
            return Ok(event);
        }
        match self.live.recv().await {
            Some(event) => Ok(event),
            None if self.too_slow.load(std::sync::atomic::Ordering::Acquire) => {
                Err(WatchEnd::TooSlow)
            }
            None => Err(WatchEnd::Closed),
        }
    }
}

/// A store. Reads see whole changes only; a change is answered when it is as durable as the store
/// makes it, and happens wholly or not at all even if nobody waits for the answer.
pub trait Backend: Send + Sync + fmt::Debug + 'static {
    /// Reads one key.
    fn get<'a>(
        &'a self,
        key: &'a Key,
        at: At,
    ) -> BoxFuture<'a, Result<Snapshot<Option<KeyValue>>, Error>>;

    /// Reads the keys that start with `prefix`, in order.
    fn range<'a>(
        &'a self,
        prefix: &'a str,
        at: At,
        page: Page,
    ) -> BoxFuture<'a, Result<Snapshot<Vec<KeyValue>>, Error>>;

    /// Makes a change.
    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Committed, Error>>;

    /// Follows the changes of keys that start with `prefix` and come after a revision, which may
    /// be in the future.
    ///
    /// # Errors
    ///
    /// [`Error::Compacted`] if changes after it are no longer kept.
    fn watch(&self, prefix: &str, after: Revision) -> Result<Watch, Error>;

    /// Forgets what was overwritten or deleted up to a revision: states before it can no longer be
    /// read. Does nothing if that was already done; [`Error::FutureRevision`] for one to come.
    fn compact(&self, up_to: Revision) -> BoxFuture<'_, Result<(), Error>>;

    /// How the store is.
    fn status(&self) -> Status;
}
