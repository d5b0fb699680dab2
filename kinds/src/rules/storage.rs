//! Volumes, claims, and what describes storage.

use std::cmp::Ordering;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::{checks, selector, volume};
use crate::value::Members;
use api::quantity::Quantity;

const ACCESS_MODES: [&str; 4] =
    ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// The members of a volume's spec that are no source of its content.
const NO_SOURCE: [&str; 9] = [
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
];

/// The rules of a new claim.
pub(crate) fn create_claim(claim: &Value, errors: &mut ErrorList) {
    validate_claim(errors, claim.member("spec"), &Path::new("spec"));
}

fn validate_claim(errors: &mut ErrorList, spec: &Value, path: &Path) {
    selector::validate(errors, spec.member("selector"), &path.child("selector"));
    let modes = spec.items("accessModes");
    let modes_path = path.child("accessModes");
    if modes.is_empty() {
        errors.push(Error::required(&modes_path, "at least 1 access mode is required"));
    }
    validate_modes(errors, modes, &modes_path);
    let storage = spec.member("resources").member("requests").member("storage");
    let storage_path = path.child("resources").key("storage");
    if storage.is_null() {
        errors.push(Error::required(&storage_path, ""));
    } else {
        more_than_nothing(errors, storage, &storage_path);
    }
    if !spec.is_blank("storageClassName") {
        checks::subdomain(errors, &path.child("storageClassName"), spec.text("storageClassName"));
    }
    checks::one_of_if_any(errors, spec, path, "volumeMode", &VOLUME_MODES);
    for member in ["dataSource", "dataSourceRef"] {
        let (source, path) = (spec.member(member), path.child(member));
        if source.is_null() {
            continue;
        }
        for part in ["name", "kind"] {
            checks::required(errors, source, &path, part);
        }
        let group = source.text("apiGroup");
        if group.is_empty() && source.text("kind") != "PersistentVolumeClaim" {
            let detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
            errors.push(Error::invalid(&path, source.text("kind"), detail));
        }
    }
}

fn validate_modes(errors: &mut ErrorList, modes: &[Value], path: &Path) {
    for mode in modes {
        if !ACCESS_MODES.iter().any(|known| mode == known) {
            errors.push(Error::not_supported(path, Shown::json(mode), &ACCESS_MODES));
        }
    }
    let alone = modes.iter().any(|mode| mode == "ReadWriteOncePod");
    if alone && modes.iter().any(|mode| mode != "ReadWriteOncePod") {
        let detail = "may not use ReadWriteOncePod with other access modes";
        errors.push(Error::forbidden(path, detail));
    }
}

fn more_than_nothing(errors: &mut ErrorList, value: &Value, path: &Path) {
    let amount = Quantity::of(value);
    if amount.sign() != Ordering::Greater {
        errors.push(Error::invalid(path, &amount.to_string(), "must be greater than zero"));
    }
}

/// The rules of a changed claim: a bound one may grow.
pub(crate) fn update_claim(claim: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec");
    validate_claim(errors, claim.member("spec"), &path);
    let bound = old.member("status").text("phase") == "Bound";
    let storage = |claim: &Value| {
        Quantity::of(claim.member("spec").member("resources").member("requests").member("storage"))
    };
    let mut spec = claim.member("spec").clone();
    let before = old.member("spec");
    // The controller that binds a claim writes these two once.
    for member in ["volumeName", "storageClassName"] {
        if !before.has(member) {
            spec.take_member(member);
        }
    }
    if bound {
        for member in ["resources", "volumeAttributesClassName"] {
            match before.member(member) {
                Value::Null => drop(spec.take_member(member)),
                value => spec.set(member, value.clone()),
            }
        }
    }
    if spec != *before {
        let detail = "spec is immutable after creation except resources.requests and \
            volumeAttributesClassName for bound claims\n";
        errors.push(Error::forbidden(&path, detail));
    } else if storage(claim) < storage(old) {
        let path = path.child("resources").child("requests").child("storage");
        let detail = "field can not be less than status.capacity";
        errors.push(Error::forbidden(&path, detail));
    }
}

