//! What is particular about the built-in kinds beside flow control: how their Tables look, what the
//! server fills in, and what it refuses. Pure functions over objects in canonical JSON; the types
//! themselves are recorded tables in crate `openapi`.
//!
//! A new object goes this way: it is decoded by its table, [`quantity::canonicalize`] writes its
//! quantities as one does, the table's own defaults and [`defaults::fill`] complete it; then it gets
//! name, uid and creation time, the plugins of [`admission`] look at it, [`defaults::prepare_create`] decides what the server decides, the
//! caller allocates addresses and ports, and [`rules::validate_create`] refuses. What is to be
//! stored is decoded by the table once more, for the order of its members. A changed object goes the
//! same way with the other functions of the same names.

pub mod admission;
pub mod convert;
pub mod defaults;
pub mod definition;
pub mod deletion;
pub mod deprecation;
mod registry;
pub mod rules;
pub mod services;
pub mod table;
mod value;
