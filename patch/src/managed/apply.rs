//! Server-side apply.

use std::borrow::Cow;
use std::collections::BTreeMap;

use api::decode::decode_value;
use api::schema::TypeDef;
use serde_json::Value;

use super::conflict::Conflicts;
use super::entries::{Entries, Identity, Operation, Owned};
use super::last_applied::{KUBECTL, fields_of_last_applied, refresh};
use super::metadata::{managed_fields, text, with_managed_fields, without_managed_fields};
use super::ownership::never_owned;
use super::versions::{Change, converted};
use super::{BEFORE_FIRST_APPLY, Endpoint, Writer};
use crate::fieldset::FieldSet;
use crate::typed::{Duplicates, field_set, merge, remove, validate, with_named_fields};

/// Why an object cannot be applied, sorted by how to answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// 400 with this text.
    #[error("{0}")]
    BadRequest(String),
    /// 409 with this text and the causes.
    #[error(transparent)]
    Conflict(Conflicts),
    /// 500 with this text and no reason.
    #[error("{0}")]
    Internal(String),
}

/// Applies an object for a manager: gives back the new object, decoded and defaulted, with its
/// `managedFields`.
///
/// `live` is the stored object, `None` if there is none; `applied` is the body as it was sent. The
/// manager owns exactly the fields of the body; what it owned before and nobody else owns is
/// removed. With `force` fields are taken from others; without it that is a conflict. The time of
/// the manager's entry is that of the last apply that changed the object; one that never did has
/// none.
///
/// # Errors
///
/// [`ApplyError`], which says how to answer.
pub fn apply(
    endpoint: &Endpoint<'_>,
    live: Option<&Value>,
    applied: &Value,
    writer: Writer<'_>,
    force: bool,
) -> Result<Value, ApplyError> {
    check_body(endpoint, applied)?;
    let type_def = endpoint
        .versions
        .type_def(endpoint.group_version)
        .ok_or_else(|| ApplyError::Internal(format!("{} is not served", endpoint.group_version)))?;
    let live = live.cloned().unwrap_or_else(|| type_def.zero());
    let entries = Entries::decode(managed_fields(&live)).map_err(|error| {
        ApplyError::Internal(format!("failed to decode managed fields: {error}"))
    })?;
    let live = without_managed_fields(live);
    check_types(endpoint, type_def, &live, applied)?;
    let application = Application { endpoint, type_def, live: &live, applied, writer };
    let entries = application.with_untracked_fields(entries);
    match application.run(&entries, force) {
        Err(ApplyError::Conflict(conflicts)) if writer.manager == KUBECTL => {
            application.migrate(&entries, conflicts)
        }
        result => result,
    }
}

fn check_body(endpoint: &Endpoint<'_>, applied: &Value) -> Result<(), ApplyError> {
    let bad_request = |text: String| Err(ApplyError::BadRequest(text));
    if !applied.is_object() && !applied.is_null() {
        return bad_request(format!(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot \
             unmarshal {} into Go value of type map[string]interface {{}}",
            api::decode::Tree::from(applied.clone()).kind()
        ));
    }
    let member = |name: &str| applied.get(name).and_then(Value::as_str).unwrap_or_default();
    let (group_version, kind) = (member("apiVersion"), member("kind"));
    if group_version != endpoint.group_version || kind != endpoint.kind {
        let is_other_version =
            kind == endpoint.kind && endpoint.versions.type_def(group_version).is_some();
        return bad_request(if is_other_version {
            format!(
                "Incorrect version specified in apply patch. Specified patch version: \
                 {group_version}, expected: {}",
                endpoint.group_version
            )
        } else {
            format!("invalid object type: {}", group_version_kind(group_version, kind))
        });
    }
    if applied
        .get("metadata")
        .and_then(|metadata| metadata.get("managedFields"))
        .is_some_and(Value::is_array)
    {
        return bad_request("metadata.managedFields must be nil".to_owned());
    }
    Ok(())
}

