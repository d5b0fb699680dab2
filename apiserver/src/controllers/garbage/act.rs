//! Does what was decided: looks owners up, deletes, and takes off references and finalizers. Each
//! write is for one object by its uid, and is refused should it have changed meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::meta::OwnerReference;
use api::status::Status;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Value, json};
use storage::cache::Freshness;

use super::graph::{Dependents, Job, Place, Task, Uid};
use super::see::{FOREGROUND, ORPHAN};
use super::verdict::{Defendant, OwnerState, Verdict, judge};
use crate::controllers::writer::Kind;
use crate::handlers::{DeleteOptions, Deletion, Part, Propagation, Proposal};
use crate::objects::{ObjectEntry, ObjectStore, metadata};
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-controller-manager";
/// Who tells about owners in the wrong namespace.
const REPORTER: &str = "garbage-collector-controller";
/// So many dependents of one owner are let go together.
const TOGETHER: usize = 16;

/// What came of a job.
pub(super) enum Outcome {
    Done,
    /// It is to be tried again soon.
    Failed(String),
    /// The kind of an owner is not served, for now or for ever.
    Undecided,
    /// Some owners are not where the object is.
    ElsewhereOwned(Box<Found>),
}

/// An object some of whose owners were not found.
pub(super) struct Found {
    pub(super) namespace: String,
    pub(super) owners: Vec<Missing>,
    object: Value,
}

/// An owner that is not in the namespace of its dependent.
pub(super) type Missing = OwnerReference;

/// The stores of dependents, by the prefix of their keys.
pub(super) type StoresByPrefix = BTreeMap<Arc<str>, Arc<ObjectStore>>;

pub(super) struct Actor {
    pub(super) server: Arc<Server>,
}

impl Actor {
    pub(super) fn new(server: &Arc<Server>) -> Self {
        Self { server: Arc::clone(server) }
    }

    pub(super) async fn perform(
        &self,
        task: &Task,
        job: &Job,
        store: Arc<ObjectStore>,
        stores: StoresByPrefix,
    ) -> Outcome {
        let (Task::Check(uid) | Task::Finish(uid) | Task::Orphan(uid)) = task;
        let kind = self.kind(store);
        let done = match job {
            Job::Check { place, dependents } => self.check(&kind, uid, place, *dependents).await,
            Job::Finish { place } => {
                self.take_off(&kind, uid, place, FOREGROUND).await.map(|()| Outcome::Done)
            }
            Job::Orphan { place, dependents } => {
                self.orphan(&kind, uid, place, dependents, &stores).await.map(|()| Outcome::Done)
            }
        };
        done.unwrap_or_else(|status| Outcome::Failed(status.message))
    }

    fn kind(&self, store: Arc<ObjectStore>) -> Kind {
        Kind { server: Arc::clone(&self.server), store }
    }

    async fn check(
        &self,
        kind: &Kind,
        uid: &Uid,
        place: &Place,
        dependents: Dependents,
    ) -> Result<Outcome, Status> {
        let Some(live) = live(&kind.store, place).await? else { return Ok(Outcome::Done) };
        let found = &live.object.metadata;
        if *found.uid != **uid {
            return Ok(Outcome::Done);
        }
        let mut owners = Vec::new();
        for owner in &found.owner_references {
            owners.push((Uid::from(owner.uid.as_str()), self.look_up(owner, place).await?));
        }
        let defendant = Defendant {
            is_going: found.deletion_timestamp.is_some(),
            says: propagation_of(&found.finalizers),
            dependents,
        };
        let missing = found.owner_references.iter().zip(&owners);
        let missing = missing
            .filter(|(_, (_, state))| matches!(state, OwnerState::Absent | OwnerState::OutOfReach));
        let missing: Vec<Missing> = missing.map(|(owner, _)| owner.clone()).collect();
        match judge(defendant, &owners) {
            Verdict::Keep => {}
            Verdict::LookAgain => return Ok(Outcome::Undecided),
            Verdict::Release(owners) => release(kind, uid, place, &owners).await?,
            Verdict::Delete(propagation) => self.delete(kind, &live, propagation).await?,
            Verdict::BreakCircle => {
                unblock(kind, uid, place).await?;
                let Some(live) = self::live(&kind.store, place).await? else {
                    return Ok(Outcome::Done);
                };
                self.delete(kind, &live, Propagation::Foreground).await?;
            }
        }
        if missing.is_empty() {
            return Ok(Outcome::Done);
        }
        let object = live.object.value(&kind.store.resource);
        let namespace = place.namespace.clone();
        Ok(Outcome::ElsewhereOwned(Box::new(Found { namespace, owners: missing, object })))
    }

