//! The schema as a table, for those who read objects by tables: server-side apply and the books of
//! managed fields (spec: apimachinery 2.11).

use std::sync::Arc;

use api::meta::ObjectMeta;
use api::schema::{
    Described, Field, FieldParts, List, ListType, Presence, Shape, TypeDef, TypeRef,
};
use serde_json::Value;

use super::KindName;
use super::node::{Kind, ListKind, Node};

/// Any JSON value, in the words of the tables.
const ANY: Shape = Shape::Json("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON");
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The type of a version's objects.
pub(super) fn type_def(kind: KindName<'_>, node: &Node) -> TypeDef {
    let labels = kind.group.rsplit('.').collect::<Vec<_>>().join(".");
    let openapi_name = format!("{labels}.{}.{}", kind.version, kind.kind);
    structure(kind.kind, &openapi_name, node, true)
}

fn structure(name: &str, openapi_name: &str, node: &Node, is_object: bool) -> TypeDef {
    let mut fields = Vec::new();
    if is_object {
        fields.push(field("apiVersion", Shape::String(&[]), None));
        fields.push(field("kind", Shape::String(&[]), None));
        fields.push(field("metadata", ObjectMeta::shape(), None));
    }
    for (name, property) in &node.properties {
        if is_object && META.contains(&name.as_str()) {
            continue;
        }
        let openapi_name = format!("{openapi_name}.{name}");
        let mut field = field(name, shape(name, &openapi_name, property), property.default.clone());
        field.atomic = property.atomic_map;
        field.required = node.limits.required.contains(name);
        fields.push(field);
    }
    TypeDef {
        name: name.to_owned(),
        openapi_name: openapi_name.to_owned(),
        description: String::new(),
        fields,
        atomic: node.atomic_map,
        open: node.preserves_unknown,
        unions: Vec::new(),
        rules: Vec::new(),
    }
}

/// Defaults are only documented here: they are filled in by the schema, which knows more of `null`.
fn field(name: &str, shape: Shape, default: Option<Value>) -> Field {
    let parts = FieldParts {
        name: "",
        description: "",
        shape,
        presence: Presence::Optional,
        number: 0,
        required: false,
        default: None,
    };
    Field { name: name.to_owned(), openapi_default: default, ..Field::described(parts) }
}

fn shape(name: &str, openapi_name: &str, node: &Node) -> Shape {
    if node.int_or_string {
        return Shape::IntOrString;
    }
    let below = |node| shape(name, &format!("{openapi_name}.item"), node);
    match node.kind {
        Some(Kind::String) => Shape::String(&[]),
        Some(Kind::Boolean) => Shape::Bool,
        Some(Kind::Integer) => Shape::Int64,
        Some(Kind::Number) => Shape::Double,
        Some(Kind::Array) => {
            let item = node.items.as_deref().map_or(ANY, below);
            let list_type = match &node.list {
                ListKind::Atomic => ListType::Atomic,
                ListKind::Set => ListType::Set,
                ListKind::Map(keys) => ListType::Map(keys.clone()),
            };
            Shape::List(Box::new(List { item, list_type, patch_merge: None }))
        }
        Some(Kind::Object) => match node.additional_schema() {
            Some(schema) => Shape::Map(Box::new(below(schema))),
            None if node.properties.is_empty() && !node.embedded && !node.atomic_map => ANY,
            None => {
                let type_def = structure(name, openapi_name, node, node.embedded);
                Shape::Struct(TypeRef::Owned(Arc::new(type_def)))
            }
        },
        None => ANY,
    }
}
