//! ResourceQuota: what a write adds is charged before it is stored, and given back if it is not
//! (spec: apimachinery 2.15).

use std::sync::Arc;

use api::status::Status;
use kinds::admission::quota::{Amounts, Counted, added, charge};
use serde_json::Value;
use storage::cache::Freshness;
use tokio::sync::{Mutex, MutexGuard};

use crate::handlers::failure;
use crate::handlers::part::Part;
use crate::handlers::write::{Origin, Proposal, WriteContext};
use crate::objects::{ObjectEntry, ObjectStore, metadata};

/// So many namespaces can be charged and counted at the same time, if their names fall so.
const LOCKS: usize = 64;
const FIELD_MANAGER: &str = "kube-apiserver";

/// Who charges or counts in a namespace does so alone: from what is read until it is stored.
#[derive(Debug)]
pub struct QuotaLocks([Mutex<()>; LOCKS]);

impl Default for QuotaLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl QuotaLocks {
    /// Waits until nobody else charges or counts in a namespace.
    pub(crate) async fn lock(&self, namespace: &str) -> MutexGuard<'_, ()> {
        let sum = namespace
            .bytes()
            .fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        self.0[sum % LOCKS].lock().await
    }
}

/// What was charged for a write. Nobody else charges in the namespace while it is held.
pub(in crate::handlers) struct Charged<'a> {
    quotas: Vec<(Arc<ObjectStore>, String, Amounts)>,
    _alone: Option<MutexGuard<'a, ()>>,
}

impl<'c> WriteContext<'c> {
    /// Charges the quotas of the namespace for a write; `old` is the stored object.
    pub(in crate::handlers) async fn charge(
        &self,
        object: &Value,
        old: Option<&Value>,
    ) -> Result<Charged<'c>, Status> {
        let nothing = Charged { quotas: Vec::new(), _alone: None };
        let counted =
            Counted { group: &self.resource.kind.group, plural: &self.resource.described.plural };
        let may_grow = old.is_none() || (self.part.is_whole() && counted.is_measured());
        let on = self.server.admission.plugins.has("ResourceQuota");
        if !on || !self.resource.described.namespaced || !may_grow {
            return Ok(nothing);
        }
        let served = self.server.served();
        let Some(store) = served.stores.find("", "resourcequotas") else { return Ok(nothing) };
        if self.quotas(store).is_empty() {
            return Ok(nothing);
        }
        let before = old.map(|old| counted.usage(old)).unwrap_or_default();
        let delta = added(&counted.usage(object), &before);
        if delta.is_empty() {
            return Ok(nothing);
        }
        let alone = self.server.quota_locks.lock(self.namespace).await;
        let seen = store.cache.wait_until(Freshness::Consistent).await;
        seen.map_err(|error| failure::read(&error))?;
        let mut charged = Charged { quotas: Vec::new(), _alone: Some(alone) };
        let mut due = Vec::new();
        // Nothing is charged before it is known that there is room in all of them.
        for entry in self.quotas(store) {
            let quota = entry.object.value(&store.resource);
            let used = charge(&quota, counted, object, &delta);
            let used = used.map_err(|why| self.refused(object, &why))?;
            due.extend(used.map(|used| (metadata::text(&quota, "name").to_owned(), used)));
        }
        if self.origin.dry_run {
            return Ok(charged);
        }
        for (name, used) in due {
            self.set_used(store, &name, |_| used.clone()).await?;
            charged.quotas.push((Arc::clone(store), name, delta.clone()));
        }
        Ok(charged)
    }

    /// Gives back what was charged for a write that did not come to be.
    pub(in crate::handlers) async fn give_back(&self, charged: Charged<'_>) {
        for (store, name, delta) in &charged.quotas {
            let less = |live: &Value| without(&live["status"]["used"], delta);
            if let Err(status) = self.set_used(store, name, less).await {
                tracing::warn!(quota = name, error = status.message, "too much is charged");
            }
        }
    }

    fn quotas(&self, store: &ObjectStore) -> Vec<ObjectEntry> {
        let prefix = format!("{}{}/", store.resource.key_prefix(), self.namespace);
        store.cache.peek_list().below(&prefix).to_vec()
    }

    async fn set_used(
        &self,
        store: &Arc<ObjectStore>,
        name: &str,
        used: impl Fn(&Value) -> Value + Send + Sync,
    ) -> Result<(), Status> {
        let context = WriteContext {
            server: self.server,
            resource: &store.resource,
            store,
            namespace: self.namespace,
            name,
            part: Part::STATUS,
            origin: Origin::own(FIELD_MANAGER),
        };
        let propose = |live: &Value| {
            let mut object = live.clone();
            object["status"]["used"] = used(live);
            Ok(Proposal { object, applied: false, uid: None })
        };
        match Box::pin(context.update(propose)).await {
            Ok(_) => Ok(()),
            // It was deleted meanwhile.
            Err(status) if status.code == 404 => Ok(()),
            Err(status) => Err(status),
        }
    }
}

/// What is used, less what is given back.
fn without(used: &Value, delta: &Amounts) -> Value {
    use api::quantity::Quantity;
    let mut used = used.clone();
    for (name, amount) in delta {
        if let Some(known) = used.get_mut(name) {
            *known = Quantity::of(known).less(*amount).to_string().into();
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_back_is_used_no_longer() {
        let delta = Amounts::from([
            ("pods".to_owned(), "1".parse().unwrap()),
            ("cpu".to_owned(), "500m".parse().unwrap()),
        ]);
        let used = json!({ "pods": "3", "memory": "1Gi" });
        assert_eq!(without(&used, &delta), json!({ "pods": "2", "memory": "1Gi" }));
    }

    #[tokio::test]
    async fn a_namespace_is_charged_by_one_at_a_time() {
        let locks = QuotaLocks::default();
        let held = locks.lock("a").await;
        let waits = tokio::time::timeout(std::time::Duration::ZERO, locks.lock("a"));
        assert!(waits.await.is_err());
        drop(held);
        let _free = locks.lock("a").await;
    }
}
