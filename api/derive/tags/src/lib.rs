//! Validation tags: what they are, how they are written, and where they may stand.
//!
//! [`TAGS`] is the one table: the derive checks attributes against it at compile time, the engine
//! in `validation` reads it when it compiles a type's rules, and the documentation page is
//! generated from it. No dependency, so that the derive stays quick to build.

mod check;
mod docs;
mod format;
mod lint;
pub mod model;
mod notation;
mod parse;
mod read;
mod rule;
mod syntax;
mod table;

pub use check::{CheckError, check};
pub use docs::markdown;
pub use format::Format;
pub use lint::{Finding, PackageLevel, lint};
pub use model::Model;
pub use rule::{Constraint, ListKind, Rule, RuleError};
pub use syntax::{Argument, Literal, ParseError, Payload, Tag};
pub use table::{Arguments, PayloadKind, Scope, Stability, TAGS, TagInfo, info};
