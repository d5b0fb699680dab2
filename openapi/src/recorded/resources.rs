//! Resources from their lines.

use std::sync::Arc;

use serde::Deserialize;

use super::{describe, types};
use crate::resource::{
    GroupVersion, ParameterType, QueryParameter, Resource, Serves, Subresource, Verb,
};

#[derive(Deserialize)]
struct VersionLine {
    group: String,
    version: String,
    #[serde(default)]
    resources: Vec<ResourceLine>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceLine {
    plural: String,
    singular: String,
    kind: String,
    list_kind: String,
    namespaced: bool,
    verbs: Vec<VerbLine>,
    #[serde(default)]
    short_names: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    #[serde(rename = "type")]
    type_name: String,
    storage: Option<GroupVersionLine>,
    #[serde(default)]
    returns_deleted_object: bool,
    subresources: Vec<SubresourceLine>,
}

#[derive(Deserialize)]
struct GroupVersionLine {
    group: String,
    version: String,
}

#[derive(Deserialize)]
struct SubresourceLine {
    name: String,
    kind: String,
    group: Option<String>,
    version: Option<String>,
    verbs: Vec<VerbLine>,
    #[serde(rename = "type")]
    type_name: Option<String>,
    text: Option<Vec<ParameterLine>>,
    connection: Option<Vec<ParameterLine>>,
    #[serde(default)]
    proxies: bool,
}

#[derive(Deserialize)]
struct ParameterLine {
    name: String,
    #[serde(rename = "type")]
    value: ParameterTypeLine,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum ParameterTypeLine {
    String,
    Integer,
    Boolean,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum VerbLine {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
}

impl From<VerbLine> for Verb {
    fn from(line: VerbLine) -> Self {
        match line {
            VerbLine::Create => Self::Create,
            VerbLine::Delete => Self::Delete,
            VerbLine::DeleteCollection => Self::DeleteCollection,
            VerbLine::Get => Self::Get,
            VerbLine::List => Self::List,
            VerbLine::Patch => Self::Patch,
            VerbLine::Update => Self::Update,
            VerbLine::Watch => Self::Watch,
        }
    }
}

/// The group and version that a line is about.
pub(super) fn key(line: &str) -> GroupVersion {
    let line = version_line(line);
    GroupVersion::new(line.group, line.version)
}

/// The resources of a line.
pub(super) fn parse(line: &str) -> Vec<Resource> {
    version_line(line).resources.into_iter().map(Resource::from).collect()
}

#[expect(clippy::expect_used, reason = "a test parses every committed line")]
fn version_line(line: &str) -> VersionLine {
    serde_json::from_str(line).expect("a group version")
}

impl From<ResourceLine> for Resource {
    fn from(line: ResourceLine) -> Self {
        Self {
            plural: line.plural,
            singular: line.singular,
            kind: line.kind,
            list_kind: line.list_kind,
            namespaced: line.namespaced,
            verbs: line.verbs.into_iter().map(Verb::from).collect(),
            short_names: line.short_names,
            categories: line.categories,
            type_def: Arc::clone(types::required(&line.type_name)),
            storage: line.storage.map(|storage| GroupVersion::new(storage.group, storage.version)),
            returns_deleted_object: line.returns_deleted_object,
            published: None,
            subresources: line.subresources.into_iter().map(Subresource::from).collect(),
        }
    }
}

impl From<SubresourceLine> for Subresource {
    fn from(line: SubresourceLine) -> Self {
        let parameters =
            |lines: Vec<ParameterLine>| lines.into_iter().map(QueryParameter::from).collect();
        let serves = if let Some(type_name) = &line.type_name {
            Serves::Object(Arc::clone(types::required(type_name)))
        } else if let Some(options) = line.text {
            Serves::Text(parameters(options))
        } else {
            let options = parameters(line.connection.unwrap_or_default());
            Serves::Connection { options, proxies: line.proxies }
        };
        let foreign = line.group.zip(line.version);
        Self {
            name: line.name,
            kind: line.kind,
            foreign: foreign.map(|(group, version)| GroupVersion::new(group, version)),
            verbs: line.verbs.into_iter().map(Verb::from).collect(),
            serves,
        }
    }
}

impl From<ParameterLine> for QueryParameter {
    fn from(line: ParameterLine) -> Self {
        let value = match line.value {
            ParameterTypeLine::String => ParameterType::String,
            ParameterTypeLine::Integer => ParameterType::Integer,
            ParameterTypeLine::Boolean => ParameterType::Boolean,
        };
        let description = describe::parameter_description(&line.name);
        Self { name: line.name, value, description }
    }
}
