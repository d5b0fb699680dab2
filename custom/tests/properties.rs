//! What holds of all schemas, objects and expressions, however odd.

#![expect(clippy::unwrap_used, reason = "a panic fails the test, which is what it is for")]

use custom::cel::{Program, Type, UNKNOWN, Value as CelValue, Variable};
use custom::schema::KindName;
use custom::{Definition, Schema, validate_create, validate_update};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use validation::field::ErrorList;

const KIND: KindName<'static> = KindName { group: "example.com", version: "v1", kind: "Widget" };

/// Few names, so that those of objects are often those of schemas.
fn name() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", "metadata", "kind", "apiVersion", "x-y", ""]).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["", "a", "2024-02-29", "10.0.0.1", "1h", "object", "integer", "set", "map"])
            .prop_map(str::to_owned),
        ".{0,6}",
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        text().prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            members(name(), inner),
        ]
    })
}

fn members(
    names: impl Strategy<Value = String>,
    values: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Value> {
    prop::collection::vec((names, values), 0..4)
        .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>()))
}

/// A schema with some more members.
fn with(
    schema: impl Strategy<Value = Value>,
    more: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Value> {
    (schema, more).prop_map(|(mut schema, more)| {
        let members = schema.as_object_mut().unwrap();
        members.extend(more.as_object().cloned().unwrap_or_default());
        schema
    })
}

fn leaf() -> impl Strategy<Value = Value> {
    let limits = select(vec![
        json!({}),
        json!({"nullable": true}),
        json!({"minLength": 2, "maxLength": 1}),
        json!({"pattern": "^a?$"}),
        json!({"enum": ["a", 1, null]}),
        json!({"minimum": 1, "exclusiveMinimum": true, "multipleOf": 0.5}),
        json!({"format": "date-time"}),
        json!({"format": "duration"}),
        json!({"x-kubernetes-validations": [{"rule": "string(self) == 'a'"}]}),
    ]);
    let kinds = select(vec![
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": "number"}),
        json!({"type": "boolean"}),
        json!({"x-kubernetes-int-or-string": true}),
        json!({"x-kubernetes-preserve-unknown-fields": true}),
    ]);
    let default = prop_oneof![
        2 => Just(json!({})),
        1 => value().prop_map(|default| json!({"default": default})),
    ];
    with(with(kinds, limits), default)
}

/// Schemas with all that changes how objects are read.
fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 32, 4, |inner| {
        let list = select(vec![
            json!({"type": "array"}),
            json!({"type": "array", "x-kubernetes-list-type": "set", "maxItems": 2}),
            json!({"type": "array", "x-kubernetes-list-type": "map",
                   "x-kubernetes-list-map-keys": ["a", "b"]}),
            json!({"type": "array", "x-kubernetes-validations": [
                {"rule": "self.all(x, self.exists_one(y, x == y))"}]}),
        ]);
        let items = inner.clone().prop_map(|items| json!({"items": items}));
        let object = select(vec![
            json!({"type": "object"}),
            json!({"type": "object", "required": ["a"], "default": {}}),
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
            json!({"type": "object", "x-kubernetes-map-type": "atomic", "nullable": true}),
            json!({"type": "object", "anyOf": [{"required": ["a"]},
                   {"not": {"properties": {"b": {"minimum": 2}}}}]}),
            json!({"type": "object", "x-kubernetes-validations": [
                {"rule": "self == oldSelf", "messageExpression": "'was ' + string(oldSelf)"}]}),
        ]);
        let map = inner.clone().prop_map(|values| json!({"additionalProperties": values}));
        let properties =
            members(name(), inner).prop_map(|properties| json!({"properties": properties}));
        prop_oneof![with(list, items), with(object.clone(), map), with(object, properties)]
    })
}

/// Schemas for objects at whose root there may be metadata.
fn root() -> impl Strategy<Value = Value> {
    members(name(), schema())
        .prop_map(|properties| json!({"type": "object", "properties": properties}))
}

fn object() -> impl Strategy<Value = Value> {
    members(name(), value())
}

/// Pieces of expressions, in any order.
fn expression() -> impl Strategy<Value = String> {
    let pieces = vec![
        "self",
        ".",
        "a",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "1",
        "-",
        "'x'",
        "+",
        "==",
        "&&",
        "||",
        "!",
        "?",
        ":",
        "has(",
        "self.a",
        ".all(x, x)",
        ".map(y, y)",
        "in",
        "null",
        "size(",
        "1.5",
        "2u",
        "b'a'",
        "optional.of(",
        ".orValue(",
        "\"",
        "\\",
        "duration('1h')",
        "cel.",
        "\n",
        ",",
        "é",
        ".format([self])",
        "'%s'",
        "sets.contains(",
        "[1, 2]",
        "{'a': 1}",
        "r'\\d'",
        ".?a",
        "[?0]",
    ];
    prop::collection::vec(select(pieces), 0..12).prop_map(|pieces| pieces.concat())
}

