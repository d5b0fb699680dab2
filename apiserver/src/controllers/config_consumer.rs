//! Takes every change of FlowSchemas and priority levels into use, and keeps the Dangling condition
//! (spec: apf 4).

use std::sync::Arc;
use std::time::Duration;

use apf::config::ConditionUpdate;
use apf::status_writes::{FIELD_MANAGER, JITTER_SECONDS, StatusWriteLimiter};
use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::json;
use storage::cache::Event;
use tokio::time::Instant;

use super::config_view::View;
use super::writer::Kind;
use crate::handlers::Part;
use crate::objects::Object;
use crate::server::Server;

/// Waiting times after failures.
const BACKOFF_MIN: Duration = Duration::from_millis(200);
const BACKOFF_MAX: Duration = Duration::from_secs(8 * 3600);

/// So many conditions are written before it is seen whether the configuration changed meanwhile.
const WRITES_AT_A_TIME: usize = 16;

/// Takes the configuration into use, and from then on every change of it.
pub(super) async fn start(server: &Arc<Server>) -> Result<(), String> {
    let mut consumer = Consumer {
        schemas: View::new(Kind::of(server, "flowschemas")?),
        levels: View::new(Kind::of(server, "prioritylevelconfigurations")?),
        status_writes: StatusWriteLimiter::default(),
        failures: 0,
    };
    let mut retry = consumer.run(server).await;
    server.health.set_consumer_synced();
    let server = Arc::clone(server);
    tokio::spawn(async move {
        loop {
            let again = retry.map(|after| Instant::now() + after);
            tokio::select! {
                () = consumer.schemas.changed(schema_matters) => {}
                () = consumer.levels.changed(level_matters) => {}
                () = server.flow_control.wants_digest() => {}
                () = sleep_until(again) => {}
                () = server.stop.cancelled() => break,
            }
            retry = consumer.run(&server).await;
        }
    });
    Ok(())
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// Added, deleted, or changed in spec or status.
fn schema_matters(event: &Event<Object>) -> bool {
    changed_besides_metadata(event, |_| true)
}

/// Added, deleted, or changed in spec.
fn level_matters(event: &Event<Object>) -> bool {
    changed_besides_metadata(event, |member| member != "status")
}

fn changed_besides_metadata(event: &Event<Object>, counts: fn(&str) -> bool) -> bool {
    let Some(previous) = &event.previous else { return true };
    if event.kind == storage::EventKind::Delete {
        return true;
    }
    let rest = |object: &Object| {
        let mut value: serde_json::Value =
            serde_json::from_slice(object.item_json()).unwrap_or_default();
        if let serde_json::Value::Object(members) = &mut value {
            members.retain(|name, _| name != "metadata" && counts(name));
        }
        value
    };
    rest(&previous.object) != rest(&event.current.object)
}

struct Consumer {
    schemas: View<FlowSchema>,
    levels: View<PriorityLevelConfiguration>,
    status_writes: StatusWriteLimiter,
    failures: u32,
}

impl Consumer {
    /// Takes the whole configuration into use. Gives the time after which to do it again.
    async fn run(&mut self, server: &Arc<Server>) -> Option<Duration> {
        match self.try_run(server).await {
            Ok(None) => {
                self.failures = 0;
                None
            }
            Ok(again) => again,
            Err(error) => {
                tracing::error!(%error, "the flow control configuration could not be handled");
                let backoff = BACKOFF_MIN.saturating_mul(2u32.saturating_pow(self.failures));
                self.failures = self.failures.saturating_add(1);
                Some(backoff.min(BACKOFF_MAX))
            }
        }
    }

    async fn try_run(&mut self, server: &Arc<Server>) -> Result<Option<Duration>, String> {
        let schemas = self.schemas.list().await?;
        let levels = self.levels.list().await?;
        let updates = server.flow_control.digest(schemas, levels);
        self.write_conditions(updates, Instant::now()).await
    }

    async fn write_conditions(
        &mut self,
        updates: Vec<ConditionUpdate>,
        now: Instant,
    ) -> Result<Option<Duration>, String> {
        let (mut errors, mut again_after, jitter) = (Vec::new(), None, jitter_seconds());
        for updates in updates.chunks(WRITES_AT_A_TIME) {
            let writes = self.status_writes.plan(now.into_std(), updates.to_vec(), jitter);
            again_after = again_after.or(writes.again_after);
            for update in writes.now {
                if let Err(error) = self.write_condition(&update).await {
                    let name = &update.flow_schema_name;
                    errors.push(format!(
                        "failed to set a status.condition for FlowSchema {name}: {error}"
                    ));
                }
            }
            if updates.len() == WRITES_AT_A_TIME && self.has_changes() {
                // First things first: the rest is found again.
                again_after = Some(Duration::ZERO);
                break;
            }
        }
        if errors.is_empty() { Ok(again_after) } else { Err(errors.join("; ")) }
    }

    fn has_changes(&self) -> bool {
        self.schemas.has_changes() || self.levels.has_changes()
    }

    async fn write_condition(&self, update: &ConditionUpdate) -> Result<(), String> {
        let name = &update.flow_schema_name;
        let context = self.schemas.kind.context(FIELD_MANAGER, "", name, Part::STATUS);
        let now = self.schemas.kind.server.clock.timestamp();
        let applied = json!({
            "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
            "kind": "FlowSchema",
            "metadata": { "name": name },
            "status": { "conditions": [{
                "type": "Dangling",
                "status": update.status,
                "lastTransitionTime": now.to_string(),
                "reason": update.reason,
                "message": update.message,
            }] },
        });
        match context.update(|live| context.applied(Some(live), &applied, true)).await {
            Ok(_) => Ok(()),
            // It was deleted meanwhile.
            Err(status) if status.code == 404 => Ok(()),
            Err(status) => Err(status.message),
        }
    }
}

fn jitter_seconds() -> u64 {
    u64::from(uuid::Uuid::new_v4().as_bytes()[0]) % JITTER_SECONDS
}
