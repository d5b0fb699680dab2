//! ConfigMaps, secrets, namespaces, quotas.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::{checks, pod_spec, resources};
use crate::value::Members;

/// The most bytes of data in a ConfigMap or Secret.
const DATA_BYTES_MAX: usize = 1024 * 1024;

const FIXED: &str = "field is immutable when `immutable` is set";

/// What secrets of a type must hold.
const SECRET_KEYS: [(&str, &[&str]); 3] = [
    ("kubernetes.io/dockercfg", &[".dockercfg"]),
    ("kubernetes.io/dockerconfigjson", &[".dockerconfigjson"]),
    ("kubernetes.io/tls", &["tls.crt", "tls.key"]),
];

/// The rules of a ConfigMap.
pub(crate) fn create_config_map(object: &Value, errors: &mut ErrorList) {
    let mut bytes = 0;
    let path = Path::new("data");
    for (key, value) in object.entries("data") {
        let path = path.key(key);
        checks::each_message(errors, &path, key, checks::config_key(key));
        if object.member("binaryData").has(key) {
            let detail = "duplicate of key present in binaryData";
            errors.push(Error::invalid(&path, key, detail));
        }
        bytes += value.as_str().map_or(0, str::len);
    }
    let path = Path::new("binaryData");
    for (key, value) in object.entries("binaryData") {
        checks::each_message(errors, &path.key(key), key, checks::config_key(key));
        bytes += decoded_bytes(value);
    }
    if bytes > DATA_BYTES_MAX {
        errors.push(Error::too_long(&Path::nil(), DATA_BYTES_MAX));
    }
}

/// How many bytes base64 text stands for.
fn decoded_bytes(value: &Value) -> usize {
    let text = value.as_str().unwrap_or_default();
    text.len() / 4 * 3 - text.bytes().rev().take(2).filter(|byte| *byte == b'=').count()
}

/// The rules of a changed ConfigMap.
pub(crate) fn update_config_map(object: &Value, old: &Value, errors: &mut ErrorList) {
    unchanged_if_fixed(errors, object, old, &["data", "binaryData"]);
    create_config_map(object, errors);
}

fn unchanged_if_fixed(errors: &mut ErrorList, object: &Value, old: &Value, members: &[&str]) {
    if !old.flag("immutable") {
        return;
    }
    if !object.flag("immutable") {
        errors.push(Error::forbidden(&Path::new("immutable"), FIXED));
    }
    for member in members {
        let both_blank = object.is_blank(member) && old.is_blank(member);
        if !both_blank && object.member(member) != old.member(member) {
            errors.push(Error::forbidden(&Path::new(member), FIXED));
        }
    }
}

/// The rules of a Secret.
pub(crate) fn create_secret(object: &Value, errors: &mut ErrorList) {
    let (path, data) = (Path::new("data"), object.member("data"));
    let mut bytes = 0;
    for (key, value) in object.entries("data") {
        checks::each_message(errors, &path.key(key), key, checks::config_key(key));
        bytes += decoded_bytes(value);
    }
    if bytes > DATA_BYTES_MAX {
        errors.push(Error::too_long(&path, DATA_BYTES_MAX));
    }
    let secret_type = object.text("type");
    for (_, keys) in SECRET_KEYS.iter().filter(|(known, _)| *known == secret_type) {
        for key in *keys {
            if !data.has(key) {
                errors.push(Error::required(&path.key(key), ""));
            } else if key.starts_with('.') {
                docker_config(errors, data.text(key), &path.key(key));
            }
        }
    }
    // The reference forgot to fill in this path.
    let odd_path = Path::new("data[%s]");
    match secret_type {
        "kubernetes.io/service-account-token" => {
            let (key, path) = ("kubernetes.io/service-account.name", Path::new("metadata"));
            if object.member("metadata").member("annotations").is_blank(key) {
                errors.push(Error::required(&path.child("annotations").key(key), ""));
            }
        }
        "kubernetes.io/basic-auth" if !data.has("username") && !data.has("password") => {
            for key in ["username", "password"] {
                errors.push(Error::required(&odd_path.key(key), ""));
            }
        }
        "kubernetes.io/ssh-auth" if data.is_blank("ssh-privatekey") => {
            errors.push(Error::required(&odd_path.key("ssh-privatekey"), ""));
        }
        _ => {}
    }
}

