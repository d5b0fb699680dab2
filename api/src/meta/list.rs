//! What every list carries.

use serde::{Deserialize, Serialize};

use crate::Schema;

/// What the server says about a list as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct ListMeta {
    /// Not filled in any more; kept for clients that read it.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, omit_zero)]
    pub self_link: String,
    /// The revision the list shows; a watch may start from it. Opaque to clients.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub resource_version: String,
    /// Asks for the next page when sent back in the query parameter of the same name; empty on the
    /// last page.
    #[serde(rename = "continue", skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub continue_token: String,
    /// About how many more objects follow this page, when that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 4)]
    pub remaining_item_count: Option<i64>,
    /// Which part of the objects the list shows, when only one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 5)]
    pub shard_info: Option<ShardInfo>,
}

/// The part of the objects that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct ShardInfo {
    /// The expression that selects the part.
    #[k8s(number = 1, required)]
    pub selector: String,
}
