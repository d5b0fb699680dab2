//! Keeps what every namespace has: its service account `default`, and the authority by which pods
//! know the server (spec: apimachinery 6.1).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use api::status::Status;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use storage::cache::{Freshness, Subscription};

use super::until_stopped;
use super::writer::Kind;
use crate::handlers::{Part, Proposal};
use crate::objects::{Object, metadata};
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-controller-manager";
/// How often it is tried again what failed.
const RETRY: Duration = Duration::from_secs(1);
/// So many namespaces are furnished together.
const TOGETHER: usize = 16;

/// The annotation that says what the object is there for, and what it says.
const DESCRIPTION: &str = "kubernetes.io/description";
const ROOT_CERTIFICATE_DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal \
     endpoints such as the internal service IP or kubernetes.default.svc. No other usage is \
     guaranteed across distributions of Kubernetes clusters.";

/// An object that each namespace has.
struct Furniture {
    plural: &'static str,
    object: Value,
    /// The stored object as it should be; `None` if it is so.
    put_right: fn(live: &Value, wanted: &Value) -> Option<Value>,
}

impl Furniture {
    fn name(&self) -> &str {
        metadata::text(&self.object, "name")
    }
}

/// Sees to it that each namespace has a service account `default`.
pub(super) fn keep_service_accounts(server: &Arc<Server>) -> Result<(), String> {
    let object = json!({ "metadata": { "name": "default" } });
    start(server, Furniture { plural: "serviceaccounts", object, put_right: |_, _| None })
}

/// Sees to it that each namespace has the authority's certificate, in PEM.
pub(super) fn publish_root_certificate(server: &Arc<Server>, pem: &str) -> Result<(), String> {
    let object = json!({
        "metadata": {
            "name": "kube-root-ca.crt",
            "annotations": { DESCRIPTION: ROOT_CERTIFICATE_DESCRIPTION },
        },
        "data": { "ca.crt": pem },
    });
    start(server, Furniture { plural: "configmaps", object, put_right: with_certificate })
}

/// The data must be the certificate alone; it is enough that there is some description.
fn with_certificate(live: &Value, wanted: &Value) -> Option<Value> {
    let described = live["metadata"]["annotations"][DESCRIPTION].as_str().unwrap_or_default();
    if live["data"] == wanted["data"] && !described.is_empty() {
        return None;
    }
    let mut object = live.clone();
    object["data"] = wanted["data"].clone();
    let mut annotations = object["metadata"]["annotations"].take();
    if !annotations.is_object() {
        annotations = json!({});
    }
    annotations[DESCRIPTION] = wanted["metadata"]["annotations"][DESCRIPTION].clone();
    metadata::set(&mut object, "annotations", annotations);
    Some(object)
}

fn start(server: &Arc<Server>, furniture: Furniture) -> Result<(), String> {
    let keeper = Keeper {
        namespaces: Kind::find(server, "", "v1", "namespaces")?,
        kind: Kind::find(server, "", "v1", furniture.plural)?,
        furniture,
    };
    until_stopped(server, keeper.run());
    Ok(())
}

struct Keeper {
    namespaces: Kind,
    kind: Kind,
    furniture: Furniture,
}

impl Keeper {
    async fn run(self) {
        let mut namespaces = self.namespaces.store.cache.subscribe_with_state();
        let mut objects = self.kind.store.cache.subscribe_with_state();
        let mut waiting = self.all();
        loop {
            waiting = self.furnish(waiting).await;
            let again = async {
                if waiting.is_empty() {
                    std::future::pending::<()>().await;
                } else {
                    tokio::time::sleep(RETRY).await;
                }
            };
            tokio::select! {
                event = namespaces.events.recv() => match event {
                    Some(event) => {
                        waiting.insert(event.current.object.metadata.name.clone());
                    }
                    None => waiting = self.watch_again(&self.namespaces, &mut namespaces),
                },
                event = objects.events.recv() => match event {
                    Some(event) => {
                        let metadata = &event.current.object.metadata;
                        if metadata.name == self.furniture.name() {
                            waiting.insert(metadata.namespace.clone());
                        }
                    }
                    None => waiting = self.watch_again(&self.kind, &mut objects),
                },
                () = again => {}
            }
        }
    }

    /// What happened since a watch ended is unknown.
    fn watch_again(&self, kind: &Kind, watch: &mut Subscription<Object>) -> BTreeSet<String> {
        *watch = kind.store.cache.subscribe_with_state();
        self.all()
    }

    fn all(&self) -> BTreeSet<String> {
        let state = self.namespaces.store.cache.subscribe_with_state().initial;
        let entries = state.iter().flat_map(|list| list.entries.iter());
        entries.map(|entry| entry.object.metadata.name.clone()).collect()
    }

    /// Furnishes namespaces; gives those where it failed.
    async fn furnish(&self, namespaces: BTreeSet<String>) -> BTreeSet<String> {
        let furnished = namespaces.into_iter().map(|namespace| async {
            match self.furnish_one(&namespace).await {
                // It is going, or somebody was quicker: that is an event of its own.
                Ok(()) | Err(Status { code: 403 | 404 | 409, .. }) => None,
                Err(status) => {
                    let name = self.furniture.name();
                    tracing::error!(%namespace, name, error = status.message, "cannot be kept");
                    Some(namespace)
                }
            }
        });
        let failed: Vec<_> = stream::iter(furnished).buffer_unordered(TOGETHER).collect().await;
        failed.into_iter().flatten().collect()
    }

    async fn furnish_one(&self, namespace: &str) -> Result<(), Status> {
        let key = self.namespaces.store.resource.key("", namespace);
        let found = self.namespaces.store.cache.get(&key, Freshness::Consistent).await;
        let found = found.map_err(|error| Status::other(error.to_string()))?;
        if found.is_none_or(|entry| entry.object.metadata.deletion_timestamp.is_some()) {
            return Ok(());
        }
        let furniture = &self.furniture;
        let context = self.kind.context(FIELD_MANAGER, namespace, furniture.name(), Part::WHOLE);
        let Some(live) = context.live().await? else {
            return self.kind.create_missing(&context, &furniture.object).await;
        };
        let live = live.object.value(&self.kind.store.resource);
        if (furniture.put_right)(&live, &furniture.object).is_none() {
            return Ok(());
        }
        let propose = |live: &Value| {
            let right = (furniture.put_right)(live, &furniture.object);
            let object = right.unwrap_or_else(|| live.clone());
            Ok(Proposal { object, applied: false, uid: None })
        };
        context.update(propose).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> Value {
        json!({ "metadata": { "annotations": { DESCRIPTION: "d" } }, "data": { "ca.crt": "c" } })
    }

    #[test]
    fn a_changed_certificate_is_put_right_and_other_annotations_stay() {
        let live = json!({ "metadata": { "annotations": { "own": "x" } }, "data": { "a": "b" } });
        let right = with_certificate(&live, &wanted()).unwrap();
        assert_eq!(right["data"], json!({ "ca.crt": "c" }));
        assert_eq!(right["metadata"]["annotations"], json!({ "own": "x", DESCRIPTION: "d" }));
        assert_eq!(with_certificate(&right, &wanted()), None);
    }

    #[test]
    fn any_description_will_do() {
        let mut live = wanted();
        live["metadata"]["annotations"][DESCRIPTION] = json!("their own");
        assert_eq!(with_certificate(&live, &wanted()), None);
        live["metadata"]["annotations"] = Value::Null;
        assert_eq!(with_certificate(&live, &wanted()), Some(wanted()));
    }
}
