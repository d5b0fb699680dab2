//! The way of every write, whoever asks for it: prepare, keep the books, validate, store
//! (spec: apimachinery 2.4, 2.7, 2.8; validation 3.1, 3.2).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::decode::Tree;
use api::schema::TypeDef;
use api::status::Status;
use auth::User;
use auth::authorize::{Attributes, Authorizer as _, ResourceTarget, Target};
use patch::managed::{Endpoint, Versions, Writer, keep_times_if_unchanged};
use serde_json::{Value, json};
use storage::Revision;
use storage::cache::Freshness;
use validation::field::{Error, ErrorList, Path, Shown};

use super::admission::Charged;
use super::allocation::{Allocated, release_all};
use super::part::Part;
use super::{failure, versions};
use crate::dynamic::Mutated;
use crate::objects::{Object, ObjectEntry, ObjectStore, metadata};
use crate::request::Record;
use crate::request::query::parse_uint;
use crate::resources::{Resource, Resources};
use crate::server::Server;

/// How often a generated name is tried.
const NAME_TRIES: u32 = 8;
/// The longest start of a generated name, in bytes.
const GENERATE_NAME_BYTES_MAX: usize = 58;
/// What generated names end in: no vowels, so that no words come out.
const NAME_CHARACTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// How often a write that may overwrite anything is tried against others.
const CONFLICT_TRIES: u32 = 100;

/// Who writes.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    /// The field manager.
    pub(crate) manager: String,
    /// The user; `None` for the server itself.
    pub(crate) user: Option<Arc<User>>,
    /// Everything is done but for storing.
    pub(crate) dry_run: bool,
    /// Who is warned.
    pub(crate) record: Option<Arc<Record>>,
    /// Webhooks and policies have already seen what is asked for.
    pub(crate) is_admitted: bool,
}

impl Origin {
    /// The server itself, under the name of a field manager.
    pub(crate) fn own(manager: &str) -> Self {
        Self {
            manager: manager.to_owned(),
            user: None,
            dry_run: false,
            record: None,
            is_admitted: false,
        }
    }
}

/// Where something is written, and who writes.
pub(crate) struct WriteContext<'a> {
    pub(crate) server: &'a Arc<Server>,
    pub(crate) resource: &'a Arc<Resource>,
    pub(crate) store: &'a Arc<ObjectStore>,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) part: Part,
    pub(crate) origin: Origin,
}

/// What a write would make of an object.
pub(crate) struct Proposal {
    /// The object, decoded and with defaults.
    pub(crate) object: Value,
    /// Whether the books of managed fields are already kept.
    pub(crate) applied: bool,
    /// The uid that the object must have, by the request.
    pub(crate) uid: Option<String>,
}

/// What a write did.
pub(crate) enum Written {
    /// The object is stored so.
    Stored(ObjectEntry),
    /// It is not known how the object is stored, or nothing was; this is what it looks like.
    Unstored(Box<Object>),
}

impl std::ops::Deref for Written {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Stored(entry) => &entry.object,
            Self::Unstored(object) => object,
        }
    }
}

/// What is scarce and was taken for a write.
struct Held<'a> {
    charged: Charged<'a>,
    allocated: Allocated<'a>,
}

impl<'c> WriteContext<'c> {
    /// Stores a new object.
    pub(crate) async fn create(&self, mut object: Value) -> Result<Written, Status> {
        self.prepare_create(&mut object)?;
        self.admit_new(&mut object).await?;
        if metadata::text(&object, "name").is_empty()
            && !metadata::text(&object, "generateName").is_empty()
        {
            return self.create_with_generated_name(object).await;
        }
        self.store_new(object).await?.map_err(|(status, _)| status)
    }

    /// Stores a new object whose books are already kept.
    pub(crate) async fn create_applied(&self, mut object: Value) -> Result<Written, Status> {
        let managed_fields = object["metadata"]["managedFields"].take();
        self.prepare_create(&mut object)?;
        metadata::set(&mut object, "managedFields", managed_fields);
        self.admit_new(&mut object).await?;
        self.store_new(object).await?.map_err(|(status, _)| status)
    }

