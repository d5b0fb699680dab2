//! Schemas of types, from their tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::meta::status::Status;
use api::meta::{DeleteOptions, WatchEvent, discovery};
use api::schema::{Described, Field, List, ListType, PatchMerge, Shape, TypeDef, Union};
use serde_json::{Map, Value, json};

use crate::marks;
use crate::operation::Content;
use crate::resource::{Group, GroupVersion, Published, Resource, Serves, Subresource};

/// The name of the type of patches, which have no table.
const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
/// How the names of types begin that every kind has.
const META_TYPES: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
const MICRO_TIME: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const INT_OR_STRING: &str = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

/// The version of OpenAPI that a schema is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Swagger 2.0.
    V2,
    /// OpenAPI 3.0.
    V3,
}

impl Dialect {
    /// What references to schemas begin with.
    fn reference(self, name: &str) -> Value {
        match self {
            Self::V2 => json!({ "$ref": format!("#/definitions/{name}") }),
            Self::V3 => json!({ "$ref": format!("#/components/schemas/{name}") }),
        }
    }
}

/// What schemas say beyond their tables.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    /// Which kinds are of which type: `x-kubernetes-group-version-kind`.
    of_types: BTreeMap<String, Vec<Value>>,
    /// The schemas of custom resources, by the names of their types.
    published: BTreeMap<String, Arc<dyn Published>>,
}

impl Kinds {
    /// The kinds of everything that is served. `options_of` are the group versions that the
    /// document says take DeleteOptions and send WatchEvents.
    pub(crate) fn new(groups: &[Group], options_of: &[GroupVersion]) -> Self {
        let mut kinds = Self::default();
        let core = GroupVersion::new("", "v1");
        kinds.add_described::<discovery::ApiVersions>(&core);
        kinds.add_described::<discovery::ApiGroupList>(&core);
        kinds.add_described::<discovery::ApiGroup>(&core);
        kinds.add_described::<discovery::ApiResourceList>(&core);
        kinds.add_described::<Status>(&core);
        for group_version in std::iter::once(&core).chain(options_of) {
            kinds.add_described::<DeleteOptions>(group_version);
            kinds.add_described::<WatchEvent>(group_version);
        }
        for (group_version, version) in groups.iter().flat_map(Group::group_versions) {
            for resource in &version.resources {
                kinds.add_resource(&group_version, resource);
            }
        }
        kinds
    }

    fn add(&mut self, openapi_name: &str, group_version: &GroupVersion, kind: &str) {
        let value = group_version_kind(group_version, kind);
        let values = self.of_types.entry(openapi_name.to_owned()).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
    }

    fn add_described<T: Described>(&mut self, group_version: &GroupVersion) {
        if let Some(type_def) = T::type_def() {
            self.add(&type_def.openapi_name, group_version, &type_def.name);
        }
    }

    fn add_resource(&mut self, group_version: &GroupVersion, resource: &Resource) {
        self.add(&resource.type_def.openapi_name, group_version, &resource.kind);
        self.add(&resource.list_openapi_name(), group_version, &resource.list_kind);
        if let Some(published) = &resource.published {
            let name = resource.type_def.openapi_name.clone();
            self.published.insert(name, Arc::clone(published));
        }
        for Subresource { kind, foreign, serves, .. } in &resource.subresources {
            if let Serves::Object(type_def) = serves {
                let group_version = foreign.as_ref().unwrap_or(group_version);
                self.add(&type_def.openapi_name, group_version, kind);
            }
        }
    }
}

/// A kind as `x-kubernetes-group-version-kind` shows it.
pub(crate) fn group_version_kind(group_version: &GroupVersion, kind: &str) -> Value {
    json!({ "group": group_version.group, "kind": kind, "version": group_version.version })
}

/// The schemas of a document: those that were asked for and what they refer to.
pub(crate) struct Definitions<'a> {
    dialect: Dialect,
    kinds: &'a Kinds,
    schemas: BTreeMap<String, Value>,
}

impl<'a> Definitions<'a> {
    pub(crate) fn new(dialect: Dialect, kinds: &'a Kinds) -> Self {
        Self { dialect, kinds, schemas: BTreeMap::new() }
    }

    /// The schemas by name.
    pub(crate) fn into_value(self) -> Option<Value> {
        (!self.schemas.is_empty()).then(|| Value::Object(self.schemas.into_iter().collect()))
    }

