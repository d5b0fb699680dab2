//! How a change is written: a record under its revision, cut into chunks.
//!
//! A chunk's key is the revision (8 bytes, big-endian) and the chunk's number (4 bytes,
//! big-endian). The record is `kind created key-length key value checksum`, with numbers
//! big-endian and a CRC-32 of everything before it at the end.

use bytes::Bytes;

use crate::backend::{Error, Key, Revision};

/// The largest chunk. sled keeps up to sixteen values in a leaf, and makes a file of its own of
/// what is larger than a quarter of a segment; it never removes those files.
pub(super) const CHUNK_BYTES_MAX: usize = 28_000;

/// A written change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) revision: Revision,
    pub(super) created: Revision,
    pub(super) key: Key,
    /// `None` for a deletion.
    pub(super) value: Option<Bytes>,
}

impl Record {
    /// The chunks, each with its key.
    pub(super) fn chunks(&self) -> Vec<([u8; 12], Vec<u8>)> {
        let bytes = self.encode();
        bytes
            .chunks(CHUNK_BYTES_MAX)
            .zip(0u32..)
            .map(|(chunk, number)| (chunk_key(self.revision, number), chunk.to_vec()))
            .collect()
    }

    fn encode(&self) -> Vec<u8> {
        let key = self.key.as_str().as_bytes();
        let value = self.value.as_deref().unwrap_or_default();
        let mut bytes = Vec::with_capacity(key.len() + value.len() + 24);
        bytes.push(u8::from(self.value.is_some()));
        bytes.extend(self.created.0.to_be_bytes());
        bytes.extend(u32::try_from(key.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend(key);
        bytes.extend(value);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_be_bytes());
        bytes
    }

    /// Reads a record from its joined chunks.
    pub(super) fn decode(revision: Revision, bytes: &[u8]) -> Result<Self, Error> {
        let damaged = || Error::Corrupt(format!("the record of revision {revision} is damaged"));
        let (bytes, checksum) = bytes.split_last_chunk::<4>().ok_or_else(damaged)?;
        if crc32fast::hash(bytes) != u32::from_be_bytes(*checksum) {
            return Err(damaged());
        }
        let (kind, rest) = bytes.split_first().ok_or_else(damaged)?;
        let (created, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(damaged)?;
        let length = u32::from_be_bytes(*length) as usize;
        let (key, value) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let key = Key::new(std::str::from_utf8(key).map_err(|_| damaged())?);
        let value = (*kind == 1).then(|| Bytes::copy_from_slice(value));
        Ok(Self { revision, created: Revision(u64::from_be_bytes(*created)), key, value })
    }
}

/// The key of a chunk.
pub(super) fn chunk_key(revision: Revision, number: u32) -> [u8; 12] {
    let mut key = [0; 12];
    key[..8].copy_from_slice(&revision.0.to_be_bytes());
    key[8..].copy_from_slice(&number.to_be_bytes());
    key
}

/// The revision in a chunk's key; `None` for what is no such key.
pub(super) fn chunk_revision(key: &[u8]) -> Option<Revision> {
    let (revision, number) = key.split_first_chunk::<8>()?;
    (number.len() == 4).then(|| Revision(u64::from_be_bytes(*revision)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(value: Option<Vec<u8>>) -> Record {
        Record {
            revision: Revision(7),
            created: Revision(3),
            key: Key::new("/registry/a"),
            value: value.map(Bytes::from),
        }
    }

    fn joined(record: &Record) -> Vec<u8> {
        record.chunks().into_iter().flat_map(|(_, chunk)| chunk).collect()
    }

    #[test]
    fn records_of_every_size_read_back_the_same() {
        for size in [0, 1, CHUNK_BYTES_MAX - 36, CHUNK_BYTES_MAX, 5 * CHUNK_BYTES_MAX] {
            let record = record(Some(vec![b'x'; size]));
            assert_eq!(Record::decode(Revision(7), &joined(&record)), Ok(record));
        }
        let deletion = record(None);
        assert_eq!(Record::decode(Revision(7), &joined(&deletion)), Ok(deletion));
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let bytes = joined(&record(Some(b"value".to_vec())));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Record::decode(Revision(7), &damaged).is_err(), "byte {at}");
        }
    }
}
