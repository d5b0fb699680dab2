//! Group `admissionregistration.k8s.io`.

use serde_json::Value;

use super::fields::{count, name, present, string, text};
use super::{Column, Table, age_of, selector};

/// What a cell shows for an optional field that is not set.
const UNSET: &str = "<unset>";

const PARAM_KIND: Column = Column::text(
    "ParamKind",
    "The version and the kind of the objects with the policy's parameters.",
);

/// The Table of both kinds of webhook configurations.
pub(super) static WEBHOOKS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Webhooks", "How many webhooks the configuration registers.")
            .of_type("integer"),
        Column::AGE,
    ],
    |object, now| vec![name(object), count(object, "/webhooks").into(), age_of(object, now)],
);

pub(super) static VALIDATING_POLICY: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Validations", "How many rules the policy has that a request must keep.")
            .of_type("integer"),
        PARAM_KIND,
        Column::AGE,
    ],
    |object, now| {
        let rules = count(object, "/spec/validations");
        vec![name(object), rules.into(), param_kind(object), age_of(object, now)]
    },
);

pub(super) static MUTATING_POLICY: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Mutations", "How many changes the policy makes to an object, in order.")
            .of_type("integer"),
        PARAM_KIND,
        Column::AGE,
    ],
    |object, now| {
        let rules = count(object, "/spec/mutations");
        vec![name(object), rules.into(), param_kind(object), age_of(object, now)]
    },
);

fn param_kind(policy: &Value) -> Value {
    present(policy, "/spec/paramKind").map_or_else(
        || UNSET.into(),
        |kind| format!("{}/{}", string(kind, "/apiVersion"), string(kind, "/kind")).into(),
    )
}

/// The Table of the bindings of both kinds of policies.
pub(super) static POLICY_BINDING: Table = Table::new(
    &[
        Column::NAME,
        Column::text("PolicyName", "The name of the policy that the binding puts in force."),
        Column::text("ParamRef", "The objects with the parameters that the policy is used with."),
        Column::AGE,
    ],
    |object, now| {
        let policy = text(object, "/spec/policyName");
        vec![name(object), policy, param_ref(object).into(), age_of(object, now)]
    },
);

/// Whether parameters of no namespace belong to the cluster cannot be seen from here: they are
/// shown as those of any namespace.
fn param_ref(binding: &Value) -> String {
    let namespace = string(binding, "/spec/paramRef/namespace");
    match (string(binding, "/spec/paramRef/name"), present(binding, "/spec/paramRef/selector")) {
        ("", None) => UNSET.to_owned(),
        ("", Some(selector)) => selector::dump(selector),
        (name, _) if namespace.is_empty() => format!("*/{name}"),
        (name, _) => format!("{namespace}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn policies_show_their_rules_and_parameters() {
        let kind = json!({"apiVersion": "example.com/v1", "kind": "Limit"});
        let object = json!({
            "metadata": {"name": "p"},
            "spec": {"validations": [{}, {}], "mutations": [{}], "paramKind": kind},
        });
        assert_eq!(
            cells(&VALIDATING_POLICY, &object),
            json!(["p", 2, "example.com/v1/Limit", "<unknown>"])
        );
        assert_eq!(
            cells(&MUTATING_POLICY, &object),
            json!(["p", 1, "example.com/v1/Limit", "<unknown>"])
        );
        assert_eq!(
            cells(&MUTATING_POLICY, &json!({"spec": {"paramKind": null}})),
            json!(["", 0, "<unset>", "<unknown>"])
        );
    }

    #[test]
    fn bindings_show_parameters_by_name_else_by_selector() {
        for (param_ref, expected) in [
            (json!(null), "<unset>"),
            (json!({}), "<unset>"),
            (json!({"name": "p"}), "*/p"),
            (json!({"name": "p", "namespace": "ns"}), "ns/p"),
            (
                json!({"selector": {"matchLabels": {"a": "b"}}}),
                "&LabelSelector{MatchLabels:map[string]string{a: b,},\
                 MatchExpressions:[]LabelSelectorRequirement{},}",
            ),
        ] {
            let object = json!({"spec": {"policyName": "q", "paramRef": param_ref}});
            assert_eq!(
                some_cells(&POLICY_BINDING, &object, &["PolicyName", "ParamRef"]),
                json!(["q", expected])
            );
        }
    }

    #[test]
    fn webhooks_are_counted() {
        let object = json!({"metadata": {"name": "w"}, "webhooks": [{}, {}, {}]});
        assert_eq!(cells(&WEBHOOKS, &object), json!(["w", 3, "<unknown>"]));
    }
}
