//! Paths and operations as both versions of OpenAPI need them.

use std::sync::Arc;

use api::schema::TypeDef;
use serde_json::{Value, json};

use crate::definitions::group_version_kind;
use crate::parameter::Parameter;
use crate::resource::GroupVersion;

/// An HTTP method, by its name in OpenAPI documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Delete,
    Get,
    Head,
    Options,
    Patch,
    Post,
    Put,
}

impl Method {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Get => "get",
            Self::Head => "head",
            Self::Options => "options",
            Self::Patch => "patch",
            Self::Post => "post",
            Self::Put => "put",
        }
    }
}

/// What a body holds.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// An object of this type.
    Object(Arc<TypeDef>),
    /// A patch.
    Patch,
    /// Text.
    Text,
}

/// A body with its media types.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) media_types: &'static [&'static str],
    pub(crate) content: Content,
}

/// What a request is about: `x-kubernetes-action` and `x-kubernetes-group-version-kind`.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) action: &'static str,
    pub(crate) group_version: GroupVersion,
    pub(crate) kind: String,
}

/// The codes that an operation succeeds with; all answer with the same body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    Ok,
    OkOrCreated,
    OkOrAccepted,
    OkCreatedOrAccepted,
}

impl Success {
    /// Codes and their descriptions.
    pub(crate) fn codes(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Ok => &[("200", "OK")],
            Self::OkOrCreated => &[("200", "OK"), ("201", "Created")],
            Self::OkOrAccepted => &[("200", "OK"), ("202", "Accepted")],
            Self::OkCreatedOrAccepted => &[("200", "OK"), ("201", "Created"), ("202", "Accepted")],
        }
    }
}

/// An operation.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) method: Method,
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) description: String,
    pub(crate) subject: Option<Subject>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) request: Option<Body>,
    /// A request may do without the body.
    pub(crate) request_optional: bool,
    pub(crate) success: Success,
    pub(crate) response: Body,
}

impl Operation {
    /// What both versions of OpenAPI say beyond it: the action, and on which kind.
    pub(crate) fn extensions(&self) -> impl Iterator<Item = (String, Value)> {
        let subject = self.subject.iter();
        subject.flat_map(|Subject { action, group_version, kind }| {
            [
                ("x-kubernetes-action".to_owned(), json!(action)),
                (
                    "x-kubernetes-group-version-kind".to_owned(),
                    group_version_kind(group_version, kind),
                ),
            ]
        })
    }
}

/// A path with its operations; parameters that all of them take stand at the path.
#[derive(Debug, Clone)]
pub(crate) struct PathItem {
    pub(crate) path: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) operations: Vec<Operation>,
}

impl PathItem {
    /// A path, unless there is nothing to do there.
    pub(crate) fn new(path: String, mut operations: Vec<Operation>) -> Option<Self> {
        let first = operations.first()?;
        let mut common = first.parameters.clone();
        common.retain(|parameter| {
            operations.iter().all(|operation| operation.parameters.contains(parameter))
        });
        for operation in &mut operations {
            operation.parameters.retain(|parameter| !common.contains(parameter));
            operation.parameters.sort();
        }
        common.sort();
        Some(Self { path, parameters: common, operations })
    }
}

/// Media types of requests and answers (spec: apimachinery 4.2).
pub(crate) mod media {
    pub(crate) const ANY: &[&str] = &["*/*"];
    pub(crate) const JSON: &[&str] = &["application/json"];
    pub(crate) const KEY_SET: &[&str] = &["application/jwk-set+json"];
    pub(crate) const OBJECT: &[&str] =
        &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
    pub(crate) const LIST: &[&str] = &[
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json;stream=watch",
        "application/vnd.kubernetes.protobuf;stream=watch",
    ];
    pub(crate) const LOG: &[&str] = &[
        "text/plain",
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
    ];
    /// What custom resources are read and written in.
    pub(crate) const CUSTOM: &[&str] = &["application/json", "application/yaml"];
    pub(crate) const CUSTOM_PATCH: &[&str] = &[
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/apply-patch+yaml",
    ];
    pub(crate) const PATCH: &[&str] = &[
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    ];
}
