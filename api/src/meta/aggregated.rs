//! Aggregated discovery: everything in one document (spec: apimachinery 1.6).

use serde::{Deserialize, Serialize};

use super::{ListMeta, ObjectMeta};
use crate::Schema;

/// The groups that are served, with their versions and resources.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.apidiscovery.v2", name = "APIGroupDiscoveryList")]
pub struct ApiGroupDiscoveryList {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// What is said of the list as a whole.
    #[k8s(number = 1)]
    pub metadata: ListMeta,
    /// The groups, in the order in which clients look for a kind.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 2, required, nullable)]
    pub items: Vec<ApiGroupDiscovery>,
}

/// A group, its versions and their resources.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.apidiscovery.v2", name = "APIGroupDiscovery")]
pub struct ApiGroupDiscovery {
    /// Its name is the name of the group; the core group has none.
    #[k8s(number = 1)]
    pub metadata: ObjectMeta,
    /// The versions, the preferred one first.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 2, list_map_key = "version")]
    pub versions: Vec<ApiVersionDiscovery>,
}

/// A version of a group and its resources.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.apidiscovery.v2", name = "APIVersionDiscovery")]
pub struct ApiVersionDiscovery {
    /// The name of the version.
    #[k8s(number = 1, required)]
    pub version: String,
    /// The resources.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 2, list_map_key = "resource")]
    pub resources: Vec<ApiResourceDiscovery>,
    /// `Current`, or `Stale` if whoever serves the version could not be asked.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub freshness: String,
}

/// A resource and its subresources.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.apidiscovery.v2", name = "APIResourceDiscovery")]
pub struct ApiResourceDiscovery {
    /// The name in URLs, in plural.
    #[k8s(number = 1, required)]
    pub resource: String,
    /// The kind of object that is read; empty group and version stand for those around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 2)]
    pub response_kind: Option<GroupVersionKind>,
    /// `Namespaced` or `Cluster`.
    #[k8s(number = 3, required)]
    pub scope: String,
    /// The name of a single one, in lower case.
    #[k8s(number = 4, required)]
    pub singular_resource: String,
    /// What may be done with it, such as `get` or `watch`.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 5, required, nullable, list_type = "set")]
    pub verbs: Vec<String>,
    /// Shorter names for the command line.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 6, list_type = "set")]
    pub short_names: Vec<String>,
    /// Names of sets of resources this one belongs to, such as `all`.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 7, list_type = "set")]
    pub categories: Vec<String>,
    /// The subresources.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 8, list_map_key = "subresource")]
    pub subresources: Vec<ApiSubresourceDiscovery>,
}

/// A subresource.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.api.apidiscovery.v2", name = "APISubresourceDiscovery")]
pub struct ApiSubresourceDiscovery {
    /// The name that follows the object in URLs.
    #[k8s(number = 1, required)]
    pub subresource: String,
    /// The kind of object that is read; empty group and version stand for those around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 2)]
    pub response_kind: Option<GroupVersionKind>,
    /// Kinds that may be sent besides the one that is read.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 3, list_type = "atomic")]
    pub accepted_types: Vec<GroupVersionKind>,
    /// What may be done with it.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 4, required, nullable, list_type = "set")]
    pub verbs: Vec<String>,
}

/// A kind with its group and version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct GroupVersionKind {
    /// The group; empty for the core group.
    #[k8s(number = 1, required)]
    pub group: String,
    /// The version.
    #[k8s(number = 2, required)]
    pub version: String,
    /// The kind.
    #[k8s(number = 3, required)]
    pub kind: String,
}
