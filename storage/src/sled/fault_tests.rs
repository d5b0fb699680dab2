//! The writer over a disk that waits, fails and panics when told to.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use parking_lot::Mutex;

use super::journal::Stored;
use super::layout::Record;
use super::*;
use crate::conformance::{create, delete, update};

/// What the disk does next.
enum Act {
    Work,
    Fail,
    Panic,
}

/// What the disk was asked for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Append(Vec<u64>),
    Remove(Vec<u64>),
}

/// A disk that waits for an [`Act`] before each operation, and works on once nobody tells it any.
struct Told {
    acts: Receiver<Act>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Told {
    fn act(&self, asked: Asked) -> io::Result<()> {
        self.asked.lock().push(asked);
        match self.acts.recv() {
            Ok(Act::Work) | Err(_) => Ok(()),
            Ok(Act::Fail) => Err(io::Error::other("the disk is on fire")),
            Ok(Act::Panic) => panic!("told to"),
        }
    }
}

impl Journal for Told {
    fn append(&mut self, records: &[Record]) -> io::Result<Vec<Stored>> {
        self.act(Asked::Append(records.iter().map(|record| record.revision.0).collect()))?;
        Ok(records.iter().map(|record| Stored { revision: record.revision, chunks: 1 }).collect())
    }

    fn remove(&mut self, records: &[Stored], _current: Revision) -> io::Result<()> {
        self.act(Asked::Remove(records.iter().map(|record| record.revision.0).collect()))
    }
}

struct Disk {
    acts: Sender<Act>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

fn start(options: Options) -> (Disk, Sled) {
    let (acts, told) = channel();
    let asked = Arc::default();
    let journal = Told { acts: told, asked: Arc::clone(&asked) };
    let recovered = Recovered { revision: Revision::FIRST, ..Recovered::default() };
    (Disk { acts, asked }, Sled::start(journal, recovered, options).unwrap())
}

impl Disk {
    fn act(&self, act: Act) {
        self.acts.send(act).unwrap();
    }