/// `<group>/<version>, Kind=<kind>`; the core group is empty.
fn group_version_kind(group_version: &str, kind: &str) -> String {
    let (group, version) = match group_version.split_once('/') {
        Some((_, version)) if version.contains('/') => ("", ""),
        Some(parts) => parts,
        None => ("", group_version),
    };
    format!("{group}/{version}, Kind={kind}")
}

fn check_types(
    endpoint: &Endpoint<'_>,
    type_def: &TypeDef,
    live: &Value,
    applied: &Value,
) -> Result<(), ApplyError> {
    let internal = |what: &str, object: &Value, error: &dyn std::fmt::Display| {
        let shown = object_text(endpoint, object);
        ApplyError::Internal(format!("failed to create typed {what} object ({shown}): {error}"))
    };
    validate(type_def, applied, Duplicates::Refused)
        .map_err(|error| internal("patch", applied, &error))?;
    validate(type_def, live, Duplicates::Allowed).map_err(|error| internal("live", live, &error))
}

/// `<namespace>/<name>; <group>/<version>, Kind=<kind>`
fn object_text(endpoint: &Endpoint<'_>, object: &Value) -> String {
    let (namespace, name) = (text(object, "namespace"), text(object, "name"));
    let kind = group_version_kind(endpoint.group_version, endpoint.kind);
    format!("{namespace}/{name}; {kind}")
}

/// An apply whose body has been checked. The live object is without its entries.
struct Application<'a> {
    endpoint: &'a Endpoint<'a>,
    type_def: &'a TypeDef,
    live: &'a Value,
    applied: &'a Value,
    writer: Writer<'a>,
}

