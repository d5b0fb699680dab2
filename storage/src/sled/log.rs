//! The only file that talks to sled.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::journal::{Journal, Stored};
use super::layout::{Record, chunk_key, chunk_revision};
use super::recovery::{Recovered, recover};
use super::tip::Tip;
use crate::backend::{Error, Revision};

/// The layout that this version writes and reads.
const FORMAT: &[u8] = b"1";

/// The trees and keys of the layout.
const RECORDS_TREE: &str = "log";
const META_TREE: &str = "meta";
const FORMAT_KEY: &str = "format";
const REVISION_KEY: &str = "revision";

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
    tip: Tip,
    /// A revision that is remembered apart from the records.
    floor: Revision,
}

impl Log {
    /// Opens the log in a directory and reads it.
    pub(super) fn open(directory: &Path) -> Result<(Self, Recovered), Error> {
        std::fs::create_dir_all(directory).map_err(|error| unusable(directory, &error))?;
        let db = open_db(directory)?;
        let records = db.open_tree(RECORDS_TREE).map_err(|error| unusable(directory, &error))?;
        let meta = db.open_tree(META_TREE).map_err(|error| unusable(directory, &error))?;
        let file = File::open(directory.join("db")).map_err(|error| unusable(directory, &error))?;
        let tip = Tip::open(directory).map_err(|error| unusable(directory, &error))?;
        let mut log = Self { db, records, meta, file, tip, floor: Revision::FIRST };
        log.check_format(directory)?;
        log.floor = log.read_floor()?;
        let recovered = recover(log.records(), log.floor)?;
        log.tip.check(recovered.revision)?;
        Ok((log, recovered))
    }

    fn check_format(&self, directory: &Path) -> Result<(), Error> {
        match self.meta.get(FORMAT_KEY).map_err(|error| unusable(directory, &error))? {
            Some(format) if format == FORMAT => Ok(()),
            Some(format) => Err(Error::Corrupt(format!(
                "the store in {} has format {}, this version reads format {}",
                directory.display(),
                String::from_utf8_lossy(&format),
                String::from_utf8_lossy(FORMAT),
            ))),
            None if !self.records.is_empty() => Err(Error::Corrupt(format!(
                "the store in {} has records but no format",
                directory.display()
            ))),
            None => self.begin(directory).map_err(|error| unusable(directory, &error)),
        }
    }

    /// Makes an empty store, the entries of its directory on disk too.
    fn begin(&self, directory: &Path) -> io::Result<()> {
        self.meta.insert(FORMAT_KEY, FORMAT).map_err(io::Error::other)?;
        self.sync()?;
        File::open(directory)?.sync_all()
    }

    fn read_floor(&self) -> Result<Revision, Error> {
        let stored = self.meta.get(REVISION_KEY).map_err(|e| Error::Corrupt(e.to_string()))?;
        let Some(bytes) = stored else { return Ok(Revision::FIRST) };
        let bytes = bytes.as_ref().try_into();
        let bytes = bytes.map_err(|_| Error::Corrupt("the stored revision is damaged".into()))?;
        Ok(Revision(u64::from_be_bytes(bytes)))
    }

    /// Every record, oldest first.
    fn records(&self) -> impl Iterator<Item = Result<(Record, Stored), Error>> {
        let mut chunks = self.records.iter().map(read_chunk).peekable();
        std::iter::from_fn(move || {
            let (revision, first) = match chunks.next()? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(error)),
            };
            let mut bytes = first.to_vec();
            let mut count = 1;
            while let Some(Ok((_, chunk))) =
                chunks.next_if(|next| next.as_ref().is_ok_and(|(next, _)| *next == revision))
            {
                bytes.extend_from_slice(&chunk);
                count += 1;
            }
            let stored = Stored { revision, chunks: count };
            Some(Record::decode(revision, &bytes).map(|record| (record, stored)))
        })
    }

    fn remember(&mut self, revision: Revision) -> io::Result<()> {
        let bytes = revision.0.to_be_bytes();
        self.meta.insert(REVISION_KEY, bytes.as_slice()).map_err(io::Error::other)?;
        self.sync()?;
        self.floor = revision;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.db.flush().map_err(io::Error::other)?;
        self.file.sync_data()
    }
}

impl Journal for Log {
    fn append(&mut self, records: &[Record]) -> io::Result<Vec<Stored>> {
        let mut batch = sled::Batch::default();
        let mut stored = Vec::with_capacity(records.len());
        for record in records {
            let mut chunks = 0;
            for (key, chunk) in record.chunks() {
                batch.insert(&key, chunk);
                chunks += 1;
            }
            stored.push(Stored { revision: record.revision, chunks });
        }
        self.records.apply_batch(batch).map_err(io::Error::other)?;
        self.sync()?;
        if let Some(newest) = records.last() {
            self.tip.write(newest.revision)?;
        }
        Ok(stored)
    }

    fn remove(&mut self, records: &[Stored], current: Revision) -> io::Result<()> {
        if records.iter().any(|record| record.revision > self.floor) {
            self.remember(current)?;
        }
        let mut batch = sled::Batch::default();
        for record in records {
            for number in 0..record.chunks {
                batch.remove(&chunk_key(record.revision, number));
            }
        }
        self.records.apply_batch(batch).map_err(io::Error::other)?;
        self.sync()
    }
}

fn read_chunk(
    read: sled::Result<(sled::IVec, sled::IVec)>,
) -> Result<(Revision, sled::IVec), Error> {
    let (key, chunk) = read.map_err(|error| Error::Corrupt(error.to_string()))?;
    let revision = chunk_revision(&key);
    let revision = revision.ok_or_else(|| Error::Corrupt("a record's key is damaged".into()))?;
    Ok((revision, chunk))
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