    /// Waits until the disk was asked so often.
    async fn asked(&self, times: usize) {
        while self.asked.lock().len() < times {
            tokio::task::yield_now().await;
        }
    }
}

/// Puts a change before the writer without waiting for its answer.
fn begin(store: &Sled, change: Change) -> BoxFuture<'_, Result<Committed, Error>> {
    let mut commit = store.commit(change);
    assert!(matches!(commit.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
    commit
}

async fn read(store: &Sled, key: &str) -> Option<KeyValue> {
    store.get(&Key::new(key), At::Latest).await.unwrap().value
}

#[tokio::test]
async fn nothing_is_visible_before_it_is_on_disk() {
    let (disk, store) = start(Options::default());
    let mut watch = store.watch("/", Revision::FIRST).unwrap();
    let commit = begin(&store, create("/a", "1"));
    disk.asked(1).await;
    assert_eq!(read(&store, "/a").await, None);
    assert_eq!(store.status().revision, Revision::FIRST);
    disk.act(Act::Work);
    assert_eq!(commit.await.unwrap().revision, Revision(2));
    assert_eq!(read(&store, "/a").await.unwrap().value, "1");
    assert_eq!(watch.next().await.unwrap().revision(), Revision(2));
}

#[tokio::test]
async fn changes_that_wait_go_to_disk_together_with_consecutive_revisions() {
    let (disk, store) = start(Options::default());
    let first = begin(&store, create("/first", "1"));
    disk.asked(1).await;
    let waiting: Vec<_> =
        (0..10).map(|number| begin(&store, create(&format!("/{number}"), "1"))).collect();
    disk.act(Act::Work);
    disk.act(Act::Work);
    first.await.unwrap();
    for (number, commit) in (3..).zip(waiting) {
        assert_eq!(commit.await.unwrap().revision, Revision(number));
    }
    let asked = std::mem::take(&mut *disk.asked.lock());
    assert_eq!(asked, [Asked::Append(vec![2]), Asked::Append((3..=12).collect())]);
}

#[tokio::test]
async fn changes_of_one_key_that_wait_together_are_decided_one_after_the_other() {
    let (disk, store) = start(Options::default());
    let first = begin(&store, create("/first", "1"));
    disk.asked(1).await;
    let created = begin(&store, create("/a", "1"));
    let late = begin(&store, create("/a", "2"));
    let updated = begin(&store, update("/a", "3", Revision(3)));
    drop(disk.acts);
    first.await.unwrap();
    assert_eq!(created.await.unwrap().revision, Revision(3));
    assert!(matches!(late.await, Err(Error::KeyExists(found)) if found.value == "1"));
    assert_eq!(updated.await.unwrap().revision, Revision(4));
}

#[tokio::test]
async fn changes_that_wait_together_do_not_overfill_the_store_together() {
    let options = Options { total_bytes_max: 1000, ..Options::default() };
    let (disk, store) = start(options);
    let first = begin(&store, create("/first", "1"));
    disk.asked(1).await;
    let large = |key| Change::Create { key: Key::new(key), value: Bytes::from(vec![0; 500]) };
    let fits = begin(&store, large("/a"));
    let full = begin(&store, large("/b"));
    drop(disk.acts);
    first.await.unwrap();
    fits.await.unwrap();
    assert_eq!(full.await, Err(Error::NoSpace));
}

#[tokio::test]
async fn a_change_that_nobody_waits_for_any_more_is_made_wholly() {
    let (disk, store) = start(Options::default());
    drop(begin(&store, create("/a", "1")));
    drop(disk.acts);
    store.commit(create("/b", "1")).await.unwrap();
    assert_eq!(read(&store, "/a").await.unwrap().modified, Revision(2));
}

#[tokio::test]
async fn a_disk_that_fails_makes_the_store_read_only() {
    let (disk, store) = start(Options::default());
    disk.act(Act::Work);
    store.commit(create("/a", "1")).await.unwrap();
    disk.act(Act::Fail);
    let read_only = Error::ReadOnly("the disk is on fire".to_owned());
    assert_eq!(store.commit(create("/b", "1")).await, Err(read_only.clone()));
    assert_eq!(store.commit(delete("/a", Revision(2))).await, Err(read_only));
    assert_eq!(store.status().failure.as_deref(), Some("the disk is on fire"));
    assert_eq!(store.status().revision, Revision(2));
    assert_eq!(read(&store, "/b").await, None);
    assert_eq!(read(&store, "/a").await.unwrap().value, "1");
    assert_eq!(disk.asked.lock().len(), 2, "nothing more is written after a failure");
}

#[tokio::test]
async fn a_panic_of_the_writer_makes_the_store_read_only_and_leaves_nobody_waiting() {
    let (disk, store) = start(Options::default());
    disk.act(Act::Work);
    store.commit(create("/a", "1")).await.unwrap();
    let broken = begin(&store, create("/b", "1"));
    disk.asked(2).await;
    let behind = begin(&store, create("/c", "1"));
    disk.act(Act::Panic);
    assert!(matches!(broken.await, Err(Error::ReadOnly(_))));
    assert!(matches!(behind.await, Err(Error::ReadOnly(_))));
    let after = store.commit(create("/d", "1")).await;
    assert_eq!(after, Err(Error::ReadOnly("the writer panicked".to_owned())));
    assert_eq!(store.status().failure.as_deref(), Some("the writer panicked"));
    assert_eq!(read(&store, "/a").await.unwrap().value, "1");
}

#[tokio::test]
async fn a_disk_that_fails_to_remove_makes_the_store_read_only() {
    let (disk, store) = start(Options::default());
    for act in [Act::Work, Act::Work, Act::Fail] {
        disk.act(act);
    }
    store.commit(create("/a", "1")).await.unwrap();
    store.commit(update("/a", "2", Revision(2))).await.unwrap();
    store.compact(Revision(3)).await.unwrap();
    disk.asked(3).await;
    assert_eq!(disk.asked.lock()[2], Asked::Remove(vec![2]));
    let refused = store.commit(create("/b", "1")).await;
    assert_eq!(refused, Err(Error::ReadOnly("the disk is on fire".to_owned())));
}