    /// Looks an owner up where the dependent's reference says it is.
    async fn look_up(&self, owner: &OwnerReference, at: &Place) -> Result<OwnerState, Status> {
        let (group, version) =
            owner.api_version.split_once('/').unwrap_or(("", &owner.api_version));
        let served = self.server.served();
        let resource = served.resources.iter().find(|resource| {
            let kind = &resource.kind;
            kind.group == group && kind.version == version && kind.kind == owner.kind
        });
        let Some(resource) = resource else { return Ok(OwnerState::Unknown) };
        let Some(store) = served.stores.of(resource) else { return Ok(OwnerState::Unknown) };
        if resource.described.namespaced && at.namespace.is_empty() {
            return Ok(OwnerState::OutOfReach);
        }
        let key = store.resource.key(&at.namespace, &owner.name);
        let found = read(store, &key).await?;
        let found = found.as_ref().map(|entry| &entry.object.metadata);
        Ok(match found.filter(|found| found.uid == owner.uid) {
            None => OwnerState::Absent,
            Some(found) => {
                let waits = found.finalizers.iter().any(|finalizer| finalizer == FOREGROUND);
                let going = found.deletion_timestamp.is_some();
                if going && waits { OwnerState::Waiting } else { OwnerState::Solid }
            }
        })
    }

    /// Deletes an object as it was judged; one that changed since is judged again.
    async fn delete(
        &self,
        kind: &Kind,
        judged: &ObjectEntry,
        propagation: Propagation,
    ) -> Result<(), Status> {
        let (server, store) = (&*self.server, &*kind.store);
        let found = &judged.object.metadata;
        let options = DeleteOptions {
            uid: Some(found.uid.clone()),
            resource_version: Some(judged.modified.to_string()),
            propagation: Some(propagation),
            ..DeleteOptions::default()
        };
        let deletion = Deletion { server, resource: &store.resource, store };
        match deletion.delete(judged.key.as_str(), &found.name, &options).await {
            Ok(_) => Ok(()),
            Err(status) if status.code == 404 => Ok(()),
            Err(status) => Err(status),
        }
    }

    async fn orphan(
        &self,
        kind: &Kind,
        uid: &Uid,
        place: &Place,
        dependents: &[(Uid, Place)],
        stores: &StoresByPrefix,
    ) -> Result<(), Status> {
        let let_go = dependents.iter().filter_map(|(dependent, place)| {
            let kind = self.kind(Arc::clone(stores.get(&place.prefix)?));
            let owners = std::slice::from_ref(uid);
            Some(async move { release(&kind, dependent, place, owners).await })
        });
        let let_go: Vec<_> = let_go.collect();
        stream::iter(let_go).buffer_unordered(TOGETHER).try_collect::<()>().await?;
        self.take_off(kind, uid, place, ORPHAN).await
    }

    /// Takes a finalizer off; the last one takes the object with it.
    async fn take_off(
        &self,
        kind: &Kind,
        uid: &Uid,
        place: &Place,
        finalizer: &str,
    ) -> Result<(), Status> {
        change(kind, uid, place, |object| {
            let mut finalizers = metadata::finalizers(object);
            finalizers.retain(|each| each != finalizer);
            let left = if finalizers.is_empty() { Value::Null } else { json!(finalizers) };
            metadata::set(object, "finalizers", left);
        })
        .await
    }

    /// Tells that owners are not in the namespace of their dependent.
    pub(super) async fn report(&self, found: &Found, owners: &[Missing]) {
        let Ok(kind) = Kind::find(&self.server, "", "v1", "events") else { return };
        let now = self.server.clock.timestamp();
        for owner in owners {
            let event = event(found, owner, &now.to_string());
            let namespace = metadata::text(&event, "namespace").to_owned();
            let name = metadata::text(&event, "name").to_owned();
            let context = kind.context(FIELD_MANAGER, &namespace, &name, Part::WHOLE);
            if let Err(status) = kind.create_missing(&context, &event).await {
                tracing::debug!(error = status.message, "an event could not be written");
            }
        }
    }
}

