//! What is code about a kind. Most kinds override little or nothing.

use serde_json::Value;
use validation::field::ErrorList;
use validation::flowcontrol::Gates;

/// The hooks of a kind. Objects are in canonical form with defaults filled in.
pub trait Strategy: Send + Sync {
    /// Whether `metadata.generation` counts changes of the desired state.
    fn has_generation(&self) -> bool {
        true
    }

    /// Whether an update without `resourceVersion` is taken.
    fn allows_unconditional_update(&self) -> bool {
        true
    }

    /// Whether an update of a missing object creates it.
    fn allows_create_on_update(&self) -> bool {
        false
    }

    /// Every version in which the kind was ever defined, newest first.
    fn known_versions(&self) -> &'static [&'static str] {
        &["v1"]
    }

    /// Validates a new object.
    fn validate_create(&self, object: &Value, gates: Gates) -> ErrorList;

    /// Validates a changed object.
    fn validate_update(&self, object: &Value, old: &Value, gates: Gates) -> ErrorList;

    /// Validates an object whose status was changed.
    fn validate_status_update(&self, object: &Value, old: &Value, gates: Gates) -> ErrorList;
}