    async fn create_with_generated_name(&self, object: Value) -> Result<Written, Status> {
        let start = generated_start(metadata::text(&object, "generateName"));
        let mut last = String::new();
        for _ in 0..NAME_TRIES {
            let name = start.clone() + &random_suffix();
            let mut named = object.clone();
            metadata::set(&mut named, "name", json!(name));
            match self.store_new(named).await? {
                Ok(written) => return Ok(written),
                Err((_, taken)) => last = taken,
            }
        }
        Err(Status::generate_name_conflict(self.resource.group_resource(), &last))
    }

    /// Validates and stores; the inner error is that of a name that is taken.
    async fn store_new(
        &self,
        mut object: Value,
    ) -> Result<Result<Written, (Status, String)>, Status> {
        let name = metadata::text(&object, "name").to_owned();
        self.note_requester(&mut object);
        self.resource.strategy.prepare_create(&mut object);
        self.check_node(None, &object)?;
        self.check_grants(None, &object)?;
        let context = self.server.validation();
        let errors = self.resource.strategy.validate_create(&object, context);
        failure::invalid(self.resource, &name, &errors)?;
        self.check_signer(None, &object)?;
        self.admit_valid(&object, None).await?;
        self.warn(&object, None);
        let version = metadata::text(&object, "resourceVersion");
        let set_by_client = parse_uint(version).is_ok_and(|version| version != 0);
        metadata::set(&mut object, "resourceVersion", Value::Null);
        self.resource.drop_empty(&mut object);
        if self.origin.dry_run {
            let key = self.resource.key(self.namespace, &name);
            return match self.existing(&key).await? {
                Some(existing) => Ok(Err(self.taken(&name, &existing.object))),
                None => {
                    self.charge(&object, None).await?;
                    self.allocate(&mut object, None).await?;
                    Ok(Ok(self.unstored(object)))
                }
            };
        }
        if set_by_client {
            return Err(Status::other(
                "resourceVersion should not be set on objects to be created",
            ));
        }
        let key = self.resource.key(self.namespace, &name);
        let mut stored = self.stored(object.clone()).await?;
        let held = self.take(&mut stored, None).await?;
        let created = self.store.create(&key, &stored).await;
        if created.is_err() {
            self.put_back(held, &stored).await;
        }
        match created {
            Ok(entry) => Ok(Ok(self.written(entry, object))),
            Err(storage::Error::KeyExists(_)) => {
                let existing = self.existing(&key).await?;
                let object = existing.as_ref().map(|entry| &entry.object);
                Ok(Err(object.map_or_else(
                    || {
                        (
                            Status::already_exists(self.resource.group_resource(), &name),
                            name.clone(),
                        )
                    },
                    |object| self.taken(&name, object),
                )))
            }
            Err(error) => Err(failure::storage(&error)),
        }
    }

    fn warn(&self, object: &Value, old: Option<&Value>) {
        let Some(record) = &self.origin.record else { return };
        let warnings = self.resource.strategy.warnings(object, old);
        warnings.into_iter().for_each(|warning| record.warn(warning));
    }

    fn taken(&self, name: &str, existing: &Object) -> (Status, String) {
        let mut status = Status::already_exists(self.resource.group_resource(), name);
        if existing.metadata.deletion_timestamp.is_some() {
            status.message = format!("object is being deleted: {}", status.message);
        }
        (status, name.to_owned())
    }

    fn prepare_create(&self, object: &mut Value) -> Result<(), Status> {
        if let Some(why) = self.resource.strategy.creation_refusal() {
            let name = metadata::text(object, "name");
            return Err(Status::forbidden(self.resource.group_resource(), name, why));
        }
        self.clear(object)?;
        let mut kept = self.keep_books(None, object.clone());
        metadata::set(object, "managedFields", kept["metadata"]["managedFields"].take());
        Ok(())
    }

    /// Takes from a new object what is not for clients to say, nor for webhooks.
    fn clear(&self, object: &mut Value) -> Result<(), Status> {
        for member in [
            "creationTimestamp",
            "uid",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "selfLink",
            "generation",
        ] {
            metadata::set(object, member, Value::Null);
        }
        self.place(object)?;
        self.reset_status(object, None);
        Ok(())
    }

