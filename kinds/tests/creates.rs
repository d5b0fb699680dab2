//! Replays recorded creates: what the reference filled in, decided and refused, and what became of
//! labels and generation when the label `x: y` was added.
//!
//! `data/creates.jsonl` has a line for each: the path, the body, and the answer, in which what
//! differs from run to run stands as `<uid1>`, `<time>` and `<rv>`.

#![expect(clippy::unwrap_used, reason = "a panic fails the test, which is what it is for")]

use openapi::recorded;
use openapi::resource::Resource;
use serde_json::{Value, json};

const UID: &str = "11111111-2222-3333-4444-555555555555";
const CREATED: &str = "2020-01-02T03:04:05Z";

struct Case {
    name: String,
    group: String,
    kind: String,
    resource: Resource,
    body: Value,
    status: u64,
    answer: Value,
    labelled: Value,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("data/creates.jsonl").lines();
    let with_uid = lines.map(|line| line.replace("<uid1>", UID));
    with_uid.map(|line| case(&serde_json::from_str(&line).unwrap())).collect()
}

fn case(line: &Value) -> Case {
    let body = line["body"].clone();
    let api_version = body["apiVersion"].as_str().unwrap();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let recorded = recorded::group_versions().iter().find(|recorded| {
        let known = recorded.group_version();
        known.group == group && known.version == version
    });
    let kind = body["kind"].as_str().unwrap();
    let resources = recorded.unwrap().resources();
    Case {
        name: line["name"].as_str().unwrap().to_owned(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        resource: resources.into_iter().find(|resource| resource.kind == kind).unwrap(),
        body,
        status: line["status"].as_u64().unwrap(),
        answer: line["answer"].clone(),
        labelled: line["labelled"].clone(),
    }
}

impl Case {
    /// The object as the server would store it.
    fn created(&self) -> Value {
        let type_def = &self.resource.type_def;
        let mut object = api::decode::decode_value(type_def, self.body.clone()).unwrap();
        type_def.apply_defaults(&mut object);
        kinds::defaults::fill(&self.group, &self.kind, &mut object);
        object["metadata"]["uid"] = UID.into();
        object["metadata"]["creationTimestamp"] = CREATED.into();
        if self.resource.namespaced {
            object["metadata"]["namespace"] = "default".into();
        }
        admit(&self.kind, &mut object);
        kinds::defaults::prepare_create(&self.group, &self.kind, &mut object);
        type_def.prune(&mut object);
        object
    }
}

/// What the plugins did that were on where the cases were recorded.
fn admit(kind: &str, object: &mut Value) {
    use kinds::admission;
    match kind {
        "Pod" => {
            admission::set_priority(object, system_class, Vec::new).unwrap();
            admission::tolerate_node_failures(object, admission::TolerationSeconds::default());
        }
        "Node" => admission::taint_node(object),
        "PersistentVolume" => admission::protect(object, "kubernetes.io/pv-protection"),
        "PersistentVolumeClaim" => admission::protect(object, "kubernetes.io/pvc-protection"),
        _ => {}
    }
}

fn system_class(name: &str) -> Option<Value> {
    (name == "system-node-critical").then(|| json!({"value": 2_000_001_000}))
}

/// Takes out of an answer what only a running server knows.
fn without_times(mut answer: Value, created: &Value) -> Value {
    answer["metadata"].as_object_mut().unwrap().shift_remove("resourceVersion");
    settle(&mut answer, created);
    answer
}

/// Puts the time of our object where the recording has `<time>`.
fn settle(recorded: &mut Value, ours: &Value) {
    match (recorded, ours) {
        (recorded @ Value::String(_), Value::String(text)) if recorded == "<time>" => {
            *recorded = text.as_str().into();
        }
        (Value::Object(recorded), Value::Object(ours)) => {
            for (name, value) in recorded {
                if let Some(ours) = ours.get(name) {
                    settle(value, ours);
                }
            }
        }
        (Value::Array(recorded), Value::Array(ours)) => {
            recorded.iter_mut().zip(ours).for_each(|(recorded, ours)| settle(recorded, ours));
        }
        _ => {}
    }
}

#[test]
fn objects_are_completed_as_recorded() {
    let accepted: Vec<Case> = cases().into_iter().filter(|case| case.status == 201).collect();
    assert!(accepted.len() > 45, "{}", accepted.len());
    let mut wrong = Vec::new();
    for case in accepted {
        let object = case.created();
        let errors = kinds::rules::validate_create(&case.group, &case.kind, &object);
        let expected = without_times(case.answer.clone(), &object);
        if object != expected || !errors.is_empty() {
            wrong.push(format!("{}\n  {object}\n  {expected}\n  {errors:?}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn objects_are_refused_as_recorded() {
    let refused: Vec<Case> = cases().into_iter().filter(|case| case.status == 422).collect();
    assert!(refused.len() > 6, "{}", refused.len());
    for case in refused {
        let errors = kinds::rules::validate_create(&case.group, &case.kind, &case.created());
        let causes: Vec<Value> = errors
            .without_repetitions()
            .causes()
            .into_iter()
            .map(|cause| {
                json!({"reason": cause.reason, "message": cause.message, "field": cause.field})
            })
            .collect();
        assert_eq!(Value::from(causes), case.answer["details"]["causes"], "{}", case.name);
    }
}

#[test]
fn labelled_objects_come_out_as_recorded() {
    let labelled: Vec<Case> = cases().into_iter().filter(|case| !case.labelled.is_null()).collect();
    assert!(labelled.len() > 45, "{}", labelled.len());
    for case in labelled {
        let old = case.created();
        let mut new = old.clone();
        new["metadata"]["labels"]["x"] = "y".into();
        kinds::defaults::fill(&case.group, &case.kind, &mut new);
        kinds::defaults::prepare_update(&case.group, &case.kind, &mut new, &old);
        let errors = kinds::rules::validate_update(&case.group, &case.kind, &new, &old);
        assert!(errors.is_empty(), "{}: {errors:?}", case.name);
        let metadata = &new["metadata"];
        let generation = metadata.get("generation").unwrap_or(&Value::Null);
        assert_eq!(metadata["labels"], case.labelled["labels"], "{}", case.name);
        assert_eq!(generation, &case.labelled["generation"], "{}", case.name);
    }
}

#[test]
fn completing_an_object_again_changes_nothing() {
    for case in cases() {
        let object = case.created();
        let mut again = object.clone();
        kinds::defaults::fill(&case.group, &case.kind, &mut again);
        assert_eq!(again, object, "{}", case.name);
    }
}
