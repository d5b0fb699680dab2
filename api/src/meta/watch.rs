//! What a watch sends.

use serde::{Deserialize, Serialize};

use crate::Schema;
use crate::schema::Json;

/// One event of a watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct WatchEvent {
    /// `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`.
    #[serde(rename = "type")]
    #[k8s(number = 1, required)]
    pub event_type: String,
    /// The object after the event, before it for `DELETED`; only the revision for `BOOKMARK`; a Status
    /// for `ERROR`.
    #[k8s(number = 2, required, nullable)]
    pub object: Json,
}
