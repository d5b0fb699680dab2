//! From what is seen of objects to what the graph knows of them.

use std::sync::Arc;

use openapi::resource::Verb;

use super::graph::{Graph, Node, Owner, Phase, Place, Uid};
use crate::controllers::follow::Sight;
use crate::objects::{ObjectEntry, ObjectStore};

/// The finalizers by which the collector remembers what it has to do.
pub(super) const ORPHAN: &str = "orphan";
pub(super) const FOREGROUND: &str = "foregroundDeletion";

/// Tells the graph.
pub(super) fn see(graph: &mut Graph, sight: Sight) {
    match sight {
        Sight::All(store, list) => {
            let prefix: Arc<str> = store.resource.key_prefix().into();
            let nodes = list.entries.iter().map(|entry| node(&prefix, entry)).collect();
            graph.replace(&prefix, nodes);
        }
        Sight::Changed(store, event) => match event.kind {
            storage::EventKind::Put => {
                let (uid, node) = node(&store.resource.key_prefix().into(), &event.current);
                graph.observe(&uid, node);
            }
            storage::EventKind::Delete => {
                graph.forget(&event.current.object.metadata.uid.as_str().into());
            }
        },
        Sight::Unserved(prefix) => graph.replace(&prefix, Vec::new()),
    }
}

/// Events are about objects and belong to none; what clients cannot delete is not deleted.
pub(super) fn is_collectable(store: &ObjectStore) -> bool {
    let described = &store.resource.described;
    store.resource.kind.kind != "Event"
        && [Verb::List, Verb::Watch, Verb::Delete].into_iter().all(|verb| described.offers(verb))
}

fn node(prefix: &Arc<str>, entry: &ObjectEntry) -> (Uid, Node) {
    let metadata = &entry.object.metadata;
    let owners = metadata.owner_references.iter().map(|owner| Owner {
        uid: owner.uid.as_str().into(),
        blocks: owner.block_owner_deletion.unwrap_or(false),
    });
    let has = |name: &str| metadata.finalizers.iter().any(|finalizer| finalizer == name);
    let node = Node {
        place: Place {
            prefix: Arc::clone(prefix),
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
        },
        owners: owners.collect(),
        phase: match &metadata.deletion_timestamp {
            None => Phase::Live,
            Some(_) if has(ORPHAN) => Phase::Orphaning,
            Some(_) if has(FOREGROUND) => Phase::Foreground,
            Some(_) => Phase::Going,
        },
    };
    (metadata.uid.as_str().into(), node)
}
