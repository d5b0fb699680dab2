//! Types: fields of OpenAPI, with their order and presence, and their protobuf numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{Reference, Result, list, referred, text};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// Types that have a table in Rust, whatever is below them.
const IN_RUST: [&str; 3] = ["ObjectMeta", "ListMeta", "DeleteOptions"];

/// Shapes of types that have a name but no fields.
const NAMED: [(&str, &str); 4] = [
    ("io.k8s.apimachinery.pkg.apis.meta.v1.Time", "time"),
    ("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "microTime"),
    ("io.k8s.apimachinery.pkg.api.resource.Quantity", "quantity"),
    ("io.k8s.apimachinery.pkg.util.intstr.IntOrString", "intOrString"),
];

/// One value for each type that is reached from the kinds, by name.
pub(crate) fn compact(reference: &Reference, kinds: BTreeSet<String>) -> Result<Vec<Value>> {
    let schemas: BTreeMap<&str, &Value> = reference
        .documents
        .values()
        .filter_map(|document| document.pointer("/components/schemas")?.as_object())
        .flatten()
        .map(|(name, schema)| (name.as_str(), schema))
        .collect();
    let mut waiting: Vec<String> = kinds.into_iter().filter(|name| !is_in_rust(name)).collect();
    let mut types: BTreeMap<String, Value> = BTreeMap::new();
    while let Some(name) = waiting.pop() {
        if types.contains_key(&name) {
            continue;
        }
        let schema = schemas.get(name.as_str()).ok_or_else(|| format!("no schema of {name}"))?;
        let mut structs = BTreeSet::new();
        let compacted = Type { reference, name: &name, schema }.compact(&mut structs)?;
        waiting.extend(structs);
        types.insert(name, compacted);
    }
    Ok(types.into_values().collect())
}

fn is_in_rust(name: &str) -> bool {
    name.starts_with("io.k8s.api.flowcontrol.v1.")
        || name.strip_prefix(META).is_some_and(|name| IN_RUST.contains(&name))
}

struct Type<'a> {
    reference: &'a Reference,
    name: &'a str,
    schema: &'a Value,
}

