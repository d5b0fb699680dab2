//! Counts what quotas limit (spec: apimachinery 6.2). What is created is counted by admission; here
//! is counted anew what was deleted or shrank, and what a quota limits from now on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use api::status::Status;
use kinds::admission::quota::{Amounts, Counted, count, count_many, counted_status};
use openapi::resource::Verb;
use serde_json::Value;
use storage::EventKind;
use storage::cache::{Event, Freshness};

use super::follow::{Followed, Sight};
use super::until_stopped;
use super::writer::Kind;
use crate::handlers::{Part, Proposal};
use crate::objects::{Object, ObjectEntry, ObjectStore, metadata};
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-controller-manager";
/// Changes of so long are counted together.
const TOGETHER: Duration = Duration::from_millis(50);
/// How often new kinds are looked for.
const CATCH_UP: Duration = Duration::from_secs(1);
/// How often everything is counted, whatever happened.
const RESYNC: Duration = Duration::from_secs(300);

/// Counts until the server stops.
pub(super) fn start(server: &Arc<Server>) -> Result<(), String> {
    let quotas = Kind::find(server, "", "v1", "resourcequotas")?;
    until_stopped(server, async move {
        let mut watch = quotas.store.cache.subscribe_with_state();
        // Nothing is followed for quotas that nobody has.
        while quotas.store.cache.size().0 == 0 {
            if watch.events.recv().await.is_none() {
                watch = quotas.store.cache.subscribe_with_state();
            }
        }
        drop(watch);
        Counter { quotas, waiting: BTreeSet::new() }.run().await;
    });
    Ok(())
}

struct Counter {
    quotas: Kind,
    /// Namespaces in which something is to be counted.
    waiting: BTreeSet<String>,
}

impl Counter {
    async fn run(mut self) {
        let mut followed = Followed::new(&self.quotas.server, is_counted);
        let (mut catch_up, mut resync) =
            (tokio::time::interval(CATCH_UP), tokio::time::interval(RESYNC));
        loop {
            let count = async {
                if self.waiting.is_empty() {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(TOGETHER).await;
            };
            tokio::select! {
                () = count => {
                    while let Some(sight) = followed.next_ready() {
                        self.see(&sight);
                    }
                    self.count_waiting().await;
                }
                sight = followed.next() => self.see(&sight),
                _ = catch_up.tick() => drop(followed.catch_up()),
                _ = resync.tick() => self.waiting.extend(self.namespaces()),
            }
        }
    }

    fn see(&mut self, sight: &Sight) {
        match sight {
            // What happened meanwhile is unknown.
            Sight::All(..) => self.waiting.extend(self.namespaces()),
            Sight::Changed(store, event) => {
                let namespace = &event.current.object.metadata.namespace;
                if changes_counts(store, event) && !self.quotas_of(namespace).is_empty() {
                    self.waiting.insert(namespace.clone());
                }
            }
            Sight::Unserved(_) => {}
        }
    }

    /// The namespaces that have quotas.
    fn namespaces(&self) -> BTreeSet<String> {
        let list = self.quotas.store.cache.peek_list();
        list.entries.iter().map(|entry| entry.object.metadata.namespace.clone()).collect()
    }

    fn quotas_of(&self, namespace: &str) -> Vec<ObjectEntry> {
        let prefix = format!("{}{namespace}/", self.quotas.store.resource.key_prefix());
        self.quotas.store.cache.peek_list().below(&prefix).to_vec()
    }

    async fn count_waiting(&mut self) {
        for namespace in std::mem::take(&mut self.waiting) {
            if let Err(status) = self.count(&namespace).await {
                tracing::error!(namespace, error = status.message, "quotas cannot be counted");
                self.waiting.insert(namespace);
            }
        }
    }

    /// Counts everything that the quotas of a namespace limit. Nothing is created meanwhile.
    async fn count(&self, namespace: &str) -> Result<(), Status> {
        let server = &self.quotas.server;
        let _nobody_charges = server.quota_locks.lock(namespace).await;
        let seen = self.quotas.store.cache.wait_until(Freshness::Consistent).await;
        seen.map_err(|error| Status::other(error.to_string()))?;
        for entry in self.quotas_of(namespace) {
            let quota = entry.object.value(&self.quotas.store.resource);
            let sums = self.sums(namespace, &quota);
            if counted_status(&quota, &sums).is_none() {
                continue;
            }
            let name = &entry.object.metadata.name;
            let context = self.quotas.context(FIELD_MANAGER, namespace, name, Part::STATUS);
            let propose = |live: &Value| {
                let mut object = live.clone();
                if let Some(status) = counted_status(live, &sums) {
                    object["status"] = status;
                }
                Ok(Proposal { object, applied: false, uid: metadata::uid(&quota) })
            };
            match context.update(propose).await {
                Ok(_) => {}
                Err(status) if status.code == 404 || status.code == 409 => {}
                Err(status) => return Err(status),
            }
        }
        Ok(())
    }

    fn sums(&self, namespace: &str, quota: &Value) -> Amounts {
        let mut sums = BTreeMap::new();
        let served = self.quotas.server.served();
        for store in served.stores.iter().filter(|store| is_counted(store)) {
            let counted = counted(store);
            if !counted.is_in(quota) {
                continue;
            }
            let prefix = format!("{}{namespace}/", store.resource.key_prefix());
            let list = store.cache.peek_list();
            let objects = list.below(&prefix);
            if counted.is_measured() {
                let values = objects.iter().map(|entry| entry.object.value(&store.resource));
                values.for_each(|object| count(quota, counted, &object, &mut sums));
            } else {
                count_many(quota, counted, objects.len(), &mut sums);
            }
        }
        sums
    }
}

fn is_counted(store: &ObjectStore) -> bool {
    let described = &store.resource.described;
    described.namespaced && described.offers(Verb::Create)
}

fn counted(store: &ObjectStore) -> Counted<'_> {
    Counted { group: &store.resource.kind.group, plural: &store.resource.described.plural }
}

/// Whether something is to be counted anew after a change.
fn changes_counts(store: &ObjectStore, event: &Event<Object>) -> bool {
    let is_quota = counted(store) == (Counted { group: "", plural: "resourcequotas" });
    match (&event.kind, &event.previous) {
        (EventKind::Delete, _) => true,
        (EventKind::Put, None) => is_quota,
        (EventKind::Put, Some(previous)) if is_quota => {
            let value = |object: &Object| object.value(&store.resource);
            limits_otherwise(&value(&previous.object), &value(&event.current.object))
        }
        (EventKind::Put, Some(_)) => counted(store).is_measured(),
    }
}

/// Whether a quota limits something else than it did, or does not tell what it limits. That it was
/// charged is no reason to count.
fn limits_otherwise(before: &Value, now: &Value) -> bool {
    before["spec"] != now["spec"] || now["status"]["hard"] != now["spec"]["hard"]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_charge_is_no_reason_to_count() {
        let hard = json!({ "pods": "2" });
        let quota = |used: &str| json!({ "spec": { "hard": hard }, "status": { "hard": hard, "used": { "pods": used } } });
        assert!(!limits_otherwise(&quota("1"), &quota("2")));
        let mut changed = quota("1");
        changed["status"]["hard"]["pods"] = json!("9");
        assert!(limits_otherwise(&quota("1"), &changed));
        changed["spec"]["hard"]["pods"] = json!("9");
        assert!(limits_otherwise(&quota("1"), &changed));
    }
}
