//! How the Tables of a kind look.

use api::time::Timestamp;
use kinds::convert::Conversion;
use kinds::table::Table;
use serde_json::Value;

/// Shows objects of a kind in Tables.
pub trait Printer: Send + Sync {
    /// The `columnDefinitions`.
    fn column_definitions(&self) -> Value;

    /// The cells of an object as it is served, at a moment.
    fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value>;

    /// By what the rows of a list are ordered; `None` keeps the order of storage.
    fn sort_key(&self) -> Option<fn(&Value) -> i64> {
        None
    }
}

/// The Table of a built-in kind. What it shows is the same in every version.
pub(super) struct BuiltIn {
    pub(super) table: &'static Table,
    pub(super) conversion: Option<Conversion>,
}

impl Printer for BuiltIn {
    fn column_definitions(&self) -> Value {
        self.table.column_definitions()
    }

    fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        match self.conversion {
            None => (self.table.cells)(object, now),
            Some(conversion) => {
                let mut object = object.clone();
                (conversion.to_hub)(&mut object);
                (self.table.cells)(&object, now)
            }
        }
    }

    fn sort_key(&self) -> Option<fn(&Value) -> i64> {
        self.table.sort_key
    }
}
