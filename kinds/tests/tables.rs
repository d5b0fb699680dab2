//! Tables against what Kubernetes 1.37.2 answered (see `data/README.md`), and against objects that
//! no server should have stored.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic fails the test, which is what it is for"
)]

use std::collections::BTreeMap;

use api::time::Timestamp;
use kinds::table::{self, Table};
use serde::Deserialize;
use serde_json::{Value, json};

/// Longer descriptions than this many characters were not recorded, and are our own.
const LONG_DESCRIPTION: usize = 40;
const LONG: &str = "<text>";

/// Half an hour after what `<time>` stands for.
const NOW: &str = "2026-11-30T12:30:00Z";
const TIME: &str = "2026-11-30T12:00:00Z";
const AGE: &str = "30m";

/// Addresses have one cell more than columns, in the reference too.
const MORE_CELLS_THAN_COLUMNS: &str = "ipaddresses";

#[derive(Deserialize)]
struct Recorded {
    name: String,
    group: String,
    plural: String,
    columns: Value,
    object: Value,
    cells: Value,
}

fn recorded() -> Vec<Recorded> {
    let text = include_str!("data/recorded-cells.json").replace("<time>", TIME);
    serde_json::from_str(&text.replace("<age>", AGE)).unwrap()
}

fn recorded_columns() -> BTreeMap<String, Value> {
    serde_json::from_str(include_str!("data/tables.json")).unwrap()
}

/// By path, then by the name of the column.
fn recorded_descriptions() -> BTreeMap<String, BTreeMap<String, String>> {
    serde_json::from_str(include_str!("data/descriptions.json")).unwrap()
}

/// The group and plural name in `/api/v1/pods` or `/apis/apps/v1/deployments`.
fn resource(path: &str) -> (&str, &str) {
    match *path.trim_start_matches('/').split('/').collect::<Vec<_>>() {
        ["api", _, plural] => ("", plural),
        ["apis", group, _, plural] => (group, plural),
        _ => panic!("{path}"),
    }
}

/// The columns without descriptions, of which most are ours.
fn columns(table: &Table) -> Value {
    let mut columns = table.column_definitions();
    for column in columns.as_array_mut().unwrap() {
        column.as_object_mut().unwrap().remove("description").unwrap();
    }
    columns
}

fn cells(table: &Table, object: &Value) -> Vec<Value> {
    let now: Timestamp = NOW.parse().unwrap();
    (table.cells)(object, now)
}

#[test]
fn every_resource_has_the_columns_of_the_reference() {
    let all = recorded_columns();
    assert_eq!(all.len(), 65);
    for (path, expected) in all {
        let (group, plural) = resource(&path);
        assert_eq!(columns(table::of(group, plural)), expected, "{path}");
    }
}

#[test]
fn short_descriptions_are_those_that_were_recorded() {
    let mut compared = 0;
    for (path, descriptions) in recorded_descriptions() {
        let (group, plural) = resource(&path);
        let ours = table::of(group, plural).columns.iter();
        let ours: BTreeMap<_, _> = ours.map(|column| (column.name, column.description)).collect();
        for (name, description) in descriptions.iter().filter(|(_, text)| *text != LONG) {
            assert_eq!(ours.get(name.as_str()), Some(&description.as_str()), "{path} {name}");
            compared += 1;
        }
    }
    assert_eq!(compared, 32);
}

#[test]
fn all_other_descriptions_are_one_line_and_too_long_to_be_compared() {
    let recorded = recorded_descriptions();
    for path in recorded_columns().keys() {
        let (group, plural) = resource(path);
        for column in table::of(group, plural).columns {
            let description = recorded.get(path).and_then(|columns| columns.get(column.name));
            if description.is_some_and(|text| text != LONG) {
                continue;
            }
            let text = column.description;
            assert!(text.chars().count() > LONG_DESCRIPTION, "{path} {}: {text}", column.name);
            assert!(text.ends_with('.') && !text.contains('\n'), "{path} {}: {text}", column.name);
        }
    }
}

#[test]
fn resources_that_are_not_known_have_a_name_and_a_time_of_creation() {
    let object = json!({"metadata": {"name": "x", "creationTimestamp": TIME}});
    assert_eq!(cells(table::of("example.com", "things"), &object), [json!("x"), json!(TIME)]);
    assert_eq!(columns(table::of("", "things")), columns(table::of("", "limitranges")));
}

#[test]
fn objects_have_the_cells_that_were_recorded() {
    let all = recorded();
    assert_eq!(all.len(), 47);
    for case in all {
        let table = table::of(&case.group, &case.plural);
        assert_eq!(columns(table), case.columns, "{}", case.name);
        assert_eq!(Value::Array(cells(table, &case.object)), case.cells, "{}", case.name);
    }
}

#[test]
fn only_flow_schemas_are_sorted() {
    for path in recorded_columns().keys() {
        let (group, plural) = resource(path);
        let is_sorted = table::of(group, plural).sort_key.is_some();
        assert_eq!(is_sorted, plural == "flowschemas", "{path}");
    }
}

/// Every object that comes of replacing one value in `object`, at any depth, by `other`.
fn replacements(object: &Value, other: &Value) -> Vec<Value> {
    let mut all = vec![other.clone()];
    match object {
        Value::Object(members) => {
            for (name, member) in members {
                for replaced in replacements(member, other) {
                    let mut copy = members.clone();
                    copy.insert(name.clone(), replaced);
                    all.push(Value::Object(copy));
                }
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                for replaced in replacements(element, other) {
                    let mut copy = elements.clone();
                    copy[index] = replaced;
                    all.push(Value::Array(copy));
                }
            }
        }
        _ => {}
    }
    all
}

#[test]
fn values_that_are_missing_or_of_another_type_only_change_cells() {
    let others = [json!(null), json!({}), json!([]), json!(""), json!(i64::MIN), json!([null, {}])];
    for case in recorded() {
        let table = table::of(&case.group, &case.plural);
        for object in others.iter().flat_map(|other| replacements(&case.object, other)) {
            assert_eq!(cells(table, &object).len(), table.columns.len(), "{object}");
        }
    }
}

#[test]
fn an_object_without_anything_has_a_row() {
    for path in recorded_columns().keys() {
        let (group, plural) = resource(path);
        let table = table::of(group, plural);
        let more = usize::from(plural == MORE_CELLS_THAN_COLUMNS);
        for object in [json!(null), json!({}), json!({"metadata": null, "spec": null})] {
            assert_eq!(cells(table, &object).len(), table.columns.len() + more, "{path}");
        }
    }
}
