//! Objects as they are stored, cached and served.

pub mod metadata;
mod store;

use std::sync::Arc;

use api::meta::ObjectMeta;
use bytes::Bytes;
use serde::Deserialize as _;
use serde_json::Value;
use storage::KeyValue;
use storage::cache::Decoder;

use crate::codec::json;
use crate::resources::{Layout, Resource};

pub use store::{ObjectEntry, ObjectStore, StoreOpener, Stores};

/// An object of the watch cache: its text is written once and shared by everyone who gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// What identifies and selects it.
    pub metadata: ObjectMeta,
    layout: Layout,
    /// Its JSON as it stands in lists, resource version inside.
    json: Bytes,
}

impl Object {
    /// An object from its canonical value, at the revision of its last write.
    #[must_use]
    pub fn new(mut value: Value, revision: u64, layout: Layout) -> Self {
        metadata::set_resource_version(&mut value, revision);
        Self::unstored(value, layout)
    }

    /// An object from its canonical value, as it is.
    #[must_use]
    pub fn unstored(mut value: Value, layout: Layout) -> Self {
        match (&mut value, layout) {
            (Value::Object(members), Layout::Typed) => {
                members.shift_remove("kind");
                members.shift_remove("apiVersion");
            }
            (value, Layout::Sorted) => value.sort_all_objects(),
            _ => {}
        }
        let metadata = ObjectMeta::deserialize(&value["metadata"]).unwrap_or_default();
        Self { metadata, layout, json: json::to_vec(&value).into() }
    }

    /// The JSON as it stands in lists of the version in which it is stored: typed objects have no
    /// kind and version there.
    #[must_use]
    pub fn item_json(&self) -> &Bytes {
        &self.json
    }

    /// Appends the JSON as it stands in lists of a version.
    pub fn push_item_json(&self, resource: &Resource, out: &mut Vec<u8>) {
        if resource.is_stored_as_served() {
            out.extend_from_slice(&self.json);
        } else {
            let served = Self::unstored(self.value(resource), self.layout);
            out.extend_from_slice(served.item_json());
        }
    }

    /// The JSON with kind and version.
    #[must_use]
    pub fn full_json(&self, resource: &Resource) -> Vec<u8> {
        if resource.is_stored_as_served() {
            return self.stored_json(resource.type_meta_json());
        }
        let mut value = self.value(resource);
        if self.layout == Layout::Sorted {
            value.sort_all_objects();
        }
        json::to_vec(&value)
    }

    /// The JSON with kind and version, for which `head` stands where they come first. It ends with
    /// a comma.
    fn stored_json(&self, head: &str) -> Vec<u8> {
        if self.layout == Layout::Sorted {
            return self.json.to_vec();
        }
        let mut out = Vec::with_capacity(head.len() + self.json.len());
        out.extend_from_slice(head.as_bytes());
        match self.json.get(1..) {
            Some(b"}") | None => {
                out.pop();
                out.push(b'}');
            }
            Some(members) => out.extend_from_slice(members),
        }
        out
    }

    /// The value with kind and version.
    #[must_use]
    pub fn value(&self, resource: &Resource) -> Value {
        let stored = self.stored_json(resource.type_meta_json());
        resource.to_served(serde_json::from_slice(&stored).unwrap_or_default())
    }
}

/// Reads stored objects.
#[derive(Debug)]
pub struct ObjectDecoder {
    resource: Arc<Resource>,
}

impl Decoder for ObjectDecoder {
    type Object = Object;

    fn decode(&self, stored: &KeyValue) -> Object {
        let value = match serde_json::from_slice(&stored.value) {
            Ok(value) => self.resource.read_stored(value),
            Err(error) => {
                // Listed without content, so that it can be seen and deleted.
                tracing::error!(%error, key = stored.key.as_str(), "a stored object cannot be read");
                self.resource.zero()
            }
        };
        Object::new(value, stored.modified.0, self.resource.layout)
    }
}
