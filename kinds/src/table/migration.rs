//! Group `storagemigration.k8s.io`.

use serde_json::Value;

use super::fields::{holds, name, string};
use super::{Column, Table};

pub(super) static STORAGE_VERSION_MIGRATION: Table = Table::new(
    &[
        Column { format: "", ..Column::NAME },
        Column::text("Resource", "The resource whose stored objects are written anew."),
        Column::text("Status", "How far the migration is, or how it ended."),
    ],
    |object, _| vec![name(object), resource(object).into(), status(object).into()],
);

/// With a dot at the end for the core group, which has no name.
fn resource(migration: &Value) -> String {
    let resource = string(migration, "/spec/resource/resource");
    format!("{resource}.{}", string(migration, "/spec/resource/group"))
}

fn status(migration: &Value) -> &'static str {
    ["Succeeded", "Failed", "Running"]
        .into_iter()
        .find(|condition_type| holds(migration, condition_type))
        .unwrap_or("Pending")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn a_migration_shows_how_it_ended_rather_than_that_it_ran() {
        let condition = |name, status| json!({"type": name, "status": status});
        for (conditions, expected) in [
            (json!(null), "Pending"),
            (json!([condition("Running", "True")]), "Running"),
            (json!([condition("Running", "True"), condition("Succeeded", "True")]), "Succeeded"),
            (json!([condition("Running", "False"), condition("Failed", "True")]), "Failed"),
        ] {
            let object = json!({
                "metadata": {"name": "m"},
                "spec": {"resource": {"group": "apps", "resource": "deployments"}},
                "status": {"conditions": conditions},
            });
            assert_eq!(
                cells(&STORAGE_VERSION_MIGRATION, &object),
                json!(["m", "deployments.apps", expected])
            );
        }
    }
}
