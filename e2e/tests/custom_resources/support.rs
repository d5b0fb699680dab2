//! A server, and what is done with it.

use std::path::Path;
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::server::{Backend, Launch, Server, Signal};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(crate) const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
pub(crate) const WAIT: Duration = Duration::from_secs(20);
pub(crate) const PAUSE: Duration = Duration::from_millis(10);
pub(crate) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

pub(crate) struct Running {
    pub(crate) server: Server,
    folder: TempDir,
    backend: Backend,
}

impl Running {
    pub(crate) fn on(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = launch(&folder, backend);
        Self { server, folder, backend }
    }

    /// Where the server keeps what it keeps.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn new() -> Self {
        Self::on(Backend::Memory)
    }

    pub(crate) fn restarted(mut self) -> Self {
        self.server.signal(Signal::TERM);
        assert!(self.server.wait(Duration::from_secs(10)).is_some(), "{}", self.server.log_tail());
        let server = launch(&self.folder, self.backend);
        Self { server, ..self }
    }

    pub(crate) fn send(&self, call: &Call) -> (u16, String) {
        let response = self.server.target().call(call).unwrap();
        (response.head.status, String::from_utf8_lossy(&response.body).into_owned())
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let body = body.map_or(Body::None, Body::Json);
        let (status, text) = self.send(&Call::of(method, path).with_body(body));
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.call("GET", path, None)
    }

    pub(crate) fn merge(&self, path: &str, patch: Value) -> (u16, Value) {
        let call = Call::of("PATCH", path).with_body(Body::Json(patch));
        let (status, text) =
            self.send(&call.with_header("Content-Type", "application/merge-patch+json"));
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Sends a request that must succeed.
    pub(crate) fn done(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(method, path, Some(body));
        assert!((200..300).contains(&status), "{method} {path}: {answer}");
        answer
    }

    /// Waits until a document is as it should be.
    pub(crate) fn until(&self, path: &str, is_so: impl Fn(u16, &Value) -> bool) -> Value {
        let found = poll(WAIT, PAUSE, || {
            let (status, value) = self.get(path);
            is_so(status, &value).then_some(value)
        });
        found.unwrap_or_else(|| panic!("{path}: {:?}\n{}", self.get(path), self.server.log_tail()))
    }

    pub(crate) fn define(&self, definition: &Value) -> Value {
        let made = self.done("POST", DEFINITIONS, definition.clone());
        assert_eq!(made["status"]["conditions"], Value::Null);
        self.established(definition["metadata"]["name"].as_str().unwrap())
    }

    pub(crate) fn established(&self, name: &str) -> Value {
        self.until(&format!("{DEFINITIONS}/{name}"), |_, definition| {
            condition(definition, "Established") == "InitialNamesAccepted"
        })
    }
}

pub(crate) fn launch(folder: &TempDir, backend: Backend) -> Server {
    let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
    let launch = Launch::new(&binary, folder.path(), backend);
    launch.start().unwrap_or_else(|why| panic!("{why}"))
}

/// The reason of a condition.
pub(crate) fn condition<'a>(definition: &'a Value, name: &str) -> &'a str {
    let conditions = definition["status"]["conditions"].as_array().into_iter().flatten();
    let mut named = conditions.filter(|condition| condition["type"] == name);
    named.next().and_then(|condition| condition["reason"].as_str()).unwrap_or_default()
}

pub(crate) fn version(name: &str, spec: &Value) -> Value {
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

pub(crate) fn definition(plural: &str, kind: &str, versions: &[Value]) -> Value {
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

pub(crate) fn widgets() -> Value {
    let spec = json!({ "size": { "type": "integer" }, "color": { "type": "string" } });
    definition("widgets", "Widget", &[version("v1", &spec)])
}

pub(crate) fn widget(name: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": { "name": name },
        "spec": { "size": 1 },
    })
}