fn docker_config(errors: &mut ErrorList, encoded: &str, path: &Path) {
    let bytes = STANDARD.decode(encoded).unwrap_or_default();
    if let Err(error) = serde_json::from_slice::<serde_json::Map<String, Value>>(&bytes) {
        let detail = if bytes.is_empty() {
            "unexpected end of JSON input".to_owned()
        } else {
            error.to_string()
        };
        errors.push(Error::invalid(path, "<secret contents redacted>", detail));
    }
}

/// The rules of a changed Secret.
pub(crate) fn update_secret(object: &Value, old: &Value, errors: &mut ErrorList) {
    if object.text("type") != old.text("type") {
        let shown = Shown::json(object.member("type"));
        errors.push(Error::invalid(&Path::new("type"), shown, checks::IMMUTABLE));
    }
    unchanged_if_fixed(errors, object, old, &["data"]);
    create_secret(object, errors);
}

/// The rules of a Namespace.
pub(crate) fn create_namespace(object: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec").child("finalizers");
    for finalizer in object.member("spec").items("finalizers").iter().filter_map(Value::as_str) {
        let wrong = format::qualified_name(finalizer);
        let qualified = wrong.is_empty();
        checks::each_message(errors, &path, finalizer, wrong);
        if qualified && !finalizer.contains('/') && finalizer != "kubernetes" {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(Error::invalid(&path, finalizer, detail));
        }
    }
}

/// The rules of a ResourceQuota.
pub(crate) fn create_quota(object: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec").child("hard");
    for (name, value) in object.member("spec").entries("hard") {
        let path = path.key(name);
        quota_resource(errors, name, &path);
        resources::amount(errors, name, value, &path);
    }
}

fn quota_resource(errors: &mut ErrorList, name: &str, path: &Path) {
    let wrong = format::qualified_name(name);
    if !wrong.is_empty() {
        checks::each_message(errors, path, name, wrong);
        return;
    }
    let plain = name.strip_prefix("requests.").or(name.strip_prefix("limits.")).unwrap_or(name);
    let measured = ["cpu", "memory", "storage", "ephemeral-storage"];
    let known = measured.contains(&plain)
        || resources::COUNTED.contains(&plain)
        || plain.starts_with("hugepages-");
    if !name.contains('/') && !known {
        let detail = "must be a standard resource for quota";
        errors.push(Error::invalid(path, Shown::json(&name), detail));
    }
}

/// The rules of a changed ResourceQuota; what it is about is fixed.
pub(crate) fn update_quota(object: &Value, old: &Value, errors: &mut ErrorList) {
    create_quota(object, errors);
    let scopes = |object: &Value| {
        let mut scopes = object.member("spec").items("scopes").to_vec();
        scopes.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        scopes
    };
    if scopes(object) != scopes(old) {
        let shown = Shown::json(&object.member("spec").items("scopes"));
        let path = Path::new("spec").child("scopes");
        errors.push(Error::invalid(&path, shown, checks::IMMUTABLE));
    }
}

