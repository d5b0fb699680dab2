//! Objects that change.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::status::Status;
use patch::managed::keep_times_if_unchanged;
use serde_json::{Value, json};
use storage::Revision;

use super::{Proposal, StoreError, WriteContext, Written, store_error};
use crate::dynamic::Mutated;
use crate::handlers::allocation::release_all;
use crate::handlers::failure;
use crate::objects::{ObjectEntry, metadata};

/// How often a write that may overwrite anything is tried against others.
const CONFLICT_TRIES: u32 = 100;

impl WriteContext<'_> {
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

    pub(super) async fn store_changed(
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
        let sent = self.kept_as_sent(&object);
        let mut stored = self.stored(object).await?;
        let held = self.take(&mut stored, Some(live)).await?;
        match self.store.update(key, &stored, existing.modified).await {
            Ok(entry) => {
                self.release_former(live, &stored).await;
                Ok(self.written(entry, sent))
            }
            Err(error) => {
                self.put_back(held, &stored).await;
                Err(store_error(&error))
            }
        }
    }

    /// Whether the object is to be deleted and nothing holds it any more.
    pub(super) fn may_go(&self, object: &Value) -> bool {
        let grace = object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0);
        metadata::is_being_deleted(object)
            && metadata::finalizers(object).is_empty()
            && grace == 0
            && !self.resource.strategy.holds(object)
    }

    /// The last finalizer is gone: the update deletes the object and answers with it as it was.
    pub(super) async fn remove(
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

    pub(super) fn prepare_update(&self, object: &mut Value, live: &Value) -> Result<(), Status> {
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
    pub(super) fn count_generation(&self, object: &mut Value, live: &Value) {
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
}

/// What users ask for: all members but metadata, and the status where it is a part of its own.
fn asked_for(object: &Value, has_status: bool) -> BTreeMap<&str, &Value> {
    let members = object.as_object().into_iter().flatten();
    let members = members.map(|(name, value)| (name.as_str(), value));
    members.filter(|(name, _)| *name != "metadata" && !(has_status && *name == "status")).collect()
}
