use std::collections::BTreeSet;

use super::*;
use crate::testing::{self, FLOWCONTROL};
use crate::v3;

fn ours() -> Value {
    document(&[testing::flowcontrol()])
}

fn recorded() -> Value {
    testing::recorded(&format!("openapi-v3/apis__{FLOWCONTROL}__v1.json"))
}

/// The places of all references in a document.
fn references(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, member)| match member {
                Value::String(place) if name == "$ref" => BTreeSet::from([place.as_str()]),
                _ => references(member),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => BTreeSet::new(),
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = ours();
    let references = references(&document);
    assert!(references.len() > 50, "{references:?}");
    for place in references {
        let pointer = place.strip_prefix('#').expect("a place in the document");
        assert!(document.pointer(pointer).is_some(), "{place}");
    }
}

#[test]
fn the_operations_are_those_of_the_recorded_paths() {
    let document = ours();
    let recorded = recorded();
    let theirs = recorded["paths"].as_object().expect("paths");
    for (path, item) in theirs {
        for (method, operation) in item.as_object().expect("a path") {
            let ours = &document["paths"][path][method];
            if method == "parameters" {
                assert_eq!(names(&document, ours), names(&recorded, operation), "{path}");
                continue;
            }
            for same in ["operationId", "tags", "x-kubernetes-action"] {
                assert_eq!(ours.get(same), operation.get(same), "{method} {path}");
            }
            let codes = |operation: &Value| -> Vec<String> {
                operation["responses"].as_object().expect("responses").keys().cloned().collect()
            };
            assert_eq!(codes(ours), codes(operation), "{method} {path}");
            let mut expected = names(&recorded, &operation["parameters"]);
            if operation.get("requestBody").is_some() {
                expected.insert("body".to_owned());
            }
            assert_eq!(names(&document, &ours["parameters"]), expected, "{method} {path}");
        }
    }
    let beside = document["paths"].as_object().expect("paths").len() - theirs.len();
    assert_eq!(beside, 6);
}

/// The names of parameters, references followed.
fn names(document: &Value, parameters: &Value) -> BTreeSet<String> {
    let parameters = parameters.as_array().map(Vec::as_slice).unwrap_or_default();
    parameters
        .iter()
        .map(|parameter| {
            let parameter = match parameter["$ref"].as_str() {
                Some(place) => document.pointer(place.trim_start_matches('#')).expect("known"),
                None => parameter,
            };
            parameter["name"].as_str().expect("a name").to_owned()
        })
        .collect()
}

/// A recorded schema as version 2 has it.
fn downgraded(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            if let Some(inner) = value.pointer("/allOf/0") {
                let mut merged = downgraded(inner);
                let beside =
                    members.iter().filter(|(name, _)| *name != "allOf" && *name != "default");
                let beside = beside.map(|(name, member)| (name.clone(), downgraded(member)));
                merged.as_object_mut().expect("a reference").extend(beside);
                return merged;
            }
            let members = members.iter().filter(|(name, _)| *name != "default");
            members.map(|(name, member)| (name.clone(), downgraded(member))).collect()
        }
        Value::Array(items) => items.iter().map(downgraded).collect(),
        Value::String(text) => text.replace("#/components/schemas/", "#/definitions/").into(),
        _ => value.clone(),
    }
}

#[test]
fn the_definitions_are_the_recorded_schemas_without_defaults() {
    let mut document = ours();
    testing::strip_descriptions(&mut document);
    let recorded = downgraded(&recorded()["components"]["schemas"]);
    for (name, theirs) in recorded.as_object().expect("schemas") {
        let ours = &document["definitions"][name];
        let differences = testing::differences(ours, theirs);
        assert!(differences.is_empty(), "{name}: {}", differences.join("\n"));
    }
}

#[test]
fn shared_parameters_keep_the_document_small() {
    let group = testing::flowcontrol();
    let groups = [group];
    let v3: usize = v3::keys(&groups)
        .iter()
        .filter_map(|key| v3::document(&groups, key))
        .map(|document| document.to_string().len())
        .sum();
    let v2 = ours().to_string().len();
    assert!(v2 < v3, "{v2} bytes, and {v3} in version 3");
}

#[test]
fn a_custom_resource_is_shown_as_its_own_schema_says() {
    let document = document(&[testing::custom()]);
    let definitions = &document["definitions"];
    assert_eq!(definitions["com.example.v1.Widget"], json!({ "type": "object", "x-v2": true }));
    assert!(encode(&document).windows(21).any(|bytes| bytes == b"com.example.v1.Widget"));
}
