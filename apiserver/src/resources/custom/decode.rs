//! Reading documents as custom resources.

use api::decode::{Decoded, Tree, decode};
use api::meta::ObjectMeta;
use api::schema::Described as _;
use custom::Schema;
use patch::note_duplicates;
use serde_json::Value;
use validation::field::{Error, Path, Shown};

use crate::resources::GroupVersionKind;

const METADATA: &str = "metadata";

/// Reads a document: metadata as every object has it, the rest as the schema says. What it does not
/// know is dropped. Values of the wrong type stay; they are found when the object is validated.
pub(super) fn read(
    kind: &GroupVersionKind,
    schema: &Schema,
    tree: Tree,
) -> Result<Decoded, String> {
    let mut problems = Vec::new();
    note_duplicates(&tree, "", &mut problems);
    let metadata = tree.member(METADATA).cloned();
    let mut value = tree.into_value();
    if !value.is_object() {
        return Err(format!("an object is needed, not {value}"));
    }
    if let Some(metadata) = metadata {
        let decoded = read_metadata(metadata)?;
        problems.extend(decoded.problems);
        value[METADATA] = decoded.value;
    }
    // Documents of another kind are refused for that.
    if value["kind"] == *kind.kind && value["apiVersion"] == *kind.group_version() {
        let unknown = schema.prune(&mut value);
        problems.extend(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")));
    }
    Ok(Decoded { value, problems })
}

fn read_metadata(tree: Tree) -> Result<Decoded, String> {
    let Some(type_def) = ObjectMeta::type_def() else {
        return Ok(Decoded { value: tree.into_value(), problems: Vec::new() });
    };
    let value = tree.clone().into_value();
    let decoded = decode(type_def, without_duplicates(tree)).map_err(|mismatch| {
        let path = Path::new(METADATA);
        Error::invalid(&path, Shown::json(&value), mismatch.to_string()).to_string()
    })?;
    let problems = decoded
        .problems
        .into_iter()
        .map(|problem| problem.replacen("unknown field \"", "unknown field \"metadata.", 1));
    Ok(Decoded { value: decoded.value, problems: problems.collect() })
}

/// They were noted where the whole document was looked at.
fn without_duplicates(tree: Tree) -> Tree {
    Tree::from(tree.into_value())
}

/// Drops what is not written of an object's metadata: nothing of it is ever `null`.
pub(super) fn drop_empty_metadata(object: &mut Value) {
    let (Some(metadata), Some(type_def)) = (object.get_mut(METADATA), ObjectMeta::type_def())
    else {
        return;
    };
    type_def.prune(metadata);
    if let Value::Object(members) = metadata {
        members.retain(|_, value| !value.is_null());
    }
}
