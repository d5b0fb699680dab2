//! The thread that owns the log: group commit, compaction, and what happens when the disk fails.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use super::Options;
use super::layout::Record;
use super::log::Log;
use crate::backend::{Change, Committed, Error, Key, KeyValue, Revision};
use crate::engine::Engine;

/// How many changes go to disk together.
const GROUP_MAX: usize = 256;

/// How many records are removed together.
const REMOVALS_MAX: usize = 4096;

/// What the writer is asked for.
pub(super) enum Request {
    /// To make a change.
    Commit { change: Change, reply: oneshot::Sender<Result<Committed, Error>> },
    /// To forget what was overwritten up to a revision.
    Compact { up_to: Revision, reply: oneshot::Sender<Result<(), Error>> },
}

type Reply = oneshot::Sender<Result<Committed, Error>>;

pub(super) struct Writer {
    engine: Arc<Engine>,
    log: Log,
    options: Options,
    /// The newest record of each key, and its number of chunks.
    newest: BTreeMap<Key, (Revision, u32)>,
    /// Records that later ones made useless.
    superseded: Vec<Superseded>,
}

struct Superseded {
    /// The revision that made the record useless.
    by: Revision,
    record: (Revision, u32),
}

impl Writer {
    pub(super) fn new(
        engine: Arc<Engine>,
        log: Log,
        options: Options,
        newest: BTreeMap<Key, (Revision, u32)>,
        superseded: Vec<(Revision, u32)>,
    ) -> Self {
        let superseded = superseded
            .into_iter()
            .map(|record| Superseded { by: Revision::FIRST, record })
            .collect();
        Self { engine, log, options, newest, superseded }
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
        while requests.blocking_recv_many(&mut waiting, GROUP_MAX) > 0 {
            let mut group = Group::default();
            for request in waiting.drain(..) {
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
                        // Whoever asked may have gone; the answer is then of no use.
                        drop(reply.send(self.compact(up_to)));
                    }
                }
            }
            self.commit(group);
        }
    }

    /// Takes a change into the group, or answers why it is not made.
    fn admit(&self, group: &mut Group, change: Change, reply: Reply) {
        match self.check(&change) {
            Ok(previous) => {
                let revision = Revision(self.engine.status().revision.0 + group.len() + 1);
                group.push(revision, change, previous.as_ref(), reply);
            }
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    fn check(&self, change: &Change) -> Result<Option<KeyValue>, Error> {
        if let Some(failure) = self.engine.failure() {
            return Err(Error::ReadOnly(failure));
        }
        let previous = self.engine.check(change)?;
        if let Change::Create { value, .. } | Change::Update { value, .. } = change {
            if value.len() > self.options.value_bytes_max {
                return Err(Error::TooLarge { limit_bytes: self.options.value_bytes_max });
            }
            if self.engine.status().bytes + value.len() as u64 > self.options.total_bytes_max {
                return Err(Error::NoSpace);
            }
        }
        Ok(previous)
    }

    /// Puts a group on disk, then makes it visible, then answers.
    fn commit(&mut self, group: Group) {
        if group.records.is_empty() {
            return;
        }
        match self.log.append(&group.records) {
            Ok(chunks) => {
                self.note(&group.records, &chunks);
                for (change, reply) in group.changes {
                    drop(reply.send(self.engine.apply(change)));
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
    fn note(&mut self, records: &[Record], chunks: &[u32]) {
        for (record, chunks) in records.iter().zip(chunks) {
            let by = record.revision;
            let entry = (record.revision, *chunks);
            let older = if record.value.is_some() {
                self.newest.insert(record.key.clone(), entry)
            } else {
                self.newest.remove(&record.key)
            };
            self.superseded.extend(older.map(|record| Superseded { by, record }));
            if record.value.is_none() {
                // Behind the record it outlives, so that it is never removed before it.
                self.superseded.push(Superseded { by, record: entry });
            }
        }
    }

    fn compact(&mut self, up_to: Revision) -> Result<(), Error> {
        self.engine.compact(up_to);
        let revision = self.engine.status().revision;
        let (useless, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.superseded).into_iter().partition(|old| old.by <= up_to);
        self.superseded = kept;
        let records: Vec<_> = useless.into_iter().map(|old| old.record).collect();
        for records in records.chunks(REMOVALS_MAX) {
            self.log.remove(records, revision).map_err(|error| {
                self.engine.fail(&error.to_string());
                Error::ReadOnly(error.to_string())
            })?;
        }
        Ok(())
    }
}

/// Changes that go to disk together; no two of the same key.
#[derive(Default)]
struct Group {
    records: Vec<Record>,
    changes: Vec<(Change, Reply)>,
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
        reply: Reply,
    ) {
        let created = previous.map_or(revision, |previous| previous.created);
        let (key, value) = match &change {
            Change::Create { key, value } | Change::Update { key, value, .. } => {
                (key.clone(), Some(value.clone()))
            }
            Change::Delete { key, .. } => (key.clone(), None),
        };
        self.records.push(Record { revision, created, key, value });
        self.changes.push((change, reply));
    }
}
