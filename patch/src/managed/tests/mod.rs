mod applies;
mod updates;
mod versions;

use api::decode::decode_value;
use api::flowcontrol::v1::FlowSchema;
use api::schema::{Described, TypeDef};
use serde_json::{Value, json};

use super::*;

const GROUP_VERSION: &str = "flowcontrol.apiserver.k8s.io/v1";

fn type_def() -> &'static TypeDef {
    FlowSchema::type_def().unwrap()
}

fn writer(manager: &str, second: i64) -> Writer<'_> {
    Writer { manager, now: Timestamp::from_unix_seconds(second).unwrap() }
}

/// A FlowSchema as it is stored: decoded and defaulted, with its kind and a uid.
fn stored(object: &Value) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = json!(GROUP_VERSION);
    object["kind"] = json!("FlowSchema");
    let mut object = decode_value(type_def(), object).unwrap();
    type_def().apply_defaults(&mut object);
    object["metadata"]["uid"] = json!("u");
    object
}

fn labelled(labels: &Value) -> Value {
    stored(&json!({"metadata": {"name": "a", "labels": labels}}))
}

fn with_endpoint<R>(subresource: &str, run: impl FnOnce(&Endpoint<'_>) -> R) -> R {
    let reset_fields = if subresource.is_empty() { reset_on_main() } else { reset_on_status() };
    run(&Endpoint {
        group_version: GROUP_VERSION,
        kind: "FlowSchema",
        subresource,
        reset_fields: &reset_fields,
        versions: &OneVersion { group_version: GROUP_VERSION, type_def: type_def() },
    })
}

fn updated(live: Option<&Value>, new: Value, manager: &str, second: i64) -> Value {
    with_endpoint("", |endpoint| update(endpoint, live, new, writer(manager, second)))
}

/// Applies labels, after which the object has a uid.
fn applied_labels(
    live: Option<&Value>,
    labels: &Value,
    (manager, second): (&str, i64),
    force: bool,
) -> Result<Value, ApplyError> {
    let body = json!({
        "apiVersion": GROUP_VERSION, "kind": "FlowSchema",
        "metadata": {"name": "a", "labels": labels},
    });
    with_endpoint("", |endpoint| apply(endpoint, live, &body, writer(manager, second), force))
        .map(|object| stored(&object))
}

/// Manager, operation, second and fields of each entry, as `manager Update 5 {…}`.
fn entries(object: &Value) -> Vec<String> {
    metadata::managed_fields(object)
        .iter()
        .map(|entry| {
            let text = |name: &str| entry[name].as_str().unwrap_or("-").to_owned();
            let second = text("time").parse::<Timestamp>().map(Timestamp::unix_seconds);
            let second = second.map_or_else(|_| "-".to_owned(), |second| second.to_string());
            let operation = text("operation");
            format!("{} {operation} {second} {}", text("manager"), entry["fieldsV1"])
        })
        .collect()
}

#[test]
fn a_manager_is_named_by_the_user_agent_up_to_its_first_slash() {
    assert_eq!(manager_from_user_agent("my-tool/v1.2 (linux/amd64)"), "my-tool");
    assert_eq!(manager_from_user_agent("a\u{1}b\u{200b}c"), "abc");
    assert_eq!(manager_from_user_agent(&"é".repeat(100)).len(), 128);
}
