//! Versions that differ in nothing but their schemas.

use serde_json::{Value, json};

use super::review::Side;
use crate::resources::Convert;

/// A version that is stored as another one: `apiVersion` changes, and each version keeps only what
/// its schema knows.
pub(super) struct OtherVersion {
    pub(super) served: Side,
    pub(super) stored: Side,
}

impl Convert for OtherVersion {
    fn to_stored(&self, object: Value) -> Value {
        to_version(object, &self.stored)
    }

    fn to_served(&self, object: Value) -> Value {
        to_version(object, &self.served)
    }
}

fn to_version(mut object: Value, side: &Side) -> Value {
    set_api_version(&mut object, &side.api_version);
    side.schema.prune(&mut object);
    side.schema.apply_defaults(&mut object);
    object
}

pub(super) fn set_api_version(object: &mut Value, api_version: &str) {
    if let Value::Object(members) = object {
        members.insert("apiVersion".to_owned(), json!(api_version));
    }
}
