//! The roles and bindings that every server starts with.
//!
//! They are kept as data, one object a line, without the label and the annotation that all of them
//! carry.

use serde_json::{Map, Value, json};

use super::objects::{ObjectError, PolicyObjects};

const POLICY: &str = include_str!("../../../data/bootstrap-policy.jsonl");
const API_VERSION: &str = "rbac.authorization.k8s.io/v1";

/// Default policy that cannot be read; a defect of this crate's data.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of the default policy: {source}")]
pub struct BootstrapError {
    /// Line in the data, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub source: ObjectError,
}

/// The default roles and bindings as objects to store: cluster roles, cluster role bindings, roles
/// and role bindings, each with `apiVersion`, `kind` and the marks of default policy.
///
/// # Errors
/// [`BootstrapError`] if the data is broken.
pub fn objects() -> Result<Vec<Value>, BootstrapError> {
    POLICY
        .lines()
        .enumerate()
        .map(|(index, line)| object(line).map_err(|error| at(index, error.into())))
        .collect()
}

/// The same as policy to decide by.
///
/// # Errors
/// [`BootstrapError`] if the data is broken.
pub fn policy() -> Result<PolicyObjects, BootstrapError> {
    let mut policy = PolicyObjects::default();
    for (index, object) in objects()?.iter().enumerate() {
        policy.add(object).map_err(|error| at(index, error))?;
    }
    Ok(policy)
}

fn at(index: usize, source: ObjectError) -> BootstrapError {
    BootstrapError { line: index + 1, source }
}

fn object(line: &str) -> Result<Value, serde_json::Error> {
    let mut fields: Map<String, Value> = serde_json::from_str(line)?;
    let mut object = Map::new();
    object.insert("kind".to_owned(), fields.remove("kind").unwrap_or_default());
    object.insert("apiVersion".to_owned(), json!(API_VERSION));
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        mark(metadata);
    }
    object.extend(fields);
    Ok(Value::Object(object))
}

fn mark(metadata: &mut Map<String, Value>) {
    let autoupdate = json!({"rbac.authorization.kubernetes.io/autoupdate": "true"});
    metadata.insert("annotations".to_owned(), autoupdate);
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if let Value::Object(labels) = labels {
        labels.insert("kubernetes.io/bootstrapping".to_owned(), json!("rbac-defaults"));
    }
}
