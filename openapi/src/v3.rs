//! OpenAPI v3: one document for each group version and each path beside them (spec: apimachinery
//! 1.7).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::definitions::{Definitions, Dialect, Kinds};
use crate::document;
use crate::fixed_paths;
use crate::operation::{Body, Operation, PathItem};
use crate::parameter::Parameter;
use crate::paths;
use crate::resource::{Group, GroupVersion, Version};

/// A document, by what it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `.well-known/openid-configuration`
    OpenIdConfiguration,
    /// `api`: the versions of the core group.
    CoreVersions,
    /// `apis`: the groups.
    Groups,
    /// `apis/<group>`: the versions of a group.
    Group(String),
    /// `api/v1`, `apis/<group>/<version>`: resources.
    GroupVersion(GroupVersion),
    /// `openid/v1/jwks`
    OpenIdKeys,
    /// `version`
    Version,
}

/// The key as it stands in the index and below `/openapi/v3/`.
impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OpenIdConfiguration => f.write_str(".well-known/openid-configuration"),
            Self::CoreVersions => f.write_str("api"),
            Self::Groups => f.write_str("apis"),
            Self::Group(group) => write!(f, "apis/{group}"),
            Self::GroupVersion(group_version) => f.write_str(&group_version.root()),
            Self::OpenIdKeys => f.write_str("openid/v1/jwks"),
            Self::Version => f.write_str("version"),
        }
    }
}

/// The documents there are for what is served, in the order of their keys' text.
#[must_use]
pub fn keys(groups: &[Group]) -> Vec<Key> {
    let mut keys = vec![Key::OpenIdConfiguration, Key::Groups, Key::OpenIdKeys, Key::Version];
    for group in groups {
        keys.push(match group.name.as_str() {
            "" => Key::CoreVersions,
            name => Key::Group(name.to_owned()),
        });
        keys.extend(group.group_versions().map(|(key, _)| Key::GroupVersion(key)));
    }
    keys.sort_by_cached_key(ToString::to_string);
    keys
}

/// A document; `None` if the key's group or version is not served.
#[must_use]
pub fn document(groups: &[Group], key: &Key) -> Option<Value> {
    let paths = match key {
        Key::OpenIdConfiguration => Vec::from_iter(fixed_paths::openid_configuration()),
        Key::CoreVersions => Vec::from_iter(fixed_paths::core_versions()),
        Key::Groups => Vec::from_iter(fixed_paths::groups()),
        Key::Group(name) => {
            groups.iter().find(|group| group.name == *name)?;
            Vec::from_iter(fixed_paths::group(name))
        }
        Key::GroupVersion(key) => paths::of_group_version(key, version(groups, key)?),
        Key::OpenIdKeys => Vec::from_iter(fixed_paths::openid_keys()),
        Key::Version => Vec::from_iter(fixed_paths::version()),
    };
    let options_of = match key {
        Key::GroupVersion(group_version) => std::slice::from_ref(group_version),
        Key::OpenIdConfiguration
        | Key::CoreVersions
        | Key::Groups
        | Key::Group(_)
        | Key::OpenIdKeys
        | Key::Version => &[],
    };
    Some(render(&paths, &Kinds::new(groups, options_of)))
}

fn version<'a>(groups: &'a [Group], key: &GroupVersion) -> Option<&'a Version> {
    let group = groups.iter().find(|group| group.name == key.group)?;
    group.versions.iter().find(|version| version.name == key.version)
}

/// The index at `/openapi/v3`: keys with the hashes of their documents
/// ([`sha512_hex`](crate::digest::sha512_hex)).
#[must_use]
pub fn index<'a>(hashes: impl IntoIterator<Item = (&'a Key, &'a str)>) -> Value {
    let paths: BTreeMap<String, Value> = hashes
        .into_iter()
        .map(|(key, hash)| {
            let url = format!("/openapi/v3/{key}?hash={hash}");
            (key.to_string(), json!({ "serverRelativeURL": url }))
        })
        .collect();
    json!({ "paths": paths })
}

fn render(paths: &[PathItem], kinds: &Kinds) -> Value {
    let mut definitions = Definitions::new(Dialect::V3, kinds);
    let paths: BTreeMap<&str, Value> =
        paths.iter().map(|item| (item.path.as_str(), path_item(item, &mut definitions))).collect();
    let mut components = Map::new();
    if let Some(schemas) = definitions.into_value() {
        components.insert("schemas".to_owned(), schemas);
    }
    components.insert("securitySchemes".to_owned(), document::security_schemes());
    json!({
        "openapi": "3.0.0",
        "info": document::info(),
        "paths": paths,
        "components": components,
    })
}

fn path_item(item: &PathItem, definitions: &mut Definitions<'_>) -> Value {
    let mut value = Map::new();
    for operation in &item.operations {
        value
            .insert(operation.method.as_str().to_owned(), render_operation(operation, definitions));
    }
    add_parameters(&mut value, &item.parameters);
    Value::Object(value)
}

fn render_operation(operation: &Operation, definitions: &mut Definitions<'_>) -> Value {
    let mut value = Map::new();
    value.insert("tags".to_owned(), json!([operation.tag]));
    value.insert("description".to_owned(), json!(operation.description));
    value.insert("operationId".to_owned(), json!(operation.id));
    add_parameters(&mut value, &operation.parameters);
    if let Some(body) = &operation.request {
        let mut request = Map::new();
        request.insert("content".to_owned(), content(body, definitions));
        if !operation.request_optional {
            request.insert("required".to_owned(), json!(true));
        }
        value.insert("requestBody".to_owned(), Value::Object(request));
    }
    value.insert("responses".to_owned(), responses(operation, definitions));
    value.extend(operation.extensions());
    Value::Object(value)
}

fn responses(operation: &Operation, definitions: &mut Definitions<'_>) -> Value {
    let content = content(&operation.response, definitions);
    let mut responses = Map::new();
    for (code, description) in operation.success.codes() {
        let response = json!({ "description": description, "content": content });
        responses.insert((*code).to_owned(), response);
    }
    responses.insert("401".to_owned(), json!({ "description": "Unauthorized" }));
    Value::Object(responses)
}

fn content(body: &Body, definitions: &mut Definitions<'_>) -> Value {
    let schema = definitions.content(&body.content);
    let media_types: BTreeMap<&str, Value> =
        body.media_types.iter().map(|media| (*media, json!({ "schema": schema }))).collect();
    json!(media_types)
}

fn add_parameters(value: &mut Map<String, Value>, parameters: &[Parameter]) {
    if !parameters.is_empty() {
        let parameters: Vec<Value> = parameters.iter().map(parameter).collect();
        value.insert("parameters".to_owned(), json!(parameters));
    }
}

fn parameter(parameter: &Parameter) -> Value {
    let mut value = json!({
        "name": parameter.name,
        "in": parameter.location.as_str(),
        "description": parameter.description,
        "schema": { "type": parameter.value.as_str(), "uniqueItems": true },
    });
    if parameter.location == crate::parameter::Location::Path
        && let Value::Object(members) = &mut value
    {
        members.insert("required".to_owned(), json!(true));
    }
    value
}

#[cfg(test)]
mod tests;
