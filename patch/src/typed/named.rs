//! Field sets with the structs around their fields.

use api::schema::TypeDef;

use super::node::Node;
use crate::fieldset::{FieldSet, PathElement};

/// The same set, in which every declared field above a member is a member too: with
/// `.spec.limited.type` also `.spec` and `.spec.limited`, but with `.metadata.labels.a.b` not the
/// member `a` of a map.
#[must_use]
pub fn with_named_fields(type_def: &TypeDef, fields: &FieldSet) -> FieldSet {
    named(Node::Struct(type_def), fields)
}

fn named(node: Node<'_>, fields: &FieldSet) -> FieldSet {
    let mut out = FieldSet::new();
    for (element, member, below) in fields.steps() {
        let (is_named, inner) = match element {
            PathElement::Field(name) => {
                (node.named_field(name).is_some(), node.member_or_untyped(name))
            }
            PathElement::Key(_) => (false, node.item()),
            PathElement::Value(_) | PathElement::Index(_) => (false, Node::Untyped),
        };
        out.add_step(element.clone(), member || is_named, named(inner, below));
    }
    out
}

#[cfg(test)]
mod tests {
    use api::flowcontrol::v1::FlowSchema;
    use api::schema::Described;
    use serde_json::json;

    use super::*;

    #[test]
    fn declared_fields_above_a_member_become_members() {
        let fields = json!({
            "f:metadata": {"f:labels": {"f:a": {}}},
            "f:status": {"f:conditions": {"k:{\"type\":\"A\"}": {"f:status": {}}}},
        });
        let fields = FieldSet::from_fields_v1(&fields).unwrap();
        assert_eq!(
            with_named_fields(FlowSchema::type_def().unwrap(), &fields).to_fields_v1(),
            json!({
                "f:metadata": {".": {}, "f:labels": {".": {}, "f:a": {}}},
                "f:status": {".": {}, "f:conditions": {".": {}, "k:{\"type\":\"A\"}": {"f:status": {}}}},
            })
        );
    }
}
