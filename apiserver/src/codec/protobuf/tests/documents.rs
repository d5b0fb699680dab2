//! The documents of discovery.

use openapi::discovery;
use openapi::resource::GroupVersion;

use super::*;

/// Writes a document by its own kind and reads it back by its type.
fn round_trip<T: Described>(document: &impl serde::Serialize) {
    let document = serde_json::to_value(document).unwrap();
    let written = known::write(&document).unwrap();
    let envelope = Envelope::open(&written).unwrap();
    assert_eq!(envelope.kind, document["kind"]);
    assert_eq!(envelope.api_version, document["apiVersion"].as_str().unwrap_or_default());
    let mut expected = document;
    expected.as_object_mut().unwrap().retain(|name, _| name != "kind" && name != "apiVersion");
    let read = read_raw(T::type_def().unwrap(), &envelope.raw).unwrap();
    assert_eq!(read, expected);
}

#[test]
fn every_document_of_discovery_is_the_same_after_writing_and_reading() {
    use api::meta::{aggregated, discovery as types};
    let groups = openapi::recorded::groups();
    round_trip::<types::ApiVersions>(&discovery::core_versions(&groups, "192.0.2.1:6443"));
    round_trip::<types::ApiGroupList>(&discovery::group_list(&groups));
    round_trip::<aggregated::ApiGroupDiscoveryList>(&discovery::aggregated_core(&groups));
    round_trip::<aggregated::ApiGroupDiscoveryList>(&discovery::aggregated_groups(&groups));
    for group in &groups {
        if !group.name.is_empty() {
            round_trip::<types::ApiGroup>(&discovery::group(&groups, &group.name).unwrap());
        }
        for version in &group.versions {
            let key = GroupVersion::new(&group.name, &version.name);
            let list = discovery::resource_list(&groups, &key).unwrap();
            round_trip::<types::ApiResourceList>(&list);
        }
    }
}

#[test]
fn the_verbs_of_a_resource_are_a_message_of_their_own() {
    let list = serde_json::json!({
        "kind": "APIResourceList", "groupVersion": "v1",
        "resources": [{
            "name": "a", "singularName": "", "namespaced": true, "kind": "A", "verbs": ["get", "x"]
        }],
    });
    let expected = bytes(
        "'k8s' 00
         0a 13 0a 00 12 0f 'APIResourceList'
         12 20
           0a 02 'v1'
           12 1a
             0a 01 'a' 10 01 1a 01 'A' 22 08 0a 03 'get' 0a 01 'x' 32 00 42 00 4a 00 52 00
         1a 00 22 00",
    );
    assert_eq!(known::write(&list).unwrap(), expected);
}
