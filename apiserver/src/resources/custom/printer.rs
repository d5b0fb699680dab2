//! Tables of custom resources.

use api::time::Timestamp;
use custom::definition::{Cell, Column};
use kinds::table::{self, age};
use serde_json::{Value, json};

use crate::resources::Printer;

/// The name and the declared columns.
pub(super) struct Columns(pub(super) Vec<Column>);

impl Printer for Columns {
    fn column_definitions(&self) -> Value {
        let name = table::Column::NAME;
        let name = json!({
            "name": name.name,
            "type": name.cell_type,
            "format": name.format,
            "description": name.description,
            "priority": name.priority,
        });
        let declared = self.0.iter().map(|column| {
            json!({
                "name": column.name,
                "type": column.column_type,
                "format": column.format,
                "description": column.description,
                "priority": column.priority,
            })
        });
        std::iter::once(name).chain(declared).collect()
    }

    fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let name = object["metadata"]["name"].clone();
        let declared = self.0.iter().map(|column| match column.cell(object) {
            Cell::Value(value) => value,
            Cell::Since(then) => age(now.unix_seconds() - then.unix_seconds()).into(),
        });
        std::iter::once(name).chain(declared).collect()
    }
}
