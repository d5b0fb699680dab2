//! Versions and schemas change.

use std::io::{BufRead, BufReader, Read, Write};

use e2e::case::Call;
use e2e::http::{Timeouts, read_head};
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, Running, WIDGETS, definition, version, widget, widgets};

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
fn what_was_stored_as_another_version_is_read_as_the_one_that_is_stored_now() {
    let running = Running::new();
    let spec = json!({ "size": { "type": "integer" } });
    let stored = |stored: &str| {
        ["v1", "v2"].map(|name| {
            let mut version = version(name, &spec);
            version["storage"] = json!(name == stored);
            version
        })
    };
    running.define(&definition("widgets", "Widget", &stored("v1")));
    running.done("POST", WIDGETS, widget("a"));
    let path = format!("{DEFINITIONS}/widgets.example.com");
    let (status, changed) = running.merge(&path, json!({ "spec": { "versions": stored("v2") } }));
    assert_eq!(status, 200, "{changed}");
    assert_eq!(changed["status"]["storedVersions"], json!(["v1", "v2"]));
    for version in ["v1", "v2"] {
        let path = format!("/apis/example.com/{version}/namespaces/default/widgets");
        let (_, list) = running.get(&path);
        assert_eq!(list["items"][0]["apiVersion"], format!("example.com/{version}"));
        assert_eq!(list["items"][0]["spec"]["size"], 1);
    }
}
