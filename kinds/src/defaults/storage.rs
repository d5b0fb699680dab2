//! Volumes, claims, and what describes storage.

use serde_json::{Value, json};

use super::volume;
use crate::value::Members;

/// The defaults of a claim, also where it is a template.
pub(crate) fn fill_claim(claim: &mut Value) {
    claim.ensure("status").set_default("phase", "Pending");
    if let Some(spec) = claim.present_mut("spec") {
        spec.set_default("volumeMode", "Filesystem");
    }
}

/// The defaults of a volume.
pub(crate) fn fill_volume(object: &mut Value) {
    object.ensure("status").set_default("phase", "Pending");
    let Some(spec) = object.present_mut("spec") else { return };
    spec.set_default("persistentVolumeReclaimPolicy", "Retain");
    spec.set_default("volumeMode", "Filesystem");
    volume::fill_source(spec);
}

/// A claim that is about to be created.
pub(crate) fn prepare_create_claim(claim: &mut Value) {
    claim.set("status", json!({"phase": "Pending"}));
    if let Some(spec) = claim.present_mut("spec") {
        one_data_source(spec);
    }
}

/// A claim that is about to be changed keeps its status.
pub(crate) fn prepare_update_claim(claim: &mut Value, old: &Value) {
    claim.set("status", old.member("status").clone());
    if let Some(spec) = claim.present_mut("spec") {
        one_data_source(spec);
    }
}

/// `dataSource` is the old form of `dataSourceRef`; both are written where both can say it.
fn one_data_source(spec: &mut Value) {
    if !spec.has("dataSourceRef") && spec.has("dataSource") {
        let source = spec.member("dataSource").clone();
        spec.set("dataSourceRef", source);
    } else if !spec.has("dataSource") && spec.member("dataSourceRef").is_blank("namespace") {
        let source = spec.member("dataSourceRef").clone();
        if !source.is_null() {
            spec.set("dataSource", source);
        }
    }
}

/// A volume that is about to be created. The phase begins when the object does.
pub(crate) fn prepare_create_volume(object: &mut Value) {
    let mut status = json!({"phase": "Pending"});
    let created = object.member("metadata").member("creationTimestamp");
    if !created.is_null() {
        status.set("lastPhaseTransitionTime", created.clone());
    }
    object.set("status", status);
}

/// The defaults of a storage class.
pub(crate) fn fill_class(class: &mut Value) {
    class.set_default("reclaimPolicy", "Delete");
    class.set_default("volumeBindingMode", "Immediate");
}

/// The defaults of a CSI driver.
pub(crate) fn fill_driver(driver: &mut Value) {
    let Some(spec) = driver.present_mut("spec") else { return };
    spec.set_default("attachRequired", true);
    let off = [
        "podInfoOnMount",
        "storageCapacity",
        "requiresRepublish",
        "seLinuxMount",
        "preventPodSchedulingIfMissing",
    ];
    off.into_iter().for_each(|member| spec.set_default(member, false));
    spec.set_default("fsGroupPolicy", "ReadWriteOnceWithFSType");
    if spec.is_blank("volumeLifecycleModes") {
        spec.set("volumeLifecycleModes", json!(["Persistent"]));
    }
}

/// The defaults of an attachment: those of the volume it may hold.
pub(crate) fn fill_attachment(attachment: &mut Value) {
    if let Some(spec) = attachment.present_mut("spec")
        && let Some(source) = spec.present_mut("source")
        && let Some(volume) = source.present_mut("inlineVolumeSpec")
    {
        volume.set_default("persistentVolumeReclaimPolicy", "Retain");
        volume.set_default("volumeMode", "Filesystem");
        volume::fill_source(volume);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_of_data_is_written_in_both_forms() {
        let source = json!({"kind": "PersistentVolumeClaim", "name": "a"});
        for given in ["dataSource", "dataSourceRef"] {
            let mut claim = json!({"spec": {given: source}});
            prepare_create_claim(&mut claim);
            assert_eq!(claim["spec"]["dataSource"], claim["spec"]["dataSourceRef"]);
        }
        let mut claim = json!({"spec": {"dataSourceRef": {"name": "a", "namespace": "other"}}});
        prepare_create_claim(&mut claim);
        assert!(!claim["spec"].has("dataSource"));
    }
}
