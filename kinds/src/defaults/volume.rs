//! Volumes of pods and persistent volumes.

use serde_json::{Value, json};

use super::pod_spec;
use crate::value::Members;

/// The mode of files that are made for a volume: 0644.
const FILE_MODE: i64 = 0o644;

/// A volume of a pod. One without a source is an empty directory.
pub(crate) fn fill(volume: &mut Value) {
    let sources = volume.as_object().map_or(0, |members| {
        members.iter().filter(|(name, value)| *name != "name" && !value.is_null()).count()
    });
    if sources == 0 {
        volume.set("emptyDir", json!({}));
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = volume.present_mut(source) {
            source.set_default("defaultMode", FILE_MODE);
        }
    }
    if let Some(downward) = volume.present_mut("downwardAPI") {
        downward.items_mut("items").for_each(pod_spec::fill_field_ref);
    }
    if let Some(projected) = volume.present_mut("projected") {
        projected.items_mut("sources").for_each(fill_projection);
    }
    if let Some(image) = volume.present_mut("image") {
        let policy = pod_spec::pull_policy(image.text("reference"));
        image.set_default("pullPolicy", policy);
    }
    if let Some(ephemeral) = volume.present_mut("ephemeral")
        && let Some(template) = ephemeral.present_mut("volumeClaimTemplate")
        && let Some(spec) = template.present_mut("spec")
    {
        spec.set_default("volumeMode", "Filesystem");
    }
    fill_source(volume);
}

fn fill_projection(source: &mut Value) {
    if let Some(downward) = source.present_mut("downwardAPI") {
        downward.items_mut("items").for_each(pod_spec::fill_field_ref);
    }
    if let Some(token) = source.present_mut("serviceAccountToken")
        && token.int("expirationSeconds").unwrap_or(0) == 0
    {
        token.set("expirationSeconds", 3600);
    }
}

/// The sources that pods and persistent volumes have in common.
pub(crate) fn fill_source(holder: &mut Value) {
    let defaults: [(&str, &[(&str, Value)]); 5] = [
        ("hostPath", &[("type", json!(""))]),
        ("iscsi", &[("iscsiInterface", json!("default"))]),
        (
            "rbd",
            &[
                ("pool", json!("rbd")),
                ("user", json!("admin")),
                ("keyring", json!("/etc/ceph/keyring")),
            ],
        ),
        (
            "azureDisk",
            &[
                ("cachingMode", json!("ReadWrite")),
                ("fsType", json!("ext4")),
                ("readOnly", json!(false)),
                ("kind", json!("Shared")),
            ],
        ),
        ("scaleIO", &[("storageMode", json!("ThinProvisioned")), ("fsType", json!("xfs"))]),
    ];
    for (source, members) in defaults {
        let Some(source) = holder.present_mut(source) else { continue };
        for (member, default) in members {
            source.set_default(member, default.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(mut volume: Value) -> Value {
        fill(&mut volume);
        volume
    }

    #[test]
    fn a_volume_without_a_source_is_an_empty_directory() {
        assert_eq!(filled(json!({"name": "v"})), json!({"name": "v", "emptyDir": {}}));
    }

    #[test]
    fn projected_sources_are_completed() {
        let volume = json!({"name": "v", "projected": {"sources": [
            {"serviceAccountToken": {"path": "t"}},
            {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}});
        let projected = &filled(volume)["projected"];
        assert_eq!(projected["defaultMode"], 420);
        assert_eq!(projected["sources"][0]["serviceAccountToken"]["expirationSeconds"], 3600);
        assert_eq!(
            projected["sources"][1]["downwardAPI"]["items"][0]["fieldRef"]["apiVersion"],
            "v1"
        );
    }

    #[test]
    fn images_are_pulled_as_their_tag_says() {
        let volume = json!({"name": "v", "image": {"reference": "img:1"}});
        assert_eq!(filled(volume)["image"]["pullPolicy"], "IfNotPresent");
    }
}
