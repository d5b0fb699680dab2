use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::backend::{Backend, WATCH_EVENTS_MAX};
use crate::conformance::{create, delete, update};
use crate::memory::Memory;

struct Text;

impl Decoder for Text {
    type Object = String;

    fn decode(&self, stored: &KeyValue) -> String {
        String::from_utf8_lossy(&stored.value).into_owned()
    }
}

async fn cached() -> (Arc<Memory>, Arc<Cache<Text>>) {
    let store = Arc::new(Memory::new());
    store.commit(create("/x/a", "1")).await.unwrap();
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let cache = set.cache("/x/", Text).await.unwrap();
    tokio::spawn(set.feed().0.run());
    (store, cache)
}

fn texts(list: &List<String>) -> Vec<&str> {
    list.entries.iter().map(|entry| entry.object.as_str()).collect()
}

#[tokio::test]
async fn a_consistent_list_sees_every_acknowledged_change() {
    let (store, cache) = cached().await;
    for number in 0..100 {
        store.commit(create(&format!("/x/n{number:02}"), "n")).await.unwrap();
        let list = cache.list(Freshness::Consistent).await.unwrap();
        assert_eq!(list.entries.len(), number + 2);
        assert_eq!(list.revision, store.status().revision);
    }
}

#[tokio::test]
async fn lists_of_the_past_are_rolled_back_from_the_present() {
    let (store, cache) = cached().await;
    let second = store.commit(create("/x/b", "2")).await.unwrap().revision;
    let third = store.commit(update("/x/a", "3", Revision(2))).await.unwrap().revision;
    store.commit(delete("/x/b", second)).await.unwrap();
    let list = cache.list_exact(second).await.unwrap();
    assert_eq!(texts(&list), ["1", "2"]);
    let list = cache.list_exact(third).await.unwrap();
    assert_eq!(texts(&list), ["3", "2"]);
    let list = cache.list(Freshness::Consistent).await.unwrap();
    assert_eq!(texts(&list), ["3"]);
}

#[tokio::test(start_paused = true)]
async fn a_revision_in_the_future_is_waited_for_and_then_refused() {
    let (store, cache) = cached().await;
    let error = cache.list(Freshness::NotOlderThan(Revision(99))).await.unwrap_err();
    assert_eq!(error, ReadError::TooLarge { requested: Revision(99), current: Revision(2) });
    let waiting = tokio::spawn({
        let cache = Arc::clone(&cache);
        async move { cache.list(Freshness::NotOlderThan(Revision(3))).await.map(|l| l.revision) }
    });
    tokio::task::yield_now().await;
    store.commit(create("/other", "1")).await.unwrap();
    assert_eq!(waiting.await.unwrap(), Ok(Revision(3)));
}

#[tokio::test]
async fn a_watch_from_a_revision_has_exactly_what_came_after_it() {
    let (store, cache) = cached().await;
    let second = store.commit(create("/x/b", "2")).await.unwrap().revision;
    let third = store.commit(update("/x/b", "3", second)).await.unwrap().revision;
    cache.wait_for(third).await.unwrap();
    let mut watch = cache.subscribe(second).unwrap();
    assert_eq!(watch.backlog.len(), 1);
    assert_eq!(watch.backlog[0].revision(), third);
    assert_eq!(watch.backlog[0].previous.as_ref().unwrap().object, "2");
    let deleted = store.commit(delete("/x/b", third)).await.unwrap().revision;
    let event = watch.events.recv().await.unwrap();
    assert_eq!((event.kind, event.revision()), (EventKind::Delete, deleted));
}

#[tokio::test]
async fn a_watch_from_before_the_history_is_too_old() {
    let (_store, cache) = cached().await;
    let error = cache.subscribe(Revision(1)).unwrap_err();
    assert_eq!(error, ReadError::TooOld { requested: Revision(1), oldest: Revision(2) });
}

#[tokio::test]
async fn a_watcher_that_does_not_read_is_ended_and_others_go_on() {
    let (store, cache) = cached().await;
    let mut slow = cache.subscribe_with_state();
    let mut revision = Revision(2);
    let mut quick = cache.subscribe_with_state();
    for _ in 0..=WATCHER_EVENTS_MAX {
        revision = store.commit(update("/x/a", "again", revision)).await.unwrap().revision;
        assert_eq!(quick.events.recv().await.unwrap().revision(), revision);
    }
    let mut seen = 0;
    while slow.events.recv().await.is_some() {
        seen += 1;
    }
    assert_eq!(seen, WATCHER_EVENTS_MAX);
}