    /// The schema of a body.
    pub(crate) fn content(&mut self, content: &Content) -> Value {
        match content {
            Content::Object(type_def) => self.struct_reference(type_def),
            Content::Patch => self.named(PATCH),
            Content::Text => json!({ "type": "string" }),
        }
    }

    fn struct_reference(&mut self, type_def: &TypeDef) -> Value {
        let name = &type_def.openapi_name;
        if !self.schemas.contains_key(name) {
            // Before the fields, which may refer back.
            self.schemas.insert(name.clone(), Value::Null);
            let schema = match self.kinds.published.get(name) {
                None => self.struct_schema(type_def),
                Some(published) => self.published_schema(type_def, &**published),
            };
            self.schemas.insert(name.clone(), schema);
        }
        self.dialect.reference(name)
    }

    /// The schema of a custom resource; what it refers to is named by the fields of its type.
    fn published_schema(&mut self, type_def: &TypeDef, published: &dyn Published) -> Value {
        for field in &type_def.fields {
            if let Shape::Struct(referred) = &field.shape
                && referred.openapi_name.starts_with(META_TYPES)
            {
                self.struct_reference(referred);
            }
        }
        match self.dialect {
            Dialect::V2 => published.v2().clone(),
            Dialect::V3 => published.v3().clone(),
        }
    }

    fn struct_schema(&mut self, type_def: &TypeDef) -> Value {
        let mut schema = Map::new();
        describe(&mut schema, &type_def.description);
        let properties: BTreeMap<&str, Value> = type_def
            .fields
            .iter()
            .map(|field| (field.name.as_str(), self.property(&type_def.openapi_name, field)))
            .collect();
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), json!(properties));
        }
        let required: Vec<&str> = type_def
            .fields
            .iter()
            .filter(|field| field.required)
            .map(|field| field.name.as_str())
            .collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        schema.insert("type".to_owned(), json!("object"));
        if let Some(kinds) = self.kinds.of_types.get(&type_def.openapi_name) {
            schema.insert("x-kubernetes-group-version-kind".to_owned(), json!(kinds));
        }
        if type_def.atomic {
            schema.insert("x-kubernetes-map-type".to_owned(), json!("atomic"));
        }
        if !type_def.unions.is_empty() {
            let unions: Vec<Value> = type_def.unions.iter().map(union).collect();
            schema.insert("x-kubernetes-unions".to_owned(), json!(unions));
        }
        Value::Object(schema)
    }

    fn property(&mut self, type_name: &str, field: &Field) -> Value {
        let mut extras = Map::new();
        describe(&mut extras, &field.description);
        // Version 2 never showed defaults; clients there take them for more than they are.
        if self.dialect == Dialect::V3
            && let Some(default) = &field.openapi_default
        {
            extras.insert("default".to_owned(), default.clone());
        }
        if let Shape::List(list) = &field.shape {
            list_extensions(&mut extras, list);
        }
        marked_extensions(&mut extras, type_name, field);
        let mut schema = self.shape(&field.shape);
        if self.dialect == Dialect::V3 && schema.get("$ref").is_some() && !extras.is_empty() {
            // In version 3.0 what stands beside a reference is ignored.
            schema = json!({ "allOf": [schema] });
        }
        if let Value::Object(schema) = &mut schema {
            schema.extend(extras);
        }
        schema
    }

    fn shape(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::String([]) => json!({ "type": "string" }),
            Shape::String(values) => json!({ "enum": values, "type": "string" }),
            Shape::Bool => json!({ "type": "boolean" }),
            Shape::Int32 => json!({ "format": "int32", "type": "integer" }),
            Shape::Int64 => json!({ "format": "int64", "type": "integer" }),
            Shape::Double => json!({ "format": "double", "type": "number" }),
            Shape::Bytes => json!({ "format": "byte", "type": "string" }),
            Shape::Time => self.named(TIME),
            Shape::MicroTime => self.named(MICRO_TIME),
            Shape::Quantity => self.named(QUANTITY),
            Shape::IntOrString => self.named(INT_OR_STRING),
            Shape::Json(name) => self.named(name),
            Shape::Struct(type_def) => self.struct_reference(type_def),
            Shape::List(list) => json!({ "items": self.shape(&list.item), "type": "array" }),
            Shape::Map(value) => {
                json!({ "additionalProperties": self.shape(value), "type": "object" })
            }
        }
    }

    /// A type that has a name but no table.
    fn named(&mut self, name: &str) -> Value {
        if !self.schemas.contains_key(name) {
            self.schemas.insert(name.to_owned(), named_schema(name, self.dialect));
        }
        self.dialect.reference(name)
    }
}

