//! Takes webhook configurations and admission policies into use (spec: apimachinery 2.15).

use std::sync::Arc;

use serde_json::Value;

use super::until_stopped;
use super::watched::{Watched, find_all};
use super::writer::Kind;
use crate::dynamic::Compiled;
use crate::long_work;
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
    let mut watched = Watched::new(find_all(server, GROUP, &PLURALS)?);
    take_into_use(server, &watched.kinds);
    let followed = Arc::clone(server);
    until_stopped(server, async move {
        loop {
            watched.changed().await;
            take_into_use(&followed, &watched.kinds);
        }
    });
    Ok(())
}

fn take_into_use(server: &Server, kinds: &[Kind]) {
    let mut lists = kinds.iter().map(objects);
    let mut next = || lists.next().unwrap_or_default();
    let (mutating, validating, policies, bindings) = (next(), next(), next(), next());
    // Expressions are compiled on a thread of their own, which is waited for.
    let compile = || Compiled::new(mutating, validating, &policies, &bindings);
    server.dynamic.replace(long_work::run(true, compile));
}

fn objects(kind: &Kind) -> Vec<Value> {
    let list = kind.store.cache.peek_list();
    list.entries.iter().map(|entry| entry.object.value(&kind.store.resource)).collect()
}
