//! Tables: what kubectl prints (spec: apimachinery 4.4, apf 2.6).
//!
//! Each file below holds the Tables of a group, or of a kind that needs more room; `registry` is
//! the one list of them. Cells are made from objects in canonical JSON, in which anything may be
//! absent or null: a cell then shows what the reference shows for the zero value of its type.

mod admission;
mod apps;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core_config;
mod core_event;
mod core_node;
mod core_pod;
mod core_service;
mod core_volume;
mod core_workload;
mod discovery;
mod extension;
mod fields;
mod flowcontrol;
mod format;
mod migration;
mod networking;
mod node;
mod policy;
mod rbac;
mod registry;
mod resource;
mod scheduling;
mod selector;
mod storage;
#[cfg(test)]
mod testing;

use api::time::Timestamp;
use serde_json::{Value, json};

pub use core_pod::row_conditions as pod_row_conditions;

/// A column of a Table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// The JSON type of its cells: `string`, `integer`, `number`, `boolean` or `date`.
    pub cell_type: &'static str,
    /// `name` for the column of names, else mostly empty.
    pub format: &'static str,
    /// What the cells hold, in words for people. Descriptions of at most 40 characters are the
    /// reference's, which clients may compare; all others are longer, and our own.
    pub description: &'static str,
    /// 0 for what is always shown, more for what is shown when asked for.
    pub priority: i32,
}

impl Column {
    /// The column of names.
    pub const NAME: Self = Self {
        name: "Name",
        cell_type: "string",
        format: "name",
        description: "The object's name, unique among the objects of its kind.",
        priority: 0,
    };

    /// The column of ages.
    pub const AGE: Self =
        Self::text("Age", "The time since the object was created, as the server sees it.");

    /// The column of times of creation.
    pub const CREATED_AT: Self =
        Self::text("Created At", "The moment of the object's creation, by the server's clock.")
            .of_type("date");

    /// A column of texts.
    #[must_use]
    pub const fn text(name: &'static str, description: &'static str) -> Self {
        Self { name, cell_type: "string", format: "", description, priority: 0 }
    }

    /// The same, shown only when asked for (`kubectl get -o wide`).
    #[must_use]
    pub const fn wide(mut self) -> Self {
        self.priority = 1;
        self
    }

    /// The same with cells of another type.
    #[must_use]
    pub const fn of_type(mut self, cell_type: &'static str) -> Self {
        self.cell_type = cell_type;
        self
    }
}

/// Makes the cells of an object, at a moment: one for each column, in their order. Rows of
/// `ipaddresses` have one more, an age, as the reference's have.
pub type Cells = fn(&Value, Timestamp) -> Vec<Value>;

/// How the Tables of a kind look.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// The columns.
    pub columns: &'static [Column],
    /// The cells of an object, at a moment.
    pub cells: Cells,
    /// Puts the rows of a list into order; `None` keeps the order of storage.
    pub sort_key: Option<fn(&Value) -> i64>,
}

/// The Table of kinds of which nothing but name and age is shown.
pub static PLAIN: Table = Table::new(&[Column::NAME, Column::AGE], |object, now| {
    vec![fields::name(object), age_of(object, now)]
});

/// The Table of kinds that have no printer of their own: name and time of creation.
pub static GENERIC: Table = Table::new(&[Column::NAME, Column::CREATED_AT], |object, _| {
    vec![fields::name(object), fields::text(object, "/metadata/creationTimestamp")]
});

/// The Table of a built-in resource, for instance of `apps` and `deployments`. One that is not
/// known looks as the reference's resources without a printer do.
#[must_use]
pub fn of(group: &str, plural: &str) -> &'static Table {
    registry::find(group, plural).unwrap_or(&GENERIC)
}

impl Table {
    const fn new(columns: &'static [Column], cells: Cells) -> Self {
        Self { columns, cells, sort_key: None }
    }

    /// The `columnDefinitions`.
    #[must_use]
    pub fn column_definitions(&self) -> Value {
        let definition = |column: &Column| {
            json!({
                "name": column.name,
                "type": column.cell_type,
                "format": column.format,
                "description": column.description,
                "priority": column.priority,
            })
        };
        self.columns.iter().map(definition).collect()
    }
}

/// What a cell shows when there is nothing.
pub const NONE: &str = "<none>";

/// The value at a path, or `<none>`.
#[must_use]
pub fn cell(object: &Value, pointer: &str) -> Value {
    match object.pointer(pointer) {
        None | Some(Value::Null) => NONE.into(),
        Some(value) => value.clone(),
    }
}

/// How long ago the object was created.
#[must_use]
pub fn age_of(object: &Value, now: Timestamp) -> Value {
    fields::since(object, "/metadata/creationTimestamp", now).into()
}

/// A span of time in a word: two units while the larger one is small.
#[must_use]
pub fn age(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match seconds {
        ..=-2 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

fn two(large: i64, large_unit: &str, small: i64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit}{small}{small_unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_written_in_at_most_two_units() {
        for (seconds, text) in [
            (-5, "<invalid>"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (227, "3m47s"),
            (600, "10m"),
            (10_800, "3h"),
            (10_860, "3h1m"),
            (172_799, "47h"),
            (172_800, "2d"),
            (176_400, "2d1h"),
            (700_000, "8d"),
            (63_158_400, "2y1d"),
            (315_360_000, "10y"),
        ] {
            assert_eq!(age(seconds), text, "{seconds}");
        }
    }
}
