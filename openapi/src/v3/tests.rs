use super::*;
use crate::digest::sha512_hex;
use crate::testing::{self, FLOWCONTROL};

fn assert_recorded(groups: &[Group], key: &Key) {
    let mut ours = document(groups, key).expect("a document");
    testing::strip_descriptions(&mut ours);
    let file = key.to_string().replace('/', "__");
    let theirs = testing::recorded(&format!("openapi-v3/{file}.json"));
    let differences = testing::differences(&ours, &theirs);
    assert!(differences.is_empty(), "{key}:\n{}", differences.join("\n"));
}

#[test]
fn every_flowcontrol_document_is_the_recorded_one_but_for_descriptions() {
    let groups = [testing::flowcontrol()];
    let keys = keys(&groups);
    assert_eq!(keys.len(), 6);
    for key in &keys {
        assert_recorded(&groups, key);
    }
}

#[test]
fn the_versions_of_the_core_group_have_the_recorded_document() {
    let core = Group { name: String::new(), versions: Vec::new() };
    let keys = keys(std::slice::from_ref(&core));
    assert!(keys.contains(&Key::CoreVersions));
    assert_recorded(&[core], &Key::CoreVersions);
}

#[test]
fn everything_that_is_read_has_a_description() {
    let groups = [testing::flowcontrol()];
    for key in keys(&groups) {
        assert_described(&document(&groups, &key).expect("a document"));
    }
}

fn assert_described(document: &Value) {
    let described = |value: &Value, what: &str| {
        let description = value.get("description").and_then(Value::as_str).unwrap_or_default();
        assert!(!description.is_empty(), "{what} has no description: {value}");
    };
    let empty = Map::new();
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object);
    for (name, schema) in schemas.unwrap_or(&empty) {
        described(schema, name);
        let properties = schema.get("properties").and_then(Value::as_object);
        for (field, property) in properties.unwrap_or(&empty) {
            described(property, &format!("{name}.{field}"));
        }
    }
    for (path, item) in document.get("paths").and_then(Value::as_object).expect("paths") {
        for (method, operation) in item.as_object().expect("a path") {
            let parameters = if method == "parameters" {
                Some(operation)
            } else {
                described(operation, &format!("{method} {path}"));
                operation.get("parameters")
            };
            for parameter in parameters.and_then(Value::as_array).into_iter().flatten() {
                described(parameter, path);
            }
        }
    }
}

#[test]
fn what_is_not_served_has_no_document() {
    let groups = [testing::flowcontrol()];
    assert_eq!(document(&groups, &Key::Group("apps".to_owned())), None);
    let key = Key::GroupVersion(GroupVersion::new(FLOWCONTROL, "v1beta3"));
    assert_eq!(document(&groups, &key), None);
}

#[test]
fn the_index_points_to_the_documents_with_their_hashes() {
    let key = Key::GroupVersion(GroupVersion::new(FLOWCONTROL, "v1"));
    let hash = sha512_hex(b"{}");
    let index = index([(&key, hash.as_str())]);
    let url = format!("/openapi/v3/apis/{FLOWCONTROL}/v1?hash={hash}");
    let key = format!("apis/{FLOWCONTROL}/v1");
    assert_eq!(index, json!({ "paths": { key: { "serverRelativeURL": url } } }));
}

#[test]
fn a_custom_resource_is_shown_as_its_own_schema_says_and_as_what_it_takes() {
    let groups = [testing::custom()];
    let key = Key::GroupVersion(GroupVersion::new("example.com", "v1"));
    let document = document(&groups, &key).expect("a document");
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["com.example.v1.Widget"], json!({ "type": "object", "x-v3": true }));
    assert!(schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"]["properties"].is_object());
    let items = &schemas["com.example.v1.WidgetList"]["properties"]["items"]["items"];
    assert_eq!(items["$ref"], "#/components/schemas/com.example.v1.Widget");
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.keys().all(|path| !path.contains("/watch/")), "{paths:?}");
    let patch = &paths["/apis/example.com/v1/widgets/{name}"]["patch"];
    let content = patch["requestBody"]["content"].as_object().expect("media types");
    assert!(content.contains_key("application/apply-patch+yaml"));
    assert!(!content.contains_key("application/strategic-merge-patch+json"));
    let read = &paths["/apis/example.com/v1/widgets/{name}"]["get"]["responses"]["200"]["content"];
    assert_eq!(read.get("application/vnd.kubernetes.protobuf"), None);
}
