//! Admission: what looks at a write before it is validated (spec: apimachinery 2.15, 7.2).
//!
//! A plugin is one entry of [`PLUGINS`]; the order is that of the reference. What a plugin decides
//! is in [`kinds::admission`]; here it gets to know what it needs of other objects.

mod dynamic;
mod lifecycle;
mod plugins;
mod quota;

use std::time::Duration;

use api::status::Status;
use kinds::admission::{DEFAULT_ACCOUNT, Refusal, TolerationSeconds};
use serde_json::Value;
use storage::cache::Freshness;

pub(super) use self::dynamic::Deleter;
use self::plugins::PLUGINS;
pub(super) use self::quota::Charged;
pub(crate) use self::quota::QuotaLocks;
use super::failure;
use super::write::WriteContext;
use crate::objects::metadata;
use crate::options::AdmissionPlugins;

/// How often, and how many times, it is looked whether a namespace has got its account by now.
const ACCOUNT_RETRY: Duration = Duration::from_millis(100);
const ACCOUNT_TRIES: u32 = 10;

/// What is looked at, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    /// The plugins that are on.
    pub plugins: AdmissionPlugins,
    /// How long pods stay on nodes that fail.
    pub tolerations: TolerationSeconds,
}

/// A plugin: for which kinds it is asked, and what it makes of a write.
struct Plugin {
    name: &'static str,
    /// By group and kind.
    kinds: &'static [(&'static str, &'static str)],
    admit: fn(&mut Review<'_, '_>) -> Result<(), Refusal>,
}

/// A write that plugins look at. All they read was stored before it began.
struct Review<'a, 'c> {
    context: &'a WriteContext<'c>,
    object: &'a mut Value,
    /// The object as it is stored; none if it is new.
    old: Option<&'a Value>,
}

impl Review<'_, '_> {
    fn kind(&self) -> &str {
        &self.context.resource.kind.kind
    }

    /// A stored object; the namespace is empty for those of the whole cluster.
    fn find(&self, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
        let served = self.context.server.served();
        let found = served.stores.peek(group, plural, namespace, name)?;
        let store = served.stores.find(group, plural)?;
        Some(found.object.value(&store.resource))
    }

    /// The stored objects of a namespace or, if that is empty, of the cluster.
    fn list(&self, group: &str, plural: &str, namespace: &str) -> Vec<Value> {
        let served = self.context.server.served();
        let Some(store) = served.stores.find(group, plural) else { return Vec::new() };
        let separator = if namespace.is_empty() { "" } else { "/" };
        let prefix = format!("{}{namespace}{separator}", store.resource.key_prefix());
        let list = store.cache.peek_list();
        list.below(&prefix).iter().map(|entry| entry.object.value(&store.resource)).collect()
    }
}

impl WriteContext<'_> {
    /// Has the plugins look at a write of a whole object; `old` is the stored one.
    async fn ask_plugins(&self, object: &mut Value, old: Option<&Value>) -> Result<(), Status> {
        let kind = (self.resource.kind.group.as_str(), self.resource.kind.kind.as_str());
        let on = &self.server.admission.plugins;
        let asked = |plugin: &&Plugin| plugin.kinds.contains(&kind) && on.has(plugin.name);
        let mut asked = PLUGINS.iter().filter(asked).peekable();
        if !self.part.is_whole() || asked.peek().is_none() {
            return Ok(());
        }
        let seen = self.store.cache.wait_until(Freshness::Consistent).await;
        seen.map_err(|error| failure::read(&error))?;
        if kind == ("", "Pod") && old.is_none() && on.has("ServiceAccount") {
            self.wait_for_account(object).await;
        }
        for plugin in asked {
            let mut review = Review { context: self, object, old };
            if let Err(why) = (plugin.admit)(&mut review) {
                return Err(self.refused(object, &why));
            }
        }
        Ok(())
    }

    fn refused(&self, object: &Value, why: &Refusal) -> Status {
        let names =
            [self.name, metadata::text(object, "name"), metadata::text(object, "generateName")];
        let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or("Unknown!");
        Status::forbidden(self.resource.group_resource(), name, &why.0)
    }

    /// A new namespace gets its account a moment after it was made.
    async fn wait_for_account(&self, pod: &Value) {
        if kinds::admission::account_name(pod) != Some(DEFAULT_ACCOUNT) {
            return;
        }
        for _ in 0..ACCOUNT_TRIES {
            let (served, namespace) = (self.server.served(), self.namespace);
            if served.stores.peek("", "serviceaccounts", namespace, DEFAULT_ACCOUNT).is_some() {
                return;
            }
            tokio::time::sleep(ACCOUNT_RETRY).await;
        }
    }
}
