//! Validation: the error model, the string formats, object metadata, and the rules of the kinds.
//!
//! Objects come in canonical form with defaults filled in (see `api::decode`). Nothing here does
//! I/O or asks for the time. Texts are the reference's, to the byte.

pub mod field;
pub mod flowcontrol;
pub mod format;
pub mod lifecycle;
pub mod object_meta;
pub mod rules;
pub mod text;
mod view;

/// The examples of the documentation compile and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/adding-a-validation-rule.md")]
#[doc = include_str!("../../docs/adding-a-validation-tag.md")]
pub struct Documentation;
