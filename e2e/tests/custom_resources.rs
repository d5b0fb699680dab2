//! Custom resources over their whole life, against the server as a process.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::http::{Timeouts, read_head};
use e2e::server::{Backend, Launch, Server, Signal};
use serde_json::{Value, json};
use tempfile::TempDir;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
const WAIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

struct Running {
    server: Server,
    folder: TempDir,
    backend: Backend,
}

impl Running {
    fn on(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = launch(&folder, backend);
        Self { server, folder, backend }
    }

    fn new() -> Self {
        Self::on(Backend::Memory)
    }

    fn restarted(mut self) -> Self {
        self.server.signal(Signal::TERM);
        assert!(self.server.wait(Duration::from_secs(10)).is_some(), "{}", self.server.log_tail());
        let server = launch(&self.folder, self.backend);
        Self { server, ..self }
    }

    fn send(&self, call: &Call) -> (u16, String) {
        let response = self.server.target().call(call).unwrap();
        (response.head.status, String::from_utf8_lossy(&response.body).into_owned())
    }

    fn call(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let body = body.map_or(Body::None, Body::Json);
        let (status, text) = self.send(&Call::of(method, path).with_body(body));
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    fn get(&self, path: &str) -> (u16, Value) {
        self.call("GET", path, None)
    }

    fn merge(&self, path: &str, patch: Value) -> (u16, Value) {
        let call = Call::of("PATCH", path).with_body(Body::Json(patch));
        let (status, text) =
            self.send(&call.with_header("Content-Type", "application/merge-patch+json"));
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Sends a request that must succeed.
    fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(method, path, Some(body));
        assert!((200..300).contains(&status), "{method} {path}: {answer}");
        answer
    }

    /// Waits until a document is as it should be.
    fn until(&self, path: &str, is_so: impl Fn(u16, &Value) -> bool) -> Value {
        let found = poll(WAIT, PAUSE, || {
            let (status, value) = self.get(path);
            is_so(status, &value).then_some(value)
        });
        found.unwrap_or_else(|| panic!("{path}: {:?}\n{}", self.get(path), self.server.log_tail()))
    }

    fn define(&self, definition: &Value) -> Value {
        let made = self.done("POST", DEFINITIONS, definition.clone());
        assert_eq!(made["status"]["conditions"], Value::Null);
        self.established(definition["metadata"]["name"].as_str().unwrap())
    }

    fn established(&self, name: &str) -> Value {
        self.until(&format!("{DEFINITIONS}/{name}"), |_, definition| {
            condition(definition, "Established") == "InitialNamesAccepted"
        })
    }
}

fn launch(folder: &TempDir, backend: Backend) -> Server {
    let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
    let launch = Launch::new(&binary, folder.path(), backend);
    launch.start().unwrap_or_else(|why| panic!("{why}"))
}

/// The reason of a condition.
fn condition<'a>(definition: &'a Value, name: &str) -> &'a str {
    let conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
    let mut named = conditions.filter(|condition| condition["type"] == name);
    named.next().and_then(|condition| condition["reason"].as_str()).unwrap_or_default()
}

fn version(name: &str, spec: &Value) -> Value {
    json!({
        "name": name,
        "served": true,
        "storage": name == "v1",
        "schema": { "openAPIV3Schema": { "type": "object", "properties": {
            "spec": { "type": "object", "properties": spec },
            "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        } } },
        "subresources": { "status": {} },
    })
}

fn definition(plural: &str, kind: &str, versions: &[Value]) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": plural, "kind": kind },
            "versions": versions,
        },
    })
}

fn widgets() -> Value {
    let spec = json!({ "size": { "type": "integer" }, "color": { "type": "string" } });
    definition("widgets", "Widget", &[version("v1", &spec)])
}

fn widget(name: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": { "name": name },
        "spec": { "size": 1 },
    })
}

#[test]
fn what_is_defined_is_served_again_after_a_restart() {
    let running = Running::on(Backend::Sled);
    running.define(&widgets());
    let made = running.done("POST", WIDGETS, widget("a"));
    let running = running.restarted();
    // From the first request on: nobody has to wait for it.
    let (status, found) = running.get(&format!("{WIDGETS}/a"));
    assert_eq!((status, &found), (200, &made));
    assert_eq!(
        condition(&running.established("widgets.example.com"), "NamesAccepted"),
        "NoConflicts"
    );
}

