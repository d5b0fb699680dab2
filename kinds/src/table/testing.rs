//! What the tests of Tables share.

use api::time::Timestamp;
use serde_json::Value;

use super::Table;

/// The moment at which the tests look at objects.
pub(super) const NOW: &str = "2026-11-30T12:00:00Z";

/// The cells of an object, which must be as many as the columns.
pub(super) fn cells(table: &Table, object: &Value) -> Value {
    let now: Timestamp = NOW.parse().unwrap();
    let cells = (table.cells)(object, now);
    assert_eq!(cells.len(), table.columns.len(), "{object}: {cells:?}");
    Value::Array(cells)
}

/// The cells of an object in some of the columns.
pub(super) fn some_cells(table: &Table, object: &Value, columns: &[&str]) -> Value {
    let all = cells(table, object);
    let index = |name: &&str| {
        table.columns.iter().position(|column| column.name == *name).unwrap_or_else(|| {
            panic!("no column {name}");
        })
    };
    columns.iter().map(|name| all[index(name)].clone()).collect()
}
