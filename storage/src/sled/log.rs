//! The only file that talks to sled.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::layout::{Record, chunk_key, chunk_revision};
use crate::backend::{Error, Key, KeyValue, Revision};

/// The layout that this version writes and reads.
const FORMAT: &[u8] = b"1";

const SEGMENT_BYTES: usize = 2 << 20;
const CACHE_BYTES: u64 = 16 << 20;

/// A dropped sled can hold its lock for a moment.
const OPEN_TRIES: u32 = 20;
const OPEN_PAUSE: Duration = Duration::from_millis(50);

/// The log on disk.
pub(super) struct Log {
    db: sled::Db,
    records: sled::Tree,
    meta: sled::Tree,
    /// A handle of our own: sled's flush does not ask the kernel to write the file out.
    file: File,
}

/// What was found when the log was opened.
pub(super) struct Recovered {
    pub(super) revision: Revision,
    pub(super) entries: Vec<KeyValue>,
    /// The record of each key, and its number of chunks.
    pub(super) newest: BTreeMap<Key, (Revision, u32)>,
    /// Records that later ones made useless, and their number of chunks.
    pub(super) superseded: Vec<(Revision, u32)>,
}

impl Log {
    pub(super) fn open(directory: &Path) -> Result<(Self, Recovered), Error> {
        std::fs::create_dir_all(directory).map_err(|error| unusable(directory, &error))?;
        let db = open_db(directory)?;
        let records = db.open_tree("log").map_err(|error| unusable(directory, &error))?;
        let meta = db.open_tree("meta").map_err(|error| unusable(directory, &error))?;
        let file = File::open(directory.join("db")).map_err(|error| unusable(directory, &error))?;
        let log = Self { db, records, meta, file };
        log.check_format(directory)?;
        let recovered = log.recover()?;
        Ok((log, recovered))
    }

    fn check_format(&self, directory: &Path) -> Result<(), Error> {
        match self.meta.get("format").map_err(|error| unusable(directory, &error))? {
            Some(format) if format == FORMAT => Ok(()),
            Some(format) => Err(Error::Corrupt(format!(
                "the store in {} has format {}, this version reads format {}",
                directory.display(),
                String::from_utf8_lossy(&format),
                String::from_utf8_lossy(FORMAT),
            ))),
            None => {
                self.meta.insert("format", FORMAT).map_err(|error| unusable(directory, &error))?;
                self.sync().map_err(|error| unusable(directory, &error))
            }
        }
    }

    /// Reads every record; of each key the newest counts.
    fn recover(&self) -> Result<Recovered, Error> {
        let mut newest: BTreeMap<Key, (Record, u32)> = BTreeMap::new();
        let mut superseded = Vec::new();
        let mut revision = self.compacted()?;
        for joined in self.joined_records() {
            let (record, chunks) = joined?;
            revision = revision.max(record.revision);
            let older = newest.insert(record.key.clone(), (record, chunks));
            superseded.extend(older.map(|(older, chunks)| (older.revision, chunks)));
        }
        let mut entries = Vec::with_capacity(newest.len());
        let mut kept = BTreeMap::new();
        for (key, (record, chunks)) in newest {
            let Record { revision: modified, created, value, .. } = record;
            match value {
                Some(value) => {
                    kept.insert(key.clone(), (modified, chunks));
                    entries.push(KeyValue { key, value, created, modified });
                }
                // Behind the records it outlived, so that it is never removed before them.
                None => superseded.push((modified, chunks)),
            }
        }
        Ok(Recovered { revision, entries, newest: kept, superseded })
    }

    fn joined_records(&self) -> impl Iterator<Item = Result<(Record, u32), Error>> {
        let mut chunks = self.records.iter().peekable();
        std::iter::from_fn(move || {
            let (key, first) = match chunks.next()? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(Error::Corrupt(error.to_string()))),
            };
            let revision = chunk_revision(&key)?;
            let mut bytes = first.to_vec();
            let mut count = 1;
            while let Some(Ok((_, chunk))) = chunks.next_if(|next| {
                next.as_ref().is_ok_and(|(key, _)| chunk_revision(key) == Some(revision))
            }) {
                bytes.extend_from_slice(&chunk);
                count += 1;
            }
            Some(Record::decode(revision, &bytes).map(|record| (record, count)))
        })
    }

    fn compacted(&self) -> Result<Revision, Error> {
        let stored = self.meta.get("revision").map_err(|e| Error::Corrupt(e.to_string()))?;
        let number =
            stored.and_then(|bytes| Some(u64::from_be_bytes(bytes.as_ref().try_into().ok()?)));
        Ok(number.map_or(Revision::FIRST, Revision))
    }

    /// Writes records; they are on disk when this returns. Gives their numbers of chunks.
    pub(super) fn append(&self, records: &[Record]) -> io::Result<Vec<u32>> {
        let mut batch = sled::Batch::default();
        let mut counts = Vec::with_capacity(records.len());
        for record in records {
            let chunks = record.chunks();
            counts.push(u32::try_from(chunks.len()).unwrap_or(u32::MAX));
            for (key, chunk) in chunks {
                batch.insert(&key, chunk);
            }
        }
        self.records.apply_batch(batch).map_err(io::Error::other)?;
        self.sync()?;
        Ok(counts)
    }

    /// Removes records. `revision` is remembered, since the newest record may be among them.
    pub(super) fn remove(&self, records: &[(Revision, u32)], revision: Revision) -> io::Result<()> {
        self.meta
            .insert("revision", revision.0.to_be_bytes().as_slice())
            .map_err(io::Error::other)?;
        self.sync()?;
        let mut batch = sled::Batch::default();
        for (revision, chunks) in records {
            for number in 0..*chunks {
                batch.remove(&chunk_key(*revision, number));
            }
        }
        self.records.apply_batch(batch).map_err(io::Error::other)?;
        self.sync()
    }

    fn sync(&self) -> io::Result<()> {
        self.db.flush().map_err(io::Error::other)?;
        self.file.sync_data()
    }
}

pub(super) fn open_db(directory: &Path) -> Result<sled::Db, Error> {
    let config = sled::Config::new()
        .path(directory)
        .segment_size(SEGMENT_BYTES)
        .cache_capacity(CACHE_BYTES)
        .flush_every_ms(None);
    let mut tries = 0;
    loop {
        match config.open() {
            Ok(db) => return Ok(db),
            Err(error) if is_locked(&error) && tries < OPEN_TRIES => {
                tries += 1;
                std::thread::sleep(OPEN_PAUSE);
            }
            Err(error) if is_locked(&error) => {
                return Err(Error::Corrupt(format!(
                    "the store in {} is in use by another process",
                    directory.display()
                )));
            }
            Err(error) => return Err(unusable(directory, &error)),
        }
    }
}

fn is_locked(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(_)) && error.to_string().contains("could not acquire lock")
}

fn unusable(directory: &Path, error: &dyn std::error::Error) -> Error {
    Error::Corrupt(format!("the store in {} cannot be used: {error}", directory.display()))
}
