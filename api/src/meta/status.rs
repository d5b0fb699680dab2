//! The tables of the Status object. What constructs one lives in [`crate::status`].

use serde::{Deserialize, Serialize};

use super::ListMeta;
use crate::Schema;

/// The outcome of a request that does not end with an object.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct Status {
    /// The kind of object this is.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub kind: String,
    /// The API group and version this object is written in.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(omit_zero)]
    pub api_version: String,
    /// Holds a continue token where a list may go on.
    #[k8s(number = 1)]
    pub metadata: ListMeta,
    /// `Success` or `Failure`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub status: String,
    /// What happened, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub message: String,
    /// Why it failed, in one word for programs. It says more than the code does.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 4, omit_zero)]
    pub reason: String,
    /// What it is about. Which members are there depends on the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[k8s(number = 5)]
    pub details: Option<StatusDetails>,
    /// The HTTP status code.
    #[serde(skip_serializing_if = "is_zero")]
    #[k8s(number = 6, omit_zero)]
    pub code: i32,
}

/// What a Status is about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct StatusDetails {
    /// The name of the object, where there is a single one.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, omit_zero)]
    pub name: String,
    /// The API group of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub group: String,
    /// The resource in plural, or for some failures the kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub kind: String,
    /// The uid of the object.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 6, omit_zero)]
    pub uid: String,
    /// The single causes, where there is more than one thing to say.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::decode::null_as_empty"
    )]
    #[k8s(number = 4, list_type = "atomic")]
    pub causes: Vec<StatusCause>,
    /// After how many seconds to try again.
    #[serde(skip_serializing_if = "is_zero")]
    #[k8s(number = 5, omit_zero)]
    pub retry_after_seconds: i32,
}

/// One cause of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, Schema)]
#[serde(rename_all = "camelCase", default)]
#[k8s(package = "io.k8s.apimachinery.pkg.apis.meta.v1")]
pub struct StatusCause {
    /// The sort of cause, in one word for programs.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 1, omit_zero)]
    pub reason: String,
    /// What is wrong, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 2, omit_zero)]
    pub message: String,
    /// The field that is wrong, as a path from the root of the object, such as `spec.rules[0]`.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[k8s(number = 3, omit_zero)]
    pub field: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}