    /// Has admission look at a new object, which gets its identity only then.
    async fn admit_new(&self, object: &mut Value) -> Result<(), Status> {
        self.check_namespace(object).await?;
        if self.admit(object, None).await? == Mutated::Changed {
            self.clear(object)?;
        }
        metadata::set(object, "uid", json!(uuid::Uuid::new_v4().to_string()));
        let now = self.server.clock.timestamp().to_string();
        metadata::set(object, "creationTimestamp", json!(now));
        if self.resource.strategy.has_generation() {
            metadata::set(object, "generation", json!(1));
        }
        Ok(())
    }

    /// Sees to it that the object is in the namespace of the request.
    fn place(&self, object: &mut Value) -> Result<(), Status> {
        if !self.resource.described.namespaced {
            metadata::set(object, "namespace", Value::Null);
            return Ok(());
        }
        match metadata::text(object, "namespace") {
            "" => metadata::set(object, "namespace", json!(self.namespace)),
            namespace if namespace == self.namespace => {}
            _ => {
                return Err(Status::bad_request(
                    "the namespace of the provided object does not match the namespace sent on \
                     the request",
                ));
            }
        }
        Ok(())
    }

    /// The status is written through its subresource only.
    fn reset_status(&self, object: &mut Value, old: Option<&Value>) {
        let kept = old.is_none() && self.resource.strategy.keeps_status_on_create();
        if !self.resource.has_status || kept {
            return;
        }
        let status = match old {
            None => self.resource.zero().get("status").cloned(),
            Some(old) => old.get("status").cloned(),
        };
        put_status(object, status);
    }

    /// The object with its managed fields as the write leaves them.
    pub(crate) fn keep_books(&self, live: Option<&Value>, mut object: Value) -> Value {
        self.resource.drop_empty(&mut object);
        self.with_endpoint(|endpoint, writer| {
            patch::managed::update(endpoint, live, object, writer)
        })
    }

    /// Calls with what managed fields need to know about the place that is written to.
    pub(crate) fn with_endpoint<T>(&self, f: impl FnOnce(&Endpoint<'_>, Writer<'_>) -> T) -> T {
        let served = self.server.catalog.peek();
        let versions = ServedVersions(&served.resources, self.resource);
        let reset_fields = self.part.reset_fields(self.resource);
        let endpoint = Endpoint {
            group_version: self.resource.api_version(),
            kind: &self.resource.kind.kind,
            subresource: self.part.subresource,
            reset_fields: &reset_fields,
            versions: &versions,
        };
        let now = self.server.clock.timestamp();
        f(&endpoint, Writer { manager: &self.origin.manager, now })
    }

    async fn existing(&self, key: &str) -> Result<Option<ObjectEntry>, Status> {
        let found = self.store.cache.get(key, Freshness::Consistent).await;
        let found = found.map_err(|error| failure::read(&error))?;
        let found = found.into_iter().collect();
        Ok(versions::as_served(self.server, self.resource, found).await?.pop())
    }

    /// The stored object; `None` if there is none.
    pub(crate) async fn live(&self) -> Result<Option<ObjectEntry>, Status> {
        self.existing(&self.resource.key(self.namespace, self.name)).await
    }

    /// Changes the stored object to what `propose` makes of it. What somebody else wrote meanwhile
    /// is read again; a proposal that names another resource version is then refused.
    pub(crate) async fn update(
        &self,
        propose: impl Fn(&Value) -> Result<Proposal, Status>,
    ) -> Result<Written, Status> {
        let key = self.resource.key(self.namespace, self.name);
        for _ in 0..CONFLICT_TRIES {
            let Some(existing) = self.existing(&key).await? else {
                return Err(Status::not_found(self.resource.group_resource(), self.name));
            };
            let live = existing.object.value(self.resource);
            let proposal = propose(&live)?;
            match self.store_changed(&key, &existing, &live, proposal).await {
                Ok(written) => return Ok(written),
                // If the client named a version, the next look at it refuses.
                Err(StoreError::Conflict) => {}
                Err(StoreError::Refused(status)) => return Err(*status),
            }
        }
        Err(Status::conflict(self.resource.group_resource(), self.name, failure::MODIFIED))
    }

