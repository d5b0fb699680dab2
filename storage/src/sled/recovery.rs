//! From the records on disk to the state they stand for.

use std::collections::BTreeMap;

use super::journal::Stored;
use super::layout::Record;
use crate::backend::{Error, Key, KeyValue, Revision};

/// What the records say.
#[derive(Debug, Default)]
pub(super) struct Recovered {
    /// The revision of the newest one.
    pub(super) revision: Revision,
    /// The keys that exist.
    pub(super) entries: Vec<KeyValue>,
    /// The record of each of them.
    pub(super) newest: BTreeMap<Key, Stored>,
    /// Records that later ones made useless, in the order in which they may be removed.
    pub(super) garbage: Vec<Stored>,
}

/// Reads records, oldest first; of each key the newest counts. `floor` is a revision that was
/// reached for certain.
pub(super) fn recover(
    records: impl Iterator<Item = Result<(Record, Stored), Error>>,
    floor: Revision,
) -> Result<Recovered, Error> {
    let mut newest: BTreeMap<Key, (Record, Stored)> = BTreeMap::new();
    let mut recovered = Recovered { revision: floor, ..Recovered::default() };
    for read in records {
        let (record, stored) = read?;
        recovered.revision = recovered.revision.max(record.revision);
        let older = newest.insert(record.key.clone(), (record, stored));
        recovered.garbage.extend(older.map(|(_, stored)| stored));
    }
    for (key, (record, stored)) in newest {
        let Record { revision: modified, created, value, .. } = record;
        match value {
            Some(value) => {
                recovered.newest.insert(key.clone(), stored);
                recovered.entries.push(KeyValue { key, value, created, modified });
            }
            // Behind the records it outlived: were it removed before them, they would be back.
            None => recovered.garbage.push(stored),
        }
    }
    Ok(recovered)
}
