//! The recorded requests: each with the causes that the reference answered.

use api::decode::{Tree, decode};
use api::schema::{Described, TypeDef};
use serde_json::{Map, json};

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

const RECORDED: &str = include_str!("../../tests/data/flowcontrol.json");
const GATE_OFF: &str = include_str!("../../tests/data/flowcontrol-beta-gate-off.json");
const STORED_INVALID: &str = include_str!("../../tests/data/flowcontrol-stored-invalid.json");

const APF: &str = include_str!("../../tests/data/apf-validation.json");
const HTTP: &str = include_str!("../../tests/data/flowcontrol-http.json");

const GATE_OFF_GATES: Gates = Gates { declarative_beta: false };

/// Counts what it is told.
#[derive(Default)]
struct Counter {
    mismatches: AtomicU64,
}

impl Observer for Counter {
    fn mismatch(&self, _identifier: &str, _message: &str) {
        self.mismatches.fetch_add(1, Ordering::Relaxed);
    }

    fn panic(&self, identifier: &str, value: &str) {
        panic!("{identifier} panicked: {value}");
    }

    fn duplicate(&self, _kind: &str, _error: &str) {}
}

fn cases(text: &str) -> Vec<Value> {
    let document: Value = serde_json::from_str(text).unwrap();
    document["cases"].as_array().unwrap().clone()
}

fn type_def(kind: &str) -> &'static TypeDef {
    match kind {
        "FlowSchema" => FlowSchema::type_def().unwrap(),
        _ => PriorityLevelConfiguration::type_def().unwrap(),
    }
}

fn canonical(kind: &str, object: &Value) -> Value {
    let mut object = decode(type_def(kind), Tree::from(object.clone())).unwrap().value;
    type_def(kind).apply_defaults(&mut object);
    object
}

/// What the server does to a new object before it validates it.
fn prepared_for_create(kind: &str, object: &Value) -> Value {
    let mut object = canonical(kind, object);
    let metadata = object["metadata"].as_object_mut().unwrap();
    for member in
        ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "namespace"]
    {
        metadata.remove(member);
    }
    let generated = metadata.get("generateName").and_then(Value::as_str).map(str::to_owned);
    if let Some(prefix) = generated.filter(|_| !metadata.contains_key("name")) {
        let kept: String = prefix.chars().take(58).collect();
        metadata.insert("name".to_owned(), json!(format!("{kept}zzzzz")));
    }
    metadata.insert("generation".to_owned(), json!(1));
    object["status"] = json!({});
    object
}

/// What the server does to a changed object before it validates it.
fn prepared_for_update(kind: &str, object: &Value, old: &Value, status: bool) -> Value {
    let mut object = canonical(kind, object);
    if status {
        object["spec"] = old["spec"].clone();
        object["metadata"] = old["metadata"].clone();
    } else {
        object["status"] = old["status"].clone();
        let old = old["metadata"].as_object().unwrap();
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.remove("namespace");
        for member in [
            "generation",
            "uid",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
        ] {
            if let Some(value) = old.get(member) {
                metadata.insert(member.to_owned(), value.clone());
            }
        }
    }
    object
}

fn stored(case: &Value, kind: &str) -> Value {
    let mut old = prepared_for_create(kind, &case["oldObject"]);
    if case["oldObject"].get("status").is_some() {
        old["status"] = canonical(kind, &case["oldObject"])["status"].clone();
    }
    let metadata = old["metadata"].as_object_mut().unwrap();
    metadata.insert("uid".to_owned(), json!("3c0a7f9e-3f0c-4f3a-9d6e-0f1f5d8f7c11"));
    metadata.insert("creationTimestamp".to_owned(), json!("2026-01-01T00:00:00Z"));
    if case.get("oldMeta").is_some() {
        metadata.insert("deletionTimestamp".to_owned(), json!("2026-01-01T00:00:00Z"));
        metadata.insert("deletionGracePeriodSeconds".to_owned(), json!(0));
    }
    old
}

fn run(case: &Value, context: Context<'_>) -> ErrorList {
    let kind = case["kind"].as_str().unwrap();
    match case["operation"].as_str().unwrap() {
        "create" => {
            validate_create_observed(kind, &prepared_for_create(kind, &case["object"]), context)
        }
        operation => {
            let old = stored(case, kind);
            let status = operation == "status";
            let object = prepared_for_update(kind, &case["object"], &old, status);
            if status {
                validate_status_update_observed(kind, &object, &old, context)
            } else {
                validate_update_observed(kind, &object, &old, context)
            }
        }
    }
}

/// Causes in comparable form.
fn found(errors: &ErrorList, case: &Value) -> Vec<(String, String, String)> {
    let random = |text: &str| {
        if case.get("dynamicName").is_some() {
            text.replace("zzzzz", "{random}")
        } else {
            text.to_owned()
        }
    };
    let mut causes: Vec<_> = errors
        .causes()
        .into_iter()
        .map(|cause| (cause.reason, cause.field, random(&cause.message)))
        .collect();
    if case.get("unordered").is_some() {
        causes.sort();
    }
    causes
}

