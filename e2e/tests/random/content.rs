//! Objects as their fields: what each holds, and who owns it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Where a field is: the members of managed fields that lead to it, such as `f:spec`.
pub(crate) type Path = Vec<String>;

/// The fields of an object that clients write, down to those that are written as a whole.
pub(crate) type Fields = BTreeMap<Path, Value>;

/// The members of objects that clients write.
const WRITTEN: [&[&str]; 5] =
    [&["metadata", "labels"], &["metadata", "annotations"], &["spec"], &["data"], &["status"]];

/// All fields of an object that clients write.
pub(crate) fn fields(object: &Value) -> Fields {
    let mut found = Fields::new();
    for names in WRITTEN {
        let path = names.iter().map(|name| format!("f:{name}")).collect();
        let value = names.iter().fold(object, |value, name| &value[*name]);
        collect(value, path, &mut found);
    }
    found
}

fn collect(value: &Value, path: Path, found: &mut Fields) {
    let below = |segment: String| [path.as_slice(), &[segment]].concat();
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (name, value) in members {
                collect(value, below(format!("f:{name}")), found);
            }
        }
        // Conditions are the only list that is merged by a key.
        Value::Array(items) if path.last().is_some_and(|name| name == "f:conditions") => {
            for item in items {
                collect(item, below(condition_key(item)), found);
            }
        }
        _ => {
            found.insert(path, value.clone());
        }
    }
}

fn condition_key(condition: &Value) -> String {
    format!(r#"k:{{"type":{}}}"#, condition["type"])
}

/// Whether a field is of the status.
pub(crate) fn of_status(path: &Path) -> bool {
    path[0] == "f:status"
}

/// Whether a field is of the part that the generation counts.
pub(crate) fn of_spec(path: &Path) -> bool {
    path[0] == "f:spec"
}

/// The one half of `main` and the other of `status`.
pub(crate) fn joined(main: &Fields, status: &Fields) -> Fields {
    let main = main.iter().filter(|(path, _)| !of_status(path));
    let status = status.iter().filter(|(path, _)| of_status(path));
    main.chain(status).map(|(path, value)| (path.clone(), value.clone())).collect()
}

/// Who wrote a set of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Applier<'a> {
    pub(crate) manager: &'a str,
    pub(crate) subresource: &'a str,
}

/// The fields that the entries of an object's managed fields name, of those that `wanted` selects
/// by whether they are the applier's.
fn owned_where(object: &Value, wanted: impl Fn(&Value) -> bool) -> BTreeSet<Path> {
    let mut owned = BTreeSet::new();
    for entry in object["metadata"]["managedFields"].as_array().into_iter().flatten() {
        if wanted(entry) {
            collect_set(&entry["fieldsV1"], &Path::new(), &mut owned);
        }
    }
    owned
}

fn collect_set(set: &Value, path: &Path, owned: &mut BTreeSet<Path>) {
    for (name, below) in set.as_object().into_iter().flatten() {
        if name == "." {
            owned.insert(path.clone());
            continue;
        }
        let path = [path.as_slice(), std::slice::from_ref(name)].concat();
        if below.as_object().is_some_and(serde_json::Map::is_empty) {
            owned.insert(path);
        } else {
            collect_set(below, &path, owned);
        }
    }
}

fn is_of(entry: &Value, applier: Applier<'_>) -> bool {
    entry["operation"] == "Apply"
        && entry["manager"] == applier.manager
        && entry["subresource"].as_str().unwrap_or_default() == applier.subresource
}

/// The fields that anybody owns.
pub(crate) fn owned(object: &Value) -> BTreeSet<Path> {
    owned_where(object, |_| true)
}

/// The fields that an applier owns.
pub(crate) fn owned_by(object: &Value, applier: Applier<'_>) -> BTreeSet<Path> {
    owned_where(object, |entry| is_of(entry, applier))
}

/// The fields that somebody else than the applier owns. What nobody kept books of belongs to whoever
/// wrote before the first apply.
pub(crate) fn owned_by_others(object: &Value, applier: Applier<'_>) -> BTreeSet<Path> {
    if !has_books(object) {
        return fields(object).into_keys().collect();
    }
    owned_where(object, |entry| !is_of(entry, applier))
}

/// Whether managed fields are kept of an object. They end when its last field goes, and begin again
/// with the next apply, as in Kubernetes.
pub(crate) fn has_books(object: &Value) -> bool {
    object["metadata"]["managedFields"].as_array().is_some_and(|entries| !entries.is_empty())
}

/// The object without what changes though nothing was written.
pub(crate) fn without_times(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]["resourceVersion"] = Value::Null;
    for entry in object["metadata"]["managedFields"].as_array_mut().into_iter().flatten() {
        entry["time"] = Value::Null;
    }
    object
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(text: &str) -> Path {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn fields_and_owners_have_the_same_paths() {
        let object = json!({
            "metadata": {
                "name": "x", "labels": { "a": "1" },
                "managedFields": [
                    { "manager": "m", "operation": "Apply", "fieldsV1": {
                        "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
                        "f:spec": { "f:rules": {} },
                    } },
                    { "manager": "m", "operation": "Update", "subresource": "status", "fieldsV1": {
                        "f:status": { "f:conditions": { "k:{\"type\":\"T\"}": { ".": {}, "f:type": {} } } },
                    } },
                ],
            },
            "spec": { "rules": [{ "x": 1 }] },
            "status": { "conditions": [{ "type": "T", "reason": null }] },
        });
        let condition = path("f:status/f:conditions/k:{\"type\":\"T\"}/f:type");
        let expected = [path("f:metadata/f:labels/f:a"), path("f:spec/f:rules"), condition.clone()];
        assert!(fields(&object).keys().eq(&expected));
        assert!(expected.iter().all(|path| owned(&object).contains(path)));
        let applier = Applier { manager: "m", subresource: "" };
        assert!(owned_by(&object, applier).contains(&expected[0]));
        let others = owned_by_others(&object, applier);
        assert!(others.contains(&condition) && !others.contains(&expected[0]));
    }
}
