use bytes::Bytes;

use super::*;
use crate::conformance::{create, delete, update};

fn open(directory: &Path) -> Sled {
    Sled::open(directory, Options::default()).unwrap()
}

async fn keys(store: &Sled) -> Vec<(String, u64, u64)> {
    let read = store.range("/", At::Latest, Page::default()).await.unwrap();
    read.value
        .into_iter()
        .map(|kv| (kv.key.as_str().to_owned(), kv.created.0, kv.modified.0))
        .collect()
}

fn large(key: &str, bytes: usize, fill: u8) -> Change {
    Change::Create { key: Key::new(key), value: Bytes::from(vec![fill; bytes]) }
}

fn disk_bytes(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() { disk_bytes(&entry.path()) } else { metadata.len() }
        })
        .sum()
}

fn blob_files(directory: &Path) -> usize {
    std::fs::read_dir(directory.join("blobs")).map_or(0, Iterator::count)
}

#[tokio::test]
async fn what_was_written_is_there_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let before = {
        let store = open(directory.path());
        let first = store.commit(create("/a", "1")).await.unwrap().revision;
        store.commit(create("/b", "1")).await.unwrap();
        store.commit(update("/a", "2", first)).await.unwrap();
        store.commit(delete("/b", Revision(3))).await.unwrap();
        store.commit(large("/large", 300_000, b'x')).await.unwrap();
        keys(&store).await
    };
    let store = open(directory.path());
    assert_eq!(keys(&store).await, before);
    assert_eq!(store.commit(create("/c", "1")).await.unwrap().revision, Revision(7));
}

#[tokio::test]
async fn revisions_go_on_even_if_the_newest_record_was_compacted() {
    let directory = tempfile::tempdir().unwrap();
    {
        let store = open(directory.path());
        store.commit(create("/a", "1")).await.unwrap();
        let deleted = store.commit(delete("/a", Revision(2))).await.unwrap().revision;
        store.compact(deleted).await.unwrap();
    }
    let store = open(directory.path());
    assert_eq!(store.status().revision, Revision(3));
    assert!(keys(&store).await.is_empty());
}

#[tokio::test]
async fn a_watch_from_before_a_restart_is_told_that_it_is_too_old() {
    let directory = tempfile::tempdir().unwrap();
    {
        let store = open(directory.path());
        store.commit(create("/a", "1")).await.unwrap();
        store.commit(create("/b", "1")).await.unwrap();
    }
    let store = open(directory.path());
    let error = store.watch("/", Revision(2)).unwrap_err();
    assert_eq!(error, Error::Compacted { oldest: Revision(3) });
}

/// Overwrites a value often, with a compaction after each time; the disk must not grow with it.
async fn overwrite(value_bytes: usize, rounds: u8, disk_bytes_max: u64) {
    let directory = tempfile::tempdir().unwrap();
    {
        let store = open(directory.path());
        let mut modified = store.commit(large("/a", value_bytes, 0)).await.unwrap().revision;
        for round in 0..rounds {
            let value = Bytes::from(vec![round; value_bytes]);
            let change = Change::Update { key: Key::new("/a"), value, expected: modified };
            modified = store.commit(change).await.unwrap().revision;
            store.compact(modified).await.unwrap();
        }
        assert_eq!(blob_files(directory.path()), 0);
        let bytes = disk_bytes(directory.path());
        assert!(bytes < disk_bytes_max, "{bytes} bytes for a value of {value_bytes}");
    }
    let store = open(directory.path());
    let read = store.get(&Key::new("/a"), At::Latest).await.unwrap().value.unwrap();
    assert_eq!(read.value, vec![rounds - 1; value_bytes]);
}

#[tokio::test]
async fn the_disk_stays_bounded_under_overwrites_of_200_kilobytes() {
    overwrite(200_000, 100, 20_000_000).await;
}

#[tokio::test]
async fn the_disk_stays_bounded_under_overwrites_of_a_megabyte() {
    overwrite(1_000_000, 40, 30_000_000).await;
}

#[tokio::test]
async fn a_full_store_refuses_writes_and_takes_deletions() {
    let directory = tempfile::tempdir().unwrap();
    let options = Options { value_bytes_max: 600, total_bytes_max: 1000 };
    let store = Sled::open(directory.path(), options).unwrap();
    let created = store.commit(large("/a", 600, b'x')).await.unwrap().revision;
    assert_eq!(store.commit(large("/b", 600, b'x')).await, Err(Error::NoSpace));
    assert_eq!(
        store.commit(large("/c", 601, b'x')).await,
        Err(Error::TooLarge { limit_bytes: 600 })
    );
    let deleted = store.commit(delete("/a", created)).await.unwrap().revision;
    store.compact(deleted).await.unwrap();
    store.commit(large("/b", 600, b'x')).await.unwrap();
}

#[tokio::test]
async fn a_directory_in_use_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let _store = open(directory.path());
    let error = Sled::open(directory.path(), Options::default()).unwrap_err();
    assert!(error.to_string().contains("in use by another process"), "{error}");
}

#[tokio::test]
async fn an_unknown_format_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    {
        let db = log::open_db(directory.path()).unwrap();
        db.open_tree("meta").unwrap().insert("format", "99").unwrap();
        db.flush().unwrap();
    }
    let error = Sled::open(directory.path(), Options::default()).unwrap_err();
    assert!(error.to_string().contains("has format 99"), "{error}");
}

#[tokio::test]
async fn files_damaged_anywhere_are_refused_and_not_read_in_part() {
    let original = tempfile::tempdir().unwrap();
    {
        let store = open(original.path());
        for number in 0..40 {
            store.commit(large(&format!("/{number}"), 5_000, number)).await.unwrap();
        }
    }
    let bytes = std::fs::read(original.path().join("db")).unwrap();
    for part in 0..16 {
        let directory = tempfile::tempdir().unwrap();
        for file in ["conf", "db", "tip"] {
            std::fs::copy(original.path().join(file), directory.path().join(file)).unwrap();
        }
        if part == 0 {
            assert_eq!(keys(&open(directory.path())).await.len(), 40);
        }
        let mut damaged = bytes.clone();
        let at = part * 12_000;
        damaged[at..at + 200].fill(0xa5);
        std::fs::write(directory.path().join("db"), damaged).unwrap();
        let error = Sled::open(directory.path(), Options::default()).unwrap_err();
        assert!(matches!(error, Error::Corrupt(_)), "part {part}: {error}");
    }
}

#[tokio::test]
async fn opening_waits_for_a_store_that_is_just_being_closed() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    store.commit(create("/a", "1")).await.unwrap();
    let path = directory.path().to_owned();
    let opening = std::thread::spawn(move || Sled::open(&path, Options::default()));
    drop(store);
    let store = opening.join().unwrap().unwrap();
    assert_eq!(keys(&store).await, [("/a".to_owned(), 2, 2)]);
}
