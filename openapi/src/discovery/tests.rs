use serde_json::{Value, json};

use super::*;
use crate::testing::{self, FLOWCONTROL};

fn text(document: &impl serde::Serialize) -> String {
    serde_json::to_string(document).expect("JSON")
}

fn value(document: &impl serde::Serialize) -> Value {
    serde_json::to_value(document).expect("JSON")
}

/// Flowcontrol and a core group without resources.
fn groups() -> Vec<Group> {
    let version = Version { name: "v1".to_owned(), resources: Vec::new() };
    vec![Group { name: String::new(), versions: vec![version] }, testing::flowcontrol()]
}

#[test]
fn the_group_has_its_members_in_the_usual_order() {
    assert_eq!(
        text(&group(&groups(), FLOWCONTROL)),
        r#"{"kind":"APIGroup","apiVersion":"v1","name":"flowcontrol.apiserver.k8s.io","versions":[{"groupVersion":"flowcontrol.apiserver.k8s.io/v1","version":"v1"}],"preferredVersion":{"groupVersion":"flowcontrol.apiserver.k8s.io/v1","version":"v1"}}"#
    );
}

#[test]
fn the_resources_have_their_members_in_the_usual_order() {
    let list = resource_list(&groups(), &GroupVersion::new(FLOWCONTROL, "v1"));
    let text = text(&list);
    assert!(
        text.starts_with(
            r#"{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"flowcontrol.apiserver.k8s.io/v1","resources":[{"name":"flowschemas","singularName":"flowschema","namespaced":false,"kind":"FlowSchema","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"storageVersionHash":"GJVAJZSZBIw="},{"name":"flowschemas/status","singularName":"","namespaced":false,"kind":"FlowSchema","verbs":["get","patch","update"]},"#
        ),
        "{text}"
    );
}

#[test]
fn the_resources_are_the_recorded_ones() {
    let ours = value(&resource_list(&groups(), &GroupVersion::new(FLOWCONTROL, "v1")));
    let recorded = testing::recorded("discovery-legacy.json");
    assert_eq!(&ours, &recorded["/apis/flowcontrol.apiserver.k8s.io/v1"]);
}

#[test]
fn the_groups_are_listed_without_kind_and_without_the_core_group() {
    assert_eq!(
        value(&group_list(&groups())),
        json!({
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [{
                "name": FLOWCONTROL,
                "versions": [{
                    "groupVersion": "flowcontrol.apiserver.k8s.io/v1",
                    "version": "v1",
                }],
                "preferredVersion": {
                    "groupVersion": "flowcontrol.apiserver.k8s.io/v1",
                    "version": "v1",
                },
            }],
        })
    );
    assert_eq!(group(&groups(), ""), None);
}

#[test]
fn the_documents_of_the_core_group_have_no_api_version() {
    assert_eq!(
        text(&core_versions(&groups(), "192.0.2.1:6443")),
        r#"{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.1:6443"}]}"#
    );
    assert_eq!(
        text(&resource_list(&groups(), &GroupVersion::new("", "v1"))),
        r#"{"kind":"APIResourceList","groupVersion":"v1","resources":[]}"#
    );
}

#[test]
fn aggregated_discovery_has_its_members_in_the_usual_order() {
    let text = text(&aggregated_groups(&groups()));
    assert!(
        text.starts_with(
            r#"{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"flowcontrol.apiserver.k8s.io"},"versions":[{"version":"v1","resources":[{"resource":"flowschemas","responseKind":{"group":"","version":"","kind":"FlowSchema"},"scope":"Cluster","singularResource":"flowschema","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"FlowSchema"},"verbs":["get","patch","update"]}]},"#
        ),
        "{text}"
    );
    assert!(text.ends_with(r#"}],"freshness":"Current"}]}]}"#), "{text}");
}

#[test]
fn aggregated_discovery_of_flowcontrol_is_the_recorded_one() {
    let ours = value(&aggregated_groups(&groups()));
    let recorded = testing::recorded("discovery-aggregated.json");
    let theirs = recorded["apis"]["items"].as_array().expect("groups");
    let theirs = theirs.iter().find(|group| group["metadata"]["name"] == FLOWCONTROL);
    assert_eq!(ours["items"][0], *theirs.expect("flowcontrol"));
}

#[test]
fn the_aggregated_core_group_has_no_name() {
    assert_eq!(
        text(&aggregated_core(&groups()).items),
        r#"[{"metadata":{},"versions":[{"version":"v1","freshness":"Current"}]}]"#
    );
}

#[test]
fn what_is_not_served_is_not_found() {
    assert_eq!(group(&groups(), "apps"), None);
    assert_eq!(resource_list(&groups(), &GroupVersion::new(FLOWCONTROL, "v1beta3")), None);
}