/// The rules of a new volume.
pub(crate) fn create_volume(object: &Value, errors: &mut ErrorList) {
    let (spec, path) = (object.member("spec"), Path::new("spec"));
    let modes_path = path.child("accessModes");
    if spec.is_blank("accessModes") {
        errors.push(Error::required(&modes_path, ""));
    }
    validate_modes(errors, spec.items("accessModes"), &modes_path);
    let capacity_path = path.child("capacity");
    if spec.is_blank("capacity") {
        errors.push(Error::required(&capacity_path, ""));
    }
    let capacity = spec.member("capacity");
    if !capacity.has("storage") || spec.entries("capacity").count() > 1 {
        let shown = checks::shown_map(capacity);
        errors.push(Error::not_supported(&capacity_path, shown, &["storage"]));
    }
    for (name, value) in spec.entries("capacity") {
        more_than_nothing(errors, value, &capacity_path.key(name));
    }
    let policies = ["Delete", "Recycle", "Retain"];
    checks::one_of_if_any(errors, spec, &path, "persistentVolumeReclaimPolicy", &policies);
    let source = source(spec);
    volume::validate_source(errors, &source, &path);
    let root = source.member("hostPath").text("path") == "/";
    if root && spec.text("persistentVolumeReclaimPolicy") == "Recycle" {
        let detail = "may not be 'recycle' for a hostPath mount of '/'";
        errors.push(Error::forbidden(&path.child("persistentVolumeReclaimPolicy"), detail));
    }
    if !spec.is_blank("storageClassName") {
        checks::subdomain(errors, &path.child("storageClassName"), spec.text("storageClassName"));
    }
    checks::one_of_if_any(errors, spec, &path, "volumeMode", &VOLUME_MODES);
}

fn source(spec: &Value) -> Value {
    let mut source = spec.clone();
    for member in NO_SOURCE {
        source.take_member(member);
    }
    source
}

/// The rules of a changed volume: its content comes from where it came from.
pub(crate) fn update_volume(object: &Value, old: &Value, errors: &mut ErrorList) {
    create_volume(object, errors);
    let (spec, before) = (object.member("spec"), old.member("spec"));
    if source(spec) != source(before) {
        let detail = "spec.persistentvolumesource is immutable after creation\n";
        errors.push(Error::forbidden(&Path::new("spec").child("persistentvolumesource"), detail));
    }
    checks::immutable(errors, spec, before, &Path::new("spec"), "volumeMode");
}

/// The rules of a storage class.
pub(crate) fn create_class(class: &Value, errors: &mut ErrorList) {
    let root = Path::default();
    if checks::required(errors, class, &root, "provisioner") {
        let name = class.text("provisioner");
        let wrong = format::qualified_name(&name.to_lowercase());
        checks::each_message(errors, &root.child("provisioner"), name, wrong);
    }
    for (key, _) in class.entries("parameters").filter(|(key, _)| key.is_empty()) {
        let detail = "field can not be empty.";
        errors.push(Error::invalid(&root.child("parameters"), key, detail));
    }
    checks::one_of_if_any(errors, class, &root, "reclaimPolicy", &["Delete", "Retain"]);
    let modes = ["Immediate", "WaitForFirstConsumer"];
    checks::one_of(errors, class, &root, "volumeBindingMode", &modes);
}

/// The rules of a changed storage class.
pub(crate) fn update_class(class: &Value, old: &Value, errors: &mut ErrorList) {
    for member in ["parameters", "provisioner", "reclaimPolicy"] {
        let both_blank = class.is_blank(member) && old.is_blank(member);
        if !both_blank && class.member(member) != old.member(member) {
            let detail = format!("updates to {member} are forbidden.");
            errors.push(Error::forbidden(&Path::new(member), detail));
        }
    }
    checks::immutable(errors, class, old, &Path::default(), "volumeBindingMode");
}

/// The rules of a CSINode: each driver is there once and knows the node by a name.
pub(crate) fn create_csi_node(node: &Value, errors: &mut ErrorList) {
    let (drivers, path) =
        (node.member("spec").items("drivers"), Path::new("spec").child("drivers"));
    for (index, driver) in drivers.iter().enumerate() {
        let (path, name) = (path.index(index), driver.text("name"));
        if checks::required(errors, driver, &path, "name") {
            let wrong = format::dns_subdomain(&name.to_lowercase(), format::Unit::Characters);
            checks::each_message(errors, &path.child("name"), name, wrong);
        }
        checks::required(errors, driver, &path, "nodeID");
        if drivers[..index].iter().any(|before| before.text("name") == name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        }
    }
}