impl Type<'_> {
    fn compact(&self, structs: &mut BTreeSet<String>) -> Result<Value> {
        let order = list(&self.reference.presence, self.name);
        let mut fields = Vec::new();
        for entry in order {
            let (Some(Value::String(name)), Some(presence)) = (entry.get(0), entry.get(1)) else {
                return Err(format!("not a field: {entry}").into());
            };
            fields.push(self.field(name, presence, structs)?);
        }
        let mut value = json!({ "name": self.name });
        if let Value::Object(members) = &mut value {
            if self.schema.get("x-kubernetes-map-type").is_some() {
                members.insert("atomic".to_owned(), json!(true));
            }
            let unions: Vec<Value> =
                list(self.schema, "x-kubernetes-unions").iter().map(union).collect();
            if !unions.is_empty() {
                members.insert("unions".to_owned(), json!(unions));
            }
            members.insert("fields".to_owned(), json!(fields));
        }
        Ok(value)
    }

    fn field(&self, name: &str, presence: &Value, structs: &mut BTreeSet<String>) -> Result<Value> {
        let schema = self.schema.get("properties").and_then(|properties| properties.get(name));
        let schema = schema.ok_or_else(|| format!("{} has no {name}", self.name))?;
        let mut field = Map::new();
        field.insert("name".to_owned(), json!(name));
        match self.wire_path(name).as_slice() {
            [] => {}
            [number] => drop(field.insert("number".to_owned(), json!(number))),
            path => drop(field.insert("wirePath".to_owned(), json!(path))),
        }
        field.insert("presence".to_owned(), presence.clone());
        field.insert("shape".to_owned(), json!(self.shape(schema, structs)?));
        if list(self.schema, "required").contains(&json!(name)) {
            field.insert("required".to_owned(), json!(true));
        }
        add_default(&mut field, schema, presence);
        if let Some(values) = enumeration(schema) {
            field.insert("values".to_owned(), values.clone());
        }
        if schema.get("type") == Some(&json!("array")) {
            add_list(&mut field, schema);
        }
        if schema.get("$ref").is_some() {
            // Anything beside the reference, such as a description, would have made it an allOf.
            field.insert("undescribed".to_owned(), json!(true));
        }
        Ok(Value::Object(field))
    }

    /// `string`, `[]int32`, `{}quantity`, `.Volume` for a struct of the same package, …
    fn shape(&self, schema: &Value, structs: &mut BTreeSet<String>) -> Result<String> {
        if let Some(name) = referred(schema) {
            return Ok(self.reference_shape(name, structs));
        }
        let format = schema.get("format").and_then(Value::as_str);
        Ok(match (text(schema, "type")?, format) {
            ("string", None) => "string".to_owned(),
            ("string", Some("byte")) => "bytes".to_owned(),
            ("boolean", None) => "bool".to_owned(),
            ("integer" | "number", Some(format)) => format.to_owned(),
            ("array", None) => {
                let item = schema.get("items").unwrap_or(&Value::Null);
                format!("[]{}", self.shape(item, structs)?)
            }
            ("object", None) => {
                let value = schema.get("additionalProperties").unwrap_or(&Value::Null);
                format!("{{}}{}", self.shape(value, structs)?)
            }
            _ => return Err(format!("unknown shape: {schema}").into()),
        })
    }

    fn reference_shape(&self, name: &str, structs: &mut BTreeSet<String>) -> String {
        if let Some((_, shape)) = NAMED.iter().find(|(named, _)| *named == name) {
            return (*shape).to_owned();
        }
        // Types that write themselves have no fields to tell of.
        if self.reference.presence.get(name).is_none_or(Value::is_null) && !is_empty_struct(name)
            || name.contains(".JSONSchemaPropsOr")
        {
            return format!("json:{name}");
        }
        if !is_in_rust(name) {
            structs.insert(name.to_owned());
        }
        let package = self.name.rsplit_once('.').map_or("", |(package, _)| package);
        match name.rsplit_once('.') {
            Some((other, own)) if other == package => format!(".{own}"),
            _ => name.to_owned(),
        }
    }

    /// The field's protobuf number, behind those of the messages that it is embedded in. What
    /// says of which kind an object is stands in its envelope.
    fn wire_path(&self, field: &str) -> Vec<u64> {
        let is_kind = self.schema.get("x-kubernetes-group-version-kind").is_some();
        if is_kind && ["kind", "apiVersion"].contains(&field) {
            return Vec::new();
        }
        let Some((package, message)) = self.name.rsplit_once('.') else { return Vec::new() };
        let package = package.replacen("io.k8s.", "k8s.io.", 1).replace('-', "_");
        self.find(&package, message, &normalized(field)).unwrap_or_default()
    }

    fn find(&self, package: &str, message: &str, field: &str) -> Option<Vec<u64>> {
        let fields = self.reference.messages.get(package)?.get(message)?.as_array()?;
        let number = |entry: &Value| entry.get("number").and_then(Value::as_u64);
        let name = |entry: &Value| normalized(text(entry, "name").unwrap_or_default());
        if let Some(entry) = fields.iter().find(|entry| name(entry) == field) {
            return Some(vec![number(entry)?]);
        }
        // A struct that JSON embeds is a message of its own in protobuf: one that JSON has no
        // field for.
        fields.iter().filter(|entry| !self.has_property(&name(entry))).find_map(|entry| {
            let inner = text(entry, "type").ok()?;
            let (package, inner) = inner.rsplit_once('.').unwrap_or((package, inner));
            let rest = self.find(package, inner, field)?;
            Some(number(entry).into_iter().chain(rest).collect())
        })
    }

    fn has_property(&self, normalized_name: &str) -> bool {
        let properties = self.schema.get("properties").and_then(Value::as_object);
        properties.is_some_and(|known| known.keys().any(|name| normalized(name) == normalized_name))
    }
}

/// Structs without fields that are not JSON of any form.
fn is_empty_struct(name: &str) -> bool {
    name.ends_with(".CustomResourceSubresourceStatus") || name.contains(".WorkloadPodGroup")
}

fn normalized(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// `default` is filled in where the field is absent; `openapiDefault` is only documented.
fn add_default(field: &mut Map<String, Value>, schema: &Value, presence: &Value) {
    let Some(default) = schema.get("default") else { return };
    let is_zero = [json!(""), json!(0), json!(false), json!({})].contains(default);
    let name = match presence.as_str() {
        Some("always") if is_zero => return,
        Some("omitZero") if is_zero => "openapiDefault",
        _ => "default",
    };
    field.insert(name.to_owned(), default.clone());
}

/// The documented values of a string, or of the strings in a list or map.
fn enumeration(schema: &Value) -> Option<&Value> {
    let inner = || schema.get("items").or_else(|| schema.get("additionalProperties"));
    schema.get("enum").or_else(|| inner()?.get("enum"))
}

fn add_list(field: &mut Map<String, Value>, schema: &Value) {
    if let Some(keys) = schema.get("x-kubernetes-list-map-keys") {
        field.insert("listMapKeys".to_owned(), keys.clone());
    } else if let Some(list_type) = schema.get("x-kubernetes-list-type") {
        field.insert("listType".to_owned(), list_type.clone());
    }
    let strategy = schema.get("x-kubernetes-patch-strategy").and_then(Value::as_str);
    if let Some(key) = schema.get("x-kubernetes-patch-merge-key") {
        field.insert("patchMergeKey".to_owned(), key.clone());
    } else if strategy == Some("merge") {
        field.insert("patchMerge".to_owned(), json!(true));
    }
}

fn union(union: &Value) -> Value {
    json!({
        "discriminator": union.get("discriminator").unwrap_or(&json!("")),
        "members": union.get("fields-to-discriminateBy"),
    })
}
