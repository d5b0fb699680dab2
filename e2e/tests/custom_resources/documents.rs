//! What clients are told, and in which form.

use e2e::case::{Body, Call};
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, PROTOBUF, Running, TABLE, WIDGETS, widget, widgets};

#[test]
fn documents_of_the_server_follow() {
    let running = Running::new();
    let aggregated = || {
        let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        let call = Call::of("GET", "/apis").with_header("Accept", accept);
        let response = running.server.target().call(&call).unwrap();
        let etag = response.head.header("etag").unwrap().to_owned();
        (etag, String::from_utf8(response.body.clone()).unwrap())
    };
    let hash = |key: &str| {
        let (_, index) = running.get("/openapi/v3");
        index["paths"][key]["serverRelativeURL"].as_str().map(str::to_owned)
    };
    let (before, text) = aggregated();
    assert!(!text.contains("example.com"));
    let apps = hash("apis/apps/v1");
    assert!(apps.is_some() && hash("apis/example.com/v1").is_none());

    running.define(&widgets());
    let (after, text) = aggregated();
    assert_ne!(before, after);
    assert!(text.contains("\"resource\":\"widgets\""), "{text}");
    assert_eq!(hash("apis/apps/v1"), apps, "other versions stay as they were");
    let (status, document) = running.get(&hash("apis/example.com/v1").unwrap());
    assert_eq!(status, 200);
    let schema = &document["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(schema["properties"]["spec"]["properties"]["size"]["type"], "integer");
    assert_eq!(
        schema["x-kubernetes-group-version-kind"],
        json!([{ "group": "example.com", "kind": "Widget", "version": "v1" }])
    );
    assert!(
        document["components"]["schemas"]
            .get("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
            .is_some()
    );
    let path = &document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"];
    let patches = path["patch"]["requestBody"]["content"].as_object().unwrap();
    assert!(!patches.contains_key("application/strategic-merge-patch+json"));
    let (_, v2) = running.get("/openapi/v2");
    assert!(v2["definitions"].get("com.example.v1.Widget").is_some());

    running.call("DELETE", &format!("{DEFINITIONS}/widgets.example.com"), None);
    running.until("/apis/example.com/v1", |status, _| status == 404);
    assert_eq!(aggregated().0, before);
    assert_eq!(hash("apis/example.com/v1"), None);
}

#[test]
fn custom_resources_have_no_protobuf_but_for_their_metadata() {
    let running = Running::new();
    running.define(&widgets());
    running.done("POST", WIDGETS, widget("a"));
    let accept = |accept: &str, path: &str| {
        let call = Call::of("GET", path).with_header("Accept", accept);
        running.server.target().call(&call).unwrap().head
    };
    assert_eq!(accept(PROTOBUF, &format!("{WIDGETS}/a")).status, 406);
    assert_eq!(accept(PROTOBUF, WIDGETS).status, 406);
    assert_eq!(accept("application/yaml", WIDGETS).status, 200);
    let partial = format!("{PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    let head = accept(&partial, WIDGETS);
    assert_eq!((head.status, head.header("content-type")), (200, Some(PROTOBUF)));
    let call = Call::of("POST", WIDGETS)
        .with_body(Body::Bytes(b"k8s\0nothing".to_vec()))
        .with_header("Content-Type", PROTOBUF);
    assert_eq!(running.send(&call).0, 400);
}

#[test]
fn documents_must_say_what_they_are() {
    let running = Running::new();
    running.define(&widgets());
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut object = widget("a");
        change(&mut object);
        let (status, answer) = running.call("POST", WIDGETS, Some(object));
        (status, answer["message"].as_str().unwrap_or_default().to_owned())
    };
    let (status, message) = refused(&|object| drop(object.as_object_mut().unwrap().remove("kind")));
    assert_eq!(status, 400);
    assert!(message.contains("Object 'Kind' is missing in '{"), "{message}");
    let (status, message) = refused(&|object| object["kind"] = json!("Gadget"));
    assert_eq!(
        (status, message.as_str()),
        (
            422,
            "Widget.example.com \"a\" is invalid: kind: Invalid value: \"Gadget\": must be Widget"
        )
    );
    let (status, message) = refused(&|object| object["apiVersion"] = json!("example.com/v2"));
    assert_eq!(
        (status, message.as_str()),
        (
            400,
            "the API version in the data (example.com/v2) does not match the expected API version \
             (example.com/v1)"
        )
    );
    let (status, message) = refused(&|object| object["metadata"]["labels"] = json!({ "a": 1 }));
    assert_eq!(status, 400);
    let start = "Widget in version \"v1\" cannot be handled as a Widget: metadata: Invalid value: \
                 {\"labels\":{\"a\":1},\"name\":\"a\"}: json: cannot unmarshal number";
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn what_is_not_there_is_said_as_for_objects_without_routes() {
    let running = Running::new();
    running.define(&widgets());
    running.done("POST", WIDGETS, widget("a"));
    let (status, text) = running.call("POST", "/apis/example.com/v1/widgets", Some(widget("b")));
    assert_eq!((status, text), (404, json!("404 page not found\n")));
    assert_eq!(running.get("/apis/example.com/v1/gadgets").1, json!("404 page not found\n"));
    assert_eq!(running.get("/apis/example.com/v2").1, json!("404 page not found\n"));
    let (status, answer) = running.get(&format!("{WIDGETS}/a/scale"));
    assert_eq!(status, 404);
    assert_eq!(answer["message"], "widgets.example.com \"a\" not found");
    let (status, table) = {
        let call = Call::of("GET", WIDGETS).with_header("Accept", TABLE);
        let (status, text) = running.send(&call);
        (status, serde_json::from_str::<Value>(&text).unwrap())
    };
    assert_eq!(status, 200);
    let names: Vec<_> =
        table["columnDefinitions"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
    assert_eq!(names, ["Name", "Age"]);
}
