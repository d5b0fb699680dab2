//! The books of managed fields.

use std::sync::Arc;

use api::schema::TypeDef;
use patch::managed::{Endpoint, Versions, Writer};
use serde_json::Value;

use super::WriteContext;
use crate::resources::{Resource, Resources};

impl WriteContext<'_> {
    /// The object with its managed fields as the write leaves them.
    pub(crate) fn keep_books(&self, live: Option<&Value>, mut object: Value) -> Value {
        self.resource.drop_empty(&mut object);
        self.with_endpoint(|endpoint, writer| {
            patch::managed::update(endpoint, live, object, writer)
        })
    }

    /// Calls with what managed fields need to know about the place that is written to.
    pub(crate) fn with_endpoint<T>(&self, f: impl FnOnce(&Endpoint<'_>, Writer<'_>) -> T) -> T {
        let served = self.server.catalog.peek();
        let versions = ServedVersions(&served.resources, self.resource);
        let reset_fields = self.part.reset_fields(self.resource);
        let endpoint = Endpoint {
            group_version: self.resource.api_version(),
            kind: &self.resource.kind.kind,
            subresource: self.part.subresource,
            reset_fields: &reset_fields,
            versions: &versions,
        };
        let now = self.server.clock.timestamp();
        f(&endpoint, Writer { manager: &self.origin.manager, now })
    }
}

/// The versions in which a resource is served, for managed fields.
struct ServedVersions<'a>(&'a Resources, &'a Resource);

impl ServedVersions<'_> {
    fn find(&self, group_version: &str) -> Option<&Arc<Resource>> {
        self.0.versions_of(self.1).find(|other| other.api_version() == group_version)
    }
}

impl Versions for ServedVersions<'_> {
    fn type_def(&self, group_version: &str) -> Option<&TypeDef> {
        self.find(group_version).map(|resource| &**resource.type_def())
    }

    fn convert(&self, object: &Value, from: &str, to: &str) -> Option<Value> {
        let stored = self.find(from)?.to_stored(object.clone());
        Some(self.find(to)?.to_served(stored))
    }
}
