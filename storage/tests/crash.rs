//! Kills a process that writes, again and again, and looks at what it leaves behind.
//!
//! The child is this test binary, started with [`CHILD`] as its only test. Its writers work on keys
//! of their own and print each change once it is acknowledged. `STORAGE_CRASH_ROUNDS` sets how often
//! it is killed.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use storage::{At, Backend, BackendKind, Change, Key, KeyValue, Options, Page, Revision};

const CHILD: &str = "the_child_writes_until_it_is_killed";
const DIRECTORY: &str = "STORAGE_CRASH_DIRECTORY";
const ROUNDS: &str = "STORAGE_CRASH_ROUNDS";
const ROUNDS_DEFAULT: u64 = 5;
const WRITERS: u64 = 4;
const KEYS_OF_A_WRITER: u64 = 3;

fn open(directory: &Path) -> Arc<dyn Backend> {
    storage::open(BackendKind::Sled, directory, Options::default()).unwrap()
}

fn key(writer: u64, step: u64) -> Key {
    Key::new(&format!("/writer{writer}/{}", step % KEYS_OF_A_WRITER))
}

/// The value that a writer stores in a step: its number, and filling of a size that varies from a
/// few bytes to several chunks.
fn value(step: u64) -> Vec<u8> {
    let filling = match step % 7 {
        0 => 90_000,
        1 => 30_000,
        other => other * 300,
    };
    let mut value = step.to_be_bytes().to_vec();
    value.resize(8 + usize::try_from(filling).unwrap(), step.to_be_bytes()[7]);
    value
}

/// The step that a value was stored in; fails for a value that no step stores.
fn step_of(value: &[u8]) -> u64 {
    let (step, _) = value.split_first_chunk().expect("a value has a step");
    let step = u64::from_be_bytes(*step);
    assert!(value == self::value(step), "the value of step {step} is damaged");
    step
}

fn deletes(step: u64) -> bool {
    step.is_multiple_of(5)
}

/// What a writer does in a step, given what is there: mostly it stores, sometimes it deletes.
fn change(key: Key, step: u64, current: Option<&KeyValue>) -> Change {
    let value = value(step).into();
    match current.map(|current| current.modified) {
        None => Change::Create { key, value },
        Some(expected) if deletes(step) => Change::Delete { key, expected },
        Some(expected) => Change::Update { key, value, expected },
    }
}

/// Writes until the process ends. Each change is printed once it is acknowledged:
/// `ack <revision> <writer> <step> <put or gone>`.
async fn write(store: Arc<dyn Backend>, writer: u64, first_step: u64) {
    for step in first_step.. {
        let key = key(writer, step);
        let current = store.get(&key, At::Latest).await.unwrap().value;
        let change = change(key, step, current.as_ref());
        let what = if change.value().is_some() { "put" } else { "gone" };
        let revision = store.commit(change).await.unwrap().revision;
        let line = format!("ack {revision} {writer} {step} {what}\n");
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
        if step % 40 == 3 {
            store.compact(Revision(revision.0.saturating_sub(10))).await.unwrap();
        }
    }
}

#[test]
#[ignore = "runs as a child of the crash test"]
fn the_child_writes_until_it_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    // The test harness has begun a line.
    std::io::stdout().lock().write_all(b"\n").unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let store = open(Path::new(&directory));
        let first_step = first_step(store.status().revision);
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..WRITERS {
            writers.spawn(write(Arc::clone(&store), writer, first_step));
        }
        while let Some(ended) = writers.join_next().await {
            ended.unwrap();
        }
    });
}

/// The step that writers begin with in a store of that revision: a step is never taken twice, for
/// a writer takes fewer steps than there are revisions.
fn first_step(revision: Revision) -> u64 {
    revision.0 + 1
}

/// The state of a key: its last change's revision and step, if it exists.
type State = Option<(u64, u64)>;