/// The rules of a VolumeAttributesClass.
pub(crate) fn create_attributes_class(class: &Value, errors: &mut ErrorList) {
    checks::required(errors, class, &Path::default(), "driverName");
    if class.is_blank("parameters") {
        let detail = "must contain at least one key/value pair";
        errors.push(Error::required(&Path::new("parameters"), detail));
    }
}

/// The rules of a changed VolumeAttributesClass: none of it changes.
pub(crate) fn update_attributes_class(class: &Value, old: &Value, errors: &mut ErrorList) {
    for member in ["driverName", "parameters"] {
        if class.member(member) != old.member(member) {
            let detail = format!("updates to {member} are forbidden.");
            errors.push(Error::forbidden(&Path::new(member), detail));
        }
    }
}

/// The rules of an attachment.
pub(crate) fn create_attachment(attachment: &Value, errors: &mut ErrorList) {
    let (spec, path) = (attachment.member("spec"), Path::new("spec"));
    let source_path = path.child("source");
    let name = spec.text("attacher");
    if checks::required(errors, spec, &path, "attacher") {
        let wrong = format::dns_subdomain(&name.to_lowercase(), format::Unit::Characters);
        checks::each_message(errors, &path.child("attacher"), name, wrong);
    }
    let source = spec.member("source");
    match (source.has("inlineVolumeSpec"), source.has("persistentVolumeName")) {
        (false, false) => {
            let detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
            errors.push(Error::required(&source_path, detail));
        }
        (true, true) => {
            let detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
            errors.push(Error::invalid(&source_path, Shown::json(source), detail));
        }
        _ => {}
    }
    checks::required(errors, spec, &path, "nodeName");
}

/// The rules of a changed attachment.
pub(crate) fn update_attachment(attachment: &Value, old: &Value, errors: &mut ErrorList) {
    if attachment.member("spec") != old.member("spec") {
        let shown = Shown::json(attachment.member("spec"));
        errors.push(Error::invalid(&Path::new("spec"), shown, checks::IMMUTABLE));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(check: impl Fn(&mut ErrorList)) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(&mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    fn claim(storage: &str, phase: &str) -> Value {
        json!({"spec": {"accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": storage}}}, "status": {"phase": phase}})
    }

    #[test]
    fn a_claim_says_what_it_needs() {
        let empty = json!({"spec": {}});
        assert_eq!(
            texts(|errors| create_claim(&empty, errors)),
            [
                "spec.accessModes: Required value: at least 1 access mode is required",
                "spec.resources[storage]: Required value",
            ]
        );
        assert_eq!(
            texts(|errors| create_claim(&claim("0", ""), errors)),
            ["spec.resources[storage]: Invalid value: \"0\": must be greater than zero"]
        );
    }

    #[test]
    fn only_a_bound_claim_grows() {
        let grown = |phase: &str| {
            texts(|errors| update_claim(&claim("2Gi", phase), &claim("1Gi", phase), errors))
        };
        assert!(
            grown("Pending")[0].starts_with("spec: Forbidden: spec is immutable after creation")
        );
        assert!(grown("Bound").is_empty());
        assert_eq!(
            texts(|errors| update_claim(&claim("1Gi", "Bound"), &claim("2Gi", "Bound"), errors)),
            [
                "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
            ]
        );
    }

    #[test]
    fn a_volume_has_a_size_and_a_source() {
        let empty = json!({"spec": {}});
        assert_eq!(
            texts(|errors| create_volume(&empty, errors)),
            [
                "spec.accessModes: Required value",
                "spec.capacity: Required value",
                "spec.capacity: Unsupported value: null: supported values: \"storage\"",
                "spec: Required value: must specify a volume type",
            ]
        );
    }

    #[test]
    fn a_storage_class_stays_as_it_is() {
        let old = json!({"provisioner": "a/b", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"});
        let mut new = old.clone();
        new["provisioner"] = "a/c".into();
        new["volumeBindingMode"] = "WaitForFirstConsumer".into();
        assert_eq!(
            texts(|errors| update_class(&new, &old, errors)),
            [
                "provisioner: Forbidden: updates to provisioner are forbidden.",
                "volumeBindingMode: Invalid value: \"WaitForFirstConsumer\": field is immutable",
            ]
        );
    }
}
