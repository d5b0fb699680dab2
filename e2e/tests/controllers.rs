//! What the server does by itself, seen from outside: service accounts and certificates in each
//! namespace, garbage collection, and what `--controllers` makes of it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::server::{Backend, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

const NAMESPACES: &str = "/api/v1/namespaces";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Everything that is waited for comes long before this, unless it never does.
const WAIT: Duration = Duration::from_secs(20);

struct Running {
    server: Server,
    _folder: TempDir,
}

impl Running {
    fn with(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
        let launch = Launch::new(&binary, folder.path(), Backend::Memory);
        let launch = flags.iter().fold(launch, |launch, flag| launch.flag(*flag));
        let server = launch.start().unwrap_or_else(|why| panic!("{why}"));
        Self { server, _folder: folder }
    }

    fn call(&self, call: &Call) -> (u16, Value) {
        let response = self.server.target().call(call).unwrap();
        (response.head.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
    }

    fn get(&self, path: &str) -> Option<Value> {
        let (status, object) = self.call(&Call::of("GET", path));
        (status == 200).then_some(object)
    }

    fn create(&self, path: &str, object: Value) -> Value {
        let (status, created) = self.call(&Call::of("POST", path).with_body(Body::Json(object)));
        assert_eq!(status, 201, "{created}");
        created
    }

    fn delete(&self, path: &str, propagation: &str) {
        let options = Body::Json(json!({ "propagationPolicy": propagation }));
        let (status, answer) = self.call(&Call::of("DELETE", path).with_body(options));
        assert_eq!(status, 200, "{answer}");
    }

    /// A ConfigMap that belongs to others, which wait for it.
    fn dependent(&self, name: &str, owners: &[&Value]) -> Value {
        let references: Vec<Value> = owners.iter().map(|owner| reference(owner)).collect();
        let metadata = json!({ "name": name, "ownerReferences": references });
        self.create(CONFIG_MAPS, json!({ "metadata": metadata }))
    }

    fn wait_for<T>(&self, what: &str, look: impl FnMut() -> Option<T>) -> T {
        let found = poll(WAIT, Duration::from_millis(10), look);
        found.unwrap_or_else(|| panic!("{what} never came\n{}", self.server.log_tail()))
    }

    fn wait_until_gone(&self, name: &str) {
        let path = format!("{CONFIG_MAPS}/{name}");
        self.wait_for(&format!("the end of {name}"), || self.get(&path).is_none().then_some(()));
    }
}

fn reference(owner: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": true,
    })
}

#[test]
fn every_namespace_gets_its_account_and_the_certificate_and_keeps_them() {
    let server = Running::with(&[]);
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    let account = format!("{NAMESPACES}/n/serviceaccounts/default");
    let certificate = format!("{NAMESPACES}/n/configmaps/kube-root-ca.crt");
    server.wait_for("the account", || server.get(&account));
    let made = server.wait_for("the certificate", || server.get(&certificate));
    let text = made["data"]["ca.crt"].as_str().unwrap();
    assert!(text.starts_with("-----BEGIN CERTIFICATE-----"), "{text}");

    for path in [&account, &certificate] {
        let before = server.get(path).unwrap()["metadata"]["uid"].clone();
        server.delete(path, "Background");
        server.wait_for("another one", || {
            server.get(path).filter(|object| object["metadata"]["uid"] != before)
        });
    }
    let wrong = json!({ "metadata": { "name": "kube-root-ca.crt" }, "data": { "ca.crt": "x" } });
    let (status, _) = server.call(&Call::of("PUT", &certificate).with_body(Body::Json(wrong)));
    assert_eq!(status, 200);
    server.wait_for("the right certificate", || {
        server.get(&certificate).filter(|object| object["data"] == made["data"])
    });
}

