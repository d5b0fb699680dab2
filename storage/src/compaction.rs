//! Forgetting the past in time: what was overwritten an interval ago is compacted.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::backend::{At, Backend, Change, Error, Key, Revision};

/// How often a store is compacted if nothing else is said, as in Kubernetes.
pub const COMPACTION_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// Changed each interval, so that time passes in a store that nobody else writes to: without a later
/// revision, a state is never of the past. Its name is the one in Kubernetes.
const MARK_KEY: &str = "compact_rev_key";

/// Compacts a store each interval, up to the revision that was current an interval before: states
/// can be read for at least one interval and at most two, whether or not anybody writes. Ends with the store, or with its
/// ability to take changes; to be spawned.
pub fn compact_each(
    interval: Duration,
    backend: &Arc<dyn Backend>,
) -> impl Future<Output = ()> + Send + use<> {
    let mut up_to = backend.status().revision;
    let backend = Arc::downgrade(backend);
    async move {
        let mut ticks = interval_at(Instant::now() + interval, interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match compact(&backend, up_to).await {
                Some(current) => up_to = current,
                None => return,
            }
        }
    }
}

/// Compacts; gives the current revision, or `None` if there is nothing more to do.
async fn compact(backend: &Weak<dyn Backend>, up_to: Revision) -> Option<Revision> {
    let backend = backend.upgrade()?;
    if let Err(error) = mark(&*backend, up_to).await {
        // A full store is compacted all the same; one that is broken says so below.
        tracing::debug!(%error, "no mark of the compaction could be left");
    }
    let current = backend.status().revision;
    match backend.compact(up_to).await {
        Ok(()) => Some(current),
        Err(error @ (Error::ReadOnly(_) | Error::Closed)) => {
            tracing::error!(%error, "the store is no longer compacted");
            None
        }
        Err(error) => {
            tracing::warn!(%error, %up_to, "the store could not be compacted");
            Some(current)
        }
    }
}

/// Makes a revision: notes up to where the store is compacted.
async fn mark(backend: &dyn Backend, up_to: Revision) -> Result<(), Error> {
    let key = Key::new(MARK_KEY);
    let value = up_to.to_string().into();
    let change = match backend.get(&key, At::Latest).await?.value {
        Some(marked) => Change::Update { key, value, expected: marked.modified },
        None => Change::Create { key, value },
    };
    backend.commit(change).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{At, Key};
    use crate::conformance::{create, update};
    use crate::memory::Memory;

    const INTERVAL: Duration = Duration::from_secs(300);

    async fn readable(store: &dyn Backend, revision: Revision) -> bool {
        store.get(&Key::new("/a"), At::Exact(revision)).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn states_are_readable_for_at_least_one_interval_and_at_most_two() {
        let store: Arc<dyn Backend> = Arc::new(Memory::new());
        tokio::spawn(compact_each(INTERVAL, &store));
        tokio::time::sleep(Duration::from_secs(1)).await;
        let first = store.commit(create("/a", "1")).await.unwrap().revision;
        let second = store.commit(update("/a", "2", first)).await.unwrap().revision;
        tokio::time::sleep(INTERVAL).await;
        assert!(readable(&*store, first).await);
        tokio::time::sleep(INTERVAL).await;
        assert!(!readable(&*store, first).await);
        assert!(readable(&*store, store.status().revision).await);
        assert!(store.status().compacted > second);
    }

    #[tokio::test(start_paused = true)]
    async fn states_of_a_store_that_nobody_writes_to_are_forgotten_as_well() {
        let store: Arc<dyn Backend> = Arc::new(Memory::new());
        let last = store.commit(create("/a", "1")).await.unwrap().revision;
        tokio::spawn(compact_each(INTERVAL, &store));
        tokio::time::sleep(INTERVAL + Duration::from_secs(1)).await;
        assert!(readable(&*store, last).await);
        tokio::time::sleep(INTERVAL).await;
        assert!(!readable(&*store, last).await);
        assert!(store.get(&Key::new("/a"), At::Latest).await.unwrap().value.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_with_the_store_and_does_not_keep_it() {
        let store: Arc<dyn Backend> = Arc::new(Memory::new());
        let compaction = tokio::spawn(compact_each(INTERVAL, &store));
        assert_eq!(Arc::strong_count(&store), 1);
        drop(store);
        compaction.await.unwrap();
    }
}
