//! Custom resources: what a `CustomResourceDefinition` says, what makes one invalid, and what its
//! schema does to objects (spec: apimachinery 9).
//!
//! An object goes this way: it is read as JSON, [`Schema::prune`] takes away what the schema does not
//! know, [`Schema::apply_defaults`] fills in what was left out, and [`Schema::validate`] refuses.
//! Server-side apply sees it through [`Schema::type_def`]; clients are told of it by
//! [`Schema::openapi_v2`] and [`Schema::openapi_v3`].
//!
//! Nothing here does I/O, serves HTTP or asks for the time. Whatever schemas and objects look like,
//! nothing here panics, and what expressions may cost is bounded.

pub mod admission;
pub mod cel;
pub mod definition;
mod pattern;
mod rules;
pub mod schema;
mod value;

pub use definition::{Definition, DefinitionError, Version, validate_create, validate_update};
pub use schema::{Schema, SchemaError};