#[test]
fn a_definition_goes_with_its_objects_and_nothing_new_is_made_meanwhile() {
    let running = Running::new();
    running.define(&widgets());
    let mut held = widget("held");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    running.done("POST", WIDGETS, held);
    running.done("POST", WIDGETS, widget("free"));

    let path = format!("{DEFINITIONS}/widgets.example.com");
    let (status, going) = running.call("DELETE", &path, None);
    assert_eq!(status, 200);
    assert_eq!(going["kind"], "CustomResourceDefinition");
    let finalizer = "customresourcecleanup.apiextensions.k8s.io";
    assert_eq!(going["metadata"]["finalizers"], json!([finalizer]));
    assert!(condition(&going, "Terminating").starts_with("InstanceDeletion"));
    running.until(WIDGETS, |_, list| list["items"].as_array().is_some_and(|i| i.len() == 1));

    let (status, refused) = running.call("POST", WIDGETS, Some(widget("late")));
    assert_eq!(status, 403, "{refused}");
    assert_eq!(
        refused["message"],
        "widgets.example.com \"late\" is forbidden: create not allowed while custom resource \
         definition is terminating"
    );
    let (status, _) =
        running.merge(&format!("{WIDGETS}/held"), json!({ "metadata": { "finalizers": null } }));
    assert_eq!(status, 200);
    running.until(&path, |status, _| status == 404);
    let (status, nothing) = running.get(WIDGETS);
    assert_eq!((status, nothing), (404, json!("404 page not found\n")));
    assert_eq!(running.get("/apis/example.com").0, 404);
    // The name is free again, and nothing is left of before.
    running.define(&widgets());
    assert_eq!(running.get(WIDGETS).1["items"], json!([]));
}

#[test]
fn a_definition_that_waits_for_a_name_gets_it_when_it_is_free() {
    let running = Running::new();
    running.define(&widgets());
    let other = definition("gadgets", "Widget", &[version("v1", &json!({}))]);
    running.done("POST", DEFINITIONS, other);
    let path = format!("{DEFINITIONS}/gadgets.example.com");
    let waiting = running
        .until(&path, |_, definition| condition(definition, "NamesAccepted") == "ListKindConflict");
    assert_eq!(waiting["status"]["conditions"][0]["message"], "\"WidgetList\" is already in use");
    assert_eq!(condition(&waiting, "Established"), "NotAccepted");
    assert_eq!(running.get("/apis/example.com/v1/gadgets").0, 404);
    running.call("DELETE", &format!("{DEFINITIONS}/widgets.example.com"), None);
    running.established("gadgets.example.com");
    assert_eq!(running.get("/apis/example.com/v1/gadgets").0, 200);
}

#[test]
fn versions_differ_in_their_schemas_and_come_and_go() {
    let running = Running::new();
    let old = json!({ "size": { "type": "integer" }, "old": { "type": "string", "default": "x" } });
    let mut beta = version("v1beta1", &old);
    beta["deprecated"] = json!(true);
    let new = json!({ "size": { "type": "integer" }, "color": { "type": "string" } });
    running.define(&definition("widgets", "Widget", &[version("v1", &new), beta]));
    let mut made = widget("a");
    made["spec"]["color"] = json!("red");
    running.done("POST", WIDGETS, made);

    let beta_path = "/apis/example.com/v1beta1/namespaces/default/widgets/a";
    let response = running.server.target().call(&Call::of("GET", beta_path)).unwrap();
    assert_eq!(
        response.head.header("warning"),
        Some("299 - \"example.com/v1beta1 Widget is deprecated\"")
    );
    let object: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(object["apiVersion"], "example.com/v1beta1");
    assert_eq!(object["spec"], json!({ "old": "x", "size": 1 }));

    let definition_path = format!("{DEFINITIONS}/widgets.example.com");
    let (status, _) =
        running.merge(&definition_path, json!({ "spec": { "versions": [version("v1", &new)] } }));
    assert_eq!(status, 200);
    running.until(beta_path, |status, _| status == 404);
    let (_, group) = running.get("/apis/example.com");
    assert_eq!(group["versions"].as_array().unwrap().len(), 1);
}

#[test]
fn another_schema_holds_for_what_is_stored_and_ends_the_watches() {
    let running = Running::new();
    running.define(&widgets());
    running.done("POST", WIDGETS, widget("a"));
    let target = running.server.target();
    let watch = target.message(&Call::of("GET", format!("{WIDGETS}?watch=1"))).unwrap();
    let connection = target.address.connect(Timeouts::of_seconds(20)).unwrap();
    let mut watch = begin(connection, &watch.to_bytes(&target.address));
    assert!(line(&mut watch).contains("ADDED"));

    let spec = json!({
        "size": { "type": "integer" },
        "color": { "type": "string", "default": "red" },
    });
    let path = format!("{DEFINITIONS}/widgets.example.com");
    let versions = json!({ "spec": { "versions": [version("v1", &spec)] } });
    assert_eq!(running.merge(&path, versions).0, 200);
    let defaulted = |_, object: &Value| object["spec"]["color"] == "red";
    running.until(&format!("{WIDGETS}/a"), defaulted);
    // What comes to an end is the answer's last chunk.
    while !line(&mut watch).is_empty() {}
}

fn begin<T: Read + Write>(mut connection: T, request: &[u8]) -> BufReader<T> {
    connection.write_all(request).unwrap();
    let mut answer = BufReader::new(connection);
    assert_eq!(read_head(&mut answer).unwrap().status, 200);
    answer
}

/// The next line that says something; empty at the end of the answer.
fn line(from: &mut impl BufRead) -> String {
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).unwrap_or(0) == 0 || line == "0\r\n" {
            return String::new();
        }
        if line.contains('{') {
            return line;
        }
    }
}

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
