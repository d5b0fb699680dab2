//! What is code about a kind. Most kinds override little or nothing.

use api::decode::{Decoded, Tree, decode};
use api::schema::TypeDef;
use custom::definition::Scale;
use serde_json::Value;
use validation::field::ErrorList;
use validation::flowcontrol::Context;

/// The hooks of a kind. Objects are in canonical form with defaults filled in.
pub trait Strategy: Send + Sync {
    /// Reads a document as an object of the kind; defaults are not filled in.
    ///
    /// # Errors
    ///
    /// What has the wrong type, in words.
    fn decode(&self, type_def: &TypeDef, tree: Tree) -> Result<Decoded, String> {
        decode(type_def, tree).map_err(|mismatch| mismatch.to_string())
    }

    /// Fills in the defaults of the type, and those that the type does not tell.
    fn apply_defaults(&self, type_def: &TypeDef, object: &mut Value) {
        type_def.apply_defaults(object);
        self.fill_defaults(object);
    }

    /// Brings an object that was read from the store into the form in which it is written now:
    /// types of built-in kinds do not change.
    fn read_stored(&self, object: Value) -> Value {
        object
    }

    /// Drops what is not written: empty lists.
    fn drop_empty(&self, type_def: &TypeDef, object: &mut Value) {
        type_def.prune(object);
    }

    /// Whether an update may do without a resource version, and overwrite whatever there is.
    fn allows_unconditional_update(&self) -> bool {
        true
    }

    /// Why no object can be created for now, if so.
    fn creation_refusal(&self) -> Option<&'static str> {
        None
    }

    /// What holds every object of the kind whose deletion begins.
    fn finalizer(&self) -> Option<&'static str> {
        None
    }

    /// Whether `metadata.generation` counts changes of the desired state.
    fn has_generation(&self) -> bool {
        true
    }

    /// Further versions in which the kind was defined once.
    fn known_versions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a new object keeps the status that its maker gave it.
    fn keeps_status_on_create(&self) -> bool {
        false
    }

    /// The members of the metadata that a write of the status may change as well: of many kinds none,
    /// of older ones some (spec: apimachinery 2.8).
    fn metadata_with_status(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether an update of an object that is not there creates it.
    fn allows_create_on_update(&self) -> bool {
        false
    }

    /// Fills in defaults that the type does not tell.
    fn fill_defaults(&self, _object: &mut Value) {}

    /// Decides what the server decides about a new object.
    fn prepare_create(&self, _object: &mut Value) {}

    /// Decides what the server decides about a changed object.
    fn prepare_update(&self, _object: &mut Value, _old: &Value) {}

    /// Why an object of that name must not be deleted, if so.
    fn deletion_refusal(&self, _name: &str) -> Option<&'static str> {
        None
    }

    /// Whether dependents are left alone where nobody says what becomes of them.
    fn orphans_by_default(&self) -> bool {
        false
    }

    /// What clients are told who leave open what becomes of dependents.
    fn deletion_warning(&self) -> Option<&'static str> {
        None
    }

    /// How many seconds an object is given to end, where objects of the kind do something that
    /// has to end; `asked` is what the client gives it.
    fn deletion_grace_seconds(&self, _object: &Value, _asked: Option<i64>) -> Option<i64> {
        None
    }

    /// Whether an object stays although no finalizer in its metadata holds it.
    fn holds(&self, _object: &Value) -> bool {
        false
    }

    /// What else changes in an object when its deletion begins.
    fn begin_deletion(&self, _object: &mut Value) {}

    /// Where the scale subresource finds what it shows; `None` for the usual places.
    fn scale(&self) -> Option<&Scale> {
        None
    }

    /// What clients are told of an object that is right all the same; `old` is the one that it
    /// replaces.
    fn warnings(&self, _object: &Value, _old: Option<&Value>) -> Vec<String> {
        Vec::new()
    }

    /// Validates a new object.
    fn validate_create(&self, object: &Value, context: Context<'_>) -> ErrorList;

    /// Validates a changed object.
    fn validate_update(&self, object: &Value, old: &Value, context: Context<'_>) -> ErrorList;

    /// Validates an object whose status was changed.
    fn validate_status_update(
        &self,
        object: &Value,
        old: &Value,
        context: Context<'_>,
    ) -> ErrorList {
        self.validate_update(object, old, context)
    }

    /// Validates an object of which another part was changed through its `subresource`.
    fn validate_part_update(
        &self,
        _subresource: &str,
        object: &Value,
        old: &Value,
        context: Context<'_>,
    ) -> ErrorList {
        self.validate_update(object, old, context)
    }
}
