//! What sets and list maps promise: that no item comes twice (spec: apimachinery 9.3).

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use validation::field::{Error, ErrorList, Path, Shown};

use super::node::{ListKind, Node};

pub(super) fn validate(node: &Node, object: &Value) -> ErrorList {
    let mut errors = ErrorList::default();
    walk(&mut errors, node, object, &Path::nil());
    errors
}

fn walk(errors: &mut ErrorList, node: &Node, value: &Value, path: &Path) {
    match value {
        Value::Object(members) => {
            for (name, member) in sorted(members) {
                if let Some(schema) = node.properties.get(name) {
                    walk(errors, schema, member, &path.child(name));
                } else if let Some(schema) = node.additional_schema() {
                    walk(errors, schema, member, &path.key(name));
                }
            }
        }
        Value::Array(items) => {
            match &node.list {
                ListKind::Atomic => {}
                ListKind::Set => unique(errors, items.iter().cloned(), path),
                ListKind::Map(keys) => list_map(errors, keys, items, path),
            }
            if let Some(schema) = &node.items {
                for (index, item) in items.iter().enumerate() {
                    walk(errors, schema, item, &path.index(index));
                }
            }
        }
        _ => {}
    }
}

pub(super) fn sorted(members: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

fn list_map(errors: &mut ErrorList, keys: &[String], items: &[Value], path: &Path) {
    let wrong = items.iter().position(|item| !item.is_object() && !item.is_null());
    if let Some(index) = wrong {
        let detail = "must be an object for an array of list-type map";
        errors.push(Error::invalid(&path.index(index), shown(&items[index]), detail));
        return;
    }
    let key_of = |item: &Value| {
        let present = keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        let mut fields: Vec<(String, Value)> = present.collect();
        fields.sort_by(|left, right| left.0.cmp(&right.0));
        Value::Object(fields.into_iter().collect())
    };
    unique(errors, items.iter().map(key_of), path);
}

/// Each item that comes twice is named once, where it comes for the second time.
fn unique(errors: &mut ErrorList, items: impl Iterator<Item = Value>, path: &Path) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (index, item) in items.enumerate() {
        let times = seen.entry(canonical(&item)).or_default();
        *times += 1;
        if *times == 2 {
            errors.push(Error::duplicate(&path.index(index), shown(&item)));
        }
    }
}

/// A value as text, with its members in order: what is the same reads the same.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = sorted(members).into_iter();
            let members = members.map(|(name, member)| format!("{name:?}:{}", canonical(member)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// A value as errors show it.
pub(crate) fn shown(value: &Value) -> Shown {
    match value {
        Value::String(text) => text.into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(float)) => Shown::plain(crate::value::go_float(float)),
            (None, None) => Shown::json(value),
        },
        Value::Bool(flag) => (*flag).into(),
        Value::Null => Shown::null(),
        Value::Object(members) => {
            Shown::json(&sorted(members).into_iter().collect::<BTreeMap<_, _>>())
        }
        Value::Array(_) => Shown::json(value),
    }
}
