//! Group `storage.k8s.io`.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{
    annotation, count, flag, list, name, optional_or, present, string, strings, text,
};
use super::{Column, NONE, Table, age_of};

const DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];
const DEFAULT_ATTRIBUTES_CLASS: [&str; 1] =
    ["volumeattributesclass.alpha.kubernetes.io/is-default-class"];

/// The name, and whether one of the annotations makes the class the default.
fn class_name(object: &Value, annotations: &[&str]) -> Value {
    let name = string(object, "/metadata/name");
    let is_default = annotations.iter().any(|key| annotation(object, key) == Some("true"));
    if is_default { format!("{name} (default)").into() } else { name.into() }
}

pub(super) static STORAGE_CLASS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Provisioner", "The driver or plugin that makes the volumes of the class."),
        Column::text("ReclaimPolicy", "What becomes of its volumes when their claims are gone."),
        Column::text("VolumeBindingMode", "Whether volumes are made at once or for a pod."),
        Column::text(
            "AllowVolumeExpansion",
            "Whether claims of the class may ask for more room later.",
        ),
        Column::AGE,
    ],
    |object, now| {
        vec![
            class_name(object, &DEFAULT_CLASS),
            text(object, "/provisioner"),
            optional_or(object, "/reclaimPolicy", "Delete"),
            optional_or(object, "/volumeBindingMode", "Immediate"),
            flag(object, "/allowVolumeExpansion"),
            age_of(object, now),
        ]
    },
);

pub(super) static VOLUME_ATTRIBUTES_CLASS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("DriverName", "The CSI driver that understands the attributes of the class."),
        Column::AGE,
    ],
    |object, now| {
        let name = class_name(object, &DEFAULT_ATTRIBUTES_CLASS);
        vec![name, text(object, "/driverName"), age_of(object, now)]
    },
);

pub(super) static VOLUME_ATTACHMENT: Table = Table::new(
    &[
        Column::NAME,
        Column {
            format: "name",
            ..Column::text("Attacher", "The driver that has to attach or detach the volume.")
        },
        Column::text("PV", "The name of the PersistentVolume that is to be attached."),
        Column::text("Node", "The node that the volume is to be attached to."),
        Column::text("Attached", "Whether the volume has been attached to the node.")
            .of_type("boolean"),
        Column::AGE,
    ],
    |object, now| {
        vec![
            name(object),
            text(object, "/spec/attacher"),
            text(object, "/spec/source/persistentVolumeName"),
            text(object, "/spec/nodeName"),
            flag(object, "/status/attached"),
            age_of(object, now),
        ]
    },
);

pub(super) static CSI_NODE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Drivers", "How many CSI drivers are registered on the node.")
            .of_type("integer"),
        Column::AGE,
    ],
    |object, now| vec![name(object), count(object, "/spec/drivers").into(), age_of(object, now)],
);

pub(super) static CSI_DRIVER: Table = Table::new(
    &[
        Column::NAME,
        Column::text("AttachRequired", "Whether volumes must be attached before they are mounted.")
            .of_type("boolean"),
        Column::text("PodInfoOnMount", "Whether the driver is told for which pod it mounts.")
            .of_type("boolean"),
        Column::text("StorageCapacity", "Whether the driver says how much room it has.")
            .of_type("boolean"),
        Column::text("TokenRequests", "For whom the driver needs tokens of service accounts."),
        Column::text("RequiresRepublish", "Whether mounted volumes are refreshed now and then.")
            .of_type("boolean"),
        Column::text("Modes", "Whether its volumes outlive pods or come and go with them."),
        Column::AGE,
    ],
    csi_driver,
);

fn csi_driver(object: &Value, now: Timestamp) -> Vec<Value> {
    let attach_required = present(object, "/spec/attachRequired").cloned();
    let modes = strings(object, "/spec/volumeLifecycleModes").join(",");
    vec![
        name(object),
        attach_required.unwrap_or(Value::Bool(true)),
        flag(object, "/spec/podInfoOnMount"),
        flag(object, "/spec/storageCapacity"),
        token_requests(object).into(),
        flag(object, "/spec/requiresRepublish"),
        if modes.is_empty() { NONE.into() } else { modes.into() },
        age_of(object, now),
    ]
}

