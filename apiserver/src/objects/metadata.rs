//! Reading and writing the metadata of values.

use serde_json::{Map, Value};

/// The members of metadata that stand before `resourceVersion`.
const BEFORE_RESOURCE_VERSION: [&str; 5] = ["name", "generateName", "namespace", "selfLink", "uid"];

/// Every member of metadata, in the order in which they are written.
const ORDER: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// The metadata, empty if there is none.
pub fn members_mut(object: &mut Value) -> &mut Map<String, Value> {
    if !object["metadata"].is_object() {
        object["metadata"] = Value::Object(Map::new());
    }
    #[expect(clippy::expect_used, reason = "made an object above")]
    object["metadata"].as_object_mut().expect("metadata is an object")
}

/// A text of the metadata; empty if there is none.
#[must_use]
pub fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object["metadata"][member].as_str().unwrap_or_default()
}

/// The uid, if there is one.
#[must_use]
pub fn uid(object: &Value) -> Option<String> {
    Some(text(object, "uid").to_owned()).filter(|uid| !uid.is_empty())
}

/// Sets a member; `null` removes it. The members stay in order.
pub fn set(object: &mut Value, member: &str, value: Value) {
    let members = members_mut(object);
    if value.is_null() {
        members.shift_remove(member);
        return;
    }
    if let Some(present) = members.get_mut(member) {
        *present = value;
        return;
    }
    let place = ORDER.iter().position(|name| *name == member).unwrap_or(ORDER.len());
    let at = members
        .keys()
        .position(|key| ORDER.iter().position(|name| name == key).is_some_and(|p| p > place))
        .unwrap_or(members.len());
    members.shift_insert(at, member.to_owned(), value);
}

/// Sets the resource version.
pub fn set_resource_version(object: &mut Value, revision: u64) {
    let members = members_mut(object);
    members.shift_remove("resourceVersion");
    let at =
        members.keys().take_while(|key| BEFORE_RESOURCE_VERSION.contains(&key.as_str())).count();
    members.shift_insert(at, "resourceVersion".to_owned(), revision.to_string().into());
}

/// The finalizers.
#[must_use]
pub fn finalizers(object: &Value) -> Vec<String> {
    let list = object["metadata"]["finalizers"].as_array();
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether deletion was asked for.
#[must_use]
pub fn is_being_deleted(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_set_in_order() {
        let mut object = json!({"metadata": {"name": "a", "labels": {}}});
        set(&mut object, "creationTimestamp", json!("t"));
        set(&mut object, "uid", json!("u"));
        set_resource_version(&mut object, 7);
        assert_eq!(
            object["metadata"].to_string(),
            r#"{"name":"a","uid":"u","resourceVersion":"7","creationTimestamp":"t","labels":{}}"#
        );
        set(&mut object, "uid", Value::Null);
        assert!(object["metadata"].get("uid").is_none());
    }
}
