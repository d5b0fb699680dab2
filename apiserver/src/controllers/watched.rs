//! Kinds that are watched together: a change of any of them is a reason to look at all of them.

use std::sync::Arc;

use storage::cache::Subscription;

use super::writer::Kind;
use crate::objects::Object;
use crate::server::Server;

/// The kinds, and what is still to be heard of them.
pub(super) struct Watched {
    pub(super) kinds: Vec<Kind>,
    watches: Vec<Subscription<Object>>,
}

impl Watched {
    /// Watches them from now on.
    pub(super) fn new(kinds: Vec<Kind>) -> Self {
        let watches = kinds.iter().map(|kind| kind.store.cache.subscribe_with_state()).collect();
        Self { kinds, watches }
    }

    /// Waits for a change of any kind, and takes those that wait behind it.
    pub(super) async fn changed(&mut self) {
        let Self { kinds, watches } = self;
        let next = watches.iter_mut().map(|watch| Box::pin(watch.events.recv()));
        let (event, at, _) = futures_util::future::select_all(next).await;
        if event.is_none()
            && let (Some(kind), Some(watch)) = (kinds.get(at), watches.get_mut(at))
        {
            *watch = kind.store.cache.subscribe_with_state();
        }
        for watch in watches {
            while watch.events.try_recv().is_ok() {}
        }
    }
}

/// The kinds of a group's version `v1` with these plurals.
pub(super) fn find_all(
    server: &Arc<Server>,
    group: &str,
    plurals: &[&str],
) -> Result<Vec<Kind>, String> {
    plurals.iter().map(|plural| Kind::find(server, group, "v1", plural)).collect()
}
