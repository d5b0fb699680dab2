//! Metadata as its rules see it.

use serde_json::Value;

use crate::view::{TextMap, Texts, items, member, members, text};

/// The metadata of an object in canonical form, borrowed. Times and numbers are compared and shown
/// as they stand.
#[derive(Debug, Clone, Copy)]
pub struct Metadata<'a> {
    pub(crate) name: &'a str,
    pub(crate) generate_name: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) uid: &'a str,
    pub(crate) creation_timestamp: &'a Value,
    pub(crate) deletion_timestamp: &'a Value,
    pub(crate) deletion_grace_period_seconds: &'a Value,
    pub(crate) labels: TextMap<'a>,
    pub(crate) annotations: TextMap<'a>,
    pub(crate) owner_references: &'a [Value],
    pub(crate) finalizers: Texts<'a>,
    pub(crate) managed_fields: &'a [Value],
}

impl<'a> Metadata<'a> {
    /// The metadata of an object.
    #[must_use]
    pub fn of(object: &'a Value) -> Self {
        let metadata = member(object, "metadata");
        members!(metadata =>
            name: "name",
            generate_name: "generateName",
            namespace: "namespace",
            uid: "uid",
            creation_timestamp: "creationTimestamp",
            deletion_timestamp: "deletionTimestamp",
            deletion_grace_period_seconds: "deletionGracePeriodSeconds",
            labels: "labels",
            annotations: "annotations",
            owner_references: "ownerReferences",
            finalizers: "finalizers",
            managed_fields: "managedFields",
        );
        Self {
            name: text(name),
            generate_name: text(generate_name),
            namespace: text(namespace),
            uid: text(uid),
            creation_timestamp,
            deletion_timestamp,
            deletion_grace_period_seconds,
            labels: TextMap::of(labels),
            annotations: TextMap::of(annotations),
            owner_references: items(owner_references),
            finalizers: Texts::of(finalizers),
            managed_fields: items(managed_fields),
        }
    }
}

/// An owner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) uid: &'a str,
    pub(super) is_controller: bool,
}

impl<'a> From<&'a Value> for Owner<'a> {
    fn from(owner: &'a Value) -> Self {
        members!(owner =>
            api_version: "apiVersion",
            kind: "kind",
            name: "name",
            uid: "uid",
            controller: "controller",
        );
        Self {
            api_version: text(api_version),
            kind: text(kind),
            name: text(name),
            uid: text(uid),
            is_controller: controller.as_bool() == Some(true),
        }
    }
}

/// Who manages which fields, without the fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manager<'a> {
    pub(super) name: &'a str,
    pub(super) operation: &'a str,
    pub(super) fields_type: &'a str,
    pub(super) subresource: &'a str,
}

impl<'a> From<&'a Value> for Manager<'a> {
    fn from(entry: &'a Value) -> Self {
        members!(entry =>
            name: "manager",
            operation: "operation",
            fields_type: "fieldsType",
            subresource: "subresource",
        );
        Self {
            name: text(name),
            operation: text(operation),
            fields_type: text(fields_type),
            subresource: text(subresource),
        }
    }
}
