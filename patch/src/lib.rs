//! How objects change: patches, and who owns which field of the result. Pure functions over
//! [`api::schema::TypeDef`] and JSON values; no I/O, and the time is an argument.
//!
//! Objects are in canonical form ([`api::decode::decode`], then
//! [`api::schema::TypeDef::apply_defaults`]) wherever they come in. What the three patch formats
//! give back still has to be decoded: a patch may write anything anywhere.

mod duplicates;
mod error;
pub mod fieldset;
pub mod go_text;
mod json_patch;
pub mod managed;
mod merge_patch;
mod strategic;
pub mod typed;

pub use duplicates::note_duplicates;
pub use error::{PatchError, Patched};
pub use json_patch::json_patch;
pub use merge_patch::merge_patch;
pub use strategic::strategic;
