//! What a definition says.

mod columns;
mod conversion;
mod defaults;
mod field_path;
mod json_path;
mod list_types;
mod names;
mod parse;
mod schema_rules;
mod structural;
#[cfg(test)]
mod tests;
mod validate;

use std::sync::Arc;

use api::time::Timestamp;
use serde_json::{Map, Value};

pub(crate) use field_path::resolve as resolve_field_path;
pub(crate) use names::label_problem;
pub use validate::{validate_create, validate_update};

use crate::schema::{Schema, SchemaError};
use json_path::JsonPath;

/// A definition that was found valid, in a form to work with.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The group, such as `example.com`.
    pub group: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// What the kind is called.
    pub names: Names,
    /// Its versions, in the order in which they are written.
    pub versions: Vec<Version>,
    /// How objects get from one version to another.
    pub conversion: Conversion,
}

/// `spec.names`, or the part of it that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// Names the resource in paths, such as `widgets`.
    pub plural: String,
    /// Such as `widget`.
    pub singular: String,
    /// Other names that kubectl takes.
    pub short_names: Vec<String>,
    /// Such as `Widget`.
    pub kind: String,
    /// Such as `WidgetList`.
    pub list_kind: String,
    /// Groups of resources, such as `all`.
    pub categories: Vec<String>,
}

/// `spec.conversion`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    None,
    /// A webhook is asked.
    Webhook(Webhook),
}

/// A conversion webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// `clientConfig`, as it is written: `url` or `service`, and `caBundle`.
    pub client_config: Value,
    /// The versions of `ConversionReview` that it understands, the preferred first.
    pub review_versions: Vec<String>,
}

/// A version of a kind.
#[derive(Debug, Clone)]
pub struct Version {
    /// Such as `v1`.
    pub name: String,
    /// Whether it is served.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// What clients of a deprecated version are warned with.
    pub deprecation_warning: Option<String>,
    /// Whether the status is a subresource.
    pub status: bool,
    /// The scale subresource.
    pub scale: Option<Scale>,
    /// The columns of Tables beside the name; `Age` alone if none are declared.
    pub columns: Vec<Column>,
    /// The fields that field selectors may name.
    pub selectable_fields: Vec<FieldPath>,
    /// What objects look like.
    pub schema: Arc<Schema>,
}

/// Where the scale subresource finds what it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// The wished number of replicas.
    pub spec_replicas: FieldPath,
    /// The observed number of replicas.
    pub status_replicas: FieldPath,
    /// The label selector as text.
    pub label_selector: Option<FieldPath>,
}

/// A path of plain members, such as `.spec.replicas`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath {
    members: Vec<String>,
}

impl FieldPath {
    /// Reads a path such as `.spec.replicas`; `None` if it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let members: Vec<String> = text.strip_prefix('.')?.split('.').map(str::to_owned).collect();
        (!members.iter().any(String::is_empty)).then_some(Self { members })
    }

    /// The names of the members, outermost first.
    #[must_use]
    pub fn members(&self) -> &[String] {
        &self.members
    }

    /// The value at the path; `None` if there is none.
    #[must_use]
    pub fn get<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.members.iter().try_fold(object, |value, member| value.get(member))
    }

    /// Sets the value at the path, making the objects on the way; `false` if something else is in
    /// the way.
    pub fn set(&self, object: &mut Value, value: Value) -> bool {
        let mut place = object;
        for member in &self.members {
            if place.is_null() {
                *place = Value::Object(Map::new());
            }
            let Value::Object(members) = place else { return false };
            place = members.entry(member.clone()).or_insert(Value::Null);
        }
        *place = value;
        true
    }

    /// The name under which field selectors know it, such as `spec.color`.
    #[must_use]
    pub fn selector(&self) -> String {
        self.members.join(".")
    }

    /// What field selectors compare: text as it is, numbers and truth values in words, nothing as
    /// empty text.
    #[must_use]
    pub fn selected(&self, object: &Value) -> String {
        match self.get(object) {
            Some(Value::String(text)) => text.clone(),
            Some(value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
            _ => String::new(),
        }
    }
}

/// A column of Tables.
#[derive(Debug, Clone)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `integer`, `number`, `string`, `boolean` or `date`.
    pub column_type: String,
    /// Such as `int32`; may be empty.
    pub format: String,
    /// What the column shows.
    pub description: String,
    /// Columns of other priorities than 0 are only shown in wide Tables.
    pub priority: i64,
    path: JsonPath,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A value, or `null`.
    Value(Value),
    /// A moment, of which Tables show how long ago it was.
    Since(Timestamp),
}

impl Column {
    /// The cell of an object.
    #[must_use]
    pub fn cell(&self, object: &Value) -> Cell {
        let Some(value) = self.path.first(object) else { return Cell::Value(Value::Null) };
        let cell = match (self.column_type.as_str(), value) {
            ("string", Value::Null) => Some(Value::from("<nil>")),
            ("string", Value::String(_)) => Some(value.clone()),
            ("string", value) => Some(value.to_string().into()),
            ("integer", Value::Number(number)) => number
                .as_i64()
                .or_else(|| number.as_f64().map(|float| float as i64))
                .map(Value::from),
            ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => Some(value.clone()),
            ("date", Value::String(text)) => match moment(text) {
                Some(moment) => return Cell::Since(moment),
                None => Some(Value::from("<invalid>")),
            },
            _ => None,
        };
        Cell::Value(cell.unwrap_or(Value::Null))
    }
}

fn moment(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    Timestamp::from_unix_seconds(moment.as_second())
}

/// Why an object is no definition that can be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// A member that must be there is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// The schema of a version cannot be used.
    #[error("version {version}: {source}")]
    Schema {
        /// The name of the version.
        version: String,
        /// What is wrong with it.
        source: SchemaError,
    },
}

impl Definition {
    /// Reads a `CustomResourceDefinition`, with its defaults filled in. Versions that are not served
    /// are read as well.
    ///
    /// # Errors
    ///
    /// If it would not pass [`validate_create`].
    pub fn parse(definition: &Value) -> Result<Self, DefinitionError> {
        parse::definition(definition)
    }

    /// The version of that name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// The version in which objects are stored.
    #[must_use]
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }

    /// The `apiVersion` of a version's objects.
    #[must_use]
    pub fn api_version(&self, version: &str) -> String {
        format!("{}/{version}", self.group)
    }
}
