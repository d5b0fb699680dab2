use serde_json::{Value, json};

use super::{KindName, Schema};

/// The schema of the recorded case `crd-objects`, without its rules.
fn widget() -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "color": {"type": "string", "default": "red", "enum": ["red", "blue"]},
                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "port": {"x-kubernetes-int-or-string": true},
                    "replicas": {"type": "integer"},
                    "size": {"type": "integer", "minimum": 1, "maximum": 10},
                    "tags": {"type": "array", "items": {"type": "string"},
                        "x-kubernetes-list-type": "set"},
                },
            },
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    })
}

fn compile(schema: &Value) -> Schema {
    let kind = KindName { group: "example.com", version: "v1", kind: "Widget" };
    Schema::compile(kind, schema).unwrap()
}

/// A schema whose only field is `spec`.
fn of_spec(spec: &Value) -> Schema {
    compile(&json!({"type": "object", "properties": {"spec": spec}}))
}

fn errors(schema: &Schema, object: &Value) -> Vec<String> {
    schema.validate(object, None).iter().map(ToString::to_string).collect()
}

/// What is wrong with a spec.
fn spec_errors(schema: &Value, spec: &Value) -> Vec<String> {
    errors(&of_spec(schema), &json!({ "spec": spec }))
}

#[test]
fn what_the_schema_does_not_know_is_taken_and_named() {
    let schema = compile(&widget());
    let mut object = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"x": 1},
        "extra": 1, "spec": {"size": 3, "bogus": 1, "free": {"a": {"b": 1}}}});
    assert_eq!(schema.prune(&mut object), ["extra", "spec.bogus"]);
    let left = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"x": 1},
        "spec": {"size": 3, "free": {"a": {"b": 1}}}});
    assert_eq!(object, left);
    assert_eq!(schema.prune(&mut object), Vec::<String>::new());
}

#[test]
fn pruning_goes_into_lists_maps_and_declared_members_of_open_objects() {
    let schema = of_spec(&json!({"type": "object", "properties": {
        "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "map": {"type": "object", "additionalProperties": {"type": "object"}},
        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": {"closed": {"type": "object"}}},
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true},
    }}));
    let mut object = json!({"spec": {
        "list": [{"a": "x"}, {"b": 1}],
        "map": {"k": {"c": 1}},
        "open": {"d": {"e": 1}, "closed": {"f": 1}},
        "embedded": {"kind": "X", "metadata": {"name": "n", "g": 1}, "spec": {"h": 1}},
    }});
    let pruned = schema.prune(&mut object);
    let expected =
        ["spec.embedded.metadata.g", "spec.list[1].b", "spec.map.k.c", "spec.open.closed.f"];
    assert_eq!(pruned, expected);
    assert_eq!(object["spec"]["open"], json!({"d": {"e": 1}, "closed": {}}));
    assert_eq!(object["spec"]["embedded"]["spec"], json!({"h": 1}));
}

#[test]
fn defaults_are_filled_in_where_their_object_is() {
    let schema = of_spec(&json!({"type": "object", "properties": {
        "a": {"type": "object", "properties": {"b": {"type": "integer", "default": 1}}},
        "c": {"type": "object", "default": {}, "properties": {"d": {"type": "string", "default": "x"}}},
        "null": {"type": "string", "default": "y"},
        "nullable": {"type": "string", "nullable": true, "default": "y"},
        "gone": {"type": "string"},
        "list": {"type": "array", "items": {"type": "string", "default": "z"}},
        "map": {"type": "object", "additionalProperties": {"type": "string", "default": "m"}},
    }}));
    let mut object = json!({"spec": {"null": null, "nullable": null, "gone": null,
        "list": [null, "k"], "map": {"q": null}}});
    schema.apply_defaults(&mut object);
    let expected = json!({"spec": {"c": {"d": "x"}, "null": "y", "nullable": null,
        "list": ["z", "k"], "map": {"q": "m"}}});
    assert_eq!(object, expected);
    let mut nothing = json!({});
    schema.apply_defaults(&mut nothing);
    assert_eq!(nothing, json!({}));
}

#[test]
fn values_are_refused_in_the_recorded_words() {
    let schema = compile(&widget());
    let of = |spec: Value| errors(&schema, &json!({"spec": spec}));
    assert_eq!(
        of(json!({"size": 0})),
        ["spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"]
    );
    assert_eq!(
        of(json!({"size": "x"})),
        [
            "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\""
        ]
    );
    assert_eq!(of(json!({})), ["spec.size: Required value"]);
    assert_eq!(
        of(json!({"size": 2, "tags": ["a", "a", "a"]})),
        ["spec.tags[1]: Duplicate value: \"a\""]
    );
    assert_eq!(
        of(json!({"size": 2, "color": "green"})),
        ["spec.color: Unsupported value: \"green\": supported values: \"red\", \"blue\""]
    );
    assert_eq!(of(json!({"size": 2, "port": "http", "free": {"a": [1]}})), Vec::<String>::new());
    assert_eq!(
        of(json!({"size": 2, "port": true})),
        [
            "spec.port: Invalid value: \"boolean\": spec.port in body must be of type integer,string: \"boolean\""
        ]
    );
}

