//! From text to canonical objects: a tree that forgets nothing, then the schema's reading of it.

mod canonical;
mod tree;

use serde::{Deserialize, Deserializer};

pub(crate) use canonical::is_empty;
pub use canonical::{Decoded, Mismatch, decode, decode_value};
pub use tree::{SyntaxError, Tree, parse_json};

/// Reads `null` as an empty list, as the wire format writes some empty lists.
///
/// # Errors
///
/// Those of the items.
pub fn null_as_empty<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
