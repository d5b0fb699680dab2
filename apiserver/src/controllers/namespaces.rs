//! Empties namespaces that are being deleted, and lets them go (spec: apimachinery 6).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use storage::cache::Freshness;

use super::until_stopped;
use super::writer::Kind;
use crate::handlers::{DeleteOptions, Deleted, Deletion, Part, Proposal};
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
        if empty(&kind.server, name).await? {
            finalize(kind, name).await?;
        } else {
            left = true;
        }
    }
    Ok(left)
}

/// Deletes what is in a namespace; whether nothing is left.
async fn empty(server: &Arc<Server>, namespace: &str) -> Result<bool, String> {
    let mut nothing_left = true;
    let served = server.served();
    for store in served.stores.iter().filter(|store| store.resource.described.namespaced) {
        let prefix = format!("{}{namespace}/", store.resource.key_prefix());
        let list = store.cache.list(Freshness::Consistent).await.map_err(|e| e.to_string())?;
        let deletion = Deletion { server, resource: &store.resource, store };
        for entry in list.below(&prefix) {
            let options = DeleteOptions::default();
            let name = &entry.object.metadata.name;
            match deletion.delete(entry.key.as_str(), name, &options).await {
                Ok(Deleted::Gone(_)) => {}
                Ok(Deleted::Waiting(_)) => nothing_left = false,
                Err(status) if status.code == 404 => {}
                Err(status) => return Err(status.message),
            }
        }
    }
    Ok(nothing_left)
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
