//! Label and field selectors (spec: apimachinery 3.4).

mod field;
mod label;
mod lexer;

pub use field::FieldSelector;
pub use label::LabelSelector;
