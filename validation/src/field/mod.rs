//! Errors about fields, and how they become causes and messages (spec: validation 1).

mod error;
mod list;
mod path;
mod trail;

pub use error::{Error, ErrorType, Level, Origin, Shown};
pub use list::ErrorList;
pub use path::Path;
pub use trail::Trail;
