//! A store that forgets everything when it ends.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::backend::{
    At, Backend, BoxFuture, Change, Committed, Error, Key, KeyValue, Page, Revision, Snapshot,
    Status, Watch,
};
use crate::engine::Engine;
use crate::mvcc::Index;
use crate::registry::Options;

/// A store in memory.
#[derive(Debug)]
pub struct Memory {
    engine: Arc<Engine>,
    /// Held while a change is made, so that changes are made one at a time.
    writing: Mutex<()>,
}

impl Memory {
    /// An empty store with the usual bounds.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(Options::default())
    }

    /// An empty store.
    #[must_use]
    pub fn with_options(options: Options) -> Self {
        let engine = Arc::new(Engine::new(Index::default(), options));
        Self { engine, writing: Mutex::new(()) }
    }

    fn make(&self, change: &Change) -> Result<Committed, Error> {
        let _writing = self.writing.lock();
        self.engine.check(change, 0)?;
        self.engine.apply(change)
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.engine.close();
    }
}

impl Backend for Memory {
    fn get<'a>(
        &'a self,
        key: &'a Key,
        at: At,
    ) -> BoxFuture<'a, Result<Snapshot<Option<KeyValue>>, Error>> {
        Box::pin(std::future::ready(self.engine.get(key, at)))
    }

    fn range<'a>(
        &'a self,
        prefix: &'a str,
        at: At,
        page: Page,
    ) -> BoxFuture<'a, Result<Snapshot<Vec<KeyValue>>, Error>> {
        Box::pin(std::future::ready(self.engine.range(prefix, at, &page)))
    }

    fn commit(&self, change: Change) -> BoxFuture<'_, Result<Committed, Error>> {
        Box::pin(async move { self.make(&change) })
    }

    fn watch(&self, prefix: &str, after: Revision) -> Result<Watch, Error> {
        self.engine.watch(prefix, after)
    }

    fn compact(&self, up_to: Revision) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            let _writing = self.writing.lock();
            self.engine.compact(up_to)
        })
    }

    fn status(&self) -> Status {
        self.engine.status()
    }
}