fn token_requests(driver: &Value) -> String {
    match list(driver, "/spec/tokenRequests") {
        [] => "<unset>".to_owned(),
        requests => {
            let audiences = requests.iter().map(|request| string(request, "/audience"));
            audiences.collect::<Vec<_>>().join(",")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn the_default_class_says_so_after_its_name() {
        for (table, key, expected) in [
            (&STORAGE_CLASS, "storageclass.kubernetes.io/is-default-class", "c (default)"),
            (&STORAGE_CLASS, "storageclass.beta.kubernetes.io/is-default-class", "c (default)"),
            (&STORAGE_CLASS, "example.com/is-default-class", "c"),
            (
                &VOLUME_ATTRIBUTES_CLASS,
                "volumeattributesclass.alpha.kubernetes.io/is-default-class",
                "c (default)",
            ),
            (&VOLUME_ATTRIBUTES_CLASS, "storageclass.kubernetes.io/is-default-class", "c"),
        ] {
            let object = json!({"metadata": {"name": "c", "annotations": {key: "true"}}});
            assert_eq!(some_cells(table, &object, &["Name"]), json!([expected]), "{key}");
        }
        let not = json!({"metadata": {
            "name": "c", "annotations": {"storageclass.kubernetes.io/is-default-class": "false"},
        }});
        assert_eq!(some_cells(&STORAGE_CLASS, &not, &["Name"]), json!(["c"]));
    }

    #[test]
    fn classes_show_what_they_say_else_the_defaults() {
        let object = json!({
            "metadata": {"name": "c"}, "provisioner": "example.com/p", "reclaimPolicy": "Retain",
            "volumeBindingMode": "WaitForFirstConsumer", "allowVolumeExpansion": true,
        });
        assert_eq!(
            cells(&STORAGE_CLASS, &object),
            json!(["c", "example.com/p", "Retain", "WaitForFirstConsumer", true, "<unknown>"])
        );
        assert_eq!(
            cells(&STORAGE_CLASS, &json!({})),
            json!(["", "", "Delete", "Immediate", false, "<unknown>"])
        );
    }

    #[test]
    fn attachments_of_inline_volumes_have_no_name_of_a_volume() {
        let object = json!({
            "metadata": {"name": "a"},
            "spec": {"attacher": "d", "nodeName": "n", "source": {"inlineVolumeSpec": {}}},
            "status": {"attached": true},
        });
        assert_eq!(
            cells(&VOLUME_ATTACHMENT, &object),
            json!(["a", "d", "", "n", true, "<unknown>"])
        );
    }

    #[test]
    fn drivers_show_whose_tokens_they_need() {
        let object = json!({"metadata": {"name": "d"}, "spec": {
            "attachRequired": false, "podInfoOnMount": true, "storageCapacity": true,
            "requiresRepublish": true, "tokenRequests": [{"audience": ""}, {"audience": "vault"}],
            "volumeLifecycleModes": ["Persistent", "Ephemeral"],
        }});
        assert_eq!(
            cells(&CSI_DRIVER, &object),
            json!(["d", false, true, true, ",vault", true, "Persistent,Ephemeral", "<unknown>"])
        );
        assert_eq!(
            cells(&CSI_DRIVER, &json!({"spec": {"attachRequired": null}})),
            json!(["", true, false, false, "<unset>", false, "<none>", "<unknown>"])
        );
    }

    #[test]
    fn drivers_on_a_node_are_counted() {
        let object = json!({"spec": {"drivers": [{"name": "a"}, {"name": "b"}]}});
        assert_eq!(some_cells(&CSI_NODE, &object, &["Drivers"]), json!([2]));
    }
}
