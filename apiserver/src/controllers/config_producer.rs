//! Keeps the objects that every server has (spec: apf 11.2).

use std::sync::Arc;
use std::time::Duration;

use apf::bootstrap::{
    self, AUTOUPDATE_ANNOTATION, BootstrapObject, BootstrapSpec, Decision, FIELD_MANAGER,
};
use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::meta::ObjectMeta;
use api::status::Status;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::writer::Kind;
use crate::handlers::{Part, Proposal};
use crate::objects::metadata;
use crate::server::Server;

const PERIOD: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_secs(1);
const FIRST_PASS_MAX: Duration = Duration::from_secs(300);

/// One of the two kinds, as this controller sees it.
trait Kept: DeserializeOwned + Serialize + Send + Sync {
    type Spec: BootstrapSpec + Serialize + Send + Sync;
    fn metadata(&self) -> &ObjectMeta;
    fn spec(&self) -> &Self::Spec;
    fn build(object: &BootstrapObject<Self::Spec>) -> Self;
    fn is_obsolete(metadata: &ObjectMeta) -> bool;
}

impl Kept for FlowSchema {
    type Spec = api::flowcontrol::v1::FlowSchemaSpec;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn spec(&self) -> &Self::Spec {
        &self.spec
    }

    fn build(object: &BootstrapObject<Self::Spec>) -> Self {
        object.build()
    }

    fn is_obsolete(metadata: &ObjectMeta) -> bool {
        bootstrap::is_obsolete_flow_schema(metadata)
    }
}

impl Kept for PriorityLevelConfiguration {
    type Spec = api::flowcontrol::v1::PriorityLevelConfigurationSpec;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn spec(&self) -> &Self::Spec {
        &self.spec
    }

    fn build(object: &BootstrapObject<Self::Spec>) -> Self {
        object.build()
    }

    fn is_obsolete(metadata: &ObjectMeta) -> bool {
        bootstrap::is_obsolete_priority_level(metadata)
    }
}

/// Makes one pass, and then one a minute.
pub(super) async fn start(server: &Arc<Server>) -> Result<(), String> {
    let first = async {
        while let Err(error) = pass(server).await {
            tracing::warn!(%error, "the flow control objects are not all there yet");
            tokio::time::sleep(RETRY).await;
        }
    };
    tokio::time::timeout(FIRST_PASS_MAX, first)
        .await
        .map_err(|_| "the flow control objects could not be made in time".to_owned())?;
    server.health.set_bootstrapped();
    let server = Arc::clone(server);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(PERIOD) => {}
                () = server.stop.cancelled() => break,
            }
            if let Err(error) = pass(&server).await {
                tracing::error!(%error, "the flow control objects could not be kept");
            }
        }
    });
    Ok(())
}

/// Creates, restores and removes; suggested objects before mandatory ones.
async fn pass(server: &Arc<Server>) -> Result<(), String> {
    let levels = Kind::of(server, "prioritylevelconfigurations")?;
    let schemas = Kind::of(server, "flowschemas")?;
    for mandatory in [false, true] {
        let wanted_levels = bootstrap::priority_levels().filter(|o| o.mandatory == mandatory);
        let wanted_schemas = bootstrap::flow_schemas().filter(|o| o.mandatory == mandatory);
        tokio::try_join!(
            ensure::<PriorityLevelConfiguration>(&levels, wanted_levels.collect()),
            ensure::<FlowSchema>(&schemas, wanted_schemas.collect()),
        )?;
    }
    remove_obsolete::<FlowSchema>(&schemas).await?;
    remove_obsolete::<PriorityLevelConfiguration>(&levels).await
}

async fn ensure<T: Kept>(
    kind: &Kind,
    objects: Vec<BootstrapObject<T::Spec>>,
) -> Result<(), String> {
    let stored = kind.list::<T>().await?;
    let ensured = objects.iter().map(|object| async {
        let found = stored.iter().find(|stored| stored.metadata().name == object.name);
        let done = match found {
            None => create::<T>(kind, object).await,
            Some(found) => restore::<T>(kind, object, found).await,
        };
        done.map_err(|status| format!("{}: {}", object.name, status.message))
    });
    futures_util::future::try_join_all(ensured).await.map(drop)
}

async fn create<T: Kept>(kind: &Kind, object: &BootstrapObject<T::Spec>) -> Result<(), Status> {
    // The next pass looks at what somebody else made.
    let context = kind.context(FIELD_MANAGER, "", object.name, Part::WHOLE);
    kind.create_missing(&context, &T::build(object)).await
}

async fn restore<T: Kept>(
    kind: &Kind,
    object: &BootstrapObject<T::Spec>,
    found: &T,
) -> Result<(), Status> {
    let Decision::Update { spec, autoupdate } = object.decide(found.metadata(), found.spec())
    else {
        return Ok(());
    };
    let mut value = kind.canonical(found)?;
    if let Some(spec) = spec {
        value["spec"] = serde_json::to_value(spec).map_err(|e| Status::other(e.to_string()))?;
        value = kind.canonical(&value)?;
    }
    if let Some(autoupdate) = autoupdate {
        let mut annotations = value["metadata"]["annotations"].take();
        if !annotations.is_object() {
            annotations = json!({});
        }
        annotations[AUTOUPDATE_ANNOTATION] = json!(autoupdate.to_string());
        metadata::set(&mut value, "annotations", annotations);
        value = kind.canonical(&value)?;
    }
    let context = kind.context(FIELD_MANAGER, "", object.name, Part::WHOLE);
    let propose = |_live: &_| Ok(Proposal { object: value.clone(), applied: false, uid: None });
    match context.update(propose).await {
        Ok(_) => Ok(()),
        // Somebody wrote meanwhile, or deleted; the next pass looks at it again.
        Err(status) if status.code == 409 || status.code == 404 => Ok(()),
        Err(status) => Err(status),
    }
}

async fn remove_obsolete<T: Kept>(kind: &Kind) -> Result<(), String> {
    for object in kind.list::<T>().await? {
        if !T::is_obsolete(object.metadata()) {
            continue;
        }
        let key = kind.store.resource.key("", &object.metadata().name);
        let version = object.metadata().resource_version.parse().unwrap_or(0);
        match kind.store.delete(&key, storage::Revision(version)).await {
            Ok(()) | Err(storage::Error::KeyNotFound | storage::Error::Conflict(_)) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
