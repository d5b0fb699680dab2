//! The engine over types with attributes, and over types made at run time.

use std::sync::Arc;

use api::Schema;
use api::schema::{Described, Field, FieldParts, List, ListType, Presence, Shape, TypeRef};
use serde::Serialize;
use serde_json::json;

use super::*;

/// Something to send.
#[derive(Serialize, Schema)]
#[serde(rename_all = "camelCase")]
#[k8s(package = "test.v1")]
struct Parcel {
    /// Who gets it.
    #[k8s(validate(required, maxLength = 5, format = "k8s-short-name"))]
    to: String,
    /// How heavy it is.
    #[k8s(validate(optional, minimum = 1, beta(since: "1.37") = maximum = 20))]
    weight: Option<i32>,
    /// What is in it.
    #[k8s(validate(optional, listType = set, eachVal = minLength = 2, maxItems = 3))]
    contents: Vec<String>,
    /// How it travels.
    #[k8s(validate(required), value_type(enum, constants("Ship", "Air")))]
    route: String,
}

fn texts(validator: &Validator, new: &Value, old: Option<&Value>) -> Vec<String> {
    let options = BTreeMap::new();
    let request = Request { object: new, old, subresource: "", options: &options };
    validator.validate(request).iter().map(ToString::to_string).collect()
}

fn parcels() -> Validator {
    Validator::new(Parcel::type_def().unwrap(), CustomRules::default()).unwrap()
}

#[test]
fn attributes_of_a_struct_are_its_rules() {
    let parcel =
        json!({"to": "Abcdef", "weight": 30, "contents": ["a", "bb", "bb"], "route": "<>"});
    let errors = texts(&parcels(), &parcel, None);
    assert!(errors[0].starts_with("to: Invalid value: \"Abcdef\": a lowercase RFC 1123 label"));
    assert_eq!(
        errors[1..],
        [
            "to: Too long: may not be more than 5 characters",
            "weight: Invalid value: 30: must be less than or equal to 20",
            "contents[0]: Too short: must be at least 2 characters",
            "contents[2]: Duplicate value: \"bb\"",
            "route: Unsupported value: \"\\u003c\\u003e\": supported values: \"Air\", \"Ship\"",
        ]
    );
}

#[test]
fn what_is_not_set_is_only_required() {
    let errors = texts(&parcels(), &json!({"to": ""}), None);
    assert_eq!(errors, ["to: Required value", "route: Required value"]);
}

#[test]
fn what_did_not_change_is_not_looked_at_again() {
    let old = json!({"to": "Abcdef", "contents": ["a"], "route": "?"});
    let new = json!({"to": "Abcdef", "contents": ["bb", "a", "c"], "route": "?"});
    let errors = texts(&parcels(), &new, Some(&old));
    assert_eq!(errors, ["contents[2]: Too short: must be at least 2 characters"]);
}

#[test]
fn a_subresource_that_the_type_does_not_support_is_an_internal_error() {
    let options = BTreeMap::new();
    let request = Request { object: &json!({}), old: None, subresource: "x", options: &options };
    assert_eq!(
        parcels().validate(request).aggregate().unwrap(),
        "<nil>: Internal error: no validation found for *v1.Parcel, subresource: /x"
    );
}

fn field(name: &'static str, shape: Shape, presence: Presence, tags: &[&str]) -> Field {
    let parts = FieldParts {
        name,
        description: "",
        shape,
        presence,
        number: 0,
        required: false,
        default: None,
    };
    let tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
    Field::described(parts).with_rules(tags, None)
}

fn struct_type(name: &str, fields: Vec<Field>, tags: &[&str]) -> TypeDef {
    TypeDef {
        name: name.to_owned(),
        openapi_name: format!("example.com.v1.{name}"),
        description: String::new(),
        fields,
        atomic: false,
        open: false,
        unions: Vec::new(),
        rules: tags.iter().map(|tag| tag.parse().unwrap()).collect(),
    }
}

/// A type as a custom resource definition would make it.
fn crate_type() -> TypeDef {
    let bottle = struct_type(
        "Bottle",
        vec![
            field("name", Shape::String(&[]), Presence::Always, &["+k8s:required"]),
            field(
                "litres",
                Shape::Int64,
                Presence::Optional,
                &["+k8s:optional", "+k8s:minimum=1", "+k8s:ifEnabled(Heavy)=+k8s:maximum=9"],
            ),
        ],
        &[],
    );
    let item = Shape::Struct(TypeRef::Owned(Arc::new(bottle)));
    let list = List { item, list_type: ListType::Unset, patch_merge: None };
    let bottles = field(
        "bottles",
        Shape::List(Box::new(list)),
        Presence::OmitZero,
        &["+k8s:optional", "+k8s:listType=map", "+k8s:listMapKey=name"],
    );
    let sealed = field("sealed", Shape::Bool, Presence::OmitZero, &["+k8s:immutable"]);
    struct_type("Crate", vec![bottles, sealed], &["+k8s:supportsSubresource=\"/status\""])
}

#[test]
fn a_type_made_at_run_time_is_validated_the_same() {
    let validator = Validator::new(&crate_type(), CustomRules::default()).unwrap();
    let options = BTreeMap::from([("Heavy".to_owned(), true)]);
    let old = json!({"bottles": [{"name": "a", "litres": 0}], "sealed": true});
    let new = json!({"bottles": [
        {"name": "b", "litres": 10}, {"name": "a", "litres": 0}, {"litres": 1}, {"name": "b"},
    ]});
    let request =
        Request { object: &new, old: Some(&old), subresource: "status", options: &options };
    let errors: Vec<String> = validator.validate(request).iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "bottles[3]: Duplicate value: {\"name\":\"b\"}",
            "bottles[0].litres: Invalid value: 10: must be less than or equal to 9",
            "bottles[2].name: Required value",
            "sealed: Invalid value: null: field is immutable",
        ]
    );
}

#[test]
fn a_wrong_tag_of_a_type_made_at_run_time_is_refused() {
    let fields =
        vec![field("a", Shape::Bool, Presence::Always, &["+k8s:optional", "+k8s:maxLength=3"])];
    let error = Validator::new(&struct_type("T", fields, &[]), CustomRules::default());
    assert_eq!(
        error.unwrap_err().to_string(),
        "field v1.T.a: tag \"k8s:maxLength\": can only be used on string types (bool)"
    );
}
