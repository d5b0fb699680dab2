use super::*;
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
    tokio::spawn(set.feed().run());
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
