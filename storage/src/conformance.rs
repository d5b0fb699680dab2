//! What every backend must do. One suite, run on each of them.

use std::sync::Arc;
use std::task::{Context, Waker};

use bytes::Bytes;

use crate::backend::{
    At, Backend, Change, Error, EventKind, Key, Page, Revision, WATCH_EVENTS_MAX, WatchEnd,
};

/// Runs the whole suite; `open` gives an empty store each time.
///
/// # Panics
///
/// Where the store does not do what it must.
pub(crate) async fn run(mut open: impl FnMut() -> Arc<dyn Backend>) {
    changes_are_made_only_in_the_expected_state(&*open()).await;
    revisions_grow_by_one(&*open()).await;
    the_past_can_be_read_until_it_is_compacted(&*open()).await;
    pages_come_in_order(&*open()).await;
    watches_see_every_change_once_and_in_order(&*open()).await;
    watches_resume_from_any_kept_revision(&*open()).await;
    watches_may_start_in_the_future(&*open()).await;
    deletions_have_revisions_of_their_own(&*open()).await;
    compactions_keep_what_is_current(&*open()).await;
    watches_that_are_not_read_end_and_harm_nobody(open()).await;
    watches_end_with_the_store(open()).await;
    concurrent_writers_never_lose_a_change(open()).await;
    every_watch_sees_one_order_under_concurrent_writers(open()).await;
    a_change_nobody_waits_for_happens_wholly_or_not_at_all(&*open()).await;
}

/// A change that creates a key.
#[must_use]
pub(crate) fn create(key: &str, value: &str) -> Change {
    Change::Create { key: Key::new(key), value: Bytes::copy_from_slice(value.as_bytes()) }
}

/// A change that updates a key.
#[must_use]
pub(crate) fn update(key: &str, value: &str, expected: Revision) -> Change {
    let value = Bytes::copy_from_slice(value.as_bytes());
    Change::Update { key: Key::new(key), value, expected }
}

/// A change that deletes a key.
#[must_use]
pub(crate) fn delete(key: &str, expected: Revision) -> Change {
    Change::Delete { key: Key::new(key), expected }
}

async fn changes_are_made_only_in_the_expected_state(store: &dyn Backend) {
    let created = store.commit(create("/a", "1")).await.unwrap();
    assert!(matches!(store.commit(create("/a", "2")).await, Err(Error::KeyExists(_))));
    let wrong = Revision(created.revision.0 + 5);
    assert!(matches!(store.commit(update("/a", "2", wrong)).await, Err(Error::Conflict(_))));
    assert_eq!(store.commit(update("/b", "2", wrong)).await, Err(Error::KeyNotFound));
    let updated = store.commit(update("/a", "2", created.revision)).await.unwrap();
    assert_eq!(updated.previous.unwrap().value, "1");
    assert!(matches!(store.commit(delete("/a", created.revision)).await, Err(Error::Conflict(_))));
    store.commit(delete("/a", updated.revision)).await.unwrap();
    let read = store.get(&Key::new("/a"), At::Latest).await.unwrap();
    assert_eq!(read.value, None);
}

async fn revisions_grow_by_one(store: &dyn Backend) {
    let first = store.commit(create("/a", "1")).await.unwrap().revision;
    assert_eq!(first, Revision(2));
    let second = store.commit(update("/a", "2", first)).await.unwrap().revision;
    let third = store.commit(delete("/a", second)).await.unwrap().revision;
    assert_eq!((second, third), (Revision(3), Revision(4)));
    assert_eq!(store.status().revision, third);
}

async fn the_past_can_be_read_until_it_is_compacted(store: &dyn Backend) {
    let first = store.commit(create("/a", "1")).await.unwrap().revision;
    let second = store.commit(update("/a", "2", first)).await.unwrap().revision;
    let past = store.get(&Key::new("/a"), At::Exact(first)).await.unwrap();
    assert_eq!(past.value.unwrap().value, "1");
    store.compact(second).await.unwrap();
    let error = store.get(&Key::new("/a"), At::Exact(first)).await.unwrap_err();
    assert_eq!(error, Error::Compacted { oldest: second });
    let now = store.get(&Key::new("/a"), At::Exact(second)).await.unwrap();
    assert_eq!(now.value.unwrap().value, "2");
    let future = store.get(&Key::new("/a"), At::Exact(Revision(99))).await.unwrap_err();
    assert_eq!(future, Error::FutureRevision { current: second });
}

