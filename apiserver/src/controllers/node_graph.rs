//! Tells the node authorizer which objects nodes have to do with (spec: apimachinery 5.7).

use std::sync::Arc;

use auth::authorize::node::{NodeAuthorizer, NodeObject};
use storage::EventKind;
use storage::cache::Subscription;

use super::until_stopped;
use super::writer::Kind;
use crate::objects::{Object, ObjectEntry};
use crate::server::Server;

/// Follows each kind that says something about nodes, if their authorizer is asked at all.
pub(super) fn start(server: &Arc<Server>) {
    let Some(authorizer) = &server.access.node else { return };
    for object in NodeObject::ALL {
        let (group, plural) = object.group_resource();
        // A kind that is not served says nothing.
        let Ok(kind) = Kind::find(server, group, "v1", plural) else { continue };
        let follower = Follower { kind, object, authorizer: Arc::clone(authorizer) };
        // What is there already counts for the first request.
        let subscription = follower.subscribe();
        until_stopped(server, follower.follow(subscription));
    }
}

struct Follower {
    kind: Kind,
    object: NodeObject,
    authorizer: Arc<NodeAuthorizer>,
}

impl Follower {
    async fn follow(self, mut subscription: Subscription<Object>) {
        loop {
            match subscription.events.recv().await {
                Some(event) if event.kind == EventKind::Delete => self.remove(&event.current),
                Some(event) => self.put(&event.current),
                // Too slow, so some changes were missed.
                None => subscription = self.subscribe(),
            }
        }
    }

    /// Begins to follow, and takes in what is there.
    fn subscribe(&self) -> Subscription<Object> {
        let subscription = self.kind.store.cache.subscribe_with_state();
        self.authorizer.forget(self.object);
        for entry in subscription.initial.iter().flat_map(|list| list.entries.iter()) {
            self.put(entry);
        }
        subscription
    }

    fn put(&self, entry: &ObjectEntry) {
        let metadata = &entry.object.metadata;
        let value = entry.object.value(&self.kind.store.resource);
        self.authorizer.put(self.object, &metadata.namespace, &metadata.name, &value);
    }

    fn remove(&self, entry: &ObjectEntry) {
        let metadata = &entry.object.metadata;
        self.authorizer.remove(self.object, &metadata.namespace, &metadata.name);
    }
}
