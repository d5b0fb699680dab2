//! Keeps the objects that a cluster has from its first moment, besides flow control and RBAC
//! (spec: apimachinery 6.1).

mod api_services;
mod objects;

use std::sync::Arc;
use std::time::Duration;

use api::status::Status;
use serde_json::Value;

use self::objects::{Cluster, Needed, needed};
use super::writer::Kind;
use super::{Known, until_stopped};
use crate::handlers::{Part, Proposal, WriteContext, allocation};
use crate::options::Config;
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-apiserver";
const PERIOD: Duration = Duration::from_secs(60);

/// Makes what is missing and puts right what is wrong, and from then on once a minute.
pub(super) async fn start(
    server: &Arc<Server>,
    config: &Config,
    known: &Known<'_>,
) -> Result<(), String> {
    let needed = needed(&Cluster::new(server, config, known));
    pass(server, &needed).await?;
    let kept = Arc::clone(server);
    until_stopped(server, async move {
        loop {
            if let Err(status) = allocation::repair(&kept).await {
                tracing::error!(error = status.message, "the addresses of services do not agree");
            }
            tokio::time::sleep(PERIOD).await;
            if let Err(error) = pass(&kept, &needed).await {
                tracing::error!(%error, "the system's objects could not be kept");
            }
        }
    });
    Ok(())
}

async fn pass(server: &Arc<Server>, needed: &[Needed]) -> Result<(), String> {
    // What is in namespaces comes after them.
    let (inside, outside): (Vec<_>, Vec<_>) =
        needed.iter().partition(|needed| !needed.namespace.is_empty());
    for together in [outside, inside] {
        let ensured = together.into_iter().map(|needed| ensure(server, needed));
        futures_util::future::try_join_all(ensured).await?;
    }
    Ok(())
}

async fn ensure(server: &Arc<Server>, needed: &Needed) -> Result<(), String> {
    // Groups can be switched off.
    let Ok(kind) = Kind::find(server, needed.group, "v1", needed.plural) else { return Ok(()) };
    let made = async {
        let context = kind.context(FIELD_MANAGER, needed.namespace, &needed.name, Part::WHOLE);
        if context.live().await?.is_none() {
            kind.create_missing(&context, &needed.object).await?;
        } else if !needed.kept.is_empty() {
            let wanted = kind.canonical(&needed.object)?;
            write(&context, |live| put_right(live, &wanted, needed.kept)).await?;
        }
        if needed.object["status"].is_null() {
            return Ok(());
        }
        let context = kind.context(FIELD_MANAGER, needed.namespace, &needed.name, Part::STATUS);
        write(&context, |live| with_first_status(live, &needed.object["status"])).await
    };
    let failed = |status: Status| format!("{} {}: {}", needed.plural, needed.name, status.message);
    made.await.map_err(failed)
}

/// Writes what `change` makes of the stored object, if that is another one.
async fn write(
    context: &WriteContext<'_>,
    change: impl Fn(&Value) -> Option<Value>,
) -> Result<(), Status> {
    let propose = |live: &Value| {
        let object = change(live).unwrap_or_else(|| live.clone());
        Ok(Proposal { object, applied: false, uid: None })
    };
    match context.update(propose).await {
        Ok(_) => Ok(()),
        // It was deleted meanwhile; the next pass makes it again.
        Err(status) if status.code == 404 => Ok(()),
        Err(status) => Err(status),
    }
}

/// The stored object with a status, if it has none yet.
fn with_first_status(live: &Value, status: &Value) -> Option<Value> {
    if live["status"]["conditions"].as_array().is_some_and(|list| !list.is_empty()) {
        return None;
    }
    let mut object = live.clone();
    object["status"] = status.clone();
    Some(object)
}

/// The stored object with the members that we keep; `None` if it has them. Members are named by
/// JSON pointers.
fn put_right(live: &Value, wanted: &Value, kept: &[&str]) -> Option<Value> {
    let mut right = live.clone();
    for pointer in kept {
        if let (Some(place), Some(value)) = (right.pointer_mut(pointer), wanted.pointer(pointer)) {
            *place = value.clone();
        }
    }
    (right != *live).then_some(right)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_ours_is_put_right_and_nothing_else() {
        let live = json!({ "spec": { "ports": [1], "selector": { "a": "b" } } });
        let wanted = json!({ "spec": { "ports": [2], "selector": {} } });
        let right = put_right(&live, &wanted, &["/spec/ports"]).unwrap();
        assert_eq!(right, json!({ "spec": { "ports": [2], "selector": { "a": "b" } } }));
        assert_eq!(put_right(&right, &wanted, &["/spec/ports"]), None);
    }
}