fn event(found: &Found, owner: &Missing, now: &str) -> Value {
    let metadata = &found.object["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default();
    let namespace = if found.namespace.is_empty() { "default" } else { &found.namespace };
    let reference = format!(
        "[{}/{}, namespace: {}, name: {}, uid: {}]",
        owner.api_version, owner.kind, found.namespace, owner.name, owner.uid
    );
    let quoted = validation::text::go_quote(&found.namespace);
    let suffix = &uuid::Uuid::new_v4().simple().to_string()[..16];
    json!({
        "metadata": { "name": format!("{name}.{suffix}"), "namespace": namespace },
        "involvedObject": {
            "kind": found.object["kind"],
            "namespace": found.namespace,
            "name": name,
            "uid": metadata["uid"],
            "apiVersion": found.object["apiVersion"],
        },
        "reason": "OwnerRefInvalidNamespace",
        "message": format!("ownerRef {reference} does not exist in namespace {quoted}"),
        "source": { "component": REPORTER },
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "type": "Warning",
        "reportingComponent": REPORTER,
    })
}

/// What the finalizers of an object say about its dependents.
fn propagation_of(finalizers: &[String]) -> Propagation {
    let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
    match (has(ORPHAN), has(FOREGROUND)) {
        (true, _) => Propagation::Orphan,
        (false, true) => Propagation::Foreground,
        (false, false) => Propagation::Background,
    }
}

async fn read(store: &ObjectStore, key: &str) -> Result<Option<ObjectEntry>, Status> {
    let found = store.cache.get(key, Freshness::Consistent).await;
    found.map_err(|error| Status::other(error.to_string()))
}

async fn live(store: &ObjectStore, place: &Place) -> Result<Option<ObjectEntry>, Status> {
    read(store, &store.resource.key(&place.namespace, &place.name)).await
}

/// Takes references to owners off.
async fn release(kind: &Kind, uid: &Uid, place: &Place, owners: &[Uid]) -> Result<(), Status> {
    change(kind, uid, place, |object| {
        let references = object["metadata"]["ownerReferences"].as_array();
        let kept = references.into_iter().flatten().filter(|reference| {
            let of = reference["uid"].as_str().unwrap_or_default();
            !owners.iter().any(|owner| **owner == *of)
        });
        let kept: Vec<Value> = kept.cloned().collect();
        let kept = if kept.is_empty() { Value::Null } else { kept.into() };
        metadata::set(object, "ownerReferences", kept);
    })
    .await
}

/// No owner waits for the object any longer.
async fn unblock(kind: &Kind, uid: &Uid, place: &Place) -> Result<(), Status> {
    change(kind, uid, place, |object| {
        let references = object["metadata"]["ownerReferences"].as_array_mut();
        for reference in references.into_iter().flatten() {
            if reference["blockOwnerDeletion"] == true {
                reference["blockOwnerDeletion"] = json!(false);
            }
        }
    })
    .await
}

/// Changes the object with that uid, if it is still there.
async fn change(
    kind: &Kind,
    uid: &Uid,
    place: &Place,
    make: impl Fn(&mut Value),
) -> Result<(), Status> {
    let context = kind.context(FIELD_MANAGER, &place.namespace, &place.name, Part::WHOLE);
    let another = || Status::not_found(kind.store.resource.group_resource(), &place.name);
    let propose = |live: &Value| {
        if metadata::text(live, "uid") != &**uid {
            return Err(another());
        }
        let mut object = live.clone();
        make(&mut object);
        Ok(Proposal { object, applied: false, uid: None })
    };
    match context.update(propose).await {
        Ok(_) => Ok(()),
        Err(status) if status.code == 404 => Ok(()),
        Err(status) => Err(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_in_another_namespace_is_told_in_the_references_words() {
        let object = json!({ "kind": "Pod", "apiVersion": "v1",
            "metadata": { "name": "p", "namespace": "a", "uid": "1" } });
        let owner = OwnerReference {
            api_version: "apps/v1".to_owned(),
            kind: "ReplicaSet".to_owned(),
            name: "rs".to_owned(),
            uid: "2".to_owned(),
            ..OwnerReference::default()
        };
        let found = Found { namespace: "a".to_owned(), owners: vec![owner.clone()], object };
        let event = event(&found, &owner, "2026-01-01T00:00:00Z");
        assert_eq!(
            event["message"],
            "ownerRef [apps/v1/ReplicaSet, namespace: a, name: rs, uid: 2] does not exist in \
             namespace \"a\""
        );
        assert_eq!(event["involvedObject"]["kind"], "Pod");
        assert_eq!(event["metadata"]["namespace"], "a");
    }

    #[test]
    fn orphaning_goes_before_waiting() {
        let of = |names: &[&str]| {
            let finalizers: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            propagation_of(&finalizers)
        };
        assert_eq!(of(&[FOREGROUND, ORPHAN]), Propagation::Orphan);
        assert_eq!(of(&[FOREGROUND]), Propagation::Foreground);
        assert_eq!(of(&["a/b"]), Propagation::Background);
    }
}
