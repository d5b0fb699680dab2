//! Parameters of paths and queries.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::resource::{ParameterType, QueryParameter};

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Location {
    Path,
    Query,
}

impl Location {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
        }
    }
}

/// A parameter. Two are the same if name and location are.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: Cow<'static, str>,
    pub(crate) location: Location,
    pub(crate) value: ParameterType,
    pub(crate) description: Cow<'static, str>,
}

impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Parameter {}

impl PartialOrd for Parameter {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Parameter {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.name, self.location).cmp(&(&other.name, other.location))
    }
}

impl ParameterType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
        }
    }
}

impl From<&QueryParameter> for Parameter {
    fn from(parameter: &QueryParameter) -> Self {
        Self {
            name: Cow::Owned(parameter.name.clone()),
            location: Location::Query,
            value: parameter.value,
            description: Cow::Owned(parameter.description.clone()),
        }
    }
}

const fn query(name: &'static str, value: ParameterType, description: &'static str) -> Parameter {
    Parameter {
        name: Cow::Borrowed(name),
        location: Location::Query,
        value,
        description: Cow::Borrowed(description),
    }
}

const fn path(name: &'static str, description: &'static str) -> Parameter {
    Parameter {
        name: Cow::Borrowed(name),
        location: Location::Path,
        value: ParameterType::String,
        description: Cow::Borrowed(description),
    }
}

/// The object's name.
pub(crate) fn name(kind: &str) -> Parameter {
    Parameter { description: Cow::Owned(format!("The name of the {kind}.")), ..path("name", "") }
}

/// The object's namespace.
pub(crate) const NAMESPACE: Parameter = path("namespace", "The namespace, by its name.");

/// What follows in the URL of a proxy.
pub(crate) const PROXY_PATH: Parameter = path("path", "The path to ask for behind the proxy.");

const DRY_RUN: Parameter = query(
    "dryRun",
    ParameterType::String,
    "`All` goes through every step but the last: nothing is stored. Nothing else is allowed.",
);

/// Parameters of every request for objects.
pub(crate) const PRETTY: Parameter = query(
    "pretty",
    ParameterType::String,
    "`true` or `1` has the answer indented. Browsers and curl get it so unless they say `false`.",
);

/// What creating and replacing take.
pub(crate) const WRITE: [Parameter; 3] = [
    DRY_RUN,
    query(
        "fieldManager",
        ParameterType::String,
        "Who is recorded as the manager of the fields that change: up to 128 printable letters. \
         The first part of the User-Agent when left out; server-side apply does not allow that.",
    ),
    query(
        "fieldValidation",
        ParameterType::String,
        "What becomes of fields that are unknown or given twice: `Strict` fails, `Warn` (when left \
         out) drops them with a warning, `Ignore` drops them.",
    ),
];

/// What patching takes besides.
pub(crate) const FORCE: Parameter = query(
    "force",
    ParameterType::Boolean,
    "Whether server-side apply takes over fields that others manage instead of failing with a \
     conflict. Not allowed with other patches.",
);

/// What deleting takes.
pub(crate) const DELETE: [Parameter; 5] = [
    DRY_RUN,
    query(
        "gracePeriodSeconds",
        ParameterType::Integer,
        "How many seconds the object may take to end; 0 means at once. The kind decides when left \
         out.",
    ),
    query(
        "ignoreStoreReadErrorWithClusterBreakingPotential",
        ParameterType::Boolean,
        "Whether to delete an object even if what is stored of it cannot be read. Finalizers and \
         preconditions are then passed over, so that things may be left behind.",
    ),
    query(
        "orphanDependents",
        ParameterType::Boolean,
        "Whether dependents stay. Older way of saying `propagationPolicy`; never send both.",
    ),
    query(
        "propagationPolicy",
        ParameterType::String,
        "What becomes of dependents: `Orphan` keeps them, `Background` removes them afterwards, \
         `Foreground` removes them first. The kind decides when left out.",
    ),
];

/// What listing takes and deleting a collection takes as well.
pub(crate) const SELECT: [Parameter; 9] = [
    query(
        "continue",
        ParameterType::String,
        "The token from the page before, to get the next one. The other parameters have to stay \
         the same. An old token may fail with 410; the answer may hold one to go on with.",
    ),
    query(
        "fieldSelector",
        ParameterType::String,
        "Only objects with these fields, such as `metadata.name=a`. All when left out.",
    ),
    query(
        "labelSelector",
        ParameterType::String,
        "Only objects with these labels, such as `app=a,tier in (b, c)`. All when left out.",
    ),
    query(
        "limit",
        ParameterType::Integer,
        "The most objects to put on a page. The answer says how to get the next one. Without it \
         everything comes at once.",
    ),
    query(
        "resourceVersion",
        ParameterType::String,
        "The revision to read, as `resourceVersionMatch` says; for a watch, the revision after \
         which events start.",
    ),
    query(
        "resourceVersionMatch",
        ParameterType::String,
        "How `resourceVersion` counts: `Exact` or `NotOlderThan`.",
    ),
    query(
        "sendInitialEvents",
        ParameterType::Boolean,
        "Whether a watch begins with the objects there are, as `ADDED` events up to a bookmark \
         that says so. Needs `resourceVersionMatch=NotOlderThan`.",
    ),
    query(
        "shardSelector",
        ParameterType::String,
        "Only the part of the objects that this expression selects by hash.",
    ),
    query(
        "timeoutSeconds",
        ParameterType::Integer,
        "How many seconds the request may take, whatever happens.",
    ),
];

/// What only listing and watching take.
pub(crate) const WATCH: [Parameter; 2] = [
    query(
        "allowWatchBookmarks",
        ParameterType::Boolean,
        "Whether a watch may send `BOOKMARK` events, which carry nothing but a revision.",
    ),
    query(
        "watch",
        ParameterType::Boolean,
        "Sends the changes one by one as they happen instead of a list.",
    ),
];
