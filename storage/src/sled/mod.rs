//! A store on disk: sled, used as a log (design: dependencies, section 2).
//!
//! Reads never touch sled. One thread owns it: it takes the waiting changes, writes them as one
//! batch, flushes, and asks the kernel to put the file on disk; only then are the changes visible
//! and answered. What sled does badly is kept out of its way: values are cut into chunks that are
//! small enough never to become files of their own, and every key it sees is new.

mod journal;
mod layout;
mod log;
mod recovery;
mod tip;
mod writer;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::backend::{
    At, Backend, BoxFuture, Change, Committed, Error, Key, KeyValue, Page, Revision, Snapshot,
    Status, Watch,
};
use crate::engine::Engine;
use crate::mvcc::Index;
use journal::Journal;
use log::Log;
use recovery::Recovered;
use writer::{Reply, Request, Writer};

pub use crate::registry::Options;

/// How many changes wait for the writer; more wait for their place.
const REQUESTS_MAX: usize = 1024;

/// A store on disk.
#[derive(Debug)]
pub struct Sled {
    engine: Arc<Engine>,
    requests: Option<mpsc::Sender<Request>>,
    writer: Option<std::thread::JoinHandle<()>>,
}

impl Sled {
    /// Opens the store in a directory; makes an empty one if there is none. Reads every record;
    /// waits for about a second if another process has the store.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] with what is wrong and what to do about it.
    pub fn open(directory: &Path, options: Options) -> Result<Self, Error> {
        // sled panics where some files are damaged.
        let opened = catch_unwind(AssertUnwindSafe(|| Log::open(directory)));
        let (log, recovered) = opened.unwrap_or_else(|_| {
            Err(Error::Corrupt(format!("the files in {} are damaged", directory.display())))
        })?;
        Self::start(log, recovered, options)
    }

    fn start(journal: impl Journal, recovered: Recovered, options: Options) -> Result<Self, Error> {
        let Recovered { revision, entries, newest, garbage } = recovered;
        let engine = Arc::new(Engine::new(Index::restore(revision, entries), options));
        let (requests, waiting) = mpsc::channel(REQUESTS_MAX);
        let writer = Writer::new(Arc::clone(&engine), journal, newest, garbage);
        let writer = std::thread::Builder::new()
            .name("storage-writer".to_owned())
            .spawn(move || writer.run(waiting))
            .map_err(|error| Error::Corrupt(format!("no thread for the store: {error}")))?;
        Ok(Self { engine, requests: Some(requests), writer: Some(writer) })
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, Error> {
        let requests = self.requests.as_ref().ok_or(Error::Closed)?;
        let (reply, answer) = tokio::sync::oneshot::channel();
        // The writer outlives every borrow of the store, unless it failed.
        let gone = || {
            let failure = self.engine.failure();
            Error::ReadOnly(failure.unwrap_or_else(|| "the writer ended".to_owned()))
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
mod fault_tests;
#[cfg(test)]
mod recovery_tests;
#[cfg(test)]
mod tests;
