//! Lets claims and volumes go that are being deleted once nobody uses them (the other half of the
//! admission plugin StorageObjectInUseProtection).

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use storage::EventKind;
use storage::cache::{Event, Freshness};

use super::follow::{Followed, Sight};
use super::until_stopped;
use super::writer::Kind;
use crate::handlers::{Part, Proposal};
use crate::objects::{Object, ObjectStore, metadata};
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-controller-manager";
/// How often it is tried again what failed.
const RETRY: Duration = Duration::from_secs(1);

/// One of the two kinds: its plural, its finalizer, and whether an object is in use.
struct Protected {
    plural: &'static str,
    finalizer: &'static str,
    in_use: fn(&Server, &Value) -> bool,
}

const CLAIMS: Protected = Protected {
    plural: "persistentvolumeclaims",
    finalizer: "kubernetes.io/pvc-protection",
    in_use: |server, claim| {
        let namespace = metadata::text(claim, "namespace");
        let served = server.served();
        let Some(pods) = served.stores.find("", "pods") else { return false };
        let prefix = format!("{}{namespace}/", pods.resource.key_prefix());
        let list = pods.cache.peek_list();
        list.below(&prefix)
            .iter()
            .any(|pod| uses(&pod.object.value(&pods.resource), metadata::text(claim, "name")))
    },
};

const VOLUMES: Protected = Protected {
    plural: "persistentvolumes",
    finalizer: "kubernetes.io/pv-protection",
    in_use: |_, volume| volume["status"]["phase"] == "Bound",
};

/// Lets claims go until the server stops.
pub(super) fn release_claims(server: &Arc<Server>) -> Result<(), String> {
    start(server, &CLAIMS, |store| is_one_of(store, &["persistentvolumeclaims", "pods"]))
}

/// Lets volumes go until the server stops.
pub(super) fn release_volumes(server: &Arc<Server>) -> Result<(), String> {
    start(server, &VOLUMES, |store| is_one_of(store, &["persistentvolumes"]))
}

fn is_one_of(store: &ObjectStore, plurals: &[&str]) -> bool {
    store.resource.kind.group.is_empty() && plurals.contains(&&*store.resource.described.plural)
}

fn start(
    server: &Arc<Server>,
    protected: &'static Protected,
    follows: fn(&ObjectStore) -> bool,
) -> Result<(), String> {
    let kind = Kind::find(server, "", "v1", protected.plural)?;
    let mut followed = Followed::new(server, follows);
    until_stopped(server, async move {
        followed.catch_up();
        loop {
            let failed = match pass(&kind, protected).await {
                Ok(()) => false,
                Err(error) => {
                    tracing::error!(%error, plural = protected.plural, "cannot be let go");
                    true
                }
            };
            let again = async {
                if !failed {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(RETRY).await;
            };
            tokio::select! {
                () = matters(&mut followed) => {}
                () = again => {}
            }
        }
    });
    Ok(())
}

/// Waits for a change that may let something go.
async fn matters(followed: &mut Followed) {
    loop {
        match followed.next().await {
            Sight::Changed(_, event) if !may_release(&event) => {}
            _ => break,
        }
    }
    while followed.next_ready().is_some() {}
}

/// Something is gone or is to go, or changed: pods may have ended, volumes may be bound no more.
fn may_release(event: &Event<Object>) -> bool {
    event.kind == EventKind::Delete || event.previous.is_some()
}

async fn pass(kind: &Kind, protected: &Protected) -> Result<(), String> {
    let list = kind.store.cache.list(Freshness::Consistent).await.map_err(|e| e.to_string())?;
    let held = list.entries.iter().filter(|entry| {
        let metadata = &entry.object.metadata;
        metadata.deletion_timestamp.is_some()
            && metadata.finalizers.iter().any(|finalizer| finalizer == protected.finalizer)
    });
    for entry in held {
        let object = entry.object.value(&kind.store.resource);
        if !(protected.in_use)(&kind.server, &object) {
            release(kind, protected, &object).await?;
        }
    }
    Ok(())
}

async fn release(kind: &Kind, protected: &Protected, object: &Value) -> Result<(), String> {
    let of = |member| metadata::text(object, member);
    let context = kind.context(FIELD_MANAGER, of("namespace"), of("name"), Part::WHOLE);
    let propose = |live: &Value| {
        let mut finalizers = metadata::finalizers(live);
        finalizers.retain(|finalizer| finalizer != protected.finalizer);
        let left = if finalizers.is_empty() { Value::Null } else { json!(finalizers) };
        let mut changed = live.clone();
        metadata::set(&mut changed, "finalizers", left);
        Ok(Proposal { object: changed, applied: false, uid: metadata::uid(object) })
    };
    match context.update(propose).await {
        Ok(_) => Ok(()),
        // It is gone, or another one has its name: that is an event of its own.
        Err(status) if status.code == 404 || status.code == 409 => Ok(()),
        Err(status) => Err(status.message),
    }
}

/// Whether a pod uses a claim. One that never got to a node cannot, and will not be started.
fn uses(pod: &Value, claim: &str) -> bool {
    let name = metadata::text(pod, "name");
    let on_node = pod["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    let ended = matches!(pod["status"]["phase"].as_str(), Some("Failed" | "Succeeded"));
    let volumes = pod["spec"]["volumes"].as_array();
    on_node
        && volumes.into_iter().flatten().any(|volume| {
            let own = !ended && volume["ephemeral"].is_object();
            let made = volume["name"].as_str().map(|volume| format!("{name}-{volume}"));
            volume["persistentVolumeClaim"]["claimName"] == claim
                || (own && made.as_deref() == Some(claim))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pods_on_a_node_use_claims() {
        let mut pod = json!({ "metadata": { "name": "p" }, "spec": { "volumes": [
            { "name": "a", "persistentVolumeClaim": { "claimName": "c" } },
            { "name": "b", "ephemeral": {} },
        ] } });
        assert!(!uses(&pod, "c"));
        pod["spec"]["nodeName"] = json!("n");
        assert!(uses(&pod, "c") && uses(&pod, "p-b") && !uses(&pod, "other"));
        pod["status"] = json!({ "phase": "Succeeded" });
        assert!(uses(&pod, "c") && !uses(&pod, "p-b"));
    }
}
