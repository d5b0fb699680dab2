//! What `/version` answers.

use serde::{Deserialize, Serialize};

use crate::Schema;

/// Which version the server is of, and how it was built.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.version")]
pub struct Info {
    /// The major version.
    #[k8s(required)]
    pub major: String,
    /// The minor version.
    #[k8s(required)]
    pub minor: String,
    /// The major version whose features are on.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub emulation_major: String,
    /// The minor version whose features are on.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub emulation_minor: String,
    /// The oldest major version that may run beside this one.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub min_compatibility_major: String,
    /// The oldest minor version that may run beside this one.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub min_compatibility_minor: String,
    /// The whole version, such as `v1.2.3`.
    #[k8s(required)]
    pub git_version: String,
    /// The commit it was built from.
    #[k8s(required)]
    pub git_commit: String,
    /// `clean` if it was built from that commit as it is.
    #[k8s(required)]
    pub git_tree_state: String,
    /// When it was built.
    #[k8s(required)]
    pub build_date: String,
    /// The version of the language it is written in.
    #[k8s(required)]
    pub go_version: String,
    /// What compiled it.
    #[k8s(required)]
    pub compiler: String,
    /// The operating system and processor it was built for.
    #[k8s(required)]
    pub platform: String,
}