#[test]
fn every_limit_has_its_words() {
    for (schema, value, expected) in [
        (
            json!({"type": "string", "maxLength": 3}),
            json!("long"),
            "Too long: may not be more than 3 bytes",
        ),
        (
            json!({"type": "string", "minLength": 3}),
            json!("a"),
            "Invalid value: \"a\": spec in body should be at least 3 chars long",
        ),
        (
            json!({"type": "string", "pattern": "^a+$"}),
            json!("b"),
            "Invalid value: \"b\": spec in body should match '^a+$'",
        ),
        (
            json!({"type": "string", "format": "date"}),
            json!("b"),
            "Invalid value: \"b\": spec in body must be of type date: \"b\"",
        ),
        (
            json!({"type": "string", "format": "date"}),
            json!(5),
            "Invalid value: \"int64\": spec in body must be of type date: \"int64\"",
        ),
        (
            json!({"type": "integer", "maximum": 3, "exclusiveMaximum": true}),
            json!(3),
            "Invalid value: 3: spec in body should be less than 3",
        ),
        (
            json!({"type": "number", "minimum": 0.5, "exclusiveMinimum": true}),
            json!(0.5),
            "Invalid value: 0.5: spec in body should be greater than 0.5",
        ),
        (
            json!({"type": "integer", "multipleOf": 5}),
            json!(7),
            "Invalid value: 7: spec in body should be a multiple of 5",
        ),
        (
            json!({"type": "number", "multipleOf": 0.1}),
            json!(0.25),
            "Invalid value: 0.25: spec in body should be a multiple of 0.1",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 1}),
            json!(["a", "b"]),
            "Too many: 2: must have at most 1 item",
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2}),
            json!(["a"]),
            "Invalid value: 1: spec in body should have at least 2 items",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}),
            json!({}),
            "Invalid value: 0: spec in body should have at least 1 properties",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 1}),
            json!({"a": "", "b": ""}),
            "Too many: 2: must have at most 1 item",
        ),
        (
            json!({"type": "string"}),
            json!(null),
            "Invalid value: \"null\": spec in body must be of type string: \"null\"",
        ),
    ] {
        assert_eq!(spec_errors(&schema, &value), [format!("spec: {expected}")], "{schema}");
    }
    let whole = json!({"type": "integer"});
    assert_eq!(
        spec_errors(&whole, &json!(1.5)),
        [
            "spec: Invalid value: \"number\": spec in body must be of type integer: \"number\"",
            "<nil>: Invalid value: \"\": Checked value must be of type integer (default format) in spec",
        ]
    );
    let nullable = json!({"type": "string", "nullable": true});
    assert_eq!(spec_errors(&nullable, &json!(null)), Vec::<String>::new());
    assert_eq!(spec_errors(&json!({"type": "integer"}), &json!(2.0)), Vec::<String>::new());
}

