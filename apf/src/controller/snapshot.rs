//! What classification reads: replaced as a whole at each digestion, so that requests never wait
//! for one another to be classified.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use api::flowcontrol::v1::FlowSchema;
use bytes::Bytes;

use crate::classify::{Classifier, DistinguisherMethod};
use crate::config::CATCH_ALL;
use crate::digest::RequestDigest;
use crate::gate::{Flow, Gate};
use crate::shuffle_shard::flow_hash;

/// The FlowSchemas in use, in matching order.
#[derive(Default)]
pub(super) struct InUse {
    schemas: Vec<SchemaInUse>,
    classifier: Classifier,
    /// The position of the catch-all one.
    catch_all: usize,
}

/// A FlowSchema in use and where its requests go.
pub(super) struct SchemaInUse {
    pub(super) object: Arc<FlowSchema>,
    pub(super) method: DistinguisherMethod,
    pub(super) flow: Arc<Flow>,
    pub(super) gate: Arc<Gate>,
    /// Whether the level has more than one queue, so that flows matter.
    pub(super) has_queues: bool,
    pub(super) level_max_seats: Option<u64>,
}

/// Which FlowSchema claims a request and which level serves it.
#[derive(Clone)]
pub struct Classification {
    flow: Arc<Flow>,
}

impl InUse {
    pub(super) fn new(schemas: Vec<SchemaInUse>) -> Self {
        let objects = schemas.iter().map(|schema| Arc::clone(&schema.object)).collect();
        let catch_all = schemas.iter().position(|schema| schema.name() == CATCH_ALL);
        let catch_all = catch_all.unwrap_or(schemas.len());
        Self { schemas, classifier: Classifier::new(objects), catch_all }
    }

    /// The FlowSchema that claims a request. What none claims is for the catch-all one.
    pub(super) fn classify(&self, digest: &RequestDigest<'_>) -> Option<&SchemaInUse> {
        self.schemas.get(self.classifier.classify(digest).unwrap_or(self.catch_all))
    }

    /// What is in use, by the FlowSchemas' places in memory: an object that did not change stays
    /// where it is.
    pub(super) fn flows(&self) -> BTreeMap<*const FlowSchema, &Arc<Flow>> {
        let schemas = self.schemas.iter();
        schemas.map(|schema| (Arc::as_ptr(&schema.object), &schema.flow)).collect()
    }
}

impl SchemaInUse {
    fn name(&self) -> &str {
        &self.flow.flow_schema.name
    }

    /// What tells the request's flow from others, and the flow's hash. On levels without several
    /// queues flows do not matter.
    pub(super) fn flow_of<'a>(&self, digest: &RequestDigest<'a>) -> (&'a str, u64) {
        if !self.has_queues {
            return ("", 0);
        }
        let distinguisher = self.method.distinguisher(digest);
        (distinguisher, flow_hash(self.name(), distinguisher))
    }

    pub(super) fn classification(&self) -> Classification {
        Classification { flow: Arc::clone(&self.flow) }
    }
}

impl Classification {
    /// The FlowSchema's name.
    #[must_use]
    pub fn flow_schema_name(&self) -> &str {
        &self.flow.flow_schema.name
    }

    /// The FlowSchema's uid; empty for a built-in stand-in.
    #[must_use]
    pub fn flow_schema_uid(&self) -> &Bytes {
        &self.flow.flow_schema.uid
    }

    /// The level's name.
    #[must_use]
    pub fn priority_level_name(&self) -> &str {
        &self.flow.priority_level.name
    }

    /// The uid of the level's object; empty for a built-in stand-in.
    #[must_use]
    pub fn priority_level_uid(&self) -> &Bytes {
        &self.flow.priority_level.uid
    }
}

impl fmt::Debug for Classification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.flow, f)
    }
}