async fn pages_come_in_order(store: &dyn Backend) {
    for name in ["c", "a", "b", "d"] {
        store.commit(create(&format!("/x/{name}"), name)).await.unwrap();
    }
    store.commit(create("/y/a", "other")).await.unwrap();
    let page = Page { from: Some("/x/b".to_owned()), limit: Some(2) };
    let read = store.range("/x/", At::Latest, page).await.unwrap();
    let names: Vec<_> = read.value.iter().map(|kv| kv.key.as_str()).collect();
    assert_eq!(names, ["/x/b", "/x/c"]);
    let all = store.range("/x/", At::Latest, Page::default()).await.unwrap();
    assert_eq!(all.value.len(), 4);
}

async fn watches_see_every_change_once_and_in_order(store: &dyn Backend) {
    let mut watch = store.watch("/x/", store.status().revision).unwrap();
    let created = store.commit(create("/x/a", "1")).await.unwrap().revision;
    store.commit(create("/y/a", "other")).await.unwrap();
    let updated = store.commit(update("/x/a", "2", created)).await.unwrap().revision;
    let deleted = store.commit(delete("/x/a", updated)).await.unwrap().revision;
    for (revision, kind) in
        [(created, EventKind::Put), (updated, EventKind::Put), (deleted, EventKind::Delete)]
    {
        let event = watch.next().await.unwrap();
        assert_eq!((event.revision(), event.kind), (revision, kind));
    }
}

async fn watches_resume_from_any_kept_revision(store: &dyn Backend) {
    let first = store.commit(create("/x/a", "1")).await.unwrap().revision;
    let second = store.commit(update("/x/a", "2", first)).await.unwrap().revision;
    let event = store.watch("/x/", first).unwrap().next().await.unwrap();
    assert_eq!(event.revision(), second);
    assert_eq!(event.previous.as_ref().unwrap().value, "1");
    store.compact(second).await.unwrap();
    assert_eq!(store.watch("/x/", first).unwrap_err(), Error::Compacted { oldest: second });
    assert!(store.watch("/x/", second).is_ok());
}

async fn watches_may_start_in_the_future(store: &dyn Backend) {
    let mut watch = store.watch("/", Revision(3)).unwrap();
    for key in ["/a", "/b", "/c"] {
        store.commit(create(key, "1")).await.unwrap();
    }
    assert_eq!(watch.next().await.unwrap().revision(), Revision(4));
}

async fn deletions_have_revisions_of_their_own(store: &dyn Backend) {
    let created = store.commit(create("/a", "1")).await.unwrap().revision;
    let deleted = store.commit(delete("/a", created)).await.unwrap();
    assert!(deleted.revision > created);
    let event = store.watch("/", created).unwrap().next().await.unwrap();
    assert_eq!((event.kind, event.revision()), (EventKind::Delete, deleted.revision));
    assert_eq!((event.current.created, &event.current.value[..]), (created, b"1".as_slice()));
    let again = store.commit(create("/a", "2")).await.unwrap();
    assert_eq!(again.previous, None);
    let read = store.get(&Key::new("/a"), At::Latest).await.unwrap().value.unwrap();
    assert_eq!((read.created, read.modified), (again.revision, again.revision));
}

async fn compactions_keep_what_is_current(store: &dyn Backend) {
    let kept = store.commit(create("/kept", "1")).await.unwrap().revision;
    let gone = store.commit(create("/gone", "1")).await.unwrap().revision;
    let deleted = store.commit(delete("/gone", gone)).await.unwrap().revision;
    let future = store.compact(deleted.next()).await;
    assert_eq!(future, Err(Error::FutureRevision { current: deleted }));
    let full = store.status().bytes;
    store.compact(deleted).await.unwrap();
    assert!(store.status().bytes < full);
    assert_eq!(store.status().compacted, deleted);
    // Again, and further back: nothing happens.
    store.compact(kept).await.unwrap();
    assert_eq!(store.status().compacted, deleted);
    let read = store.range("/", At::Exact(deleted), Page::default()).await.unwrap();
    assert_eq!(read.value.iter().map(|kv| kv.modified).collect::<Vec<_>>(), [kept]);
}