impl Application<'_> {
    /// Objects that nobody keeps the books of start with one manager for everything that is there.
    fn with_untracked_fields(&self, mut entries: Entries) -> Entries {
        if entries.0.is_empty() {
            let writer = Writer { manager: BEFORE_FIRST_APPLY, now: self.writer.now };
            entries.track_update(self.endpoint, &self.type_def.zero(), self.live, writer);
        }
        entries
    }

    fn run(&self, former: &Entries, force: bool) -> Result<Value, ApplyError> {
        let identity = Identity::new(
            self.writer.name(),
            Operation::Apply,
            self.endpoint.group_version,
            self.endpoint.subresource,
        );
        let mut entries = former.clone();
        let last = entries.0.get(&identity).cloned();
        entries.0.insert(identity.clone(), self.owned(last.as_ref()));
        let merged = merge(self.type_def, self.live, self.applied);
        let pruned = self.pruned(&merged, &entries, last.as_ref());

        let mut change = Change::new(self.endpoint, self.live, &pruned);
        entries.take_over(&mut change, Some(&identity), force).map_err(ApplyError::Conflict)?;
        let is_same =
            change.in_version(self.endpoint.group_version).is_none_or(|change| change.is_same());
        Self::strip(&mut entries, &identity);
        if !is_same && let Some(owned) = entries.0.get_mut(&identity) {
            owned.time = Some(self.writer.now);
        }
        let mut object = if is_same { self.live.clone() } else { self.completed(&pruned)? };
        if self.writer.manager == KUBECTL {
            refresh(&mut object, self.applied);
        }
        Ok(with_managed_fields(object, entries.encode()))
    }

    /// What the manager owns from now on: the fields of the body.
    fn owned(&self, last: Option<&Owned>) -> Owned {
        Owned {
            fields: field_set(self.type_def, self.applied)
                .recursive_difference(self.endpoint.reset_fields),
            group_version: self.endpoint.group_version.to_owned(),
            time: last.and_then(|last| last.time),
        }
    }

    fn strip(entries: &mut Entries, identity: &Identity) {
        if let Some(owned) = entries.0.get_mut(identity) {
            owned.fields = owned.fields.difference(&never_owned());
            if owned.fields.is_empty() {
                entries.0.remove(identity);
            }
        }
    }

    /// The object in canonical form, with defaults.
    fn completed(&self, object: &Value) -> Result<Value, ApplyError> {
        let mut object = decode_value(self.type_def, object.clone()).map_err(|error| {
            let shown = object_text(self.endpoint, self.applied);
            ApplyError::Internal(format!(
                "failed to convert new typed object ({shown}) to object: {error}"
            ))
        })?;
        self.type_def.apply_defaults(&mut object);
        Ok(object)
    }

    /// For `kubectl`, conflicts about fields that it applied on the client's side are none.
    fn migrate(&self, entries: &Entries, conflicts: Conflicts) -> Result<Value, ApplyError> {
        let Some(allowed) = fields_of_last_applied(self.endpoint, self.live) else {
            return Err(ApplyError::Conflict(conflicts));
        };
        match conflicts.outside(&allowed) {
            Some(conflicts) => Err(ApplyError::Conflict(conflicts)),
            None => self.run(entries, true),
        }
    }

    /// The merged object without what the manager applied last time, does not apply now, and
    /// nobody else owns.
    fn pruned(&self, merged: &Value, entries: &Entries, last: Option<&Owned>) -> Value {
        let unpruned = || merged.clone();
        let Some(last) = last.filter(|last| !last.fields.is_empty()) else { return unpruned() };
        let (own, version) = (self.endpoint.group_version, last.group_version.as_str());
        let pruned = || {
            let type_def = self.endpoint.versions.type_def(version)?;
            let merged = self.converted(merged, own, version)?.into_owned();
            let removed = remove(type_def, &merged, &with_named_fields(type_def, &last.fields));
            let kept = self.with_owned(&merged, removed, version, entries);
            let kept = with_dangling(type_def, &merged, &kept, &last.fields);
            Some(self.converted(&kept, version, own)?.into_owned())
        };
        pruned().unwrap_or_else(unpruned)
    }

    /// Puts back what any manager owns, version by version, that of the pruned object first.
    fn with_owned(&self, merged: &Value, pruned: Value, version: &str, entries: &Entries) -> Value {
        let mut by_version: BTreeMap<&str, FieldSet> = BTreeMap::new();
        for owned in entries.0.values() {
            let fields = by_version.entry(&owned.group_version).or_default();
            *fields = fields.union(&owned.fields);
        }
        let first = by_version.remove_entry(version);
        let mut kept = pruned;
        for (other, fields) in first.into_iter().chain(by_version) {
            let with_owned = || {
                let type_def = self.endpoint.versions.type_def(other)?;
                let merged = self.converted(merged, version, other)?;
                let kept = self.converted(&kept, version, other)?;
                let kept = with_fields(type_def, &merged, &kept, &fields);
                Some(self.converted(&kept, other, version)?.into_owned())
            };
            if let Some(with_owned) = with_owned() {
                kept = with_owned;
            }
        }
        kept
    }

    fn converted<'v>(&self, object: &'v Value, from: &str, to: &str) -> Option<Cow<'v, Value>> {
        converted(self.endpoint.versions, object, from, to)
    }
}

/// The merged object with what the pruned one still has and with these fields.
fn with_fields(type_def: &TypeDef, merged: &Value, pruned: &Value, fields: &FieldSet) -> Value {
    let named = |fields: &FieldSet| with_named_fields(type_def, fields);
    let kept = named(&field_set(type_def, pruned)).union(&named(fields));
    remove(type_def, merged, &named(&field_set(type_def, merged)).difference(&kept))
}

/// The merged object without what was pruned, but with what the manager did not own before: fields
/// that nobody owns stay.
fn with_dangling(type_def: &TypeDef, merged: &Value, pruned: &Value, last: &FieldSet) -> Value {
    let named = |fields: &FieldSet| with_named_fields(type_def, fields);
    let gone = named(&field_set(type_def, merged)).difference(&named(&field_set(type_def, pruned)));
    remove(type_def, merged, &gone.intersection(&named(last)))
}
