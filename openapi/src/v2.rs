//! OpenAPI v2 (Swagger 2.0): one document for everything (spec: apimachinery 1.7).

mod protobuf;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::definitions::{Definitions, Dialect, Kinds};
use crate::document;
use crate::fixed_paths;
use crate::operation::{Body, Operation, PathItem};
use crate::parameter::{Location, Parameter};
use crate::resource::{Group, GroupVersion};

pub use protobuf::encode;

/// The document for everything that is served.
#[must_use]
pub fn document(groups: &[Group]) -> Value {
    let served: Vec<GroupVersion> =
        groups.iter().flat_map(Group::group_versions).map(|(key, _)| key).collect();
    let kinds = Kinds::new(groups, &served);
    let mut writer =
        Writer { definitions: Definitions::new(Dialect::V2, &kinds), parameters: BTreeMap::new() };
    let items = fixed_paths::all(groups);
    let paths: BTreeMap<&str, Value> =
        items.iter().map(|item| (item.path.as_str(), writer.path_item(item))).collect();
    json!({
        "swagger": "2.0",
        "info": document::info(),
        "paths": paths,
        "definitions": writer.definitions.into_value(),
        "parameters": writer.parameters,
        "securityDefinitions": document::security_schemes(),
        "security": [{ document::SECURITY_SCHEME: [] }],
    })
}

/// Writes paths and remembers what they refer to.
struct Writer<'a> {
    definitions: Definitions<'a>,
    /// Parameters that every path may refer to. Most stand in hundreds of places; writing them
    /// out would double the document.
    parameters: BTreeMap<String, Value>,
}

impl Writer<'_> {
    fn path_item(&mut self, item: &PathItem) -> Value {
        let mut value = Map::new();
        for operation in &item.operations {
            let method = operation.method.as_str().to_owned();
            value.insert(method, self.operation(operation));
        }
        let parameters = self.parameters(&item.parameters);
        if !parameters.is_empty() {
            value.insert("parameters".to_owned(), json!(parameters));
        }
        Value::Object(value)
    }

    fn operation(&mut self, operation: &Operation) -> Value {
        let consumes = operation.request.as_ref().map_or(&["*/*"][..], |body| body.media_types);
        let mut value = Map::new();
        value.insert("tags".to_owned(), json!([operation.tag]));
        value.insert("description".to_owned(), json!(operation.description));
        value.insert("operationId".to_owned(), json!(operation.id));
        value.insert("consumes".to_owned(), json!(consumes));
        value.insert("produces".to_owned(), json!(operation.response.media_types));
        value.insert("schemes".to_owned(), json!(["https"]));
        let body = operation.request.as_ref();
        let body = body.map(|body| self.body(body, operation.request_optional));
        let parameters: Vec<Value> =
            body.into_iter().chain(self.parameters(&operation.parameters)).collect();
        if !parameters.is_empty() {
            value.insert("parameters".to_owned(), json!(parameters));
        }
        value.insert("responses".to_owned(), self.responses(operation));
        value.extend(operation.extensions());
        Value::Object(value)
    }

    fn body(&mut self, body: &Body, optional: bool) -> Value {
        let schema = self.definitions.content(&body.content);
        if optional {
            return json!({ "in": "body", "name": "body", "schema": schema });
        }
        json!({ "in": "body", "name": "body", "required": true, "schema": schema })
    }

    fn responses(&mut self, operation: &Operation) -> Value {
        let schema = self.definitions.content(&operation.response.content);
        let mut responses = Map::new();
        for (code, description) in operation.success.codes() {
            let response = json!({ "description": description, "schema": schema });
            responses.insert((*code).to_owned(), response);
        }
        responses.insert("401".to_owned(), json!({ "description": "Unauthorized" }));
        Value::Object(responses)
    }

    fn parameters(&mut self, parameters: &[Parameter]) -> Vec<Value> {
        parameters.iter().map(|parameter| self.parameter(parameter)).collect()
    }

    /// A reference to the parameter, or the parameter itself where another of the name is known.
    fn parameter(&mut self, parameter: &Parameter) -> Value {
        let key = format!("{}-{}", parameter.name, parameter.location.as_str());
        let value = parameter_value(parameter);
        if self.parameters.get(&key).is_some_and(|known| *known != value) {
            return value;
        }
        let reference = json!({ "$ref": format!("#/parameters/{key}") });
        self.parameters.insert(key, value);
        reference
    }
}

fn parameter_value(parameter: &Parameter) -> Value {
    let mut value = Map::new();
    value.insert("name".to_owned(), json!(parameter.name));
    value.insert("in".to_owned(), json!(parameter.location.as_str()));
    value.insert("description".to_owned(), json!(parameter.description));
    if parameter.location == Location::Path {
        value.insert("required".to_owned(), json!(true));
    }
    value.insert("type".to_owned(), json!(parameter.value.as_str()));
    value.insert("uniqueItems".to_owned(), json!(true));
    Value::Object(value)
}

#[cfg(test)]
mod tests;
