//! The types on the wire and the table that describes them. No I/O, no tasks, no clock.
//!
//! [`schema::TypeDef`] is the hub: strict decoding, defaulting, validation, patching, apply,
//! OpenAPI, protobuf and `kubectl explain` all read the same table. Built-in kinds get theirs from
//! `#[derive(Schema)]`; later ones from recorded tables or from a custom resource definition.

// The derive names this crate by its public path, also from within.
extern crate self as api;

pub mod decode;
pub mod flowcontrol;
pub mod meta;
pub mod quantity;
pub mod schema;
pub mod status;
pub mod time;

pub use api_derive::Schema;
