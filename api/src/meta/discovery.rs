//! Discovery as every client understands it (spec: apimachinery 1.5).

use serde::{Deserialize, Serialize};

use crate::Schema;

/// The versions of the core group; the answer of `/api`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", name = "APIVersions")]
pub struct ApiVersions {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// The versions.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 1, required, nullable, list_type = "atomic")]
    pub versions: Vec<String>,
    /// Where the server is reached from which addresses.
    #[serde(
        rename = "serverAddressByClientCIDRs",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 2, required, nullable, list_type = "atomic")]
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCidr>,
}

/// Where the server is reached from a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", name = "ServerAddressByClientCIDR")]
pub struct ServerAddressByClientCidr {
    /// The range, such as `10.0.0.0/8`.
    #[serde(rename = "clientCIDR")]
    #[k8s(number = 1, required)]
    pub client_cidr: String,
    /// Host and port.
    #[k8s(number = 2, required)]
    pub server_address: String,
}

/// The groups that are served; the answer of `/apis`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", name = "APIGroupList")]
pub struct ApiGroupList {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// The groups.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 1, required, nullable, list_type = "atomic")]
    pub groups: Vec<ApiGroup>,
}

/// A group and its versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", name = "APIGroup")]
pub struct ApiGroup {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// The name of the group.
    #[k8s(number = 1, required)]
    pub name: String,
    /// The versions that are served.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 2, required, nullable, list_type = "atomic")]
    pub versions: Vec<GroupVersionForDiscovery>,
    /// The version to use when there is no reason for another.
    #[k8s(number = 3)]
    pub preferred_version: GroupVersionForDiscovery,
    /// Where the server is reached from which addresses.
    #[serde(
        rename = "serverAddressByClientCIDRs",
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 4, list_type = "atomic")]
    pub server_address_by_client_cidrs: Vec<ServerAddressByClientCidr>,
}

/// A version of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct GroupVersionForDiscovery {
    /// Group and version, such as `apps/v1`.
    #[k8s(number = 1, required)]
    pub group_version: String,
    /// The version alone, such as `v1`.
    #[k8s(number = 2, required)]
    pub version: String,
}

/// The resources of a group and version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", name = "APIResourceList")]
pub struct ApiResourceList {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// Group and version, such as `apps/v1`.
    #[k8s(number = 1, required)]
    pub group_version: String,
    /// The resources and their subresources.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 2, required, nullable, list_type = "atomic")]
    pub resources: Vec<ApiResource>,
}

/// A resource, or a subresource of one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1", name = "APIResource")]
pub struct ApiResource {
    /// The name in URLs: the plural, followed by `/` and the subresource for one of those.
    #[k8s(number = 1, required)]
    pub name: String,
    /// The name of a single one, in lower case; empty for subresources.
    #[k8s(number = 6, required)]
    pub singular_name: String,
    /// Whether the objects live in namespaces.
    #[k8s(number = 2, required)]
    pub namespaced: bool,
    /// The group of the kind, where it is not the group of the list.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 8, omit_zero)]
    pub group: String,
    /// The version of the kind, where it is not the version of the list.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 9, omit_zero)]
    pub version: String,
    /// The kind of object that is read and written.
    #[k8s(number = 3, required)]
    pub kind: String,
    /// What may be done with it, such as `get` or `watch`.
    #[serde(deserialize_with = "crate::decode::null_as_empty")]
    #[k8s(number = 4, required, nullable)]
    pub verbs: Vec<String>,
    /// Shorter names for the command line.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 5, list_type = "atomic")]
    pub short_names: Vec<String>,
    /// Names of sets of resources this one belongs to, such as `all`.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 7, list_type = "atomic")]
    pub categories: Vec<String>,
    /// Changes when the objects are stored in another version. Only good for telling whether it
    /// changed.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 10, omit_zero)]
    pub storage_version_hash: String,
}
