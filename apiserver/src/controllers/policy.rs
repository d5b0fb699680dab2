//! Keeps the default roles and bindings, and takes what is stored into force (spec: apimachinery 5).

use std::sync::Arc;

use api::status::Status;
use auth::authorize::rbac::{PolicyObjects, RbacAuthorizer, RbacIndex};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use storage::cache::Freshness;

use super::until_stopped;
use super::watched::{Watched, find_all};
use super::writer::Kind;
use crate::access;
use crate::handlers::{Part, Proposal};
use crate::objects::metadata;
use crate::server::Server;

const GROUP: &str = "rbac.authorization.k8s.io";
const FIELD_MANAGER: &str = "kube-apiserver";
/// The annotation by which an object of the default policy is kept complete.
const AUTOUPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";
/// So many writes are under way together, and share what it takes to make them last.
const TOGETHER: usize = 256;

const PLURALS: [&str; 4] = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];

/// Makes what is missing of the default policy, and from then on decides by what is stored.
pub(super) async fn start(server: &Arc<Server>) -> Result<(), String> {
    let Some(rbac) = &server.access.rbac else { return Ok(()) };
    let kinds = find_all(server, GROUP, &PLURALS)?;
    ensure_all(&kinds).await?;
    let mut watched = Watched::new(kinds);
    take_into_force(&watched.kinds, rbac).await?;

    let rbac = Arc::clone(rbac);
    until_stopped(server, async move {
        loop {
            watched.changed().await;
            if let Err(error) = take_into_force(&watched.kinds, &rbac).await {
                tracing::error!(%error, "the policy cannot be read");
            }
        }
    });
    Ok(())
}

async fn ensure_all(kinds: &[Kind]) -> Result<(), String> {
    let policy = access::default_policy()?;
    let writes = policy.iter().map(|object| ensure(kinds, object));
    stream::iter(writes).buffer_unordered(TOGETHER).try_collect::<()>().await
}

async fn take_into_force(kinds: &[Kind], rbac: &RbacAuthorizer) -> Result<(), String> {
    let mut policy = PolicyObjects::default();
    for kind in kinds {
        let list = kind.store.cache.list(Freshness::Any).await.map_err(|e| e.to_string())?;
        for entry in list.entries.iter() {
            if let Err(error) = policy.add(&entry.object.value(&kind.store.resource)) {
                tracing::error!(%error, key = entry.key.as_str(), "passed over");
            }
        }
    }
    rbac.replace(RbacIndex::build(&policy));
    Ok(())
}

/// Creates an object of the default policy, or completes the stored one if that is allowed.
async fn ensure(kinds: &[Kind], object: &Value) -> Result<(), String> {
    let wanted = object["kind"].as_str().unwrap_or_default();
    let Some(kind) = kinds.iter().find(|kind| kind.store.resource.kind.kind == wanted) else {
        return Err(format!("{wanted} is no kind of policy"));
    };
    let (namespace, name) = (metadata::text(object, "namespace"), metadata::text(object, "name"));
    let context = kind.context(FIELD_MANAGER, namespace, name, Part::WHOLE);
    let write = async {
        let Some(live) = context.live().await? else {
            return kind.create_missing(&context, object).await;
        };
        let live = live.object.value(&kind.store.resource);
        if completed(&live, object).is_none() {
            return Ok(());
        }
        let propose = |live: &Value| {
            let object = completed(live, object).unwrap_or_else(|| live.clone());
            Ok(Proposal { object, applied: false, uid: None })
        };
        context.update(propose).await.map(drop)
    };
    match write.await {
        Ok(()) => Ok(()),
        // Somebody else was quicker, or does not want it.
        Err(Status { code: 404 | 409, .. }) => Ok(()),
        Err(status) => Err(format!("{wanted} {name}: {}", status.message)),
    }
}

/// The stored object with the rules or subjects that it lacks; `None` if it lacks nothing, or its
/// owner keeps it.
fn completed(live: &Value, object: &Value) -> Option<Value> {
    if live["metadata"]["annotations"][AUTOUPDATE] != "true" {
        return None;
    }
    let mut completed = live.clone();
    let mut lacks = false;
    for member in ["rules", "subjects"] {
        let wanted = object[member].as_array().into_iter().flatten();
        let stored = live[member].as_array().cloned().unwrap_or_default();
        let missing: Vec<_> = wanted.filter(|item| !stored.contains(item)).cloned().collect();
        if !missing.is_empty() {
            lacks = true;
            completed[member] = [stored, missing].concat().into();
        }
    }
    lacks.then_some(completed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn role(autoupdate: &str, verbs: &[&str]) -> Value {
        let rules: Vec<_> = verbs.iter().map(|verb| json!({ "verbs": [verb] })).collect();
        json!({ "metadata": { "annotations": { AUTOUPDATE: autoupdate } }, "rules": rules })
    }

    #[test]
    fn rules_that_were_taken_away_come_back_and_others_stay() {
        let completed = completed(&role("true", &["own"]), &role("true", &["get"])).unwrap();
        assert_eq!(completed, role("true", &["own", "get"]));
    }

    #[test]
    fn what_its_owner_keeps_is_left_alone() {
        assert_eq!(completed(&role("false", &[]), &role("true", &["get"])), None);
        assert_eq!(completed(&role("true", &["get", "own"]), &role("true", &["get"])), None);
    }
}
