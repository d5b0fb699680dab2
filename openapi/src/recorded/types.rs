//! Tables of types from their lines.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::meta::{DeleteOptions, ListMeta, ObjectMeta};
use api::schema::{
    Described, Field, List, ListType, PatchMerge, Presence, Shape, TypeDef, TypeRef, Union,
};
use serde::Deserialize;
use serde_json::Value;

use super::describe;
use crate::marks::{self, MapType};

/// A type that is parsed when it is first asked for.
struct Entry {
    line: &'static str,
    parsed: OnceLock<Parsed>,
}

struct Parsed {
    type_def: Arc<TypeDef>,
    wire_paths: BTreeMap<&'static str, Vec<u32>>,
}

impl Entry {
    fn parsed(&self) -> &Parsed {
        self.parsed.get_or_init(|| parse(self.line))
    }
}

fn entry(openapi_name: &str) -> Option<&'static Entry> {
    static TYPES: LazyLock<BTreeMap<&'static str, Entry>> = LazyLock::new(|| {
        include_str!("../../data/types.jsonl")
            .lines()
            .filter_map(|line| {
                // Parsing just for the name would parse everything.
                let (name, _) = line.strip_prefix(r#"{"name":""#)?.split_once('"')?;
                Some((name, Entry { line, parsed: OnceLock::new() }))
            })
            .collect()
    });
    TYPES.get(openapi_name)
}

pub(super) fn find(openapi_name: &str) -> Option<&'static Arc<TypeDef>> {
    in_rust(openapi_name).or_else(|| Some(&entry(openapi_name)?.parsed().type_def))
}

pub(super) fn wire_path(openapi_name: &str, field: &str) -> Option<&'static [u32]> {
    entry(openapi_name)?.parsed().wire_paths.get(field).map(Vec::as_slice)
}

/// Types that are described in Rust.
fn in_rust(openapi_name: &str) -> Option<&'static Arc<TypeDef>> {
    let known = [
        ObjectMeta::type_def(),
        ListMeta::type_def(),
        DeleteOptions::type_def(),
        FlowSchema::type_def(),
        PriorityLevelConfiguration::type_def(),
    ];
    known.into_iter().flatten().find(|type_def| type_def.openapi_name == openapi_name)
}

/// The one type that contains itself.
const JSON_SCHEMA: &str =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

fn json_schema() -> &'static Arc<TypeDef> {
    static JSON_SCHEMA_TYPE: LazyLock<&'static Arc<TypeDef>> =
        LazyLock::new(|| required(JSON_SCHEMA));
    &JSON_SCHEMA_TYPE
}

/// A type that a line refers to.
#[expect(clippy::expect_used, reason = "a test resolves every name in the committed lines")]
pub(super) fn required(openapi_name: &str) -> &'static Arc<TypeDef> {
    find(openapi_name).expect("a recorded type")
}

#[derive(Deserialize)]
struct TypeLine {
    name: &'static str,
    #[serde(default)]
    atomic: bool,
    #[serde(default)]
    unions: Vec<UnionLine>,
    fields: Vec<FieldLine>,
}

