//! Takes away the objects of a definition that goes, and then lets it go.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use kinds::definition::{self, Cleanup as Progress, ESTABLISHED};
use kinds::deletion::CLEANUP;
use serde_json::{Value, json};
use storage::cache::{Freshness, List};

use super::super::writer::Kind;
use super::known::Known;
use super::{FIELD_MANAGER, write_status};
use crate::handlers::{DeleteOptions, Deletion, Part, Proposal};
use crate::objects::{Object, ObjectEntry, ObjectStore, metadata};

/// How often objects are looked at again that something holds.
const RETRY: Duration = Duration::from_secs(1);
/// So many deletions are under way together, and share what it takes to make them last.
const TOGETHER: usize = 64;

/// The end of a definition's objects.
pub(super) struct Cleanup {
    kind: Arc<Kind>,
    name: String,
    /// Where its objects are; `None` if there are none of its own.
    store: Option<Arc<ObjectStore>>,
    nothing: Progress,
}

impl Cleanup {
    pub(super) fn new(kind: &Arc<Kind>, name: &str, known: &Known) -> Self {
        let stored = known.compiled().map(|compiled| compiled.stored());
        let served = kind.server.served();
        let store = stored.and_then(|stored| served.stores.of(stored)).map(Arc::clone);
        let nothing = if definition::is_true(&known.value, ESTABLISHED) {
            Progress::Overlapping
        } else {
            Progress::NeverEstablished
        };
        Self { kind: Arc::clone(kind), name: name.to_owned(), store, nothing }
    }

    /// Runs until nothing is left; ends with the definition's name.
    pub(super) async fn run(self) -> String {
        while let Err(error) = self.try_run().await {
            tracing::error!(%error, name = self.name, "objects could not be deleted");
            tokio::time::sleep(RETRY).await;
        }
        self.name
    }

    async fn try_run(&self) -> Result<(), String> {
        self.note(Progress::Running).await?;
        let Some(store) = &self.store else { return self.note(self.nothing).await };
        while !self.delete_all(store).await? {
            tokio::time::sleep(RETRY).await;
        }
        self.note(Progress::Done).await
    }

    async fn note(&self, progress: Progress) -> Result<(), String> {
        let condition = progress.condition();
        let change = |live: &Value, now: &str| {
            let mut noted = live.clone();
            definition::set_condition(&mut noted, &condition, now);
            (noted != *live).then_some(noted)
        };
        write_status(&self.kind, &self.name, change).await.map(drop)
    }

    /// Deletes what there is; whether nothing is left.
    async fn delete_all(&self, store: &Arc<ObjectStore>) -> Result<bool, String> {
        let entries = list(store).await?.entries.to_vec();
        let deletions = stream::iter(entries).map(|entry| self.delete(store, entry));
        deletions.buffer_unordered(TOGETHER).try_collect::<()>().await?;
        Ok(list(store).await?.entries.is_empty())
    }

    async fn delete(&self, store: &Arc<ObjectStore>, entry: ObjectEntry) -> Result<(), String> {
        let deletion = Deletion { server: &self.kind.server, resource: &store.resource, store };
        let name = &entry.object.metadata.name;
        match deletion.delete(entry.key.as_str(), name, &DeleteOptions::default()).await {
            Ok(_) => Ok(()),
            Err(status) if status.code == 404 => Ok(()),
            Err(status) => Err(status.message),
        }
    }
}

async fn list(store: &ObjectStore) -> Result<List<Object>, String> {
    store.cache.list(Freshness::Consistent).await.map_err(|error| error.to_string())
}

/// Takes off what holds a definition without objects. The last finalizer takes it with it.
pub(super) async fn let_go(kind: &Kind, name: &str) -> Result<(), String> {
    let context = kind.context(FIELD_MANAGER, "", name, Part::WHOLE);
    let propose = |live: &Value| {
        let mut object = live.clone();
        let mut finalizers = metadata::finalizers(live);
        finalizers.retain(|finalizer| finalizer != CLEANUP);
        let left = if finalizers.is_empty() { Value::Null } else { json!(finalizers) };
        metadata::set(&mut object, "finalizers", left);
        Ok(Proposal { object, applied: false, uid: None })
    };
    match context.update(propose).await {
        Ok(_) => Ok(()),
        Err(status) if status.code == 404 => Ok(()),
        Err(status) => Err(status.message),
    }
}
