//! What tests serve, and what they compare with.

use std::path::PathBuf;
use std::sync::Arc;

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::schema::{Described, TypeDef};
use serde_json::{Value, json};

use crate::resource::{Group, GroupVersion, Published, Resource, Subresource, Verb, Version};

pub(crate) const FLOWCONTROL: &str = "flowcontrol.apiserver.k8s.io";

/// The flowcontrol group from the tables in Rust.
pub(crate) fn flowcontrol() -> Group {
    let resources = vec![resource::<FlowSchema>(), resource::<PriorityLevelConfiguration>()];
    let version = Version { name: "v1".to_owned(), resources };
    Group { name: FLOWCONTROL.to_owned(), versions: vec![version] }
}

fn resource<T: Described>() -> Resource {
    let type_def = Arc::clone(T::type_def().expect("a struct"));
    let kind = type_def.name.clone();
    let singular = kind.to_lowercase();
    Resource {
        plural: format!("{singular}s"),
        singular,
        list_kind: format!("{kind}List"),
        namespaced: false,
        verbs: Verb::ALL.to_vec(),
        short_names: Vec::new(),
        categories: Vec::new(),
        storage: Some(GroupVersion::new(FLOWCONTROL, "v1")),
        returns_deleted_object: false,
        subresources: vec![Subresource::status(&kind, &type_def)],
        published: None,
        type_def,
        kind,
    }
}

/// A group with a custom resource.
pub(crate) fn custom() -> Group {
    let metadata = FlowSchema::type_def().and_then(|of| of.field("metadata")).expect("metadata");
    let type_def = TypeDef {
        name: "Widget".to_owned(),
        openapi_name: "com.example.v1.Widget".to_owned(),
        fields: vec![metadata.clone()],
        ..TypeDef::clone(FlowSchema::type_def().expect("a struct"))
    };
    let widgets = Resource {
        plural: "widgets".to_owned(),
        kind: "Widget".to_owned(),
        list_kind: "WidgetList".to_owned(),
        type_def: Arc::new(type_def),
        subresources: Vec::new(),
        published: Some(Arc::new(OwnSchema {
            v2: json!({ "type": "object", "x-v2": true }),
            v3: json!({ "type": "object", "x-v3": true }),
        })),
        ..resource::<FlowSchema>()
    };
    let version = Version { name: "v1".to_owned(), resources: vec![widgets] };
    Group { name: "example.com".to_owned(), versions: vec![version] }
}

#[derive(Debug)]
struct OwnSchema {
    v2: Value,
    v3: Value,
}

impl Published for OwnSchema {
    fn v2(&self) -> &Value {
        &self.v2
    }

    fn v3(&self) -> &Value {
        &self.v3
    }
}

/// A recorded document.
pub(crate) fn recorded(path: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

/// Removes descriptions, which are our own.
pub(crate) fn strip_descriptions(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, member| name != "description" || !member.is_string());
            members.values_mut().for_each(strip_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_descriptions),
        _ => {}
    }
}

/// Where two documents differ, one line for each place.
pub(crate) fn differences(ours: &Value, theirs: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", ours, theirs, &mut found);
    found
}

fn compare(at: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for (name, our) in ours {
                match theirs.get(name) {
                    Some(their) => compare(&format!("{at}|{name}"), our, their, found),
                    None => found.push(format!("{at}|{name}: only ours: {our}")),
                }
            }
            for (name, their) in theirs.iter().filter(|(name, _)| !ours.contains_key(*name)) {
                found.push(format!("{at}|{name}: only theirs: {their}"));
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (index, (our, their)) in ours.iter().zip(theirs).enumerate() {
                compare(&format!("{at}|{index}"), our, their, found);
            }
        }
        _ if ours == theirs => {}
        _ => found.push(format!("{at}: ours {ours}, theirs {theirs}")),
    }
}
