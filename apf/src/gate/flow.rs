//! What the requests of a FlowSchema on a level have in common.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::digest::RequestKind;
use crate::observe::{ExecutionType, FlowObserver};

/// A FlowSchema and the level it leads to, as they were when a request was classified.
pub(crate) struct Flow {
    pub(crate) flow_schema: NameAndUid,
    pub(crate) priority_level: NameAndUid,
    pub(crate) observer: Arc<dyn FlowObserver>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameAndUid {
    pub(crate) name: String,
    /// Empty for built-in stand-ins. Answers name it without a copy.
    pub(crate) uid: Bytes,
}

impl NameAndUid {
    pub(crate) fn new(name: &str, uid: &str) -> Self {
        Self { name: name.to_owned(), uid: Bytes::copy_from_slice(uid.as_bytes()) }
    }
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow")
            .field("flow_schema", &self.flow_schema)
            .field("priority_level", &self.priority_level)
            .finish_non_exhaustive()
    }
}

/// More about a request, asked for only when requests are dumped with details.
pub trait RequestDetails: Send + Sync + 'static {
    /// What it is.
    fn describe(&self) -> RequestDescription;
}

/// More about a request (spec: apf 9.4); each text may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequestDescription {
    /// The user's name.
    pub user_name: String,
    /// The verb.
    pub verb: String,
    /// The path.
    pub api_path: String,
    /// The namespace.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// Group and version with a slash between them, or the version of the core group.
    pub api_version: String,
    /// The resource.
    pub resource: String,
    /// The subresource.
    pub subresource: String,
}

impl RequestDetails for RequestDescription {
    fn describe(&self) -> RequestDescription {
        self.clone()
    }
}

/// A request at a gate.
pub(crate) struct Visitor {
    pub(crate) flow: Arc<Flow>,
    pub(crate) distinguisher: Box<str>,
    pub(crate) kind: RequestKind,
    pub(crate) execution: ExecutionType,
    pub(crate) details: Arc<dyn RequestDetails>,
}