    async fn store_changed(
        &self,
        key: &str,
        existing: &ObjectEntry,
        live: &Value,
        proposal: Proposal,
    ) -> Result<Written, StoreError> {
        let Proposal { mut object, applied, uid } = proposal;
        self.check_uid(live, uid.as_deref())?;
        self.check_version(&object, existing.modified)?;
        self.prepare_update(&mut object, live)?;
        if !applied {
            let mut kept = self.keep_books(Some(live), object.clone());
            metadata::set(&mut object, "managedFields", kept["metadata"]["managedFields"].take());
        }
        if self.part.is_whole() {
            self.resource.drop_empty(&mut object);
        }
        if self.admit(&mut object, Some(live)).await? == Mutated::Changed {
            self.prepare_update(&mut object, live)?;
        }
        if self.part.is_whole() {
            self.resource.strategy.prepare_update(&mut object, live);
            self.check_grants(Some(live), &object)?;
        }
        self.check_node(Some(live), &object)?;
        self.count_generation(&mut object, live);
        let strategy = &self.resource.strategy;
        let context = self.server.validation();
        let errors = match self.part.subresource {
            "" => strategy.validate_update(&object, live, context),
            "status" => strategy.validate_status_update(&object, live, context),
            part => strategy.validate_part_update(part, &object, live, context),
        };
        failure::invalid(self.resource, self.name, &errors)?;
        self.check_signer(Some(live), &object)?;
        self.admit_valid(&object, Some(live)).await?;
        self.warn(&object, Some(live));
        self.resource.drop_empty(&mut object);

        metadata::set_resource_version(&mut object, existing.modified.0);
        keep_times_if_unchanged(live, &mut object);
        if self.may_go(&object) {
            return self.remove(key, existing.modified, object).await;
        }
        if object == *live {
            return Ok(Written::Stored(Arc::clone(existing)));
        }
        if self.origin.dry_run {
            return Ok(self.unstored(object));
        }
        let mut stored = self.stored(object.clone()).await?;
        let held = self.take(&mut stored, Some(live)).await?;
        match self.store.update(key, &stored, existing.modified).await {
            Ok(entry) => {
                self.release_former(live, &stored).await;
                Ok(self.written(entry, object))
            }
            Err(error) => {
                self.put_back(held, &stored).await;
                Err(store_error(&error))
            }
        }
    }

