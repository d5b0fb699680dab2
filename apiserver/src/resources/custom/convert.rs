//! Versions that differ in nothing but their schemas.

use std::sync::Arc;

use custom::Schema;
use serde_json::{Value, json};

use crate::resources::Convert;

/// A version that is stored as another one: `apiVersion` changes, and each version keeps only what
/// its schema knows.
pub(super) struct OtherVersion {
    pub(super) served_api_version: String,
    pub(super) served: Arc<Schema>,
    pub(super) stored_api_version: String,
    pub(super) stored: Arc<Schema>,
}

impl Convert for OtherVersion {
    fn to_stored(&self, object: Value) -> Value {
        to_version(object, &self.stored_api_version, &self.stored)
    }

    fn to_served(&self, object: Value) -> Value {
        to_version(object, &self.served_api_version, &self.served)
    }
}

fn to_version(mut object: Value, api_version: &str, schema: &Schema) -> Value {
    if let Value::Object(members) = &mut object {
        members.insert("apiVersion".to_owned(), json!(api_version));
    }
    schema.prune(&mut object);
    schema.apply_defaults(&mut object);
    object
}
