//! Reading documents as custom resources.

use api::decode::{Decoded, Tree, decode};
use api::meta::ObjectMeta;
use api::schema::Described as _;
use custom::Schema;
use patch::note_duplicates;
use serde_json::Value;
use validation::field::{Error, Path, Shown};

use crate::resources::GroupVersionKind;

const METADATA: &str = "metadata";

/// Reads a document: metadata as every object has it, the rest as the schema says. What it does not
/// know is dropped. Values of the wrong type stay; they are found when the object is validated.
pub(super) fn read(
    kind: &GroupVersionKind,
    schema: &Schema,
    tree: Tree,
) -> Result<Decoded, String> {
    let mut problems = Vec::new();
    note_duplicates(&tree, "", &mut problems);
    let metadata = tree.member(METADATA).cloned();
    let mut value = tree.into_value();
    if !value.is_object() {
        return Err(format!("an object is needed, not {value}"));
    }
    if let Some(metadata) = metadata {
        let decoded = read_metadata(metadata)?;
        problems.extend(decoded.problems);
        value[METADATA] = decoded.value;
    }
    // Documents of another kind are refused for that.
    if value["kind"] == *kind.kind && value["apiVersion"] == *kind.group_version() {
        let unknown = schema.prune(&mut value);
        problems.extend(unknown.into_iter().map(|path| format!("unknown field \"{path}\"")));
    }
    Ok(Decoded { value, problems })
}

fn read_metadata(tree: Tree) -> Result<Decoded, String> {
    let Some(type_def) = ObjectMeta::type_def() else {
        return Ok(Decoded { value: tree.into_value(), problems: Vec::new() });
    };
    let mut value = tree.clone().into_value();
    value.sort_all_objects();
    let decoded = decode(type_def, without_duplicates(tree)).map_err(|mismatch| {
        let path = Path::new(METADATA);
        Error::invalid(&path, Shown::json(&value), mismatch.to_string()).to_string()
    })?;
    let problems = decoded
        .problems
        .into_iter()
        .map(|problem| problem.replacen("unknown field \"", "unknown field \"metadata.", 1));
    Ok(Decoded { value: decoded.value, problems: problems.collect() })
}

/// They were noted where the whole document was looked at.
fn without_duplicates(tree: Tree) -> Tree {
    Tree::from(tree.into_value())
}

/// Drops what is not written of an object's metadata: nothing of it is ever `null`.
pub(super) fn drop_empty_metadata(object: &mut Value) {
    let (Some(metadata), Some(type_def)) = (object.get_mut(METADATA), ObjectMeta::type_def())
    else {
        return;
    };
    type_def.prune(metadata);
    if let Value::Object(members) = metadata {
        members.retain(|_, value| !value.is_null());
    }
}

#[cfg(test)]
mod tests {
    use api::decode::parse_json;
    use serde_json::json;

    use super::*;
    use crate::resources::custom::testing::widgets;

    fn decoded(text: &str) -> Result<Decoded, String> {
        widgets().decode(parse_json(text.as_bytes()).unwrap())
    }

    const HEAD: &str = r#""apiVersion":"example.com/v1","kind":"Widget""#;

    #[test]
    fn what_the_schema_does_not_know_is_dropped_and_noted_after_what_comes_twice() {
        let text = format!(
            r#"{{{HEAD},"extra":1,"metadata":{{"name":"a","bogus":1}},
            "spec":{{"size":1,"x":2,"size":3}}}}"#
        );
        let Decoded { value, problems } = decoded(&text).unwrap();
        assert_eq!(value["spec"], json!({ "size": 3 }));
        assert_eq!(value.get("extra"), None);
        assert_eq!(
            problems,
            [
                "duplicate field \"spec.size\"",
                "unknown field \"metadata.bogus\"",
                "unknown field \"extra\"",
                "unknown field \"spec.x\"",
            ]
        );
    }

    #[test]
    fn values_of_the_wrong_type_stay_but_not_in_metadata() {
        let text = format!(r#"{{{HEAD},"metadata":{{"name":"a"}},"spec":{{"size":"x"}}}}"#);
        assert_eq!(decoded(&text).unwrap().value["spec"]["size"], "x");
        let text = format!(r#"{{{HEAD},"metadata":{{"name":1}}}}"#);
        let why = decoded(&text).unwrap_err();
        assert!(why.starts_with("metadata: Invalid value: {\"name\":1}: json: cannot"), "{why}");
    }

    #[test]
    fn of_another_kind_nothing_is_dropped() {
        let text = r#"{"apiVersion":"example.com/v1","kind":"Gadget","extra":1}"#;
        let Decoded { value, problems } = decoded(text).unwrap();
        assert_eq!((value["extra"].clone(), problems), (json!(1), Vec::new()));
    }

    #[test]
    fn nothing_of_metadata_is_ever_null() {
        let mut object = json!({
            "metadata": { "name": "a", "labels": {}, "creationTimestamp": null },
            "spec": { "size": null },
        });
        drop_empty_metadata(&mut object);
        assert_eq!(object, json!({ "metadata": { "name": "a" }, "spec": { "size": null } }));
    }
}