#[test]
fn a_bare_control_plane_furnishes_no_namespaces_and_collects_nothing() {
    let server = Running::with(&["--disable-admission-plugins=ServiceAccount"]);
    let owner = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "owner" } }));
    server.dependent("child", &[&owner]);
    server.delete(&format!("{CONFIG_MAPS}/owner"), "Background");
    // The namespace controller is there: when it has emptied a namespace, the others had their time.
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    assert!(server.get(&format!("{NAMESPACES}/n/serviceaccounts/default")).is_none());
    server.delete(&format!("{NAMESPACES}/n"), "Background");
    server.wait_for("the end of n", || {
        server.get(&format!("{NAMESPACES}/n")).is_none().then_some(())
    });
    assert!(server.get(&format!("{CONFIG_MAPS}/child")).is_some());
}

#[test]
fn dependents_go_in_the_background_and_owners_last_in_the_foreground() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    let owner = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "owner" } }));
    let child = server.dependent("child", &[&owner]);
    server.dependent("grandchild", &[&child]);
    server.delete(&format!("{CONFIG_MAPS}/owner"), "Background");
    server.wait_until_gone("grandchild");

    let owner = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "owner" } }));
    let mut held = json!({ "metadata": { "name": "held", "finalizers": ["example.com/held"] } });
    held["metadata"]["ownerReferences"] = json!([reference(&owner)]);
    server.create(CONFIG_MAPS, held);
    server.delete(&format!("{CONFIG_MAPS}/owner"), "Foreground");
    let path = format!("{CONFIG_MAPS}/held");
    server.wait_for("the deletion of held", || {
        server.get(&path).filter(|held| held["metadata"]["deletionTimestamp"].is_string())
    });
    let waiting = server.get(&format!("{CONFIG_MAPS}/owner")).unwrap();
    assert_eq!(waiting["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    let release = Body::Json(json!({ "metadata": { "finalizers": null } }));
    let release = Call::of("PATCH", &path)
        .with_header("Content-Type", "application/merge-patch+json")
        .with_body(release);
    assert_eq!(server.call(&release).0, 200);
    server.wait_until_gone("owner");
}

#[test]
fn orphans_stay_and_those_with_another_owner_lose_one_reference() {
    let server = Running::with(&["--controllers=*"]);
    let [first, second] = ["first", "second"]
        .map(|name| server.create(CONFIG_MAPS, json!({ "metadata": { "name": name } })));
    server.dependent("child", &[&first, &second]);
    server.delete(&format!("{CONFIG_MAPS}/first"), "Foreground");
    let references = |count: usize| {
        server.wait_for("fewer references", || {
            let child = server.get(&format!("{CONFIG_MAPS}/child"))?;
            let references = child["metadata"]["ownerReferences"].as_array().map_or(0, Vec::len);
            (references == count).then_some(())
        });
    };
    references(1);
    server.wait_until_gone("first");
    server.delete(&format!("{CONFIG_MAPS}/second"), "Orphan");
    references(0);
    server.wait_until_gone("second");
}

#[test]
fn a_circle_goes_as_a_whole() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    let first = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "first" } }));
    let second = server.dependent("second", &[&first]);
    let third = server.dependent("third", &[&second]);
    let close = Body::Json(json!({ "metadata": { "ownerReferences": [reference(&third)] } }));
    let close = Call::of("PATCH", format!("{CONFIG_MAPS}/first"))
        .with_header("Content-Type", "application/merge-patch+json")
        .with_body(close);
    assert_eq!(server.call(&close).0, 200);
    server.delete(&format!("{CONFIG_MAPS}/first"), "Foreground");
    for name in ["first", "second", "third"] {
        server.wait_until_gone(name);
    }
}

#[test]
fn an_owner_in_another_namespace_is_none_and_that_is_told() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    let owner = server
        .create("/api/v1/namespaces/n/configmaps", json!({ "metadata": { "name": "owner" } }));
    server.dependent("child", &[&owner]);
    server.wait_until_gone("child");
    let event = server.wait_for("the event", || {
        let events = server.get("/api/v1/namespaces/default/events")?;
        events["items"]
            .as_array()?
            .iter()
            .find(|e| e["reason"] == "OwnerRefInvalidNamespace")
            .cloned()
    });
    assert_eq!(event["involvedObject"]["name"], "child");
}
