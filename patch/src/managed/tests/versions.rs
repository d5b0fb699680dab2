//! A kind whose field has other names in other versions.

use std::sync::Arc;

use api::meta::ObjectMeta;
use api::schema::{Field, FieldParts, Presence, Shape, TypeRef};

use super::*;

struct TwoVersions {
    older: TypeDef,
    newer: TypeDef,
}

impl TwoVersions {
    fn new() -> Self {
        Self { older: kind("assuredShares"), newer: kind("nominalShares") }
    }
}

impl Versions for TwoVersions {
    fn type_def(&self, group_version: &str) -> Option<&TypeDef> {
        match group_version {
            "g/v1" => Some(&self.older),
            "g/v2" => Some(&self.newer),
            _ => None,
        }
    }

    fn convert(&self, object: &Value, _: &str, to: &str) -> Option<Value> {
        let mut object = object.clone();
        object["apiVersion"] = json!(to);
        let (from_name, to_name) = match to {
            "g/v1" => ("nominalShares", "assuredShares"),
            _ => ("assuredShares", "nominalShares"),
        };
        if let Some(spec) = object["spec"].as_object_mut()
            && let Some(shares) = spec.shift_remove(from_name)
        {
            spec.insert(to_name.to_owned(), shares);
        }
        Some(object)
    }
}

fn kind(shares: &'static str) -> TypeDef {
    let spec =
        structure("Spec", vec![field(shares, Shape::Int32), field("note", Shape::String(&[]))]);
    let metadata = Shape::Struct(TypeRef::of::<ObjectMeta>().unwrap());
    structure(
        "Kind",
        vec![
            field("kind", Shape::String(&[])),
            field("apiVersion", Shape::String(&[])),
            field("metadata", metadata),
            field("spec", Shape::Struct(TypeRef::Owned(Arc::new(spec)))),
        ],
    )
}

fn field(name: &'static str, shape: Shape) -> Field {
    let presence = Presence::Optional;
    Field::described(FieldParts {
        name,
        description: "",
        shape,
        presence,
        number: 0,
        required: false,
        default: None,
    })
}

fn structure(name: &str, fields: Vec<Field>) -> TypeDef {
    TypeDef {
        name: name.to_owned(),
        openapi_name: format!("test.{name}"),
        fields,
        atomic: false,
        ..type_def().clone()
    }
}

fn applied(
    live: Option<&Value>,
    (group_version, spec): (&str, Value),
    manager: &str,
    force: bool,
) -> Result<Value, ApplyError> {
    let versions = TwoVersions::new();
    let endpoint = Endpoint {
        group_version,
        kind: "Kind",
        subresource: "",
        reset_fields: &FieldSet::new(),
        versions: &versions,
    };
    let live = live.map(|live| {
        let from = live["apiVersion"].as_str().unwrap();
        versions.convert(live, from, group_version).unwrap()
    });
    let body = json!({"apiVersion": group_version, "kind": "Kind", "metadata": {"name": "a"}, "spec": spec});
    let mut object = apply(&endpoint, live.as_ref(), &body, writer(manager, 1), force)?;
    object["metadata"]["uid"] = json!("u");
    Ok(object)
}

#[test]
fn conflicts_are_found_across_versions_and_named_in_the_owners_version() {
    let live = applied(None, ("g/v1", json!({"assuredShares": 5, "note": "x"})), "a", false);
    let live = live.unwrap();
    let conflict = applied(Some(&live), ("g/v2", json!({"nominalShares": 6})), "b", false);
    assert_eq!(
        conflict.unwrap_err().to_string(),
        "Apply failed with 1 conflict: conflict with \"a\": .spec.assuredShares"
    );
    let forced = applied(Some(&live), ("g/v2", json!({"nominalShares": 6})), "b", true).unwrap();
    assert_eq!(forced["spec"], json!({"nominalShares": 6, "note": "x"}));
    let managed = metadata::managed_fields(&forced);
    assert_eq!(managed[0]["fieldsV1"], json!({"f:spec": {"f:note": {}}}));
    assert_eq!(managed[0]["apiVersion"], "g/v1");
    assert_eq!(managed[1]["fieldsV1"], json!({"f:spec": {"f:nominalShares": {}}}));
}

#[test]
fn what_was_applied_in_another_version_is_removed_unless_others_own_it() {
    let own = ("g/v1", json!({"assuredShares": 5, "note": "x"}));
    let live = applied(None, own, "a", false).unwrap();
    let live = applied(Some(&live), ("g/v2", json!({"nominalShares": 5})), "b", false).unwrap();
    let object = applied(Some(&live), ("g/v2", json!({})), "a", false).unwrap();
    assert_eq!(object["spec"], json!({"nominalShares": 5}));
    let entries = metadata::managed_fields(&object);
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[1]["fieldsV1"], json!({"f:spec": {}}));
}

#[test]
fn managers_whose_version_is_gone_are_forgotten() {
    let mut live = applied(None, ("g/v1", json!({"note": "x"})), "a", false).unwrap();
    live["metadata"]["managedFields"][0]["apiVersion"] = json!("g/v0");
    let object = applied(Some(&live), ("g/v1", json!({"note": "y"})), "b", false).unwrap();
    let managers: Vec<&Value> =
        metadata::managed_fields(&object).iter().map(|entry| &entry["manager"]).collect();
    assert_eq!(managers, ["b"]);
}

#[test]
fn a_body_in_another_version_of_the_kind_is_told_so() {
    let versions = TwoVersions::new();
    let endpoint = Endpoint {
        group_version: "g/v2",
        kind: "Kind",
        subresource: "",
        reset_fields: &FieldSet::new(),
        versions: &versions,
    };
    let body = json!({"apiVersion": "g/v1", "kind": "Kind"});
    assert_eq!(
        apply(&endpoint, None, &body, writer("m", 1), false).unwrap_err().to_string(),
        "Incorrect version specified in apply patch. Specified patch version: g/v1, expected: g/v2"
    );
}
