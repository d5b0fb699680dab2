//! What the server tells clients about its API: OpenAPI v3 and v2, and discovery.
//!
//! Pure functions from one description of what is served ([`resource::Group`] in served order) to
//! documents. Paths, parameters and operation names follow from the verbs of a resource; schemas
//! follow from its [`api::schema::TypeDef`]. Nothing here does I/O or knows HTTP types.

pub mod digest;
pub mod discovery;
pub mod marks;
pub mod recorded;
pub mod resource;
pub mod v2;
pub mod v3;

mod definitions;
mod document;
mod fixed_paths;
mod naming;
mod operation;
mod parameter;
mod paths;
mod subresource_paths;
#[cfg(test)]
mod testing;
