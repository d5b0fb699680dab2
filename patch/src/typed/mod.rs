//! Objects seen through their type: which fields they have, what differs between two of them,
//! merging one into another, and taking fields out (spec: apimachinery 2.11).
//!
//! Values need not be in canonical form: what a client applies is taken as it was written.

mod compare;
mod fields;
mod item;
mod merge;
mod named;
mod node;
mod prune;
mod validate;

pub use compare::{Comparison, compare};
pub use fields::field_set;
pub use merge::merge;
pub use named::with_named_fields;
pub use prune::{extract, remove};
pub use validate::{Duplicates, Invalid, validate};
