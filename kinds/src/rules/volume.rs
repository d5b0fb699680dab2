//! Volumes of pods.

use std::collections::BTreeSet;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path};

use super::checks;
use crate::value::Members;

/// What a source of that name must say about itself.
const REQUIRED: [(&str, &[&str]); 12] = [
    ("hostPath", &["path"]),
    ("gitRepo", &["repository"]),
    ("gcePersistentDisk", &["pdName"]),
    ("awsElasticBlockStore", &["volumeID"]),
    ("secret", &["secretName"]),
    ("nfs", &["server", "path"]),
    ("iscsi", &["targetPortal", "iqn"]),
    ("glusterfs", &["endpoints", "path"]),
    ("persistentVolumeClaim", &["claimName"]),
    ("configMap", &["name"]),
    ("csi", &["driver"]),
    ("ephemeral", &["volumeClaimTemplate"]),
];

/// The volumes of a pod; gives back the names of those that are right.
pub(super) fn validate<'a>(
    errors: &mut ErrorList,
    spec: &'a Value,
    path: &Path,
) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for (index, volume) in spec.items("volumes").iter().enumerate() {
        let path = path.index(index);
        let mut wrong = ErrorList::default();
        validate_source(&mut wrong, volume, &path);
        checks::required_label(&mut wrong, volume, &path, "name");
        let name = volume.text("name");
        if names.contains(name) {
            wrong.push(Error::duplicate(&path.child("name"), name));
        }
        if wrong.is_empty() {
            names.insert(name);
        }
        errors.extend(wrong);
    }
    names
}

/// Where the content of a volume comes from: exactly one source.
pub(super) fn validate_source(errors: &mut ErrorList, volume: &Value, path: &Path) {
    let sources = volume.as_object().into_iter().flatten();
    let sources = sources.filter(|(name, source)| *name != "name" && source.is_object());
    let mut first = true;
    for (name, source) in sources {
        let path = path.child(name);
        if !first {
            errors.push(Error::forbidden(&path, "may not specify more than 1 volume type"));
            continue;
        }
        first = false;
        let required = REQUIRED.iter().find(|(known, _)| known == name);
        for member in required.into_iter().flat_map(|(_, members)| members.iter()) {
            checks::required(errors, source, &path, member);
        }
        validate_files(errors, source, &path);
    }
    if first {
        errors.push(Error::required(path, "must specify a volume type"));
    }
}

/// The modes and paths of files that a source makes.
fn validate_files(errors: &mut ErrorList, source: &Value, path: &Path) {
    validate_mode(errors, source, path, "defaultMode");
    for (index, item) in source.items("items").iter().enumerate() {
        let path = path.child("items").index(index);
        if item.has("key") {
            checks::required(errors, item, &path, "key");
        }
        if checks::required(errors, item, &path, "path") {
            relative(errors, &path.child("path"), item.text("path"));
        }
        validate_mode(errors, item, &path, "mode");
    }
}

fn validate_mode(errors: &mut ErrorList, holder: &Value, path: &Path, member: &str) {
    if let Some(mode) = holder.int(member).filter(|mode| !(0..=0o777).contains(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.push(Error::invalid(&path.child(member), mode, detail));
    }
}

/// A path that leads down.
pub(super) fn relative(errors: &mut ErrorList, path: &Path, text: &str) {
    if text.starts_with('/') {
        errors.push(Error::invalid(path, text, "must be a relative path"));
    }
    if text.split('/').any(|part| part == "..") {
        errors.push(Error::invalid(path, text, "must not contain '..'"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_volume_has_one_source_and_a_name_of_its_own() {
        let spec = json!({"volumes": [
            {"name": "a", "emptyDir": {}, "secret": {}},
            {"name": "b", "hostPath": {"path": ""}},
            {"name": "c", "emptyDir": {}},
            {"name": "c", "configMap": {"name": "x", "defaultMode": 512}},
        ]});
        let mut errors = ErrorList::default();
        let names = validate(&mut errors, &spec, &Path::new("v"));
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["c"]);
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "v[0].secret: Forbidden: may not specify more than 1 volume type",
                "v[1].hostPath.path: Required value",
                "v[3].configMap.defaultMode: Invalid value: 512: must be a number between 0 and \
                 0777 (octal), both inclusive",
                "v[3].name: Duplicate value: \"c\"",
            ]
        );
    }
}
