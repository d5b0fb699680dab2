//! What Kubernetes 1.37.2 says of definitions, of custom resources, and of rules, case by case, against
//! what we say. The reference walks maps in any order, so errors are compared in any order as well.

#![expect(clippy::unwrap_used, reason = "a panic fails the test, which is what it is for")]

use std::fs;
use std::path::Path;

use custom::schema::KindName;
use custom::{Schema, validate_create};
use serde_json::{Value, json};
use validation::field::ErrorList;

/// The lines of a file; each is a document.
fn lines(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Texts, sorted; none if there is no list.
fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().cloned().unwrap_or_default();
    let mut texts: Vec<String> =
        list.iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    texts.sort();
    texts
}

fn shown(errors: &ErrorList) -> Vec<String> {
    let mut texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

/// Cases that were answered in another way.
#[derive(Default)]
struct Differing(Vec<String>);

impl Differing {
    fn compare(&mut self, name: &str, ours: &[String], theirs: &[String]) {
        if ours != theirs {
            self.0.push(format!("{name}\n  ours:   {ours:#?}\n  theirs: {theirs:#?}"));
        }
    }

    fn assert_none(self) {
        assert!(self.0.is_empty(), "{} differ:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// Whether two values are the same; the reference writes whole floating-point numbers as whole ones.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

/// What the server fills in before it looks at a definition.
fn completed(definition: &Value) -> Value {
    let mut definition = definition.clone();
    let names = &mut definition["spec"]["names"];
    let kind = names["kind"].as_str().unwrap_or_default().to_owned();
    if names["singular"].as_str().unwrap_or_default().is_empty() {
        names["singular"] = json!(kind.to_lowercase());
    }
    if names["listKind"].as_str().unwrap_or_default().is_empty() && !kind.is_empty() {
        names["listKind"] = json!(format!("{kind}List"));
    }
    if definition["spec"]["conversion"].is_null() {
        definition["spec"]["conversion"] = json!({"strategy": "None"});
    }
    let versions = definition["spec"]["versions"].as_array().cloned().unwrap_or_default();
    let stored = versions.iter().filter(|version| version["storage"] == json!(true)).take(1);
    let stored: Vec<&Value> = stored.map(|version| &version["name"]).collect();
    definition["status"] = json!({ "storedVersions": stored });
    definition
}

/// A definition of widgets whose `spec` has that schema.
fn definition(spec: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}

/// A widget with that `spec`.
fn widget(spec: &Value) -> Value {
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "w"},
        "spec": spec,
    })
}

fn compile(spec: &Value) -> Schema {
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    Schema::compile(KindName { group: "example.com", version: "v1", kind: "Widget" }, &schema)
        .unwrap()
}

fn refusals(definition: &Value) -> Vec<String> {
    let mut errors = ErrorList::default();
    validate_create(&completed(definition), &mut errors);
    shown(&errors)
}

/// Schemas with a rule, or with a rule that fails and says why in CEL.
fn with_rule(schema: &Value, case: &Value) -> Value {
    let rule = match case.get("message") {
        Some(message) => json!({"rule": "self.n == 99", "messageExpression": message}),
        None => json!({"rule": case["rule"]}),
    };
    let mut schema = schema.clone();
    schema["x-kubernetes-validations"] = json!([rule]);
    schema
}

#[test]
fn definitions_are_refused_as_recorded() {
    let mut differing = Differing::default();
    for (number, case) in lines("definitions.jsonl").iter().enumerate() {
        let name = format!("line {}", number + 1);
        differing.compare(&name, &refusals(&case["crd"]), &texts(&case["errors"]));
    }
    differing.assert_none();
}

#[test]
fn objects_are_pruned_completed_and_refused_as_recorded() {
    let mut differing = Differing::default();
    for group in lines("objects.jsonl") {
        let schema = compile(&group["schema"]);
        for case in group["cases"].as_array().unwrap() {
            let mut object = widget(&case["spec"]);
            let mut expected = widget(case.get("completed").unwrap_or(&case["spec"]));
            if case.get("completed").is_some_and(Value::is_null) {
                expected.as_object_mut().unwrap().remove("spec");
            }
            let pruned = schema.prune(&mut object);
            schema.apply_defaults(&mut object);
            let old = case.get("old").map(widget);
            let mut said = shown(&schema.validate(&object, old.as_ref()));
            if pruned != texts(&case["pruned"]) {
                said.push(format!("pruned: {pruned:?}"));
            }
            if !same(&object, &expected) {
                said.push(format!("completed: {object}"));
            }
            let name = format!("{} {}", group["name"], case["spec"]);
            differing.compare(&name, &said, &texts(&case["errors"]));
        }
    }
    differing.assert_none();
}

#[test]
fn rules_are_refused_as_recorded() {
    let cases = lines("expressions.jsonl");
    let mut differing = Differing::default();
    for case in &cases[1..] {
        let definition = definition(&with_rule(&cases[0]["schema"], case));
        differing.compare(&case.to_string(), &refusals(&definition), &texts(&case["definition"]));
    }
    differing.assert_none();
}

#[test]
fn rules_say_of_objects_what_is_recorded() {
    let cases = lines("expressions.jsonl");
    let mut object = widget(&cases[0]["spec"]);
    let mut differing = Differing::default();
    for case in cases[1..].iter().filter(|case| case.get("object").is_some()) {
        let schema = compile(&with_rule(&cases[0]["schema"], case));
        schema.apply_defaults(&mut object);
        let said = shown(&schema.validate(&object, None));
        differing.compare(&case.to_string(), &said, &texts(&case["object"]));
    }
    differing.assert_none();
}
