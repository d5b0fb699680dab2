//! Options of requests.

use serde::{Deserialize, Serialize};

use crate::Schema;

/// How an object is to be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct DeleteOptions {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// How many seconds the object may take to end; 0 means at once. The kind decides when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 1)]
    pub grace_period_seconds: Option<i64>,
    /// What has to be true of the object; the request fails with a conflict otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 2)]
    pub preconditions: Option<Preconditions>,
    /// Whether dependents stay. Older way of saying `propagationPolicy`; never send both.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 3)]
    pub orphan_dependents: Option<bool>,
    /// What becomes of dependents: `Orphan` keeps them, `Background` removes them afterwards,
    /// `Foreground` removes them first. The kind decides when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 4)]
    pub propagation_policy: Option<String>,
    /// `All` goes through every step but the last: nothing is stored. Nothing else is allowed.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 5, list_type = "atomic")]
    pub dry_run: Vec<String>,
    /// Deletes an object even if what is stored of it cannot be read. Finalizers and preconditions
    /// are then passed over, so that things may be left behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 6)]
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

/// What has to be true of an object before something is done to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct Preconditions {
    /// The uid the object must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 1)]
    pub uid: Option<String>,
    /// The revision the object must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 2)]
    pub resource_version: Option<String>,
}