fn expected(case: &Value) -> Vec<(String, String, String)> {
    let text =
        |cause: &Map<String, Value>, member: &str| cause[member].as_str().unwrap().to_owned();
    let mut causes: Vec<_> = case["expected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| cause.as_object().unwrap())
        .map(|cause| (text(cause, "reason"), text(cause, "field"), text(cause, "message")))
        .collect();
    if case.get("unordered").is_some() {
        causes.sort();
    }
    causes
}

fn check(case: &Value, gates: Gates) {
    let observer = Counter::default();
    let errors = run(case, Context { gates, observer: &observer });
    let name = format!("{} {}", case["id"], case["name"]);
    let mismatches = case["mismatchIncrements"].as_u64().unwrap_or(0);
    assert_eq!(observer.mismatches.into_inner(), mismatches, "{name}: mismatches");
    assert_eq!(found(&errors, case), expected(case), "{name}");
    if let Some(message) = case.pointer("/expectedStatus/message").and_then(Value::as_str)
        && case.get("unordered").is_none()
        && case.get("dynamicName").is_none()
    {
        let aggregate = errors.aggregate().unwrap();
        assert!(message.ends_with(&format!(" is invalid: {aggregate}")), "{name}: {aggregate}");
    }
}

#[test]
fn recorded_requests_are_answered_with_the_recorded_causes() {
    let cases = cases(RECORDED);
    assert_eq!(cases.len(), 348);
    for case in &cases {
        check(case, Gates::default());
    }
}

#[test]
fn without_the_beta_gate_only_handwritten_rules_are_enforced() {
    let with_gate = cases(RECORDED);
    let without_gate = cases(GATE_OFF);
    for mut case in with_gate {
        if let Some(other) = without_gate.iter().find(|other| other["id"] == case["id"]) {
            case["expected"] = other["expected"].clone();
            case["expectedStatus"] = other["expectedStatus"].clone();
        }
        check(&case, GATE_OFF_GATES);
    }
}

#[test]
fn objects_that_were_stored_invalid_are_judged_by_what_changed() {
    for case in &cases(STORED_INVALID) {
        check(case, Gates::default());
    }
}

#[test]
fn accepted_requests_store_the_recorded_object() {
    for case in cases(RECORDED).iter().filter(|case| case["operation"] == "create") {
        let Some(expected) = case.get("expectedObject") else { continue };
        let kind = case["kind"].as_str().unwrap();
        let mut object = prepared_for_create(kind, &case["object"]);
        type_def(kind).prune(&mut object);
        let expected = canonical(kind, &json!({ "spec": expected["spec"] }));
        assert_eq!(object["spec"], expected["spec"], "{} {}", case["id"], case["name"]);
    }
}

/// The causes of a recorded Status, in comparable form.
fn recorded_causes(causes: &Value) -> Vec<(String, String, String)> {
    let text = |cause: &Value, member: &str| cause[member].as_str().unwrap().to_owned();
    let causes = causes.as_array().into_iter().flatten();
    causes.map(|c| (text(c, "reason"), text(c, "field"), text(c, "message"))).collect()
}

fn created(kind: &str, object: &Value) -> Vec<(String, String, String)> {
    let errors = validate_create(kind, &prepared_for_create(kind, object), Gates::default());
    errors.causes().into_iter().map(|c| (c.reason, c.field, c.message)).collect()
}

#[test]
fn requests_recorded_around_priority_and_fairness_have_the_recorded_causes() {
    let cases = cases(APF);
    assert_eq!(cases.len(), 67);
    for case in &cases {
        let kind = case["kind"].as_str().unwrap();
        let causes = created(kind, &case["object"]);
        assert_eq!(causes, recorded_causes(&case["expect"]["causes"]), "{}", case["case"]);
        let refused = case["expect"]["code"] == 422;
        assert_eq!(!causes.is_empty(), refused, "{}", case["case"]);
    }
}

/// `{repeat:x:3}` stands for `xxx`.
fn expanded(object: &Value) -> Value {
    let text = object.to_string();
    let Some((before, rest)) = text.split_once("{repeat:") else { return object.clone() };
    let (pattern, after) = rest.split_once('}').unwrap();
    let (character, count) = pattern.split_once(':').unwrap();
    let repeated = character.repeat(count.parse().unwrap());
    serde_json::from_str(&format!("{before}{repeated}{after}")).unwrap()
}

#[test]
fn refused_bodies_of_recorded_http_requests_have_the_recorded_causes() {
    let mut checked = 0;
    for case in &cases(HTTP) {
        let details = &case["status"]["details"];
        let kind = details["kind"].as_str().unwrap_or_default();
        let known = [FlowSchema::NAME, PriorityLevelConfiguration::NAME].contains(&kind);
        if case["code"] != 422 || case["request"]["method"] == "PATCH" || !known {
            continue;
        }
        let causes = created(kind, &expanded(&case["request"]["body"]));
        assert_eq!(causes, recorded_causes(&details["causes"]), "{} {}", case["id"], case["case"]);
        checked += 1;
    }
    assert_eq!(checked, 6);
}