#[test]
fn errors_name_items_by_index_and_entries_by_dots() {
    let schema = json!({"type": "object", "properties": {
        "list": {"type": "array", "items": {"type": "integer", "minimum": 1}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
    }});
    let found = spec_errors(&schema, &json!({"list": [1, 0], "map": {"a.b": "x"}}));
    assert!(
        found[0].starts_with("spec.list[1]: Invalid value: 0: spec.list[1] in body"),
        "{found:?}"
    );
    assert!(found[1].starts_with("spec.map.a.b: Invalid value: \"string\": spec.map.a.b in body"));
}

#[test]
fn of_alternatives_the_best_is_explained() {
    let one = json!({"type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}]});
    assert_eq!(
        spec_errors(&one, &json!({})),
        [
            "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). Found none valid",
            "spec.a: Required value",
        ]
    );
    assert_eq!(
        spec_errors(&one, &json!({"a": 1, "b": 1})),
        [
            "<nil>: Invalid value: \"\": \"spec\" must validate one and only one schema (oneOf). Found 2 valid alternatives"
        ]
    );
    let rest = json!({"type": "integer", "not": {"enum": [5]},
        "anyOf": [{"minimum": 10}, {"maximum": 6}], "allOf": [{"maximum": 20}]});
    assert_eq!(
        spec_errors(&rest, &json!(5)),
        ["<nil>: Invalid value: \"\": \"spec\" must not validate the schema (not)"]
    );
    assert_eq!(spec_errors(&rest, &json!(8)).len(), 2);
    assert_eq!(
        spec_errors(&rest, &json!(30)),
        [
            "spec: Invalid value: 30: spec in body should be less than or equal to 20",
            "<nil>: Invalid value: \"\": \"spec\" must validate all the schemas (allOf). None validated",
        ]
    );
}

#[test]
fn list_maps_are_told_apart_by_their_keys() {
    let schema = json!({"type": "array", "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["n", "p"], "items": {"type": "object", "properties": {
            "n": {"type": "string"}, "p": {"type": "integer"}}}});
    let found =
        spec_errors(&schema, &json!([{"n": "a", "p": 1}, {"p": 2, "n": "a"}, {"p": 1, "n": "a"}]));
    assert_eq!(found, ["spec[2]: Duplicate value: {\"n\":\"a\",\"p\":1}"]);
}

#[test]
fn embedded_objects_have_a_type_and_metadata() {
    let schema = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true});
    let good = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b"}}});
    assert_eq!(spec_errors(&schema, &good), Vec::<String>::new());
    let bad = json!({"kind": "", "metadata": {"labels": {"a": "b c"}}});
    let found = spec_errors(&schema, &bad);
    assert_eq!(
        found[..2],
        ["spec.apiVersion: Required value", "spec.kind: Invalid value: \"\": must not be empty"]
    );
    assert!(found[2].starts_with("spec.metadata.labels: Invalid value: \"b c\""), "{found:?}");
}

#[test]
fn what_was_wrong_and_stays_as_it_was_is_let_through() {
    let schema = of_spec(&json!({"type": "object", "properties": {
        "a": {"type": "integer", "maximum": 3}, "b": {"type": "integer"},
        "list": {"type": "array", "items": {"type": "integer", "maximum": 3}},
        "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
            "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer", "maximum": 3}}}},
        "set": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
    }}));
    let old = json!({"spec": {"a": 5, "list": [5], "map": [{"k": "x", "v": 5}], "set": [1, 1]}});
    let found = |new: Value| -> Vec<String> {
        schema.validate(&new, Some(&old)).iter().map(|error| error.field.clone()).collect()
    };
    let mut new = old.clone();
    new["spec"]["b"] = json!(1);
    assert_eq!(found(new.clone()), Vec::<String>::new());
    new["spec"]["a"] = json!(6);
    new["spec"]["list"] = json!([5, 1]);
    new["spec"]["map"] = json!([{"k": "y", "v": 4}, {"k": "x", "v": 5}]);
    assert_eq!(found(new), ["spec.a", "spec.list[0]", "spec.map[0].v"]);
}

#[test]
fn apply_sees_lists_and_maps_as_the_schema_says() {
    let schema = of_spec(&json!({"type": "object", "properties": {
        "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "any": {"x-kubernetes-preserve-unknown-fields": true},
    }, "x-kubernetes-preserve-unknown-fields": true}));
    let type_def = schema.type_def();
    assert_eq!(type_def.openapi_name, "com.example.v1.Widget");
    let api::schema::Shape::Struct(spec) = &type_def.field("spec").unwrap().shape else {
        panic!("a struct");
    };
    assert!(spec.open && !type_def.open);
    let api::schema::Shape::List(list) = &spec.field("set").unwrap().shape else {
        panic!("a list")
    };
    assert_eq!(list.list_type, api::schema::ListType::Set);
}

#[test]
fn documents_say_what_their_version_can() {
    let schema = of_spec(&json!({"type": "object", "required": ["n", "m"], "properties": {
        "n": {"type": "string", "nullable": true},
        "m": {"type": "integer", "anyOf": [{"minimum": 1}]},
        "e": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {}},
        "o": {"type": "array", "x-kubernetes-preserve-unknown-fields": true, "items": {"type": "object"}},
    }}));
    let spec = &schema.openapi_v2()["properties"]["spec"];
    assert_eq!(spec["properties"]["n"], json!({}));
    assert_eq!(spec["properties"]["m"], json!({"type": "integer"}));
    assert_eq!(spec["properties"]["o"], json!({"x-kubernetes-preserve-unknown-fields": true}));
    assert_eq!(spec["required"], json!(["m"]));
    assert_eq!(spec["properties"]["e"]["required"], json!(["kind", "apiVersion"]));
    let document = schema.openapi_v3();
    assert_eq!(document["properties"]["spec"]["properties"]["n"]["nullable"], json!(true));
    assert_eq!(
        document["properties"]["metadata"]["$ref"],
        "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    );
    assert_eq!(
        document["x-kubernetes-group-version-kind"],
        json!([{"group": "example.com", "kind": "Widget", "version": "v1"}])
    );
}
