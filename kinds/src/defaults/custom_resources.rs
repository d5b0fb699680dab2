//! CustomResourceDefinitions.

use serde_json::{Value, json};

use crate::value::Members;

/// The defaults of a definition: the names that follow from the kind, and no conversion.
pub(crate) fn fill(definition: &mut Value) {
    let Some(spec) = definition.present_mut("spec") else { return };
    if let Some(names) = spec.present_mut("names") {
        let kind = names.text("kind").to_owned();
        names.set_default("singular", kind.to_lowercase());
        if !kind.is_empty() {
            names.set_default("listKind", format!("{kind}List"));
        }
    }
    let conversion = spec.ensure("conversion");
    conversion.set_default("strategy", "None");
    if let Some(webhook) = conversion.present_mut("webhook")
        && let Some(client) = webhook.present_mut("clientConfig")
        && let Some(service) = client.present_mut("service")
    {
        service.set_default("port", 443);
    }
}

/// A definition that is about to be created: its names are not accepted yet.
pub(crate) fn prepare_create(definition: &mut Value) {
    let names = json!({"plural": "", "kind": ""});
    definition
        .set("status", json!({"conditions": null, "acceptedNames": names, "storedVersions": null}));
    note_stored_versions(definition);
}

/// A definition that is about to be changed keeps its status, which notes all versions that objects
/// were ever stored in.
pub(crate) fn prepare_update(definition: &mut Value, old: &Value) {
    definition.set("status", old.member("status").clone());
    note_stored_versions(definition);
}

fn note_stored_versions(definition: &mut Value) {
    let versions = definition.member("spec").items("versions").iter();
    let stored: Vec<String> = versions
        .filter(|version| version.flag("storage"))
        .map(|version| version.text("name").to_owned())
        .collect();
    let status = definition.ensure("status");
    for name in stored {
        if !status.items("storedVersions").iter().any(|known| known == &name) {
            status.push_item("storedVersions", name.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_from_the_kind() {
        let mut definition = json!({"spec": {"names": {"kind": "Widget", "plural": "widgets"}}});
        fill(&mut definition);
        let names = json!({"kind": "Widget", "plural": "widgets", "singular": "widget",
            "listKind": "WidgetList"});
        assert_eq!(definition["spec"]["names"], names);
        assert_eq!(definition["spec"]["conversion"]["strategy"], "None");
    }

    #[test]
    fn versions_that_were_stored_stay_noted() {
        let definition =
            |name: &str| json!({"spec": {"versions": [{"name": name, "storage": true}]}});
        let mut old = definition("v1");
        prepare_create(&mut old);
        let mut new = definition("v2");
        prepare_update(&mut new, &old);
        assert_eq!(new["status"]["storedVersions"], json!(["v1", "v2"]));
    }
}