async fn watches_that_are_not_read_end_and_harm_nobody(store: Arc<dyn Backend>) {
    const TOGETHER: usize = 512;
    let mut slow = store.watch("/", Revision::FIRST).unwrap();
    let mut quick = store.watch("/", Revision::FIRST).unwrap();
    for round in 0..=WATCH_EVENTS_MAX / TOGETHER {
        let mut writers = tokio::task::JoinSet::new();
        for number in 0..TOGETHER {
            let store = Arc::clone(&store);
            let change = create(&format!("/{round}/{number}"), "1");
            writers.spawn(async move { store.commit(change).await.unwrap() });
        }
        for _ in 0..TOGETHER {
            quick.next().await.unwrap();
        }
        writers.join_all().await;
    }
    for _ in 0..WATCH_EVENTS_MAX {
        slow.next().await.unwrap();
    }
    assert_eq!(slow.next().await.unwrap_err(), WatchEnd::TooSlow);
}

async fn watches_end_with_the_store(store: Arc<dyn Backend>) {
    let mut watch = store.watch("/", Revision::FIRST).unwrap();
    store.commit(create("/a", "1")).await.unwrap();
    drop(store);
    assert_eq!(watch.next().await.unwrap().revision(), Revision(2));
    assert_eq!(watch.next().await.unwrap_err(), WatchEnd::Closed);
}

async fn every_watch_sees_one_order_under_concurrent_writers(store: Arc<dyn Backend>) {
    const WRITERS: u64 = 8;
    const CHANGES: u64 = 25;
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(&store);
        writers.spawn(async move {
            for number in 0..CHANGES {
                store.commit(create(&format!("/{writer}/{number}"), "1")).await.unwrap();
            }
        });
    }
    // Begun while the writers are at work, at different moments.
    let mut watches = Vec::new();
    while writers.join_next().await.is_some() {
        watches.push(store.watch("/", Revision::FIRST).unwrap());
    }
    watches.push(store.watch("/", Revision::FIRST).unwrap());
    for mut watch in watches {
        for revision in 2..2 + WRITERS * CHANGES {
            assert_eq!(watch.next().await.unwrap().revision(), Revision(revision));
        }
    }
}

async fn concurrent_writers_never_lose_a_change(store: Arc<dyn Backend>) {
    const WRITERS: u64 = 8;
    const CHANGES: u64 = 25;
    store.commit(create("/counter", "0")).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..WRITERS {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            for _ in 0..CHANGES {
                increment(&*store).await;
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let read = store.get(&Key::new("/counter"), At::Latest).await.unwrap();
    assert_eq!(read.value.unwrap().value, (WRITERS * CHANGES).to_string());
    assert_eq!(read.revision, Revision(2 + WRITERS * CHANGES));
}

async fn increment(store: &dyn Backend) {
    loop {
        let read = store.get(&Key::new("/counter"), At::Latest).await.unwrap().value.unwrap();
        let number: u64 = std::str::from_utf8(&read.value).unwrap().parse().unwrap();
        let change = update("/counter", &(number + 1).to_string(), read.modified);
        match store.commit(change).await {
            Ok(_) => return,
            Err(Error::Conflict(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

async fn a_change_nobody_waits_for_happens_wholly_or_not_at_all(store: &dyn Backend) {
    for number in 0..20 {
        let change = create(&format!("/dropped/{number}"), "value");
        let polled = number % 2 == 0;
        let mut commit = store.commit(change);
        if polled {
            let mut context = Context::from_waker(Waker::noop());
            // Whether it is ready does not matter here.
            drop(commit.as_mut().poll(&mut context));
        }
        drop(commit);
    }
    // Whatever came before this change is decided now.
    store.commit(create("/last", "1")).await.unwrap();
    let read = store.range("/dropped/", At::Latest, Page::default()).await.unwrap();
    assert!(read.value.iter().all(|kv| kv.value == "value"));
    assert_eq!(store.status().keys, read.value.len() + 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn memory_does_what_a_backend_must() {
        run(|| Arc::new(crate::memory::Memory::new())).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn sled_does_what_a_backend_must() {
        let directory = tempfile::tempdir().unwrap();
        let mut number = 0;
        run(|| {
            number += 1;
            let path = directory.path().join(number.to_string());
            Arc::new(crate::sled::Sled::open(&path, crate::sled::Options::default()).unwrap())
        })
        .await;
    }
}