#[derive(Deserialize)]
struct UnionLine {
    discriminator: String,
    members: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FieldLine {
    name: &'static str,
    #[serde(default)]
    number: u32,
    #[serde(default)]
    wire_path: Vec<u32>,
    presence: PresenceLine,
    shape: &'static str,
    #[serde(default)]
    required: bool,
    default: Option<Value>,
    openapi_default: Option<Value>,
    #[serde(default)]
    values: Vec<&'static str>,
    list_type: Option<ListTypeLine>,
    list_map_keys: Option<Vec<String>>,
    patch_merge_key: Option<String>,
    #[serde(default)]
    patch_merge: bool,
    #[serde(default)]
    undescribed: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum PresenceLine {
    Optional,
    OmitZero,
    Always,
    Nullable,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum ListTypeLine {
    Atomic,
    Set,
}

impl From<PresenceLine> for Presence {
    fn from(line: PresenceLine) -> Self {
        match line {
            PresenceLine::Optional => Self::Optional,
            PresenceLine::OmitZero => Self::OmitZero,
            PresenceLine::Always => Self::Always,
            PresenceLine::Nullable => Self::Nullable,
        }
    }
}

#[expect(clippy::expect_used, reason = "a test parses every committed line")]
fn parse(line: &'static str) -> Parsed {
    let line: TypeLine = serde_json::from_str(line).expect("a type");
    let (package, name) = line.name.rsplit_once('.').unwrap_or(("", line.name));
    let wire_paths = line.fields.iter().filter(|field| !field.wire_path.is_empty());
    let wire_paths = wire_paths.map(|field| (field.name, field.wire_path.clone())).collect();
    let type_def = TypeDef {
        name: name.to_owned(),
        openapi_name: line.name.to_owned(),
        description: describe::type_description(name),
        fields: line.fields.into_iter().map(|field| field.into_field(line.name, package)).collect(),
        atomic: line.atomic,
        open: false,
        unions: line.unions.into_iter().map(Union::from).collect(),
        rules: Vec::new(),
    };
    Parsed { type_def: Arc::new(type_def), wire_paths }
}

impl From<UnionLine> for Union {
    fn from(line: UnionLine) -> Self {
        Self { discriminator: line.discriminator, members: line.members.into_iter().collect() }
    }
}

impl FieldLine {
    fn into_field(self, type_name: &str, package: &str) -> Field {
        let presence = Presence::from(self.presence);
        let shape = self.shape(package);
        let zero = (presence == Presence::Always).then(|| shape.openapi_zero()).flatten();
        let openapi_default = self.openapi_default.or_else(|| self.default.clone()).or(zero);
        Field {
            name: self.name.to_owned(),
            description: if self.undescribed {
                String::new()
            } else {
                describe::field_description(self.name)
            },
            shape,
            presence,
            number: self.number,
            required: self.required,
            default: self.default,
            openapi_default,
            atomic: marks::map_type(type_name, self.name) == Some(MapType::Atomic),
            rules: Vec::new(),
            value_type: None,
        }
    }

    fn shape(&self, package: &str) -> Shape {
        let mut shape = shape(self.shape, package, &self.values);
        if let Shape::List(list) = &mut shape {
            list.list_type = match (&self.list_map_keys, self.list_type) {
                (Some(keys), _) => ListType::Map(keys.clone()),
                (None, Some(ListTypeLine::Atomic)) => ListType::Atomic,
                (None, Some(ListTypeLine::Set)) => ListType::Set,
                (None, None) => ListType::Unset,
            };
            list.patch_merge = match &self.patch_merge_key {
                Some(key) => Some(PatchMerge::ByKey(key.clone())),
                None => self.patch_merge.then_some(PatchMerge::Primitives),
            };
        }
        shape
    }
}

/// A shape from its text; `values` are those of the strings in it.
fn shape(text: &'static str, package: &str, values: &[&'static str]) -> Shape {
    if let Some(item) = text.strip_prefix("[]") {
        let item = shape(item, package, values);
        return Shape::List(Box::new(List { item, list_type: ListType::Unset, patch_merge: None }));
    }
    if let Some(value) = text.strip_prefix("{}") {
        return Shape::Map(Box::new(shape(value, package, values)));
    }
    match text {
        // Parsed once and kept for good, like the line they are part of.
        "string" => Shape::String(values.to_vec().leak()),
        "bool" => Shape::Bool,
        "int32" => Shape::Int32,
        "int64" => Shape::Int64,
        "double" => Shape::Double,
        "bytes" => Shape::Bytes,
        "time" => Shape::Time,
        "microTime" => Shape::MicroTime,
        "quantity" => Shape::Quantity,
        "intOrString" => Shape::IntOrString,
        _ => named_shape(text, package),
    }
}

/// `json:io.k8s.…` for JSON of any form, `.Volume` or `io.k8s.…` for a struct.
fn named_shape(text: &'static str, package: &str) -> Shape {
    if let Some(name) = text.strip_prefix("json:") {
        return Shape::Json(name);
    }
    let name = match text.strip_prefix('.') {
        Some(own) => format!("{package}.{own}"),
        None => text.to_owned(),
    };
    if name == JSON_SCHEMA {
        return Shape::Struct(TypeRef::Lazy(json_schema));
    }
    Shape::Struct(TypeRef::Owned(Arc::clone(required(&name))))
}

/// The names of all types that have a line.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("../../data/types.jsonl").lines();
    lines.map(|line| line.split('"').nth(3).expect("a name"))
}
