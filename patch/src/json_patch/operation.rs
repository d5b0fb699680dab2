//! Reading the operations of a patch.

use api::decode::Tree;
use serde_json::Value;

use crate::PatchError;
use crate::duplicates::{note, note_duplicates};

/// One operation as it was sent; what it lacks is found out when it is applied.
#[derive(Debug, Default)]
pub(super) struct Operation {
    pub(super) op: Option<String>,
    pub(super) path: Option<String>,
    pub(super) from: Option<String>,
    pub(super) value: Value,
}

/// Reads a patch and notes what a strict reader would refuse.
pub(super) fn read(patch: Tree, problems: &mut Vec<String>) -> Result<Vec<Operation>, PatchError> {
    match patch {
        Tree::Null => Ok(Vec::new()),
        Tree::List(items) => items
            .into_iter()
            .enumerate()
            .map(|(index, item)| operation(index, item, problems))
            .collect(),
        other => Err(mismatch(&other, "value", "[]handlers.jsonPatchOp")),
    }
}

fn operation(
    index: usize,
    item: Tree,
    problems: &mut Vec<String>,
) -> Result<Operation, PatchError> {
    let members = match item {
        Tree::Object(members) => members,
        Tree::Null => return Ok(Operation::default()),
        other => return Err(mismatch(&other, "value", "handlers.jsonPatchOp")),
    };
    let mut operation = Operation::default();
    let mut seen: Vec<String> = Vec::new();
    for (name, tree) in members {
        let path = format!("[{index}].{name}");
        if !matches!(name.as_str(), "op" | "path" | "from" | "value") {
            note(problems, format!("json patch unknown field \"{path}\""));
            continue;
        }
        if seen.contains(&name) {
            note(problems, format!("json patch duplicate field \"{path}\""));
        }
        match name.as_str() {
            "op" => operation.op = text(tree, "op")?,
            "path" => operation.path = text(tree, "path")?,
            "from" => operation.from = text(tree, "from")?,
            _ => {
                note_in_value(&tree, &path, problems);
                operation.value = tree.into_value();
            }
        }
        seen.push(name);
    }
    Ok(operation)
}

fn note_in_value(tree: &Tree, path: &str, problems: &mut Vec<String>) {
    let mut duplicates = Vec::new();
    note_duplicates(tree, path, &mut duplicates);
    for duplicate in duplicates {
        note(problems, format!("json patch {duplicate}"));
    }
}

fn text(tree: Tree, member: &str) -> Result<Option<String>, PatchError> {
    match tree {
        Tree::String(text) => Ok(Some(text)),
        Tree::Null => Ok(None),
        other => Err(mismatch(&other, &format!("struct field jsonPatchOp.{member}"), "string")),
    }
}

fn mismatch(found: &Tree, place: &str, expected: &str) -> PatchError {
    PatchError::BadRequest(format!(
        "error decoding patch: json: cannot unmarshal {} into Go {place} of type {expected}",
        found.kind()
    ))
}
