//! The thread that owns the log: group commit, compaction, and what happens when the disk fails.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};

use super::journal::{Journal, Stored};
use super::layout::Record;
use crate::backend::{Change, Committed, Error, Key, KeyValue, Revision};
use crate::engine::Engine;
use crate::mvcc::stored_bytes;

/// How many changes go to disk together.
const GROUP_MAX: usize = 256;

/// How many chunks are removed together; changes that come meanwhile wait for no more.
const REMOVED_CHUNKS_MAX: u32 = 512;

/// What the writer is asked for.
pub(super) enum Request {
    /// To make a change.
    Commit { change: Change, reply: Reply<Committed> },
    /// To forget what was overwritten up to a revision.
    Compact { up_to: Revision, reply: Reply<()> },
}

/// Where an answer goes. Whoever asked may have gone; the answer is then of no use.
pub(super) type Reply<T> = oneshot::Sender<Result<T, Error>>;

pub(super) struct Writer<J> {
    engine: Arc<Engine>,
    journal: J,
    /// The newest record of each key.
    newest: BTreeMap<Key, Stored>,
    /// Records that later ones made useless, once the revision of the later one is compacted.
    superseded: VecDeque<Superseded>,
    /// Records to remove, a few at a time and in this order.
    garbage: VecDeque<Stored>,
}

struct Superseded {
    /// The revision that made the record useless. They come in order.
    by: Revision,
    record: Stored,
}

impl<J: Journal> Writer<J> {
    pub(super) fn new(
        engine: Arc<Engine>,
        journal: J,
        newest: BTreeMap<Key, Stored>,
        garbage: Vec<Stored>,
    ) -> Self {
        Self { engine, journal, newest, superseded: VecDeque::new(), garbage: garbage.into() }
    }

    /// Serves requests until nobody can make any more. A panic makes the store read-only.
    pub(super) fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let served = catch_unwind(AssertUnwindSafe(|| self.serve(&mut requests)));
        if served.is_err() {
            self.engine.fail("the writer panicked");
        }
    }

    fn serve(&mut self, requests: &mut mpsc::Receiver<Request>) {
        let mut waiting = Vec::with_capacity(GROUP_MAX);
        while self.receive(requests, &mut waiting) {
            self.answer(waiting.drain(..));
            self.remove_garbage();
        }
    }

    /// Waits for requests, unless there is something to do without them. False at the end.
    fn receive(&self, requests: &mut mpsc::Receiver<Request>, waiting: &mut Vec<Request>) -> bool {
        if self.garbage.is_empty() {
            return requests.blocking_recv_many(waiting, GROUP_MAX) > 0;
        }
        while waiting.len() < GROUP_MAX {
            match requests.try_recv() {
                Ok(request) => waiting.push(request),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return !waiting.is_empty(),
            }
        }
        true
    }

    fn answer(&mut self, requests: impl Iterator<Item = Request>) {
        let mut group = Group::default();
        for request in requests {
            match request {
                Request::Commit { change, reply } => {
                    // A second change of a key is checked against the first one's outcome.
                    if group.touches(change.key()) {
                        self.commit(std::mem::take(&mut group));
                    }
                    self.admit(&mut group, change, reply);
                }
                Request::Compact { up_to, reply } => {
                    self.commit(std::mem::take(&mut group));
                    drop(reply.send(self.compact(up_to)));
                }
            }
        }
        self.commit(group);
    }

    /// Takes a change into the group, or answers why it is not made.
    fn admit(&self, group: &mut Group, change: Change, reply: Reply<Committed>) {
        match self.engine.check(&change, group.bytes) {
            Ok(previous) => {
                let revision = Revision(self.engine.revision().0 + group.len() + 1);
                group.push(revision, change, previous.as_ref(), reply);
            }
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Puts a group on disk, then makes it visible, then answers.
    fn commit(&mut self, group: Group) {
        if group.records.is_empty() {
            return;
        }
        match self.journal.append(&group.records) {
            Ok(stored) => {
                self.note(group.records, stored);
                for (change, reply) in group.changes {
                    drop(reply.send(self.engine.apply(&change)));
                }
            }
            Err(error) => {
                // What is on disk is now unknown: nothing more is taken.
                self.engine.fail(&error.to_string());
                for (_, reply) in group.changes {
                    drop(reply.send(Err(Error::ReadOnly(error.to_string()))));
                }
            }
        }
    }

    /// Remembers which records the new ones make useless.
    fn note(&mut self, records: Vec<Record>, stored: Vec<Stored>) {
        for (record, stored) in records.into_iter().zip(stored) {
            let by = record.revision;
            let deleted = record.value.is_none();
            let older = if deleted {
                self.newest.remove(&record.key)
            } else {
                self.newest.insert(record.key, stored)
            };
            self.superseded.extend(older.map(|record| Superseded { by, record }));
            if deleted {
                // Behind the record it outlives: were it removed before it, that would be back.
                self.superseded.push_back(Superseded { by, record: stored });
            }
        }
    }

    fn compact(&mut self, up_to: Revision) -> Result<(), Error> {
        self.engine.compact(up_to)?;
        let useless = self.superseded.partition_point(|old| old.by <= up_to);
        self.garbage.extend(self.superseded.drain(..useless).map(|old| old.record));
        Ok(())
    }

    /// Removes a few useless records from the disk.
    fn remove_garbage(&mut self) {
        if self.engine.failure().is_some() {
            self.garbage.clear();
            return;
        }
        let mut chunks = 0;
        let mut removed = Vec::new();
        while chunks < REMOVED_CHUNKS_MAX
            && let Some(record) = self.garbage.pop_front()
        {
            chunks += record.chunks;
            removed.push(record);
        }
        if removed.is_empty() {
            return;
        }
        if let Err(error) = self.journal.remove(&removed, self.engine.revision()) {
            self.engine.fail(&error.to_string());
        }
    }
}

/// Changes that go to disk together; no two of the same key.
#[derive(Default)]
struct Group {
    records: Vec<Record>,
    changes: Vec<(Change, Reply<Committed>)>,
    /// How many bytes they will count.
    bytes: u64,
}

impl Group {
    fn len(&self) -> u64 {
        self.records.len() as u64
    }

    fn touches(&self, key: &Key) -> bool {
        self.records.iter().any(|record| record.key == *key)
    }

    fn push(
        &mut self,
        revision: Revision,
        change: Change,
        previous: Option<&KeyValue>,
        reply: Reply<Committed>,
    ) {
        let created = previous.map_or(revision, |previous| previous.created);
        let (key, value) = (change.key().clone(), change.value().cloned());
        self.bytes += stored_bytes(&key, value.as_ref());
        self.records.push(Record { revision, created, key, value });
        self.changes.push((change, reply));
    }
}