    /// Takes what the object needs of what is scarce: room in quotas, addresses, ports. It is held
    /// until the object is stored.
    async fn take(&self, object: &mut Value, old: Option<&Value>) -> Result<Held<'c>, Status> {
        let charged = self.charge(object, old).await?;
        match self.allocate(object, old).await {
            Ok(allocated) => Ok(Held { charged, allocated }),
            Err(status) => {
                self.give_back(charged).await;
                Err(status)
            }
        }
    }

    async fn put_back(&self, held: Held<'_>, object: &Value) {
        self.give_back(held.charged).await;
        self.give_up(held.allocated, object).await;
    }

    /// The object as it is stored. What another version keeps in annotations is the client's word,
    /// and must be of the right type to become a member.
    async fn stored(&self, object: Value) -> Result<Value, Status> {
        let stored = versions::as_stored(self.server, self.resource, object).await?;
        if self.resource.is_stored_as_served() {
            return Ok(stored);
        }
        let decoded =
            self.store.resource.decode(Tree::from(stored)).map_err(Status::bad_request)?;
        let mut stored = decoded.value;
        self.store.resource.drop_empty(&mut stored);
        self.store.resource.set_type_meta(&mut stored);
        Ok(stored)
    }

    /// What was stored, as the client wrote it where others would have to be asked for that.
    fn written(&self, entry: ObjectEntry, object: Value) -> Written {
        if self.resource.reviewed.is_none() {
            return Written::Stored(entry);
        }
        let object = Object::new(object, entry.modified.0, self.resource.layout);
        Written::Unstored(Box::new(object))
    }

    fn unstored(&self, object: Value) -> Written {
        let stored = self.resource.to_stored(object);
        Written::Unstored(Box::new(Object::unstored(stored, self.resource.layout)))
    }

    /// Whether the object is to be deleted and nothing holds it any more.
    fn may_go(&self, object: &Value) -> bool {
        let grace = object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
        metadata::is_being_deleted(object)
            && metadata::finalizers(object).is_empty()
            && grace == 0
            && !self.resource.strategy.holds(object)
    }

    /// The last finalizer is gone: the update deletes the object and answers with it as it was.
    async fn remove(
        &self,
        key: &str,
        expected: Revision,
        object: Value,
    ) -> Result<Written, StoreError> {
        if !self.origin.dry_run {
            let removed = self.store.delete(key, expected).await;
            removed.map_err(|error| store_error(&error))?;
            release_all(self.server, self.resource, &object).await;
        }
        Ok(self.unstored(object))
    }

    /// A request may name the uid that the object must have; where there is none, it has no uid.
    pub(crate) fn check_uid(&self, live: &Value, wanted: Option<&str>) -> Result<(), Status> {
        let actual = metadata::text(live, "uid");
        match wanted.filter(|wanted| *wanted != actual) {
            None => Ok(()),
            Some(wanted) => {
                let place = match self.namespace {
                    "" => self.name.to_owned(),
                    namespace => format!("{namespace}/{}", self.name),
                };
                let why = format!(
                    "StorageError: invalid object, Code: 4, Key: /registry/{}/{place}, \
                     ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in \
                     precondition: {wanted}, UID in object meta: {actual}",
                    self.resource.described.plural
                );
                let resource = self.resource.group_resource();
                Err(Status::conflict(resource, self.name, &why))
            }
        }
    }

    /// Whoever changes an object that is not there needs the right to create it.
    pub(crate) fn check_may_create(&self) -> Result<(), Status> {
        let Some(user) = self.origin.user.as_deref() else { return Ok(()) };
        let target = ResourceTarget {
            group: &self.resource.kind.group,
            version: &self.resource.kind.version,
            resource: &self.resource.described.plural,
            namespace: self.namespace,
            name: self.name,
            ..ResourceTarget::default()
        };
        let attributes = Attributes { user, verb: "create", target: Target::Resource(target) };
        self.server.access.authorizer.check(&attributes).map_err(|refused| {
            Status::forbidden(self.resource.group_resource(), &refused.name, &refused.cause)
        })
    }

    /// If the object names the version that it is for, that must be the stored one.
    fn check_version(&self, object: &Value, stored: Revision) -> Result<(), StoreError> {
        let text = metadata::text(object, "resourceVersion");
        let version = if text.is_empty() { 0 } else { parse_uint(text).map_err(Status::other)? };
        match version {
            0 if self.resource.strategy.allows_unconditional_update() => Ok(()),
            0 => Err(self.version_missing().into()),
            version if version == stored.0 => Ok(()),
            _ => {
                let resource = self.resource.group_resource();
                Err(Status::conflict(resource, self.name, failure::MODIFIED).into())
            }
        }
    }

    /// The kind does not let itself be overwritten by whoever did not look at it.
    fn version_missing(&self) -> Status {
        let path = Path::new("metadata").child("resourceVersion");
        let error = Error::invalid(&path, Shown::json(&0), "must be specified for an update");
        let errors: ErrorList = std::iter::once(error).collect();
        let aggregate = errors.aggregate().unwrap_or_default();
        Status::invalid(self.resource.group_resource(), self.name, &aggregate, errors.causes())
    }

    fn prepare_update(&self, object: &mut Value, live: &Value) -> Result<(), Status> {
        self.place(object)?;
        if !self.part.is_whole() {
            let also = self.part.metadata(self.resource);
            *object = self.part.put(object, live, also);
            return Ok(());
        }
        self.reset_status(object, Some(live));
        let old = &live["metadata"];
        metadata::set(object, "generation", old["generation"].clone());
        for member in ["creationTimestamp", "deletionTimestamp"] {
            if !old[member].is_null() {
                metadata::set(object, member, old[member].clone());
            }
        }
        for member in ["uid", "deletionGracePeriodSeconds"] {
            if object["metadata"][member].is_null() {
                metadata::set(object, member, old[member].clone());
            }
        }
        Ok(())
    }

    /// The generation counts changes of everything but metadata and status.
    fn count_generation(&self, object: &mut Value, live: &Value) {
        if self.part.is_status() || !self.resource.strategy.has_generation() {
            return;
        }
        let mut desired = object.clone();
        self.resource.drop_empty(&mut desired);
        let has_status = self.resource.has_status;
        if asked_for(&desired, has_status) != asked_for(live, has_status) {
            let generation = live["metadata"]["generation"].as_i64().unwrap_or(0);
            metadata::set(object, "generation", json!(generation + 1));
        }
    }

    /// Decodes what a patch made and fills in defaults. Gives also what a strict reader refuses.
    pub(crate) fn decode(&self, value: Value) -> Result<(Value, Vec<String>), String> {
        let decoded = self.resource.decode(Tree::from(value))?;
        let mut object = decoded.value;
        self.resource.apply_defaults(&mut object);
        if self.resource.is_typed() {
            self.resource.set_type_meta(&mut object);
        }
        Ok((object, decoded.problems))
    }

    /// The object's name must be that of the URL.
    pub(crate) fn check_name(&self, object: &Value) -> Result<(), Status> {
        match metadata::text(object, "name") {
            name if name == self.name => Ok(()),
            "" => Err(Status::bad_request(format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                self.name
            ))),
            other => Err(Status::bad_request(format!(
                "the name of the object ({other}) does not match the name on the URL ({})",
                self.name
            ))),
        }
    }
}

