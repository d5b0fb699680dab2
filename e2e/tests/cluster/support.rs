//! A server with flags of its own, and what is asked of it.

use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::server::{Backend, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const NAMESPACES: &str = "/api/v1/namespaces";
pub(crate) const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Everything that is waited for comes long before this, unless it never does.
const WAIT: Duration = Duration::from_secs(20);

pub(crate) struct Running {
    server: Server,
    _folder: TempDir,
}

impl Running {
    pub(crate) fn with(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
        let launch = Launch::new(&binary, folder.path(), Backend::Memory);
        let launch = flags.iter().fold(launch, |launch, flag| launch.flag(*flag));
        let server = launch.start().unwrap_or_else(|why| panic!("{why}"));
        Self { server, _folder: folder }
    }

    pub(crate) fn call(&self, call: &Call) -> (u16, Value) {
        let response = self.server.target().call(call).unwrap();
        (response.head.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
    }

    pub(crate) fn get(&self, path: &str) -> Option<Value> {
        let (status, object) = self.call(&Call::of("GET", path));
        (status == 200).then_some(object)
    }

    pub(crate) fn create(&self, path: &str, object: Value) -> Value {
        let (status, created) = self.call(&Call::of("POST", path).with_body(Body::Json(object)));
        assert_eq!(status, 201, "{created}");
        created
    }

    /// Merges a patch into an object.
    pub(crate) fn patch(&self, path: &str, patch: Value) -> (u16, Value) {
        let call = Call::of("PATCH", path)
            .with_header("Content-Type", "application/merge-patch+json")
            .with_body(Body::Json(patch));
        self.call(&call)
    }

    /// The message with which a create is refused.
    pub(crate) fn refusal(&self, path: &str, object: Value) -> String {
        let (status, answer) = self.call(&Call::of("POST", path).with_body(Body::Json(object)));
        assert!(status >= 400, "{answer}");
        answer["message"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn delete(&self, path: &str, propagation: &str) {
        let options = Body::Json(json!({ "propagationPolicy": propagation }));
        let (status, answer) = self.call(&Call::of("DELETE", path).with_body(options));
        assert_eq!(status, 200, "{answer}");
    }

    /// A ConfigMap that belongs to others, which wait for it.
    pub(crate) fn dependent(&self, name: &str, owners: &[&Value]) -> Value {
        let references: Vec<Value> = owners.iter().map(|owner| reference(owner)).collect();
        let metadata = json!({ "name": name, "ownerReferences": references });
        self.create(CONFIG_MAPS, json!({ "metadata": metadata }))
    }

    pub(crate) fn wait_for<T>(&self, what: &str, look: impl FnMut() -> Option<T>) -> T {
        let found = poll(WAIT, Duration::from_millis(10), look);
        found.unwrap_or_else(|| panic!("{what} never came\n{}", self.server.log_tail()))
    }

    pub(crate) fn wait_until_gone(&self, name: &str) {
        let path = format!("{CONFIG_MAPS}/{name}");
        self.wait_for(&format!("the end of {name}"), || self.get(&path).is_none().then_some(()));
    }
}

pub(crate) fn reference(owner: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": true,
    })
}
