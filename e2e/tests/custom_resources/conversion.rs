//! A webhook that converts.

use std::path::Path;

use e2e::case::Call;
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, Running, WIDGETS, definition, version, widget};
use crate::webhook::Webhook;

fn start(pki: &Path) -> Webhook {
    Webhook::start(pki, |review| Some(converted(review)))
}

fn conversion(webhook: &Webhook) -> Value {
    json!({ "strategy": "Webhook", "webhook": {
        "clientConfig": webhook.client_config("/convert"),
        "conversionReviewVersions": ["v1"],
    } })
}

/// `v1` has a size, `v2` says it in words.
fn converted(review: &Value) -> Value {
    let request = &review["request"];
    let wanted = request["desiredAPIVersion"].as_str().unwrap();
    let objects = request["objects"].as_array().unwrap().iter().map(|object| {
        let mut object = object.clone();
        object["apiVersion"] = json!(wanted);
        object["spec"] = if wanted.ends_with("v2") {
            json!({ "words": format!("size {}", object["spec"]["size"]) })
        } else {
            let words = object["spec"]["words"].as_str().unwrap();
            json!({ "size": words.strip_prefix("size ").unwrap().parse::<i64>().unwrap() })
        };
        object
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "response": {
            "uid": request["uid"],
            "result": { "status": "Success" },
            "convertedObjects": objects.collect::<Vec<_>>(),
        },
    })
}

const NEWER: &str = "/apis/example.com/v2/namespaces/default/widgets";

fn define(running: &Running, conversion: &Value) {
    let mut newer = version("v2", &json!({ "words": { "type": "string" } }));
    newer["selectableFields"] = json!([{ "jsonPath": ".spec.words" }]);
    let older = version("v1", &json!({ "size": { "type": "integer" } }));
    let mut widgets = definition("widgets", "Widget", &[older, newer]);
    widgets["spec"]["conversion"] = conversion.clone();
    running.define(&widgets);
}

#[test]
fn objects_are_read_and_written_in_every_version() {
    let running = Running::new();
    let webhook = start(&running.folder().join("data/pki"));
    define(&running, &conversion(&webhook));
    running.done("POST", WIDGETS, widget("a"));
    let mut second = widget("b");
    second["apiVersion"] = json!("example.com/v2");
    second["spec"] = json!({ "words": "size 5" });
    let made = running.done("POST", NEWER, second);
    assert_eq!(made["spec"], json!({ "words": "size 5" }));

    let (_, list) = running.get(NEWER);
    let words = |list: &Value| {
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["spec"]["words"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words(&list), ["size 1", "size 5"]);
    let (_, chosen) = running.get(&format!("{NEWER}?fieldSelector=spec.words%3Dsize%205"));
    assert_eq!(words(&chosen), ["size 5"]);
    let (_, older) = running.get(&format!("{WIDGETS}/b"));
    assert_eq!(
        (&older["apiVersion"], &older["spec"]["size"]),
        (&json!("example.com/v1"), &json!(5))
    );

    let patch = json!({ "spec": { "words": "size 7" } });
    let (status, patched) = running.merge(&format!("{NEWER}/a"), patch);
    assert_eq!(status, 200, "{patched}");
    assert_eq!(patched["metadata"]["generation"], 2);
    assert_eq!(running.get(&format!("{WIDGETS}/a")).1["spec"]["size"], 7);

    let call = Call::of("GET", format!("{NEWER}?watch=1&timeoutSeconds=1"));
    let (status, events) = running.send(&call);
    assert_eq!(status, 200);
    assert!(events.contains("size 7") && !events.contains("\"size\":"), "{events}");
    assert_eq!(running.call("DELETE", &format!("{NEWER}/a"), None).0, 200);
}

#[test]
fn a_webhook_that_does_not_answer_is_no_reason_to_guess() {
    let running = Running::new();
    let webhook = start(&running.folder().join("data/pki"));
    let conversion = conversion(&webhook);
    define(&running, &conversion);
    running.done("POST", WIDGETS, widget("a"));
    drop(webhook);
    let (status, refused) = running.get(NEWER);
    assert_eq!(status, 500);
    let message = refused["message"].as_str().unwrap();
    let start =
        "conversion webhook for example.com/v1, Kind=Widget failed: Post \"https://127.0.0.1:";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(running.get(WIDGETS).0, 200, "the stored version needs nobody");
    let path = format!("{DEFINITIONS}/widgets.example.com");
    assert_eq!(running.call("DELETE", &path, None).0, 200);
    running.until(&path, |status, _| status == 404);
}
