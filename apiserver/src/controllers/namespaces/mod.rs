//! Empties namespaces that are being deleted, and lets them go (spec: apimachinery 6).

mod remains;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use storage::cache::Freshness;

use self::remains::Remains;
use super::until_stopped;
use super::writer::Kind;
use crate::handlers::{DeleteOptions, Deleted, Deletion, Part, Propagation, Proposal};
use crate::objects::ObjectStore;
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-controller-manager";

/// How often a namespace is looked at again that something is left in.
const RETRY: Duration = Duration::from_secs(1);

/// Looks after namespaces until the server stops.
pub(super) fn start(server: &Arc<Server>) -> Result<(), String> {
    let kind = Kind::find(server, "", "v1", "namespaces")?;
    let mut watch = kind.store.cache.subscribe_with_state();
    until_stopped(server, async move {
        loop {
            let left = match pass(&kind).await {
                Ok(left) => left,
                Err(error) => {
                    tracing::error!(%error, "namespaces could not be emptied");
                    true
                }
            };
            let again = async {
                if left { tokio::time::sleep(RETRY).await } else { std::future::pending().await }
            };
            tokio::select! {
                event = watch.events.recv() => if event.is_none() {
                    watch = kind.store.cache.subscribe_with_state();
                },
                () = again => {}
            }
        }
    });
    Ok(())
}

/// Empties every namespace that is to go; whether something is left in one.
async fn pass(kind: &Kind) -> Result<bool, String> {
    let list = kind.store.cache.list(Freshness::Consistent).await.map_err(|e| e.to_string())?;
    let mut left = false;
    for entry in list.entries.iter().filter(|e| e.object.metadata.deletion_timestamp.is_some()) {
        let name = &entry.object.metadata.name;
        // One that cannot be emptied is no reason to keep the others.
        left |= !empty_and_let_go(kind, name).await.unwrap_or_else(|error| {
            tracing::error!(%error, name, "a namespace could not be emptied");
            false
        });
    }
    Ok(left)
}

/// Whether the namespace is gone.
async fn empty_and_let_go(kind: &Kind, name: &str) -> Result<bool, String> {
    let remains = empty(&kind.server, name).await?;
    if remains.is_empty() {
        finalize(kind, name).await?;
        return Ok(true);
    }
    tell(kind, name, &remains).await?;
    Ok(false)
}

/// Deletes what is in a namespace; gives what is left. Pods go before everything else, for they
/// may need the rest to end well.
async fn empty(server: &Arc<Server>, namespace: &str) -> Result<Remains, String> {
    let is_pods = |store: &&Arc<ObjectStore>| store.resource.kind.kind == "Pod";
    let served = server.served();
    let namespaced = || served.stores.iter().filter(|store| store.resource.described.namespaced);
    let mut remains = Remains::default();
    for store in namespaced().filter(is_pods) {
        delete_all(server, store, namespace, &mut remains).await?;
    }
    if !remains.is_empty() {
        return Ok(remains);
    }
    for store in namespaced().filter(|store| !is_pods(store)) {
        delete_all(server, store, namespace, &mut remains).await?;
    }
    Ok(remains)
}

async fn delete_all(
    server: &Arc<Server>,
    store: &Arc<ObjectStore>,
    namespace: &str,
    remains: &mut Remains,
) -> Result<(), String> {
    let prefix = format!("{}{namespace}/", store.resource.key_prefix());
    let list = store.cache.list(Freshness::Consistent).await.map_err(|e| e.to_string())?;
    let deletion = Deletion { server, resource: &store.resource, store };
    for entry in list.below(&prefix) {
        // What a kind would leave behind goes as well.
        let propagation = Some(Propagation::Background);
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        let name = &entry.object.metadata.name;
        match deletion.delete(entry.key.as_str(), name, &options).await {
            Ok(Deleted::Gone(_)) => {}
            Ok(Deleted::Waiting(object)) => {
                let resource = &store.resource;
                let finalizers = &object.metadata.finalizers;
                remains.add(&resource.described.plural, &resource.kind.group, finalizers);
            }
            Err(status) if status.code == 404 => {}
            Err(status) => return Err(status.message),
        }
    }
    Ok(())
}

/// Has the namespace tell what is left in it.
async fn tell(kind: &Kind, name: &str, remains: &Remains) -> Result<(), String> {
    let context = kind.context(FIELD_MANAGER, "", name, Part::STATUS);
    let now = kind.server.clock.timestamp().to_string();
    let propose = |live: &Value| {
        let object = remains.told(live, &now).unwrap_or_else(|| live.clone());
        Ok(Proposal { object, applied: false, uid: None })
    };
    match context.update(propose).await {
        Ok(_) => Ok(()),
        Err(status) if status.code == 404 || status.code == 409 => Ok(()),
        Err(status) => Err(status.message),
    }
}

/// Takes off what holds an empty namespace. The last finalizer takes the object with it.
async fn finalize(kind: &Kind, name: &str) -> Result<(), String> {
    let context = kind.context(FIELD_MANAGER, "", name, Part::FINALIZE);
    let propose = |live: &Value| {
        let mut object = live.clone();
        object["spec"]["finalizers"] = Value::Null;
        Ok(Proposal { object, applied: false, uid: None })
    };
    match context.update(propose).await {
        Ok(_) => Ok(()),
        Err(status) if status.code == 404 || status.code == 409 => Ok(()),
        Err(status) => Err(status.message),
    }
}
