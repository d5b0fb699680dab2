//! A store that forgets everything when it ends.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::backend::{
    At, Backend, BoxFuture, Change, Committed, Error, Key, KeyValue, Page, Revision, Snapshot,
    Status, Watch,
};
use crate::engine::Engine;

/// A store in memory.
#[derive(Debug, Default)]
pub struct Memory {
    engine: Arc<Engine>,
    /// Held while a change is made, so that changes are made one at a time.
    writing: Mutex<()>,
}

impl Memory {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
        let _writing = self.writing.lock();
        Box::pin(std::future::ready(self.engine.apply(change)))
    }

    fn watch(&self, prefix: &str, after: Revision) -> Result<Watch, Error> {
        self.engine.watch(prefix, after)
    }

    fn compact(&self, up_to: Revision) -> BoxFuture<'_, Result<(), Error>> {
        let _writing = self.writing.lock();
        self.engine.compact(up_to);
        Box::pin(std::future::ready(Ok(())))
    }

    fn status(&self) -> Status {
        self.engine.status()
    }
}