#[tokio::test]
async fn progress_moves_with_changes_elsewhere() {
    let (store, cache) = cached().await;
    let other = store.commit(create("/y/a", "1")).await.unwrap().revision;
    cache.wait_for(other).await.unwrap();
    assert_eq!(cache.progress(), other);
    assert_eq!(cache.size(), (1, 1));
}

#[tokio::test]
async fn watches_end_with_the_store() {
    let (store, cache) = cached().await;
    let mut watch = cache.subscribe_with_state();
    drop(store);
    drop(cache);
    assert!(watch.events.recv().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_state_of_the_past_stays_readable_for_75_seconds_after_its_compaction() {
    let (store, cache) = cached().await;
    let second = store.commit(create("/x/b", "2")).await.unwrap().revision;
    let third = store.commit(create("/y/other", "3")).await.unwrap().revision;
    let last = store.commit(update("/x/b", "4", second)).await.unwrap().revision;
    cache.wait_for(last).await.unwrap();
    store.compact(last).await.unwrap();
    tokio::time::advance(FRESH_FOR).await;
    for revision in [second, third] {
        assert_eq!(texts(&cache.list_exact(revision).await.unwrap()), ["1", "2"]);
    }
    tokio::time::advance(Duration::from_secs(2)).await;
    for revision in [second, third] {
        let error = cache.list_exact(revision).await.unwrap_err();
        assert_eq!(error, ReadError::TooOld { requested: revision, oldest: last });
    }
    assert_eq!(texts(&cache.list_exact(last).await.unwrap()), ["1", "4"]);
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_list_expires_too_once_its_revision_is_compacted() {
    let (store, cache) = cached().await;
    let other = store.commit(create("/y/other", "2")).await.unwrap().revision;
    store.compact(other).await.unwrap();
    cache.wait_for(other).await.unwrap();
    let error = cache.list_exact(Revision(1)).await.unwrap_err();
    assert_eq!(error, ReadError::TooOld { requested: Revision(1), oldest: other });
}

#[tokio::test(start_paused = true)]
async fn without_a_compaction_the_past_stays_readable_however_old() {
    let (store, cache) = cached().await;
    let second = store.commit(create("/x/b", "2")).await.unwrap().revision;
    store.commit(delete("/x/b", second)).await.unwrap();
    tokio::time::advance(10 * FRESH_FOR).await;
    assert_eq!(texts(&cache.list_exact(second).await.unwrap()), ["1", "2"]);
    // Older than the cache itself: the backend knows.
    assert!(texts(&cache.list_exact(Revision(1)).await.unwrap()).is_empty());
}

struct Counting(Arc<AtomicUsize>);

impl Decoder for Counting {
    type Object = ();

    fn decode(&self, _stored: &KeyValue) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn lists_of_now_and_of_the_past_decode_nothing() {
    const OBJECTS: usize = 10_000;
    let store = Arc::new(Memory::new());
    for number in 0..OBJECTS {
        store.commit(create(&format!("/x/{number:05}"), "1")).await.unwrap();
    }
    let decoded = Arc::new(AtomicUsize::new(0));
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let cache = set.cache("/x/", Counting(Arc::clone(&decoded))).await.unwrap();
    tokio::spawn(set.feed().0.run());
    let before = store.status().revision;
    store.commit(create("/x/one more", "1")).await.unwrap();
    for _ in 0..5 {
        let now = cache.list(Freshness::Consistent).await.unwrap();
        assert_eq!(now.entries.len(), OBJECTS + 1);
        let past = cache.list_exact(before).await.unwrap();
        assert_eq!(past.entries.len(), OBJECTS);
        let again = cache.list_exact(before).await.unwrap();
        assert!(Arc::ptr_eq(&past.entries, &again.entries), "the next page has the same list");
    }
    assert_eq!(decoded.load(Ordering::Relaxed), OBJECTS + 1);
}

#[tokio::test]
async fn a_thousand_watchers_share_each_event() {
    const WATCHERS: usize = 1000;
    let (store, cache) = cached().await;
    let mut watches: Vec<_> = (0..WATCHERS).map(|_| cache.subscribe_with_state()).collect();
    let mut revision = Revision(2);
    for _ in 0..100 {
        revision = store.commit(update("/x/a", "again", revision)).await.unwrap().revision;
    }
    cache.wait_for(revision).await.unwrap();
    for expected in 3..=revision.0 {
        let first = watches[0].events.try_recv().unwrap();
        assert_eq!(first.revision(), Revision(expected));
        for watch in &mut watches[1..] {
            assert!(Arc::ptr_eq(&first, &watch.events.try_recv().unwrap()));
        }
    }
    assert!(watches.iter_mut().all(|watch| watch.events.try_recv().is_err()));
}

/// A cache whose feed has not begun when more changes come than the store holds for it.
async fn flooded(compact: bool) -> (Arc<Memory>, Arc<Cache<Text>>, Subscription<String>) {
    let store = Arc::new(Memory::new());
    let mut revision = store.commit(create("/x/a", "1")).await.unwrap().revision;
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let cache = set.cache("/x/", Text).await.unwrap();
    let watch = cache.subscribe_with_state();
    for _ in 0..=WATCH_EVENTS_MAX {
        revision = store.commit(update("/x/a", "again", revision)).await.unwrap().revision;
    }
    let deleted = store.commit(delete("/x/a", revision)).await.unwrap().revision;
    store.commit(create("/x/b", "new")).await.unwrap();
    if compact {
        store.compact(deleted).await.unwrap();
    }
    tokio::spawn(set.feed().0.run());
    (store, cache, watch)
}

#[tokio::test]
async fn a_feed_that_is_too_slow_goes_on_from_the_history_of_the_store() {
    let (_store, cache, mut watch) = flooded(false).await;
    let list = cache.list(Freshness::Consistent).await.unwrap();
    assert_eq!(texts(&list), ["new"]);
    let first = watch.events.recv().await.unwrap();
    assert_eq!(first.revision(), Revision(3));
}

#[tokio::test]
async fn a_feed_that_lost_changes_starts_anew_and_ends_the_watches() {
    let (store, cache, mut watch) = flooded(true).await;
    let list = cache.list(Freshness::Consistent).await.unwrap();
    assert_eq!(texts(&list), ["new"]);
    assert_eq!(cache.size(), (1, 3));
    while watch.events.recv().await.is_some() {}
    let seen = Revision(3);
    assert!(matches!(cache.subscribe(seen), Err(ReadError::TooOld { .. })));
    let mut watch = cache.subscribe_with_state();
    let created = store.commit(create("/x/c", "live")).await.unwrap().revision;
    assert_eq!(watch.events.recv().await.unwrap().revision(), created);
}

#[tokio::test]
async fn the_feed_ends_with_the_store() {
    let store = Arc::new(Memory::new());
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let cache = set.cache("/x/", Text).await.unwrap();
    let feed = tokio::spawn(set.feed().0.run());
    drop(cache);
    drop(store);
    feed.await.unwrap();
}

#[tokio::test]
async fn a_cache_that_comes_later_has_what_is_stored_and_what_follows() {
    let store = Arc::new(Memory::new());
    store.commit(create("/x/a", "1")).await.unwrap();
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let (feed, caches) = set.feed();
    tokio::spawn(feed.run());
    // Changes and joins in turn: whatever comes between two changes, nothing is missed.
    for number in 0..50 {
        store.commit(create(&format!("/x/n{number:02}"), "n")).await.unwrap();
        let cache = caches.cache("/x/", Text).await.unwrap();
        let last = store.commit(update("/x/a", "again", modified(&store).await)).await.unwrap();
        let list = cache.list(Freshness::Consistent).await.unwrap();
        assert_eq!(list.entries.len(), number + 2);
        assert_eq!(texts(&list)[0], "again");
        assert_eq!(list.revision, last.revision);
    }
}

async fn modified(store: &Memory) -> Revision {
    let read = store.get(&Key::new("/x/a"), crate::At::Latest).await.unwrap();
    read.value.unwrap().modified
}

#[tokio::test]
async fn a_cache_that_comes_later_knows_nothing_of_before() {
    let store = Arc::new(Memory::new());
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let (feed, caches) = set.feed();
    tokio::spawn(feed.run());
    let first = caches.cache("/x/", Text).await.unwrap();
    let created = store.commit(create("/x/a", "1")).await.unwrap().revision;
    first.wait_for(created).await.unwrap();
    let later = caches.cache("/x/", Text).await.unwrap();
    assert!(matches!(later.subscribe(Revision(0)), Err(ReadError::TooOld { .. })));
    assert!(later.subscribe(created).is_ok());
}

#[tokio::test]
async fn watches_end_when_another_cache_takes_over_after_what_was_on_its_way() {
    let (store, cache) = cached().await;
    let mut watch = cache.subscribe_with_state();
    let created = store.commit(create("/x/b", "2")).await.unwrap().revision;
    cache.wait_for(created).await.unwrap();
    cache.end_watches();
    assert_eq!(watch.events.recv().await.unwrap().revision(), created);
    assert!(watch.events.recv().await.is_none());
}

#[tokio::test]
async fn no_cache_joins_a_feed_that_ended() {
    let store = Arc::new(Memory::new());
    let set = CacheSet::new(Arc::clone(&store) as Arc<dyn Backend>).unwrap();
    let (feed, caches) = set.feed();
    drop(feed);
    assert_eq!(caches.cache("/x/", Text).await.unwrap_err(), Error::Closed);
}
