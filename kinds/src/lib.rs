//! What is particular about the built-in kinds beside flow control: how their Tables look, what the
//! server fills in, and what it refuses. Pure functions over objects in canonical JSON; the types
//! themselves are recorded tables in crate `openapi`.

pub mod convert;
pub mod defaults;
pub mod deletion;
pub mod deprecation;
pub mod quantity;
mod registry;
pub mod rules;
pub mod table;
mod value;
