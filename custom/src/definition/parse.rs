//! Reading definitions.

use std::sync::Arc;

use serde_json::Value;

use super::{
    Column, Conversion, Definition, DefinitionError, FieldPath, JsonPath, Names, Scale, Version,
    Webhook,
};
use crate::schema::{KindName, Schema};
use crate::value::Members;

pub(super) fn definition(definition: &Value) -> Result<Definition, DefinitionError> {
    let spec = definition.member("spec");
    if !spec.is_object() {
        return Err(DefinitionError::Missing("spec"));
    }
    let names = Names::parse(spec.member("names"));
    let group = spec.text("group").to_owned();
    let versions = spec.items("versions").iter();
    let versions =
        versions.map(|each| version(&group, &names.kind, each)).collect::<Result<_, _>>()?;
    Ok(Definition {
        namespaced: spec.text("scope") == "Namespaced",
        conversion: conversion(spec.member("conversion")),
        group,
        names,
        versions,
    })
}

impl Names {
    /// Reads `spec.names` or `status.acceptedNames`.
    #[must_use]
    pub fn parse(names: &Value) -> Self {
        Self {
            plural: names.text("plural").to_owned(),
            singular: names.text("singular").to_owned(),
            short_names: names.texts("shortNames"),
            kind: names.text("kind").to_owned(),
            list_kind: names.text("listKind").to_owned(),
            categories: names.texts("categories"),
        }
    }
}

fn conversion(conversion: &Value) -> Conversion {
    let webhook = conversion.member("webhook");
    if conversion.text("strategy") != "Webhook" {
        return Conversion::None;
    }
    Conversion::Webhook(Webhook {
        client_config: webhook.member("clientConfig").clone(),
        review_versions: webhook.texts("conversionReviewVersions"),
    })
}

fn version(group: &str, kind: &str, version: &Value) -> Result<Version, DefinitionError> {
    let name = version.text("name").to_owned();
    let subresources = version.member("subresources");
    let scale = subresources.member("scale");
    let kind_name = KindName { group, version: &name, kind };
    let schema = version.member("schema").member("openAPIV3Schema");
    let schema = Schema::compile(kind_name, schema)
        .map_err(|source| DefinitionError::Schema { version: name.clone(), source })?;
    let paths = version.items("selectableFields").iter();
    let paths = paths.filter_map(|field| FieldPath::parse(field.text("jsonPath")));
    Ok(Version {
        served: version.flag("served"),
        storage: version.flag("storage"),
        deprecation_warning: version.flag("deprecated").then(|| {
            let warning = version.member("deprecationWarning").as_str();
            warning.map_or_else(|| format!("{group}/{name} {kind} is deprecated"), str::to_owned)
        }),
        status: subresources.has("status"),
        scale: scale.is_object().then(|| Scale::parse(scale)).flatten(),
        columns: columns(version.items("additionalPrinterColumns")),
        selectable_fields: paths.collect(),
        schema: Arc::new(schema),
        name,
    })
}

impl Scale {
    fn parse(scale: &Value) -> Option<Self> {
        Some(Self {
            spec_replicas: FieldPath::parse(scale.text("specReplicasPath"))?,
            status_replicas: FieldPath::parse(scale.text("statusReplicasPath"))?,
            label_selector: FieldPath::parse(scale.text("labelSelectorPath")),
        })
    }
}

fn columns(columns: &[Value]) -> Vec<Column> {
    if columns.is_empty() {
        return vec![Column {
            name: "Age".to_owned(),
            column_type: "date".to_owned(),
            format: String::new(),
            description: "When the server created the object.".to_owned(),
            priority: 0,
            path: JsonPath::parse(".metadata.creationTimestamp"),
        }];
    }
    let column = |column: &Value| {
        let text = |member| column.text(member).to_owned();
        let described = Some(text("description")).filter(|text| !text.is_empty());
        let path = column.text("jsonPath");
        Column {
            name: text("name"),
            column_type: text("type"),
            format: text("format"),
            description: described.unwrap_or_else(|| {
                format!("Custom resource definition column (in JSONPath format): {path}")
            }),
            priority: column.member("priority").as_i64().unwrap_or(0),
            path: JsonPath::parse(path),
        }
    };
    columns.iter().map(column).collect()
}
