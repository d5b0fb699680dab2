//! `meta.k8s.io/v1`: what every object and list carries.

pub mod aggregated;
pub mod discovery;
mod list;
mod options;
pub mod status;
pub mod version;
mod watch;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Schema;
use crate::schema::Json;
use crate::time::Timestamp;

pub use list::{ListMeta, ShardInfo};
pub use options::{DeleteOptions, Preconditions};
pub use watch::WatchEvent;

/// What identifies an object and what the server keeps about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct ObjectMeta {
    /// The object's name, unique among the objects of its kind and namespace. It is part of the
    /// URL and never changes.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, omit_zero)]
    pub name: String,
    /// A prefix from which the server makes a unique name when `name` is left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub generate_name: String,
    /// The namespace the object lives in; empty for objects of the whole cluster.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub namespace: String,
    /// Not filled in any more; kept for clients that send it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 4, omit_zero)]
    pub self_link: String,
    /// Tells this object from earlier and later ones of the same name. Set by the server.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(
        number = 5, omit_zero,
        validate(alpha(since: "1.37") = optional, alpha(since: "1.37") = immutable)
    )]
    pub uid: String,
    /// The revision of the object's last write. Opaque to clients; sent back on an update it
    /// makes the update fail if someone else wrote in between.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 6, omit_zero)]
    pub resource_version: String,
    /// Counts the changes of the desired state. Set by the server.
    #[serde(skip_serializing_if = "is_zero")]
    #[k8s(
        number = 7, omit_zero,
        validate(alpha(since: "1.37") = optional, alpha(since: "1.37") = minimum = 0)
    )]
    pub generation: i64,
    /// When the object was created. Set by the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(
        number = 8,
        validate(alpha(since: "1.37") = optional, alpha(since: "1.37") = immutable)
    )]
    pub creation_timestamp: Option<Timestamp>,
    /// When deletion was asked for; the object stays until its finalizers are gone. Set by the
    /// server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(
        number = 9,
        validate(alpha(since: "1.37") = optional, alpha(since: "1.37") = immutable)
    )]
    pub deletion_timestamp: Option<Timestamp>,
    /// How many seconds the object may take to end after deletion was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(
        number = 10,
        validate(alpha(since: "1.37") = optional, alpha(since: "1.37") = immutable)
    )]
    pub deletion_grace_period_seconds: Option<i64>,
    /// Short keys and values by which objects are selected.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[k8s(number = 11)]
    pub labels: BTreeMap<String, String>,
    /// Keys and values for tools and people; not used for selection.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[k8s(number = 12)]
    pub annotations: BTreeMap<String, String>,
    /// The objects this one depends on; it is collected when they are all gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[k8s(
        number = 13, list_map_key = "uid", patch_merge_key = "uid",
        validate(alpha(since: "1.37") = optional)
    )]
    pub owner_references: Vec<OwnerReference>,
    /// Who has to do something before the object may go; deletion waits until the list is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[k8s(number = 14, list_type = "set", patch_merge)]
    pub finalizers: Vec<String>,
    /// Who manages which fields. Kept by the server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[k8s(
        number = 17, list_type = "atomic",
        validate(alpha(since: "1.37") = optional)
    )]
    pub managed_fields: Vec<ManagedFieldsEntry>,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// An object that this one depends on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", atomic)]
pub struct OwnerReference {
    /// The owner's API version.
    #[k8s(
        number = 5, required,
        validate(alpha(since: "1.37") = required)
    )]
    pub api_version: String,
    /// The owner's kind.
    #[k8s(
        number = 1, required,
        validate(alpha(since: "1.37") = required)
    )]
    pub kind: String,
    /// The owner's name.
    #[k8s(
        number = 3, required,
        validate(alpha(since: "1.37") = required)
    )]
    pub name: String,
    /// The owner's uid.
    #[k8s(
        number = 4, required,
        validate(alpha(since: "1.37") = required)
    )]
    pub uid: String,
    /// Whether the owner is the controller that manages this object; at most one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 6)]
    pub controller: Option<bool>,
    /// Whether the owner's foreground deletion waits for this object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 7)]
    pub block_owner_deletion: Option<bool>,
}

/// The fields that one manager manages by one way of writing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct ManagedFieldsEntry {
    /// The name of the manager.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, omit_zero)]
    pub manager: String,
    /// How the fields were written: `Apply` or `Update`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(
        number = 2,
        omit_zero,
        validate(alpha(since: "1.37") = required),
        value_type(alpha(since: "1.37") = enum, constants("Apply", "Update"))
    )]
    pub operation: String,
    /// The API version in which the fields are named.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub api_version: String,
    /// When the entry last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 4)]
    pub time: Option<Timestamp>,
    /// The format of the field set; always `FieldsV1`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 6, omit_zero)]
    pub fields_type: String,
    /// The field set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 7, openapi = "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1")]
    pub fields_v1: Option<Json>,
    /// The subresource through which the fields were written; empty for the object itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 8, omit_zero)]
    pub subresource: String,
}
