//! Sets of fields of an object, and their notation in `managedFields` (spec: apimachinery 2.10).

mod element;
mod fields_v1;
mod literal;
mod set;

pub use element::{Path, PathElement};
pub use fields_v1::FieldsError;
pub use literal::Literal;
pub(crate) use literal::equal;
pub use set::FieldSet;
