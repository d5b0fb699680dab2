//! Defaults are values that their own schema allows and knows in full (spec: apimachinery 9.2).

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};

use crate::schema::{Node, prune_node, validate_embedded, validate_value};
use crate::value::equal;

const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// What is wrong with the defaults in the schema of a version.
pub(super) fn validate(root: &Node, path: &Path) -> ErrorList {
    let mut errors = ErrorList::default();
    let surrounding = Surrounding::Object(root);
    members(&mut errors, root, path, &surrounding, true);
    errors
}

/// What stands around a value: defaults inside the metadata of an object are tried in a whole one.
#[derive(Clone, Copy)]
enum Surrounding<'s> {
    /// The value is an object with metadata.
    Object(&'s Node),
    Member(&'s Self, &'s str),
    Item(&'s Self),
}

impl Surrounding<'_> {
    /// The whole object with a value in its place.
    fn around(&self, value: Value) -> Value {
        match self {
            Self::Object(_) => {
                let mut object = json!({ "apiVersion": "validation/v1", "kind": "Validation" });
                if let (Some(object), Value::Object(members)) = (object.as_object_mut(), value) {
                    object.extend(members);
                }
                object
            }
            Self::Member(parent, name) => parent.around(json!({ *name: value })),
            Self::Item(parent) => parent.around(json!([value])),
        }
    }

    fn schema(&self) -> &Node {
        match self {
            Self::Object(node) => node,
            Self::Member(parent, _) | Self::Item(parent) => parent.schema(),
        }
    }
}

fn walk(
    errors: &mut ErrorList,
    node: &Node,
    path: &Path,
    surrounding: &Surrounding<'_>,
    in_meta: bool,
) {
    let embedded = Surrounding::Object(node);
    let (surrounding, in_meta) =
        if node.embedded { (&embedded, false) } else { (surrounding, in_meta) };
    if let Some(default) = &node.default {
        let path = path.child("default");
        if in_meta {
            check_in_meta(errors, node, default, &path, surrounding);
        } else {
            check(errors, node, default, &path);
        }
    }
    if let Some(items) = &node.items {
        walk(errors, items, &path.child("items"), &Surrounding::Item(surrounding), in_meta);
    }
    members(errors, node, path, surrounding, in_meta);
}

fn members(
    errors: &mut ErrorList,
    node: &Node,
    path: &Path,
    surrounding: &Surrounding<'_>,
    in_meta: bool,
) {
    let is_object = matches!(surrounding, Surrounding::Object(_));
    for (name, property) in &node.properties {
        let in_meta = if is_object { META.contains(&name.as_str()) } else { in_meta };
        let path = path.child("properties").key(name);
        walk(errors, property, &path, &Surrounding::Member(surrounding, name), in_meta);
    }
}

fn check(errors: &mut ErrorList, node: &Node, default: &Value, path: &Path) {
    let mut pruned = default.clone();
    prune_node(node, &mut pruned, node.embedded);
    if !equal(&pruned, default) {
        errors.push(Error::invalid(path, Shown::json(default), "must not have unknown fields"));
    }
    let embedded = validate_embedded(node, default, path, node.embedded);
    if embedded.is_empty() {
        errors.extend(own(node, default, path));
    } else {
        errors.extend(embedded);
    }
}

fn check_in_meta(
    errors: &mut ErrorList,
    node: &Node,
    default: &Value,
    path: &Path,
    surrounding: &Surrounding<'_>,
) {
    let object = surrounding.around(default.clone());
    let wrong = validate_embedded(surrounding.schema(), &object, &Path::nil(), true);
    match wrong.aggregate() {
        Some(wrong) => {
            let detail = format!("must result in valid metadata: {wrong}");
            errors.push(Error::invalid(path, Shown::json(default), detail));
        }
        None => errors.extend(own(node, default, path)),
    }
}

/// What a default's own schema says of it. Its errors are named as inside an object of their own, below
/// the default.
fn own(node: &Node, default: &Value, path: &Path) -> ErrorList {
    let below = |mut error: Error| {
        error.field = match error.field.as_str() {
            "<nil>" => path.to_string(),
            field => format!("{path}.{field}"),
        };
        error
    };
    validate_value(node, default, None, "").into_iter().map(below).collect()
}