fn definition(version: &Value) -> Value {
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [version],
        },
    })
}

/// Versions of which any member may be odd.
fn version() -> impl Strategy<Value = Value> {
    let names = select(vec![
        "name",
        "served",
        "schema",
        "subresources",
        "additionalPrinterColumns",
        "selectableFields",
        "deprecationWarning",
    ]);
    let plain = prop_oneof![root(), schema(), value()].prop_map(|schema| {
        json!({
            "name": "v1",
            "served": true,
            "storage": true,
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".a"}},
            "selectableFields": [{"jsonPath": ".a"}],
            "schema": {"openAPIV3Schema": schema},
        })
    });
    with(plain, prop_oneof![Just(json!({})), members(names.prop_map(str::to_owned), value())])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn what_was_pruned_once_is_pruned(schema in root(), mut object in object()) {
        if let Ok(schema) = Schema::compile(KIND, &schema) {
            schema.prune(&mut object);
            let once = object.clone();
            prop_assert_eq!(schema.prune(&mut object), Vec::<String>::new());
            prop_assert_eq!(object, once);
        }
    }

    #[test]
    fn defaults_are_filled_in_once(schema in root(), mut object in object()) {
        if let Ok(schema) = Schema::compile(KIND, &schema) {
            schema.apply_defaults(&mut object);
            let once = object.clone();
            schema.apply_defaults(&mut object);
            prop_assert_eq!(object, once);
        }
    }

    #[test]
    fn any_object_is_answered(schema in root(), object in value(), old in value()) {
        if let Ok(schema) = Schema::compile(KIND, &schema) {
            let first = schema.validate(&object, None);
            prop_assert_eq!(first.iter().count(), schema.validate(&object, None).iter().count());
            let changed = schema.validate(&object, Some(&old));
            prop_assert!(changed.iter().all(|error| !error.to_string().is_empty()));
            prop_assert!(schema.openapi_v2().is_object() && schema.openapi_v3().is_object());
        }
    }

    #[test]
    fn any_definition_is_answered(version in version(), old in version()) {
        let (definition, old) = (definition(&version), definition(&old));
        let mut errors = ErrorList::default();
        validate_create(&definition, &mut errors);
        validate_update(&definition, &old, &mut errors);
        let refused = errors.iter().next().is_some();
        // What the rules let through can be served.
        prop_assert!(refused || Definition::parse(&definition).is_ok());
    }

    #[test]
    fn any_expression_is_answered(text in prop_oneof![expression(), ".{0,20}"], n in any::<i64>()) {
        let variable = Variable { name: "self".to_owned(), value_type: Type::Dyn(UNKNOWN) };
        if let Ok(program) = Program::compile(&text, &[variable]) {
            let (_, cost) = program.evaluate(vec![CelValue::Int(n)], 1_000);
            prop_assert!(cost < 1_000_000, "{}", cost);
        }
    }
}

/// As deep as a document may be.
#[test]
fn schemas_of_the_greatest_depth_do_not_exhaust_the_stack() {
    let rules = json!([{"rule": "has(self.a)"}]);
    for wrap in [
        |inner: Value| json!({"type": "array", "items": inner}),
        |inner: Value| json!({"type": "object", "additionalProperties": inner}),
        |inner: Value| json!({"type": "object", "properties": {"a": inner}}),
        |inner: Value| json!({"type": "object", "not": inner}),
        |inner: Value| json!({"type": "object", "allOf": [inner]}),
    ] {
        let leaf = json!({"type": "object", "x-kubernetes-validations": rules});
        let schema = (0..120).fold(leaf, |inner, _| wrap(inner));
        let mut errors = ErrorList::default();
        let version = json!({
            "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
        });
        validate_create(&definition(&version), &mut errors);
        assert!(errors.iter().next().is_some());

        if let Ok(schema) = Schema::compile(KIND, &schema) {
            let mut object = (0..120).fold(json!({}), |inner, _| json!({"a": inner}));
            schema.prune(&mut object);
            schema.apply_defaults(&mut object);
            let (created, updated) =
                (schema.validate(&object, None), schema.validate(&object, Some(&object)));
            assert!(created.iter().count() + updated.iter().count() < 1_000);
        }
    }
}
