//! Versions of a kind that are stored as another one.

use std::sync::Arc;

use api::decode::decode_value;
use api::schema::TypeDef;
use kinds::convert::Conversion;
use serde_json::Value;

use super::GroupVersionKind;
use crate::codec::body::set_type_meta;

/// Gets objects from a version to the one that is stored, and back.
pub trait Convert: Send + Sync {
    /// An object of this version as it is stored.
    fn to_stored(&self, object: Value) -> Value;

    /// A stored object in this version.
    fn to_served(&self, object: Value) -> Value;
}

/// How older versions of built-in kinds are written.
pub(super) struct BuiltIn {
    pub(super) conversion: Conversion,
    pub(super) kind: GroupVersionKind,
    pub(super) type_def: Arc<TypeDef>,
}

impl Convert for BuiltIn {
    fn to_stored(&self, mut object: Value) -> Value {
        (self.conversion.to_hub)(&mut object);
        let Conversion { group, version, .. } = self.conversion;
        set_type_meta(&mut object, &GroupVersionKind::new(group, version, &self.kind.kind));
        object
    }

    fn to_served(&self, mut object: Value) -> Value {
        (self.conversion.from_hub)(&mut object);
        // Versions differ in what they write of zero values.
        if let Ok(canonical) = decode_value(&self.type_def, object.clone()) {
            object = canonical;
        }
        set_type_meta(&mut object, &self.kind);
        object
    }
}