/// The rules of a Node.
pub(crate) fn create_node(object: &Value, errors: &mut ErrorList) {
    let taints = object.member("spec").items("taints");
    let path = Path::new("spec").child("taints");
    for (index, taint) in taints.iter().enumerate() {
        let path = path.index(index);
        let (key, value) = (taint.text("key"), taint.text("value"));
        checks::each_message(errors, &path.child("key"), key, format::qualified_name(key));
        let wrong = format::label_value(value);
        if !wrong.is_empty() {
            errors.push(Error::invalid(&path.child("value"), value, wrong.join(";")));
        }
        checks::one_of(errors, taint, &path, "effect", &pod_spec::TAINT_EFFECTS);
        let same = |before: &Value| {
            before.text("key") == key && before.text("effect") == taint.text("effect")
        };
        if taints[..index].iter().any(same) {
            let detail = "taints must be unique by key and effect pair";
            let shown = json!({"Key": key, "Value": value, "Effect": taint.text("effect"),
                "TimeAdded": taint.member("timeAdded")});
            let mut error = Error::duplicate(&path, Shown::json(&shown));
            detail.clone_into(&mut error.detail);
            errors.push(error);
        }
    }
}

/// The rules of a changed Node; what was set for good stays.
pub(crate) fn update_node(object: &Value, old: &Value, errors: &mut ErrorList) {
    let (spec, before) = (object.member("spec"), old.member("spec"));
    for member in ["podCIDR", "providerID"] {
        if !before.is_blank(member) && spec.member(member) != before.member(member) {
            let detail =
                "node updates may not change ".to_owned() + member + " except from \"\" to valid";
            errors.push(Error::forbidden(&Path::new("spec").child(member), detail));
        }
    }
    create_node(object, errors);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(check: impl Fn(&mut ErrorList)) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(&mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_immutable_stays_as_it_is() {
        let old = json!({"immutable": true, "data": {"a": "b"}});
        let new = json!({"data": {"a": "c"}});
        let expected = [
            "immutable: Forbidden: field is immutable when `immutable` is set",
            "data: Forbidden: field is immutable when `immutable` is set",
        ];
        assert_eq!(texts(|errors| update_config_map(&new, &old, errors)), expected);
        assert_eq!(texts(|errors| update_secret(&new, &old, errors)), expected);
        assert!(texts(|errors| update_config_map(&old, &old, errors)).is_empty());
    }

    #[test]
    fn keys_of_data_are_checked_and_stand_in_one_map() {
        let object = json!({"data": {"a/b": "", "c": ""}, "binaryData": {"c": ""}});
        let texts = texts(|errors| create_config_map(&object, errors));
        assert!(texts[0].starts_with("data[a/b]: Invalid value: \"a/b\": a valid config key"));
        assert_eq!(
            texts[1],
            "data[c]: Invalid value: \"c\": duplicate of key present in binaryData"
        );
    }

    #[test]
    fn secrets_hold_what_their_type_says() {
        let secret = |kind: &str, data: Value| {
            let object = json!({"type": kind, "data": data});
            texts(|errors| create_secret(&object, errors))
        };
        assert_eq!(
            secret("kubernetes.io/service-account-token", json!({})),
            ["metadata.annotations[kubernetes.io/service-account.name]: Required value"]
        );
        assert_eq!(
            secret("kubernetes.io/basic-auth", json!({})),
            ["data[%s][username]: Required value", "data[%s][password]: Required value"]
        );
        assert_eq!(
            secret("kubernetes.io/dockercfg", json!({".dockercfg": ""})),
            ["data[.dockercfg]: Invalid value: \"<secret contents redacted>\": unexpected end of \
              JSON input"]
        );
        assert!(secret("Opaque", json!({"a": "AA=="})).is_empty());
    }

    #[test]
    fn too_much_data_is_refused() {
        let object = json!({"data": {"a": "x".repeat(DATA_BYTES_MAX + 1)}});
        assert_eq!(texts(|errors| create_config_map(&object, errors)).len(), 1);
    }

    #[test]
    fn taints_are_told_apart_by_key_and_effect() {
        let taint = json!({"key": "a", "effect": "NoSchedule"});
        let object = json!({"spec": {"taints": [taint, taint]}});
        let texts = texts(|errors| create_node(&object, errors));
        assert!(texts[0].ends_with("taints must be unique by key and effect pair"), "{texts:?}");
    }
}
