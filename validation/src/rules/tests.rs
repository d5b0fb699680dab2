//! The recorded cases of every tag.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use validation_tags::model::{Constant, Default, Definition, Field, NamedType};

use super::*;
use crate::field::Level;

const TYPES: &str = include_str!("../../tests/data/tags-types.json");
const CASES: &str = include_str!("../../tests/data/tags-cases.json");

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The tags of a recorded place; the markers for other tools are left out.
fn tags(recorded: &Value) -> Vec<Tag> {
    let texts = recorded["tags"].as_array().into_iter().flatten().map(|tag| tag.as_str().unwrap());
    texts.filter(|text| text.starts_with("+k8s:")).map(|text| text.parse().unwrap()).collect()
}

fn default_of(field: &Value) -> Option<Default> {
    let mut texts = field["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap());
    texts.find_map(|text| text.strip_prefix("+default=")).map(|value| match value {
        "\"\"" | "0" | "false" | "null" => Default::Zero,
        _ => Default::Other,
    })
}

fn recorded_model() -> (Model<Tag>, Vec<String>) {
    let document = document(TYPES);
    let recorded = document["types"].as_array().unwrap();
    let names: Vec<String> =
        recorded.iter().map(|named| named["name"].as_str().unwrap().to_owned()).collect();
    let find = |name: &str| names.iter().position(|known| known == name).map(TypeId);
    let notation = |value: &Value| Type::from_notation(value.as_str().unwrap(), &find).unwrap();
    let types = recorded.iter().map(|named| NamedType {
        name: named["name"].as_str().unwrap().to_owned(),
        rules: tags(named),
        definition: match named["kind"].as_str().unwrap() {
            "struct" => Definition::Struct(
                named["fields"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|field| Field {
                        name: field["json"].as_str().unwrap().to_owned(),
                        value_type: notation(&field["type"]),
                        rules: tags(field),
                        default: default_of(field),
                        omitted_when_unset: false,
                    })
                    .collect(),
            ),
            _ => Definition::Alias(notation(&named["underlying"])),
        },
        constants: named["constants"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|constant| Constant {
                value: constant["value"].as_str().unwrap().to_owned(),
                rules: tags(constant),
            })
            .collect(),
    });
    (Model { types: types.collect() }, names)
}

fn must_be_even(path: &Trail<'_>, new: &Value, _old: Option<&Value>) -> ErrorList {
    let number = new.as_i64().unwrap_or_default();
    let odd = number % 2 != 0;
    let error = || Error::invalid(path, number, "must be even").with_origin("custom");
    odd.then(error).into_iter().collect()
}

fn must_not_exceed(path: &Trail<'_>, new: &Value, _old: Option<&Value>) -> ErrorList {
    let number = |name: &str| new[name].as_i64().unwrap_or_default();
    let path = path.child("lo");
    let error = || Error::invalid(&path, number("lo"), "must not exceed hi").with_origin("custom");
    (number("lo") > number("hi")).then(error).into_iter().collect()
}

fn custom_rules() -> CustomRules {
    CustomRules::default().with("Custom_Even", must_be_even).with("Custom", must_not_exceed)
}

/// An error with all that a case records about it.
type Found = (String, String, String, String, String, bool);

fn found(error: &Error) -> Found {
    let level = match error.level {
        Level::Standard => "",
        Level::Alpha => "alpha",
        Level::Beta => "beta",
    };
    (
        error.error_type.reason().to_owned(),
        error.field.clone(),
        error.body(),
        error.origin.to_owned(),
        level.to_owned(),
        error.short_circuit,
    )
}

fn expected(error: &Value) -> Found {
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    (
        text("reason"),
        text("field"),
        text("message"),
        text("origin"),
        text("level"),
        error["shortCircuit"] == true,
    )
}

/// The rules of every recorded type, by its name.
static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let (model, names) = recorded_model();
    let of =
        |(root, name)| (name, Validator::of_model(&model, TypeId(root), custom_rules()).unwrap());
    names.into_iter().enumerate().map(of).collect()
});

#[test]
fn an_update_that_changes_nothing_is_never_refused() {
    for case in document(CASES)["cases"].as_array().unwrap() {
        let name = case["type"].as_str().unwrap();
        // Functions of whole types run in any case.
        if name == "Custom" {
            continue;
        }
        let request = Request {
            object: &case["value"],
            old: Some(&case["value"]),
            subresource: "",
            options: &BTreeMap::new(),
        };
        assert_eq!(VALIDATORS[name].validate(request).aggregate(), None, "{}", case["id"]);
    }
}

/// JSON of the member names that the recorded types use.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>().prop_map(Value::from),
        "[a-zA-Z/.-]{0,5}".prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "a", "b", "i", "l", "m", "s", "st", "name", "conds", "type", "next", "kids", "lm", "pl",
        "mode", "fieldA", "trigger", "need", "kind", "m1", "u", "d", "o", "even", "lo", "hi",
    ]);
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..6).prop_map(|members| {
                members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_json_makes_the_engine_panic(object in any_json(), old in any_json()) {
        let options = BTreeMap::new();
        for validator in VALIDATORS.values() {
            let request =
                Request { object: &object, old: None, subresource: "", options: &options };
            drop(validator.validate(request));
            drop(validator.validate(Request { old: Some(&old), ..request }));
        }
    }
}

#[test]
fn every_tag_makes_the_recorded_errors() {
    let document = document(CASES);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 294);
    for case in cases {
        let validator = &VALIDATORS[case["type"].as_str().unwrap()];
        let options: BTreeMap<String, bool> = case["options"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_bool().unwrap()))
            .collect();
        let request = Request {
            object: &case["value"],
            old: (case["operation"] == "update").then_some(&case["oldValue"]),
            subresource: "",
            options: &options,
        };
        let found: Vec<Found> = validator.validate(request).iter().map(found).collect();
        let expected: Vec<Found> =
            case["expected"].as_array().unwrap().iter().map(expected).collect();
        assert_eq!(found, expected, "{} {}: {}", case["id"], case["type"], case["description"]);
    }
}
