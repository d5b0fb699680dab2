//! A definition for tests.

use std::sync::Arc;

use openapi::resource::Subresource;
use serde_json::{Value, json};

use super::{Compiled, Reviewed};
use crate::resources::Resource;

/// Widgets: `v1` is stored, `v1beta1` differs from it.
pub(crate) fn definition() -> Value {
    let version = |name: &str, spec: Value| {
        json!({
            "name": name,
            "served": true,
            "storage": name == "v1",
            "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                "spec": { "type": "object", "properties": spec },
                "status": { "type": "object", "properties": {
                    "replicas": { "type": "integer" },
                } },
            } } },
            "additionalPrinterColumns": [
                { "name": "Size", "type": "integer", "jsonPath": ".spec.size" },
            ],
            "subresources": { "status": {}, "scale": {
                "specReplicasPath": ".spec.size",
                "statusReplicasPath": ".status.replicas",
            } },
        })
    };
    let size = json!({ "type": "integer" });
    let names = json!({ "plural": "widgets", "singular": "widget", "kind": "Widget",
        "listKind": "WidgetList", "shortNames": ["wd"] });
    let condition = |name: &str| json!({ "type": name, "status": "True" });
    json!({
        "metadata": { "name": "widgets.example.com", "uid": "u" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "conversion": { "strategy": "None" },
            "versions": [
                version("v1", json!({ "size": size,
                    "color": { "type": "string", "default": "blue" } })),
                version("v1beta1", json!({ "size": size,
                    "old": { "type": "string", "default": "yes" } })),
            ],
        },
        "status": {
            "acceptedNames": names,
            "conditions": [condition("NamesAccepted"), condition("Established")],
            "storedVersions": ["v1"],
        },
    })
}

/// The stored version of widgets.
pub(crate) fn widgets() -> Arc<Resource> {
    Arc::clone(Compiled::new(&definition()).unwrap().stored())
}

/// Version `v1` of widgets, of which a webhook knows the other versions.
pub(crate) fn reviewed(client_config: &Value) -> Arc<Reviewed> {
    let mut definition = definition();
    definition["spec"]["conversion"] = json!({ "strategy": "Webhook", "webhook": {
        "clientConfig": client_config, "conversionReviewVersions": ["v1"] } });
    let compiled = Compiled::new(&definition).unwrap();
    Arc::clone(compiled.stored().reviewed.as_ref().unwrap())
}

pub(crate) fn named(subresources: &[Subresource]) -> Vec<&str> {
    subresources.iter().map(|subresource| subresource.name.as_str()).collect()
}
