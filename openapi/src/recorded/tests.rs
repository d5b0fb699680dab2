use std::collections::{BTreeMap, BTreeSet};

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};
use api::meta::discovery::{ApiGroupList, ApiResourceList, ApiVersions};
use api::meta::status::Status;
use api::meta::{DeleteOptions, WatchEvent};
use api::schema::{Described, Presence, Shape};

use serde_json::Value;

use super::*;
use crate::testing;
use crate::{discovery, v3};

#[test]
fn every_document_is_the_recorded_one_but_for_descriptions() {
    let groups = groups();
    let mut wrong = Vec::new();
    let keys = v3::keys(&groups);
    assert_eq!(keys.len(), 49);
    for key in keys {
        let mut ours = v3::document(&groups, &key).expect("a document");
        testing::strip_descriptions(&mut ours);
        let file = key.to_string().replace('/', "__");
        let theirs = testing::recorded(&format!("openapi-v3/{file}.json"));
        let differences = testing::differences(&ours, &theirs);
        wrong.extend(differences.into_iter().map(|difference| format!("{key} {difference}")));
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn legacy_discovery_is_the_recorded_one() {
    let groups = groups();
    let recorded = testing::recorded("discovery-legacy.json");
    let recorded = recorded.as_object().expect("an object");
    assert_eq!(recorded.len(), group_versions().len());
    for version in group_versions() {
        let key = version.group_version();
        let ours = discovery::resource_list(&groups, key).expect("a list");
        let ours = serde_json::to_value(ours).expect("JSON");
        let theirs = &recorded[&format!("/{}", key.root())];
        assert_eq!(testing::differences(&ours, theirs), Vec::<String>::new(), "{key}");
    }
}

#[test]
fn aggregated_discovery_is_the_recorded_one() {
    let groups = groups();
    let recorded = testing::recorded("discovery-aggregated.json");
    for (part, ours) in [
        ("api", discovery::aggregated_core(&groups)),
        ("apis", discovery::aggregated_groups(&groups)),
    ] {
        let ours = serde_json::to_value(ours).expect("JSON");
        assert_eq!(testing::differences(&ours, &recorded[part]), Vec::<String>::new(), "{part}");
    }
}

#[test]
fn every_type_has_a_table_whose_field_names_and_numbers_are_unique() {
    let mut count = 0;
    for name in types::names() {
        let type_def = type_def(name).expect("a table");
        let places: BTreeSet<Vec<u32>> = type_def
            .fields
            .iter()
            .filter_map(|field| match wire_path(name, &field.name) {
                Some(path) => Some(path.to_vec()),
                None => (field.number != 0).then(|| vec![field.number]),
            })
            .collect();
        let names: BTreeSet<&str> =
            type_def.fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(names.len(), type_def.fields.len(), "{name}");
        // Only what says of which kind an object is has no number: it stands in the envelope.
        let without = type_def.fields.len() - places.len();
        let of_kind = names.contains("kind") && names.contains("apiVersion");
        assert!(without == 0 || without == 2 && of_kind, "{name}: {without}");
        count += 1;
    }
    assert_eq!(count, 508);
}

#[test]
fn tables_tell_how_absence_is_written() {
    let presence = |type_name: &str, field: &str| {
        let type_def = type_def(type_name).expect("a table");
        type_def.field(field).expect("a field").presence
    };
    assert_eq!(presence("io.k8s.api.apps.v1.DeploymentSpec", "replicas"), Presence::Optional);
    assert_eq!(presence("io.k8s.api.apps.v1.DeploymentSpec", "selector"), Presence::Nullable);
    assert_eq!(presence("io.k8s.api.apps.v1.DeploymentSpec", "paused"), Presence::OmitZero);
    assert_eq!(presence("io.k8s.api.core.v1.PodSpec", "containers"), Presence::Nullable);
    assert_eq!(presence("io.k8s.api.core.v1.Pod", "status"), Presence::Always);
    assert_eq!(presence("io.k8s.api.core.v1.PodStatus", "startTime"), Presence::Optional);
}

#[test]
fn embedded_structs_have_their_place_in_protobuf() {
    let volume = "io.k8s.api.core.v1.Volume";
    assert_eq!(wire_path(volume, "emptyDir"), Some(&[2, 2][..]));
    assert_eq!(wire_path(volume, "name"), None);
    let rule = "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations";
    assert_eq!(wire_path(rule, "apiGroups"), Some(&[2, 2, 1][..]));
}

#[test]
fn a_type_may_contain_itself() {
    let schema = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    let type_def = type_def(schema).expect("a table");
    let Shape::List(list) = &type_def.field("allOf").expect("a field").shape else {
        panic!("not a list");
    };
    let Shape::Struct(item) = &list.item else { panic!("not a struct") };
    assert_eq!(item.openapi_name, schema);
}

#[test]
fn fields_beyond_the_tables_are_fields_of_the_tables() {
    let document = v3::document(&groups(), &v3::Key::GroupVersion(GroupVersion::new("apps", "v1")));
    let document = document.expect("a document");
    let strategy = document.pointer(
        "/components/schemas/io.k8s.api.apps.v1.DeploymentSpec/properties/strategy/x-kubernetes-patch-strategy",
    );
    assert_eq!(strategy, Some(&Value::from("retainKeys")));
}

#[test]
fn unknown_types_have_no_table() {
    assert!(type_def("io.k8s.api.core.v1.Nothing").is_none());
}

/// Adds a struct and those below it.
fn collect(type_def: &TypeDef, found: &mut BTreeMap<String, TypeDef>) {
    if found.insert(type_def.openapi_name.clone(), type_def.clone()).is_none() {
        type_def.fields.iter().for_each(|field| collect_shape(&field.shape, found));
    }
}

fn collect_shape(shape: &Shape, found: &mut BTreeMap<String, TypeDef>) {
    match shape {
        Shape::Struct(type_def) => collect(type_def, found),
        Shape::List(list) => collect_shape(&list.item, found),
        Shape::Map(value) => collect_shape(value, found),
        _ => {}
    }
}

#[test]
fn types_described_in_rust_have_the_recorded_order_and_presence() {
    let mut ours = BTreeMap::new();
    for type_def in [
        FlowSchema::type_def(),
        PriorityLevelConfiguration::type_def(),
        DeleteOptions::type_def(),
        Status::type_def(),
        WatchEvent::type_def(),
        ApiVersions::type_def(),
        ApiGroupList::type_def(),
        ApiResourceList::type_def(),
    ] {
        collect(type_def.expect("a struct"), &mut ours);
    }
    let recorded = testing::recorded("presence-of-rust-types.json");
    let recorded = recorded.as_object().expect("types");
    let mut wrong = Vec::new();
    for (name, fields) in recorded {
        let type_def = &ours[name];
        let ours: Vec<[String; 2]> = type_def
            .fields
            .iter()
            .map(|field| {
                // A time that is not there is null: both are written alike.
                let presence = match (&field.shape, field.presence) {
                    (Shape::Time, Presence::Optional) if field.name == "creationTimestamp" => {
                        Presence::OmitZero
                    }
                    (_, presence) => presence,
                };
                let presence = format!("{presence:?}");
                [field.name.clone(), presence[..1].to_lowercase() + &presence[1..]]
            })
            .collect();
        let ours = serde_json::to_value(ours).expect("JSON");
        if ours != *fields {
            wrong.push(format!("{name}:\n{:#?}", testing::differences(&ours, fields)));
        }
    }
    assert_eq!(recorded.len(), 39);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
