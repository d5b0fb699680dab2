//! Strategic merge patches: merge patches that know from the schema which lists to merge and by
//! which key, and that carry directives (spec: apimachinery 2.9).

mod directive;
mod list;
mod lookup;
mod map;
mod order;

use api::decode::Tree;
use api::schema::TypeDef;
use serde_json::{Map, Value};

use crate::duplicates::note_duplicates;
use crate::{PatchError, Patched};

/// Applies a strategic merge patch to an object of that type.
///
/// # Errors
///
/// [`PatchError::BadRequest`] for a patch or directive of the wrong form,
/// [`PatchError::Unprocessable`] for lists of lists, [`PatchError::Internal`] for what the
/// reference does not expect either: unknown directives, missing merge keys, mixed lists.
pub fn strategic(type_def: &TypeDef, target: Value, patch: Tree) -> Result<Patched, PatchError> {
    let mut problems = Vec::new();
    note_duplicates(&patch, "", &mut problems);
    let target = match target {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    let patch = match patch.into_value() {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        other => {
            return Err(PatchError::BadRequest(format!(
                "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                Tree::from(other).kind()
            )));
        }
    };
    let merged = map::merge(target, patch, lookup::Lookup::Struct(type_def))?;
    Ok(Patched { value: Value::Object(merged), problems })
}

#[cfg(test)]
mod tests;