/// The versions in which a resource is served, for managed fields.
struct ServedVersions<'a>(&'a Resources, &'a Resource);

impl ServedVersions<'_> {
    fn find(&self, group_version: &str) -> Option<&Arc<Resource>> {
        self.0.versions_of(self.1).find(|other| other.api_version() == group_version)
    }
}

impl Versions for ServedVersions<'_> {
    fn type_def(&self, group_version: &str) -> Option<&TypeDef> {
        self.find(group_version).map(|resource| &**resource.type_def())
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Option<Value> {
        let stored = self.find(from)?.to_stored(object.clone());
        Some(self.find(to)?.to_served(stored))
    }
}

/// What users ask for: all members but metadata, and the status where it is a part of its own.
fn asked_for(object: &Value, has_status: bool) -> BTreeMap<&str, &Value> {
    let members = object.as_object().into_iter().flatten();
    let members = members.map(|(name, value)| (name.as_str(), value));
    members.filter(|(name, _)| *name != "metadata" && !(has_status && *name == "status")).collect()
}

/// The object with that status, or with none.
fn put_status(object: &mut Value, status: Option<Value>) {
    match (status, object) {
        (Some(status), object) => object["status"] = status,
        (None, Value::Object(members)) => drop(members.shift_remove("status")),
        (None, _) => {}
    }
}

/// Why a changed object was not stored.
enum StoreError {
    /// Somebody else wrote meanwhile.
    Conflict,
    /// It must not be.
    Refused(Box<Status>),
}

impl From<Status> for StoreError {
    fn from(status: Status) -> Self {
        Self::Refused(Box::new(status))
    }
}

fn store_error(error: &storage::Error) -> StoreError {
    match error {
        storage::Error::Conflict(_) | storage::Error::KeyNotFound => StoreError::Conflict,
        other => failure::storage(other).into(),
    }
}

pub(crate) fn generated_start(generate_name: &str) -> String {
    let mut end = generate_name.len().min(GENERATE_NAME_BYTES_MAX);
    while !generate_name.is_char_boundary(end) {
        end -= 1;
    }
    generate_name[..end].to_owned()
}

pub(super) fn random_suffix() -> String {
    let random = uuid::Uuid::new_v4();
    let letters = random.as_bytes()[..5].iter();
    letters
        .map(|byte| char::from(NAME_CHARACTERS[usize::from(*byte) % NAME_CHARACTERS.len()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_are_cut_to_make_room() {
        assert_eq!(generated_start(&"x".repeat(100)).len(), GENERATE_NAME_BYTES_MAX);
        assert_eq!(generated_start("a-"), "a-");
        let suffix = random_suffix();
        assert!(suffix.len() == 5 && suffix.bytes().all(|b| NAME_CHARACTERS.contains(&b)));
    }
}
