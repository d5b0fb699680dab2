//! What a write does to the ownership of fields.

use super::conflict::{Conflict, Conflicts};
use super::entries::{Entries, Identity, Operation, Owned};
use super::metadata::{managed_fields, text, without_managed_fields};
use super::versions::Change;
use super::{ANCIENT_CHANGES, Endpoint, UPDATE_ENTRIES_MAX, Writer};
use crate::fieldset::{FieldSet, Path};
use crate::typed::{Comparison, Duplicates, validate};

use serde_json::Value;

/// Fields that no manager owns (spec: apimachinery 2.10).
pub(super) fn never_owned() -> FieldSet {
    let of_metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    ["apiVersion", "kind", "metadata"]
        .iter()
        .map(|name| Path::of_fields(&[name]))
        .chain(of_metadata.iter().map(|name| Path::of_fields(&["metadata", name])))
        .collect()
}

impl Entries {
    /// Takes from all other managers the fields that a change has set or removed, and forgets
    /// managers whose version is gone or who are left with nothing.
    ///
    /// # Errors
    ///
    /// [`Conflicts`] if fields that others own were set and that is not `force`d.
    pub(super) fn take_over(
        &mut self,
        change: &mut Change<'_>,
        writer: Option<&Identity>,
        force: bool,
    ) -> Result<(), Conflicts> {
        self.0.retain(|identity, owned| {
            Some(identity) == writer || change.in_version(&owned.group_version).is_some()
        });
        if !force {
            let conflicts = self.conflicts(change, writer);
            if !conflicts.is_empty() {
                return Err(Conflicts::new(conflicts));
            }
        }
        for (_, owned) in self.0.iter_mut().filter(|(identity, _)| Some(*identity) != writer) {
            if let Some(comparison) = change.in_version(&owned.group_version) {
                owned.fields =
                    owned.fields.difference(&comparison.set()).difference(&comparison.removed);
            }
        }
        self.0.retain(|_, owned| !owned.fields.is_empty());
        Ok(())
    }

    fn conflicts(&self, change: &mut Change<'_>, writer: Option<&Identity>) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for (identity, owned) in self.0.iter().filter(|(identity, _)| Some(*identity) != writer) {
            let Some(comparison) = change.in_version(&owned.group_version) else { continue };
            for path in owned.fields.intersection(&comparison.set()).paths() {
                conflicts.push(Conflict { identity: identity.clone(), path });
            }
        }
        conflicts
    }

    /// Keeps the books of an update from one object to another.
    ///
    /// What cannot be told apart in them keeps the entries as they are: the write itself is
    /// refused elsewhere if it has to be.
    pub(super) fn track_update(
        &mut self,
        endpoint: &Endpoint<'_>,
        old: &Value,
        new: &Value,
        writer: Writer<'_>,
    ) {
        let Some(type_def) = endpoint.versions.type_def(endpoint.group_version) else { return };
        let is_valid = |object| validate(type_def, object, Duplicates::Allowed).is_ok();
        if is_valid(old) && is_valid(new) {
            let mut change = Change::new(endpoint, old, new);
            // Updates are always forced, so this cannot fail.
            let _unused = self.take_over(&mut change, None, true);
            let set = change.in_version(endpoint.group_version).map(Comparison::set);
            self.give(endpoint, writer, &set.unwrap_or_default());
        }
        self.cap_updates(UPDATE_ENTRIES_MAX, ANCIENT_CHANGES);
    }

    /// Adds fields to the writer's entry; nothing happens if there are none.
    fn give(&mut self, endpoint: &Endpoint<'_>, writer: Writer<'_>, fields: &FieldSet) {
        let fields = fields.difference(&never_owned());
        if fields.is_empty() {
            return;
        }
        let identity = Identity::new(
            writer.name(),
            Operation::Update,
            endpoint.group_version,
            endpoint.subresource,
        );
        let fields = match self.0.get(&identity) {
            Some(before) => before.fields.union(&fields),
            None => fields,
        };
        let group_version = endpoint.group_version.to_owned();
        self.0.insert(identity, Owned { fields, group_version, time: Some(writer.now) });
    }
}

/// The entries that an update starts from: those the request sends, if they mean something, else
/// those of the live object. Subresources always start from the live object.
pub(super) fn base_of_update(endpoint: &Endpoint<'_>, live: &Value, new: &Value) -> Entries {
    let sent = managed_fields(new);
    let resets = matches!(sent, [Value::Object(entry)] if entry.is_empty());
    if endpoint.subresource.is_empty() {
        if resets {
            return Entries::default();
        }
        match Entries::decode(sent) {
            Ok(entries) if !entries.0.is_empty() => return entries,
            _ => {}
        }
    }
    Entries::decode(managed_fields(live)).unwrap_or_default()
}

/// Whether the object is not stored yet.
pub(super) fn is_new(live: &Value) -> bool {
    text(live, "uid").is_empty()
}

/// Both objects without their entries.
pub(super) fn stripped(live: &Value, new: Value) -> (Value, Value) {
    (without_managed_fields(live.clone()), without_managed_fields(new))
}