/// What was acknowledged.
struct Acknowledged {
    revision: u64,
    keys: BTreeMap<Key, State>,
    /// The step that each writer takes next.
    next_steps: Vec<u64>,
}

impl Acknowledged {
    /// Everything that is there: it was decided when the store was opened.
    fn all_of(revision: Revision, entries: &[KeyValue]) -> Self {
        let state = |entry: &KeyValue| Some((entry.modified.0, step_of(&entry.value)));
        Self {
            revision: revision.0,
            keys: entries.iter().map(|entry| (entry.key.clone(), state(entry))).collect(),
            next_steps: (0..WRITERS).map(|_| first_step(revision)).collect(),
        }
    }

    /// Hears a line of the child; whether it acknowledged a change.
    fn hear(&mut self, line: &str) -> bool {
        let words: Vec<_> = line.split(' ').collect();
        let ["ack", revision, writer, step, what] = words[..] else { return false };
        let [revision, writer, step] =
            [revision, writer, step].map(|number| number.parse::<u64>().unwrap());
        let next_step = &mut self.next_steps[usize::try_from(writer).unwrap()];
        assert_eq!(step, *next_step, "writers go on where the store was left");
        *next_step += 1;
        self.revision = self.revision.max(revision);
        self.keys.insert(key(writer, step), (what == "put").then_some((revision, step)));
        true
    }

    /// Checks that every acknowledged change is there, and besides them nothing but whole changes
    /// that were about to be acknowledged: at most one of each writer.
    fn check(&self, found: &Self) {
        assert!(found.revision >= self.revision, "revisions went back");
        assert!(found.revision <= self.revision + WRITERS, "revisions were left out");
        for (writer, next) in (0..).zip(&self.next_steps) {
            for step in *next..next + KEYS_OF_A_WRITER {
                let key = key(writer, step);
                let state = |of: &Self| of.keys.get(&key).copied().flatten();
                let (found, acknowledged) = (state(found), state(self));
                let in_flight = step == *next && is_outcome(*next, acknowledged, found);
                assert!(
                    found == acknowledged || in_flight,
                    "{key:?}: found {found:?}, acknowledged {acknowledged:?}, next is {next}",
                );
            }
        }
    }
}

/// Whether a step makes one state of a key of another.
fn is_outcome(step: u64, before: State, after: State) -> bool {
    match (before, after) {
        (before, Some((revision, found))) => {
            found == step && before.is_none_or(|(older, _)| older < revision)
        }
        (before, None) => before.is_some() && deletes(step),
    }
}

fn start(directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", CHILD, "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets a child write until it acknowledged so many changes, kills it, and hears it out.
fn write_and_kill(directory: &Path, changes: usize, acknowledged: &mut Acknowledged) {
    let mut child = start(directory);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut heard = 0;
    while heard < changes {
        let line = lines.next().expect("the child ended by itself").unwrap();
        heard += usize::from(acknowledged.hear(&line));
    }
    child.kill().unwrap();
    // What it acknowledged before it died is still in the pipe.
    for line in lines {
        acknowledged.hear(&line.unwrap());
    }
    child.wait().unwrap();
}

#[tokio::test]
async fn what_was_acknowledged_survives_kills_in_the_middle_of_writing() {
    let rounds = std::env::var(ROUNDS).map_or(ROUNDS_DEFAULT, |rounds| rounds.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged = Acknowledged::all_of(Revision::FIRST, &[]);
    for round in 0..rounds {
        let changes = 20 + usize::try_from(round * 37 % 150).unwrap();
        write_and_kill(directory.path(), changes, &mut acknowledged);
        let store = open(directory.path());
        let read = store.range("/", At::Latest, Page::default()).await.unwrap();
        let found = Acknowledged::all_of(read.revision, &read.value);
        acknowledged.check(&found);
        acknowledged = found;
    }
    let blobs = std::fs::read_dir(directory.path().join("blobs")).map_or(0, Iterator::count);
    assert_eq!(blobs, 0);
}
