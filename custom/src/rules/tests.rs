use serde_json::{Value, json};

use crate::schema::{KindName, Schema};

fn compile(spec: &Value) -> Schema {
    let kind = KindName { group: "example.com", version: "v1", kind: "Widget" };
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    Schema::compile(kind, &schema).unwrap()
}

/// A spec with two numbers and rules.
fn with_rules(rules: &Value) -> Schema {
    compile(&json!({"type": "object", "x-kubernetes-validations": rules, "properties": {
        "size": {"type": "integer", "maximum": 100}, "color": {"type": "string"}}}))
}

fn texts(schema: &Schema, new: &Value, old: Option<&Value>) -> Vec<String> {
    let old = old.map(|old| json!({ "spec": old }));
    let found = schema.validate(&json!({ "spec": new }), old.as_ref());
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn recorded_rules_refuse_in_the_recorded_words() {
    let schema = with_rules(&json!([
        {"rule": "self.size != 7", "message": "seven is not allowed"},
        {"rule": "!has(oldSelf.color) || self.color == oldSelf.color", "message": "color is immutable"},
    ]));
    assert_eq!(
        texts(&schema, &json!({"size": 7}), None),
        ["spec: Invalid value: seven is not allowed"]
    );
    let (red, blue) = (json!({"size": 4, "color": "red"}), json!({"size": 4, "color": "blue"}));
    assert_eq!(texts(&schema, &red, None), Vec::<String>::new());
    assert_eq!(
        texts(&schema, &red, Some(&json!({"size": 3, "color": "red"}))),
        Vec::<String>::new()
    );
    assert_eq!(texts(&schema, &blue, Some(&red)), ["spec: Invalid value: color is immutable"]);
}

#[test]
fn rules_have_reasons_fields_and_messages() {
    let schema = with_rules(&json!([
        {"rule": "self.size > 1", "reason": "FieldValueForbidden", "fieldPath": ".size", "messageExpression": "'no ' + string(self.size)"},
        {"rule": "self.size > 2", "reason": "FieldValueRequired", "fieldPath": ".size"},
        {"rule": "self.size > 3", "reason": "FieldValueDuplicate", "messageExpression": "''", "message": "m"},
        {"rule": "self.color == 'x'"},
    ]));
    assert_eq!(
        texts(&schema, &json!({"size": 0}), None),
        [
            "spec.size: Forbidden: no 0",
            "spec.size: Required value: failed rule: self.size > 2",
            "spec: Duplicate value",
            "spec: Invalid value: \"object\": no such key: color evaluating rule: self.color == 'x'",
        ]
    );
}

#[test]
fn rules_on_scalars_show_the_value() {
    let schema = compile(&json!({"type": "object", "properties": {
        "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]},
        "l": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'x'"}]}},
        "m": {"type": "object", "additionalProperties": {"type": "string", "x-kubernetes-validations": [{"rule": "self != 'x'"}]}},
    }}));
    assert_eq!(
        texts(&schema, &json!({"n": 3, "l": ["a", "x"], "m": {"k": "x"}}), None),
        [
            "spec.l[1]: Invalid value: \"x\": failed rule: self != 'x'",
            "spec.m[k]: Invalid value: \"x\": failed rule: self != 'x'",
            "spec.n: Invalid value: 3: failed rule: self % 2 == 0",
        ]
    );
}

#[test]
fn rules_wait_until_the_object_has_its_shape() {
    let schema = with_rules(&json!([{"rule": "self.size != 7"}]));
    assert_eq!(
        texts(&schema, &json!({"size": "x"}), None)[1],
        "<nil>: Invalid value: null: some validation rules were not checked because the object was \
         invalid; correct the existing errors to complete validation"
    );
    let found = texts(&schema, &json!({"size": 107}), None);
    assert_eq!(found.len(), 1, "limits do not keep rules from running: {found:?}");
}

#[test]
fn what_has_not_changed_is_let_through_but_changes_are_not() {
    let schema = compile(&json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"x": {"type": "integer"}},
            "x-kubernetes-validations": [{"rule": "self.x > 5"}, {"rule": "self.x >= oldSelf.x"}]},
        "b": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 5"}]}},
    }}));
    let old = json!({"a": {"x": 3}, "b": 1, "list": [1]});
    assert_eq!(
        texts(&schema, &json!({"a": {"x": 3}, "b": 2, "list": [1]}), Some(&old)),
        Vec::<String>::new()
    );
    assert_eq!(
        texts(&schema, &json!({"a": {"x": 2}, "b": 2, "list": [1, 2]}), Some(&old)),
        [
            "spec.a: Invalid value: failed rule: self.x > 5",
            "spec.a: Invalid value: failed rule: self.x >= oldSelf.x",
            "spec.list[0]: Invalid value: 1: failed rule: self > 5",
            "spec.list[1]: Invalid value: 2: failed rule: self > 5",
        ]
    );
}

#[test]
fn the_old_value_may_be_optional() {
    let schema = with_rules(&json!([
        {"rule": "oldSelf.hasValue() || self.size == 1", "optionalOldSelf": true, "message": "starts at one"},
        {"rule": "oldSelf.optMap(o, self.size >= o.size).orValue(true)", "optionalOldSelf": true, "message": "never less"},
    ]));
    assert_eq!(texts(&schema, &json!({"size": 2}), None), ["spec: Invalid value: starts at one"]);
    assert_eq!(
        texts(&schema, &json!({"size": 2}), Some(&json!({"size": 1}))),
        Vec::<String>::new()
    );
    assert_eq!(
        texts(&schema, &json!({"size": 1}), Some(&json!({"size": 2}))),
        ["spec: Invalid value: never less"]
    );
}

#[test]
fn the_object_itself_has_names() {
    let kind = KindName { group: "example.com", version: "v1", kind: "Widget" };
    let schema = json!({"type": "object", "x-kubernetes-validations": [
        {"rule": "self.metadata.name.startsWith('w') && self.kind == 'Widget'"}]});
    let schema = Schema::compile(kind, &schema).unwrap();
    let object = |name: &str| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}});
    assert!(schema.validate(&object("w1"), None).is_empty());
    let found = schema.validate(&object("x"), None);
    assert_eq!(
        found.aggregate().unwrap(),
        "<nil>: Invalid value: failed rule: self.metadata.name.startsWith('w') && self.kind == 'Widget'"
    );
}

#[test]
fn what_costs_too_much_ends_validation() {
    let nested = "self.list.all(a, self.list.all(b, self.list.all(c, a + b + c > 0)))";
    let kind = KindName { group: "example.com", version: "v1", kind: "Widget" };
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object",
        "x-kubernetes-validations": [{"rule": nested}, {"rule": "false"}],
        "properties": {"list": {"type": "array", "items": {"type": "integer"}}}}}});
    let schema = Schema::compile(kind, &schema).unwrap();
    let list: Vec<i32> = (1..200).collect();
    let found = texts(&schema, &json!({ "list": list }), None);
    assert_eq!(
        found,
        [format!(
            "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no \
             further validation rules will be run due to call cost exceeds limit for rule: {nested}"
        )]
    );
}
