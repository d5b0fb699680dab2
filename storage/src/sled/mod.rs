//! A store on disk: sled, used as a log (design: dependencies, section 2).
//!
//! Reads never touch sled. One thread owns it: it takes the waiting changes, writes them as one
//! batch, flushes, and asks the kernel to put the file on disk; only then are the changes visible
//! and answered. What sled does badly is kept out of its way: values are cut into chunks that are
//! small enough never to become files of their own, and every key it sees is new.

mod layout;
mod log;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::backend::{
    At, Backend, BoxFuture, Change, Committed, Error, Key, KeyValue, Page, Revision, Snapshot,
    Status, Watch,
};
use crate::engine::Engine;
use crate::mvcc::Index;
use writer::{Request, Writer};

/// How many changes wait for the writer; more wait for their place.
const REQUESTS_MAX: usize = 1024;

/// How large a store on disk may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The largest value, in bytes.
    pub value_bytes_max: usize,
    /// The most bytes that all kept values may have together; then only deletions are taken.
    pub total_bytes_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { value_bytes_max: 8 << 20, total_bytes_max: 2 << 30 }
    }
}

/// A store on disk.
#[derive(Debug)]
pub struct Sled {
    engine: Arc<Engine>,
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<std::thread::JoinHandle<()>>,
    directory: PathBuf,
}

impl Sled {
    /// Opens the store in a directory; makes an empty one if there is none.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] with what is wrong and what to do about it.
    pub fn open(directory: &Path, options: Options) -> Result<Self, Error> {
        let (log, recovered) = log::Log::open(directory)?;
        let log::Recovered { revision, entries, newest, superseded } = recovered;
        let index = Index::restore(revision, entries);
        let engine = Arc::new(Engine::new(index));
        let (requests, waiting) = mpsc::channel(REQUESTS_MAX);
        let writer = Writer::new(Arc::clone(&engine), log, options, newest, superseded);
        let writer = std::thread::Builder::new()
            .name("storage-writer".to_owned())
            .spawn(move || writer.run(waiting))
            .map_err(|error| Error::Corrupt(format!("no thread for the store: {error}")))?;
        let directory = directory.to_owned();
        Ok(Self { engine, requests: Some(requests), writer: Some(writer), directory })
    }

    /// The directory of the store.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> Request,
    ) -> Result<T, Error> {
        let requests = self.requests.as_ref().ok_or(Error::Closed)?;
        let (reply, answer) = oneshot::channel();
        let gone = || match self.engine.failure() {
            Some(failure) => Error::ReadOnly(failure),
            None => Error::Closed,
        };
        requests.send(request(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Drop for Sled {
    /// Waits until what was asked for is on disk.
    fn drop(&mut self) {
        self.engine.close();
        drop(self.requests.take());
        if let Some(writer) = self.writer.take() {
            // A panic in the writer was already noted as the store's failure.
            drop(writer.join());
        }
    }
}

impl Backend for Sled {
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
        Box::pin(self.ask(|reply| Request::Commit { change, reply }))
    }

    fn watch(&self, prefix: &str, after: Revision) -> Result<Watch, Error> {
        self.engine.watch(prefix, after)
    }

    fn compact(&self, up_to: Revision) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.ask(move |reply| Request::Compact { up_to, reply }))
    }

    fn status(&self) -> Status {
        self.engine.status()
    }
}

#[cfg(test)]
mod tests;
