//! Whatever moment the process dies at, the records on disk stand for the state at that moment.

use std::collections::BTreeMap;
use std::io;

use bytes::Bytes;
use parking_lot::Mutex;
use proptest::prelude::*;

use super::journal::Stored;
use super::layout::Record;
use super::recovery::recover;
use super::*;

/// What is on disk.
#[derive(Debug, Clone)]
struct Disk {
    records: BTreeMap<Revision, Record>,
    floor: Revision,
    /// The newest revision that was ever appended.
    appended: Revision,
}

/// A disk that remembers every state it was in.
#[derive(Clone)]
struct Remembering(Arc<Mutex<Vec<Disk>>>);

/// So many that the writer removes each record by itself.
const CHUNKS: u32 = 100_000;

impl Remembering {
    fn change(&self, change: impl FnOnce(&mut Disk)) {
        let mut states = self.0.lock();
        let mut disk = states.last().unwrap().clone();
        change(&mut disk);
        states.push(disk);
    }
}

impl Journal for Remembering {
    fn append(&mut self, records: &[Record]) -> io::Result<Vec<Stored>> {
        self.change(|disk| {
            for record in records {
                disk.appended = record.revision;
                disk.records.insert(record.revision, record.clone());
            }
        });
        let stored = |record: &Record| Stored { revision: record.revision, chunks: CHUNKS };
        Ok(records.iter().map(stored).collect())
    }

    fn remove(&mut self, records: &[Stored], current: Revision) -> io::Result<()> {
        self.change(|disk| disk.floor = current);
        self.change(|disk| {
            for record in records {
                disk.records.remove(&record.revision);
            }
        });
        Ok(())
    }
}

fn recovered(disk: &Disk) -> Recovered {
    let stored = |record: &Record| Stored { revision: record.revision, chunks: CHUNKS };
    let records = disk.records.values().map(|record| Ok((record.clone(), stored(record))));
    recover(records, disk.floor).unwrap()
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8),
    Delete(u8),
    /// Compacts up to so many revisions ago.
    Compact(u64),
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4u8).prop_map(Step::Put),
        3 => (0..4u8).prop_map(Step::Delete),
        2 => (0..6u64).prop_map(Step::Compact),
        1 => Just(Step::Restart),
    ]
}

/// Takes the steps; gives the keys with their last changes at each revision from 1 on.
async fn take(steps: &[Step], journal: &Remembering) -> Vec<BTreeMap<Key, Revision>> {
    let mut states = vec![BTreeMap::new()];
    let disk = || journal.0.lock().last().unwrap().clone();
    let mut store = Sled::start(journal.clone(), recovered(&disk()), Options::default()).unwrap();
    for step in steps {
        let mut state: BTreeMap<Key, Revision> = states.last().unwrap().clone();
        let change = match *step {
            Step::Put(key) => {
                let key = Key::new(&format!("/{key}"));
                let value = Bytes::from_static(b"value");
                match state.get(&key).copied() {
                    None => Change::Create { key, value },
                    Some(expected) => Change::Update { key, value, expected },
                }
            }
            Step::Delete(key) => {
                let key = Key::new(&format!("/{key}"));
                let Some(expected) = state.get(&key).copied() else { continue };
                Change::Delete { key, expected }
            }
            Step::Compact(ago) => {
                let up_to = store.status().revision.0.saturating_sub(ago);
                store.compact(Revision(up_to)).await.unwrap();
                continue;
            }
            Step::Restart => {
                drop(store);
                store =
                    Sled::start(journal.clone(), recovered(&disk()), Options::default()).unwrap();
                continue;
            }
        };
        let put = change.value().is_some().then(|| change.key().clone());
        let key = change.key().clone();
        let revision = store.commit(change).await.unwrap().revision;
        state.remove(&key);
        state.extend(put.map(|key| (key, revision)));
        states.push(state);
        assert_eq!(revision.0, states.len() as u64);
    }
    states
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_disk_stands_for_what_was_acknowledged_at_every_moment(
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let empty =
            Disk { records: BTreeMap::new(), floor: Revision::FIRST, appended: Revision::FIRST };
        let journal = Remembering(Arc::new(Mutex::new(vec![empty])));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let states = runtime.block_on(take(&steps, &journal));
        for disk in &*journal.0.lock() {
            let recovered = recovered(disk);
            prop_assert_eq!(recovered.revision, disk.appended);
            let keys: BTreeMap<_, _> =
                recovered.entries.into_iter().map(|entry| (entry.key, entry.modified)).collect();
            prop_assert_eq!(&keys, &states[usize::try_from(disk.appended.0).unwrap() - 1]);
        }
    }
}
