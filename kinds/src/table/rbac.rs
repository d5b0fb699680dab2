//! Group `rbac.authorization.k8s.io`. Roles and ClusterRoles have no printer of their own.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{list, name, string};
use super::{Column, Table, age_of};

const ROLE: Column =
    Column::text("Role", "The kind and the name of the role that the binding gives.");

pub(super) static CLUSTER_ROLE_BINDING: Table = Table::new(
    &[
        Column::NAME,
        ROLE,
        Column::AGE,
        Column::text("Users", "Users in the clusterRoleBinding").wide(),
        Column::text("Groups", "Groups in the clusterRoleBinding").wide(),
        Column::text("ServiceAccounts", "The service accounts that are given the role everywhere.")
            .wide(),
    ],
    binding,
);

pub(super) static ROLE_BINDING: Table = Table::new(
    &[
        Column::NAME,
        ROLE,
        Column::AGE,
        Column::text("Users", "Users in the roleBinding").wide(),
        Column::text("Groups", "Groups in the roleBinding").wide(),
        Column::text("ServiceAccounts", "ServiceAccounts in the roleBinding").wide(),
    ],
    binding,
);

fn binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let role = format!("{}/{}", string(object, "/roleRef/kind"), string(object, "/roleRef/name"));
    vec![
        name(object),
        role.into(),
        age_of(object, now),
        subjects(object, "User"),
        subjects(object, "Group"),
        subjects(object, "ServiceAccount"),
    ]
}

fn subjects(binding: &Value, kind: &str) -> Value {
    let subjects = list(binding, "/subjects").iter();
    let names = subjects.filter(|subject| string(subject, "/kind") == kind).map(subject_name);
    names.collect::<Vec<_>>().join(", ").into()
}

/// Service accounts have a namespace before their name.
fn subject_name(subject: &Value) -> String {
    let name = string(subject, "/name");
    match (string(subject, "/kind"), string(subject, "/namespace")) {
        ("ServiceAccount", namespace) if !namespace.is_empty() => format!("{namespace}/{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn subjects_stand_in_the_column_of_their_kind() {
        let object = json!({
            "metadata": {"name": "b"},
            "roleRef": {"kind": "ClusterRole", "name": "view"},
            "subjects": [
                {"kind": "User", "name": "u1"},
                {"kind": "ServiceAccount", "name": "s", "namespace": "ns"},
                {"kind": "Group", "name": "g"},
                {"kind": "User", "name": "u2", "namespace": "ignored"},
                {"kind": "ServiceAccount", "name": "t"},
                {"kind": "Robot", "name": "r"},
            ],
        });
        assert_eq!(
            cells(&ROLE_BINDING, &object),
            json!(["b", "ClusterRole/view", "<unknown>", "u1, u2", "g", "ns/s, t"])
        );
    }

    #[test]
    fn a_binding_may_bind_nobody() {
        let object = json!({
            "metadata": {"name": "b"}, "roleRef": {"kind": "Role", "name": "r"}, "subjects": null,
        });
        assert_eq!(cells(&ROLE_BINDING, &object), json!(["b", "Role/r", "<unknown>", "", "", ""]));
    }
}
