//! New objects.

use api::status::Status;
use serde_json::{Value, json};

use super::names::{generated_start, random_suffix};
use super::{WriteContext, Written};
use crate::dynamic::Mutated;
use crate::handlers::failure;
use crate::objects::{Object, metadata};
use crate::request::query::parse_uint;

/// How often a generated name is tried.
const NAME_TRIES: u32 = 8;

impl WriteContext<'_> {
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

    pub(super) async fn create_with_generated_name(
        &self,
        object: Value,
    ) -> Result<Written, Status> {
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
    pub(super) async fn store_new(
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
        let sent = self.kept_as_sent(&object);
        let mut stored = self.stored(object).await?;
        let held = self.take(&mut stored, None).await?;
        let created = self.store.create(&key, &stored).await;
        if created.is_err() {
            self.put_back(held, &stored).await;
        }
        match created {
            Ok(entry) => Ok(Ok(self.written(entry, sent))),
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

    pub(super) fn taken(&self, name: &str, existing: &Object) -> (Status, String) {
        let mut status = Status::already_exists(self.resource.group_resource(), name);
        if existing.metadata.deletion_timestamp.is_some() {
            status.message = format!("object is being deleted: {}", status.message);
        }
        (status, name.to_owned())
    }

    pub(super) fn prepare_create(&self, object: &mut Value) -> Result<(), Status> {
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
    pub(super) fn clear(&self, object: &mut Value) -> Result<(), Status> {
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
    pub(super) async fn admit_new(&self, object: &mut Value) -> Result<(), Status> {
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
}
