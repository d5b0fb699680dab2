//! Takes webhook configurations and admission policies into use (spec: apimachinery 2.15).

use std::sync::Arc;

use serde_json::Value;
use storage::cache::Subscription;

use super::until_stopped;
use super::writer::Kind;
use crate::dynamic::Compiled;
use crate::objects::Object;
use crate::server::Server;

const GROUP: &str = "admissionregistration.k8s.io";
const PLURALS: [&str; 4] = [
    "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
];

/// From now on requests are looked at by what is stored.
pub(super) fn start(server: &Arc<Server>) -> Result<(), String> {
    let mut kinds = Vec::new();
    for plural in PLURALS {
        kinds.push(Kind::find(server, GROUP, "v1", plural)?);
    }
    let mut watches: Vec<_> =
        kinds.iter().map(|kind| kind.store.cache.subscribe_with_state()).collect();
    take_into_use(server, &kinds);
    let followed = Arc::clone(server);
    until_stopped(server, async move {
        loop {
            changed(&kinds, &mut watches).await;
            take_into_use(&followed, &kinds);
        }
    });
    Ok(())
}

/// Waits for a change of any kind, and takes those that wait behind it.
async fn changed(kinds: &[Kind], watches: &mut [Subscription<Object>]) {
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

fn take_into_use(server: &Server, kinds: &[Kind]) {
    let mut lists = kinds.iter().map(objects);
    let mut next = || lists.next().unwrap_or_default();
    let (mutating, validating, policies, bindings) = (next(), next(), next(), next());
    server.dynamic.replace(Compiled::new(mutating, validating, &policies, &bindings));
}

fn objects(kind: &Kind) -> Vec<Value> {
    let list = kind.store.cache.peek_list();
    list.entries.iter().map(|entry| entry.object.value(&kind.store.resource)).collect()
}
