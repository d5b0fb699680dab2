//! PersistentVolumes and PersistentVolumeClaims.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{
    annotation, is_terminating, map, name, optional_or, present, quantity, string, strings, text,
};
use super::{Column, Table, age_of};

/// What a cell shows for an optional field that is not set.
const UNSET: &str = "<unset>";

/// Stood for the field of the class before there was one, and goes before it still.
const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// How a volume may be mounted, and what is written for it, in the order in which it is written.
const ACCESS_MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

const CAPACITY: Column =
    Column::text("Capacity", "How much the volume holds, as a quantity of bytes.");
const MODES: Column =
    Column::text("Access Modes", "How the volume may be mounted, and by how many nodes or pods.");
const VOLUME_MODE: Column =
    Column::text("VolumeMode", "Whether it is used as a file system or as a bare device.").wide();

pub(super) static PERSISTENT_VOLUME: Table = Table::new(
    &[
        Column::NAME,
        CAPACITY,
        MODES,
        Column::text("Reclaim Policy", "What becomes of the volume when its claim is gone."),
        Column::text("Status", "Whether the volume is free, bound, released or broken."),
        Column::text("Claim", "The claim that the volume is bound to, with its namespace."),
        Column::text("StorageClass", "StorageClass of the pv"),
        Column::text("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
        Column::text("Reason", "Why the volume is in its state, in a word."),
        Column::AGE,
        VOLUME_MODE,
    ],
    persistent_volume,
);

fn persistent_volume(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        quantity(map(object, "/spec/capacity"), "storage").into(),
        access_modes(object, "/spec/accessModes").into(),
        text(object, "/spec/persistentVolumeReclaimPolicy"),
        phase(object).into(),
        claim(object).into(),
        class(object).into(),
        optional_or(object, "/spec/volumeAttributesClassName", UNSET),
        text(object, "/status/reason"),
        age_of(object, now),
        optional_or(object, "/spec/volumeMode", UNSET),
    ]
}

fn claim(volume: &Value) -> String {
    present(volume, "/spec/claimRef").map_or_else(String::new, |claim| {
        format!("{}/{}", string(claim, "/namespace"), string(claim, "/name"))
    })
}

pub(super) static PERSISTENT_VOLUME_CLAIM: Table = Table::new(
    &[
        Column::NAME,
        Column::text(
            "Status",
            "Whether the claim is bound to a volume, waits for one, or lost it.",
        ),
        Column::text("Volume", "The name of the PersistentVolume that backs the claim."),
        CAPACITY,
        MODES,
        Column::text("StorageClass", "StorageClass of the pvc"),
        Column::text("VolumeAttributesClass", "VolumeAttributesClass of the pvc"),
        Column::AGE,
        VOLUME_MODE,
    ],
    persistent_volume_claim,
);

fn persistent_volume_claim(object: &Value, now: Timestamp) -> Vec<Value> {
    let volume = string(object, "/spec/volumeName");
    let (capacity, modes) = if volume.is_empty() {
        (String::new(), String::new())
    } else {
        let capacity = quantity(map(object, "/status/capacity"), "storage");
        (capacity, access_modes(object, "/status/accessModes"))
    };
    vec![
        name(object),
        phase(object).into(),
        volume.into(),
        capacity.into(),
        modes.into(),
        class(object).into(),
        optional_or(object, "/spec/volumeAttributesClassName", UNSET),
        age_of(object, now),
        optional_or(object, "/spec/volumeMode", UNSET),
    ]
}

fn phase(object: &Value) -> &str {
    if is_terminating(object) { "Terminating" } else { string(object, "/status/phase") }
}

fn class(object: &Value) -> &str {
    annotation(object, CLASS_ANNOTATION).unwrap_or_else(|| string(object, "/spec/storageClassName"))
}

fn access_modes(object: &Value, pointer: &str) -> String {
    let modes = strings(object, pointer);
    let known = ACCESS_MODES.iter().filter(|(mode, _)| modes.contains(mode));
    known.map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn a_bound_volume_shows_its_claim() {
        let object = json!({
            "metadata": {"name": "pv"},
            "spec": {
                "capacity": {"storage": "5Gi"},
                "accessModes": ["ReadWriteMany", "ReadWriteOnce", "ReadWriteMany"],
                "persistentVolumeReclaimPolicy": "Delete",
                "claimRef": {"namespace": "ns", "name": "c"},
                "storageClassName": "fast",
                "volumeAttributesClassName": "gold",
                "volumeMode": "Block",
            },
            "status": {"phase": "Bound", "reason": "r"},
        });
        assert_eq!(
            cells(&PERSISTENT_VOLUME, &object),
            json!([
                "pv",
                "5Gi",
                "RWO,RWX",
                "Delete",
                "Bound",
                "ns/c",
                "fast",
                "gold",
                "r",
                "<unknown>",
                "Block"
            ])
        );
    }

    #[test]
    fn an_empty_volume_shows_zeros_and_what_is_unset() {
        assert_eq!(
            cells(&PERSISTENT_VOLUME, &json!({})),
            json!(["", "0", "", "", "", "", "", "<unset>", "", "<unknown>", "<unset>"])
        );
    }

    #[test]
    fn a_bound_claim_shows_what_it_got_and_not_what_it_asked_for() {
        let mut object = json!({
            "metadata": {"name": "c"},
            "spec": {
                "accessModes": ["ReadWriteOncePod"], "storageClassName": "fast",
                "resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Filesystem",
            },
            "status": {"phase": "Pending"},
        });
        let columns = ["Status", "Volume", "Capacity", "Access Modes"];
        assert_eq!(
            some_cells(&PERSISTENT_VOLUME_CLAIM, &object, &columns),
            json!(["Pending", "", "", ""])
        );
        object["spec"]["volumeName"] = json!("pv");
        assert_eq!(
            some_cells(&PERSISTENT_VOLUME_CLAIM, &object, &columns),
            json!(["Pending", "pv", "0", ""])
        );
        object["status"] = json!({
            "phase": "Bound", "capacity": {"storage": "2Gi"},
            "accessModes": ["ReadWriteOncePod", "ReadOnlyMany"],
        });
        assert_eq!(
            some_cells(&PERSISTENT_VOLUME_CLAIM, &object, &columns),
            json!(["Bound", "pv", "2Gi", "ROX,RWOP"])
        );
    }

    #[test]
    fn what_is_being_removed_terminates_whatever_its_phase() {
        let object = json!({
            "metadata": {"deletionTimestamp": "2026-11-30T11:00:00Z"}, "status": {"phase": "Bound"},
        });
        for table in [&PERSISTENT_VOLUME, &PERSISTENT_VOLUME_CLAIM] {
            assert_eq!(some_cells(table, &object, &["Status"]), json!(["Terminating"]));
        }
    }

    #[test]
    fn the_old_annotation_of_the_class_goes_before_the_field() {
        let object = json!({
            "metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
            "spec": {"storageClassName": "new"},
        });
        assert_eq!(some_cells(&PERSISTENT_VOLUME, &object, &["StorageClass"]), json!(["old"]));
    }
}
