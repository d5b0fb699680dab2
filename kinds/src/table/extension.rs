//! What extends the API: APIServices and CustomResourceDefinitions.

use serde_json::Value;

use super::fields::{condition, holds, list, name, present, string, strings, text};
use super::{Column, Table, age_of};

pub(super) static API_SERVICE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Service", "The Service that serves the version, if not this server."),
        Column::text("Available", "Whether this service is available."),
        Column::AGE,
    ],
    |object, now| {
        vec![name(object), service(object).into(), available(object).into(), age_of(object, now)]
    },
);

fn service(api_service: &Value) -> String {
    present(api_service, "/spec/service").map_or_else(
        || "Local".to_owned(),
        |service| format!("{}/{}", string(service, "/namespace"), string(service, "/name")),
    )
}

fn available(api_service: &Value) -> String {
    let Some(available) = condition(api_service, "/status/conditions", "Available") else {
        return "Unknown".to_owned();
    };
    match (string(available, "/status"), string(available, "/reason")) {
        (status @ "True", _) | (status, "") => status.to_owned(),
        (status, reason) => format!("{status} ({reason})"),
    }
}

pub(super) static CUSTOM_RESOURCE_DEFINITION: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Scope", "Whether the objects belong to namespaces or to the cluster."),
        Column::text("Versions", "All versions of the resource that are defined, served or not."),
        Column::CREATED_AT,
        Column::text("Group", "The API group that the custom resource belongs to.").wide(),
        Column::text("Kind", "The kind of the objects that the definition adds.").wide(),
        Column::text("ShortNames", "Shorter names that may stand for the resource in commands.")
            .wide(),
        Column::text("Established", "Whether the names were accepted and the resource is served.")
            .of_type("boolean")
            .wide(),
    ],
    |object, _| {
        let versions = list(object, "/spec/versions").iter();
        let versions: Vec<_> = versions.map(|version| string(version, "/name")).collect();
        vec![
            name(object),
            text(object, "/spec/scope"),
            versions.join(",").into(),
            text(object, "/metadata/creationTimestamp"),
            text(object, "/spec/group"),
            text(object, "/spec/names/kind"),
            strings(object, "/spec/names/shortNames").join(",").into(),
            holds(object, "Established").into(),
        ]
    },
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn services_are_available_or_say_why_not() {
        let condition = |status: &str, reason: &str| json!([{"type": "Available", "status": status, "reason": reason}]);
        for (conditions, expected) in [
            (json!(null), "Unknown"),
            (condition("True", "Passed"), "True"),
            (condition("False", "ServiceNotFound"), "False (ServiceNotFound)"),
            (condition("False", ""), "False"),
        ] {
            let object = json!({"status": {"conditions": conditions}});
            assert_eq!(some_cells(&API_SERVICE, &object, &["Available"]), json!([expected]));
        }
    }

    #[test]
    fn versions_without_a_service_are_served_here() {
        let object = json!({"metadata": {"name": "v1."}, "spec": {"version": "v1"}});
        assert_eq!(cells(&API_SERVICE, &object), json!(["v1.", "Local", "Unknown", "<unknown>"]));
        let object = json!({"spec": {"service": {"namespace": "ns", "name": "s"}}});
        assert_eq!(some_cells(&API_SERVICE, &object, &["Service"]), json!(["ns/s"]));
    }

    #[test]
    fn definitions_show_what_they_define() {
        let object = json!({
            "metadata": {"name": "foos.example.com", "creationTimestamp": "2026-11-30T11:00:00Z"},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"kind": "Foo", "plural": "foos", "shortNames": ["f", "fo"]},
                "versions": [{"name": "v1", "served": true}, {"name": "v1beta1", "served": true}],
            },
            "status": {"conditions": [{"type": "Established", "status": "True"}]},
        });
        assert_eq!(
            cells(&CUSTOM_RESOURCE_DEFINITION, &object),
            json!([
                "foos.example.com",
                "Namespaced",
                "v1,v1beta1",
                "2026-11-30T11:00:00Z",
                "example.com",
                "Foo",
                "f,fo",
                true
            ])
        );
        assert_eq!(
            cells(&CUSTOM_RESOURCE_DEFINITION, &json!({})),
            json!(["", "", "", "", "", "", "", false])
        );
    }
}