fn named_schema(name: &str, dialect: Dialect) -> Value {
    match name {
        TIME => json!({
            "description": "A point in time by RFC 3339, in UTC and whole seconds.",
            "format": "date-time",
            "type": "string",
        }),
        MICRO_TIME => json!({
            "description": "A point in time by RFC 3339, in UTC and with microseconds.",
            "format": "date-time",
            "type": "string",
        }),
        QUANTITY => {
            let quantity = json!({
                "description": "An amount: a decimal number, with an exponent (`1e3`), a decimal \
                    suffix (`n`, `u`, `m`, `k`, `M`, `G`, `T`, `P`, `E`) or a binary one (`Ki`, \
                    `Mi`, `Gi`, `Ti`, `Pi`, `Ei`), such as `100m` or `1.5Gi`.",
            });
            with_types(quantity, ["string", "number"], dialect)
        }
        INT_OR_STRING => {
            let either = json!({ "description": "A number or text.", "format": "int-or-string" });
            with_types(either, ["integer", "string"], dialect)
        }
        PATCH => json!({
            "description": "A change to an object, in the form that the Content-Type says.",
            "type": "object",
        }),
        _ if name.starts_with("io.k8s.apiextensions-apiserver.") => {
            json!({ "description": "Any JSON value." })
        }
        _ => json!({ "description": "Any JSON object.", "type": "object" }),
    }
}

/// Says that a value is of either type; version 2 has no words for that and calls it a string.
fn with_types(mut schema: Value, types: [&str; 2], dialect: Dialect) -> Value {
    let (name, value) = match dialect {
        Dialect::V2 => ("type", json!("string")),
        Dialect::V3 => ("oneOf", json!(types.map(|name| json!({ "type": name })))),
    };
    if let Value::Object(members) = &mut schema {
        members.insert(name.to_owned(), value);
    }
    schema
}

fn describe(schema: &mut Map<String, Value>, description: &str) {
    if !description.is_empty() {
        schema.insert("description".to_owned(), json!(description));
    }
}

fn list_extensions(schema: &mut Map<String, Value>, list: &List) {
    let list_type = match &list.list_type {
        ListType::Unset => None,
        ListType::Atomic => Some("atomic"),
        ListType::Set => Some("set"),
        ListType::Map(keys) => {
            schema.insert("x-kubernetes-list-map-keys".to_owned(), json!(keys));
            Some("map")
        }
    };
    if let Some(list_type) = list_type {
        schema.insert("x-kubernetes-list-type".to_owned(), json!(list_type));
    }
    match &list.patch_merge {
        None => return,
        Some(PatchMerge::Primitives) => {}
        Some(PatchMerge::ByKey(key)) => {
            schema.insert("x-kubernetes-patch-merge-key".to_owned(), json!(key));
        }
    }
    schema.insert("x-kubernetes-patch-strategy".to_owned(), json!("merge"));
}

/// What the tables do not tell.
fn marked_extensions(schema: &mut Map<String, Value>, type_name: &str, field: &Field) {
    if let Some(map_type) = marks::map_type(type_name, &field.name) {
        schema.insert("x-kubernetes-map-type".to_owned(), json!(map_type.as_str()));
    }
    if let Some(strategy) = marks::patch_strategy(type_name, &field.name) {
        schema.insert("x-kubernetes-patch-strategy".to_owned(), json!(strategy.as_str()));
    }
    if marks::is_atomic_bytes(type_name, &field.name) {
        schema.insert("x-kubernetes-list-type".to_owned(), json!("atomic"));
    }
}

fn union(union: &Union) -> Value {
    let members: BTreeMap<&str, &str> =
        union.members.iter().map(|(field, value)| (field.as_str(), value.as_str())).collect();
    if union.discriminator.is_empty() {
        return json!({ "fields-to-discriminateBy": members });
    }
    json!({ "discriminator": union.discriminator, "fields-to-discriminateBy": members })
}
