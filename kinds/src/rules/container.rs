//! Containers, in the order in which the reference looks at them.

use std::collections::BTreeSet;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};

use super::{checks, probe, resources, volume};
use crate::value::Members;

/// The fields of a pod that variables may have as their value.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// All containers of a pod. `volumes` are the names that mounts may use.
pub(super) fn validate(
    errors: &mut ErrorList,
    spec: &Value,
    volumes: &BTreeSet<&str>,
    path: &Path,
) {
    let all = path.child("containers");
    if spec.is_blank("containers") {
        errors.push(Error::required(&all, ""));
    }
    let mut names = BTreeSet::new();
    for (index, container) in spec.items("containers").iter().enumerate() {
        let path = all.index(index);
        validate_common(errors, container, volumes, &path);
        unique_name(errors, container, &mut names, &path);
        probe::validate(errors, container, &path);
    }
    host_ports(errors, spec.items("containers"), &all);
    if spec.flag("hostNetwork") {
        node_ports(errors, spec.items("containers"), &all);
    }
    let all = path.child("initContainers");
    for (index, container) in spec.items("initContainers").iter().enumerate() {
        let path = all.index(index);
        validate_common(errors, container, volumes, &path);
        unique_name(errors, container, &mut names, &path);
        validate_init(errors, container, &path);
    }
}

fn unique_name<'a>(
    errors: &mut ErrorList,
    container: &'a Value,
    names: &mut BTreeSet<&'a str>,
    path: &Path,
) {
    let name = container.text("name");
    if !name.is_empty() && !names.insert(name) {
        errors.push(Error::duplicate(&path.child("name"), name));
    }
}

/// A container that only prepares for others has nothing to be probed; one that stays has.
fn validate_init(errors: &mut ErrorList, container: &Value, path: &Path) {
    if container.text("restartPolicy") == "Always" {
        probe::validate(errors, container, path);
        return;
    }
    for member in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
        if container.has(member) {
            errors.push(Error::forbidden(
                &path.child(member),
                "may not be set for init containers without restartPolicy=Always",
            ));
        }
    }
}

fn validate_common(
    errors: &mut ErrorList,
    container: &Value,
    volumes: &BTreeSet<&str>,
    path: &Path,
) {
    checks::required_label(errors, container, path, "name");
    let image = container.text("image");
    if checks::required(errors, container, path, "image") && image.trim() != image {
        let detail = "must not have leading or trailing whitespace";
        errors.push(Error::invalid(&path.child("image"), image, detail));
    }
    checks::one_of(
        errors,
        container,
        path,
        "terminationMessagePolicy",
        &["File", "FallbackToLogsOnError"],
    );
    validate_ports(errors, container, &path.child("ports"));
    validate_env(errors, container, &path.child("env"));
    validate_env_from(errors, container, &path.child("envFrom"));
    validate_mounts(errors, container, volumes, &path.child("volumeMounts"));
    checks::one_of(
        errors,
        container,
        path,
        "imagePullPolicy",
        &["Always", "IfNotPresent", "Never"],
    );
    resources::validate(errors, container.member("resources"), &path.child("resources"));
    validate_security(errors, container.member("securityContext"), &path.child("securityContext"));
}

fn validate_ports(errors: &mut ErrorList, container: &Value, path: &Path) {
    let mut names = BTreeSet::new();
    for (index, port) in container.items("ports").iter().enumerate() {
        let path = path.index(index);
        let name = port.text("name");
        if !name.is_empty() {
            let wrong = checks::port_name(name);
            if !wrong.is_empty() {
                checks::each_message(errors, &path.child("name"), name, wrong);
            } else if !names.insert(name) {
                errors.push(Error::duplicate(&path.child("name"), name));
            }
        }
        match port.int("containerPort").unwrap_or(0) {
            0 => errors.push(Error::required(&path.child("containerPort"), "")),
            number => checks::port_number(errors, &path.child("containerPort"), number),
        }
        if let Some(number) = port.int("hostPort").filter(|number| *number != 0) {
            checks::port_number(errors, &path.child("hostPort"), number);
        }
        checks::one_of(errors, port, &path, "protocol", &checks::PROTOCOLS);
    }
}

/// Two containers cannot have the same port of their node.
fn host_ports(errors: &mut ErrorList, containers: &[Value], path: &Path) {
    let mut taken = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        for (place, port) in container.items("ports").iter().enumerate() {
            let Some(number) = port.int("hostPort").filter(|number| *number != 0) else { continue };
            let key = format!("{}/{}/{number}", port.text("protocol"), port.text("hostIP"));
            if taken.contains(&key) {
                let path = path.index(index).child("ports").index(place).child("hostPort");
                errors.push(Error::duplicate(&path, &key));
            } else {
                taken.insert(key);
            }
        }
    }
}

/// In the network of its node a port has one number.
fn node_ports(errors: &mut ErrorList, containers: &[Value], path: &Path) {
    for (index, container) in containers.iter().enumerate() {
        for (place, port) in container.items("ports").iter().enumerate() {
            let number = port.int("containerPort").unwrap_or(0);
            if port.int("hostPort").is_some_and(|host| host != 0 && host != number) {
                let path = path.index(index).child("ports").index(place).child("containerPort");
                let detail = "must match `hostPort` when `hostNetwork` is true";
                errors.push(Error::invalid(&path, number, detail));
            }
        }
    }
}

fn validate_env(errors: &mut ErrorList, container: &Value, path: &Path) {
    for (index, variable) in container.items("env").iter().enumerate() {
        let path = path.index(index);
        if checks::required(errors, variable, &path, "name") {
            variable_name(errors, variable.text("name"), &path.child("name"));
        }
        if variable.has("valueFrom") {
            validate_source(errors, variable, &path.child("valueFrom"));
        }
    }
}

fn variable_name(errors: &mut ErrorList, name: &str, path: &Path) {
    let printable = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'=';
    if !name.bytes().all(printable) {
        let detail = "a valid environment variable name must consist only of printable ASCII \
            characters other than '='";
        errors.push(Error::invalid(path, name, detail));
    }
}

fn validate_env_from(errors: &mut ErrorList, container: &Value, path: &Path) {
    for (index, source) in container.items("envFrom").iter().enumerate() {
        let path = path.index(index);
        variable_name(errors, source.text("prefix"), &path.child("prefix"));
        let members = ["configMapRef", "secretRef"];
        for member in members.into_iter().filter(|member| source.has(member)) {
            checks::required(errors, source.member(member), &path.child(member), "name");
        }
        let detail = match members.iter().filter(|member| source.has(member)).count() {
            0 => "must specify one of: `configMapRef` or `secretRef`",
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        errors.push(Error::invalid(&path, "", detail));
    }
}

fn validate_source(errors: &mut ErrorList, variable: &Value, path: &Path) {
    let source = variable.member("valueFrom");
    let mut sources = 0;
    if source.has("fieldRef") {
        sources += 1;
        validate_field(errors, source.member("fieldRef"), &path.child("fieldRef"));
    }
    if source.has("resourceFieldRef") {
        sources += 1;
        let path = path.child("resourceFieldRef");
        checks::required(errors, source.member("resourceFieldRef"), &path, "resource");
    }
    for member in ["configMapKeyRef", "secretKeyRef"] {
        if !source.has(member) {
            continue;
        }
        sources += 1;
        let (selected, path) = (source.member(member), path.child(member));
        checks::required(errors, selected, &path, "name");
        if checks::required(errors, selected, &path, "key") {
            let key = selected.text("key");
            checks::each_message(errors, &path.child("key"), key, checks::config_key(key));
        }
    }
    sources += usize::from(source.has("fileKeyRef"));
    let detail = match sources {
        0 => {
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or \
             `secretKeyRef`"
        }
        _ if !variable.is_blank("value") => "may not be specified when `value` is not empty",
        1 => return,
        _ => "may not have more than one field specified at a time",
    };
    errors.push(Error::invalid(path, "", detail));
}

fn validate_field(errors: &mut ErrorList, field: &Value, path: &Path) {
    checks::required(errors, field, path, "apiVersion");
    if !checks::required(errors, field, path, "fieldPath") {
        return;
    }
    let text = field.text("fieldPath");
    let keyed = ["metadata.annotations['", "metadata.labels['"];
    if keyed.iter().any(|start| text.starts_with(start) && text.ends_with("']"))
        || FIELDS.contains(&text)
    {
        return;
    }
    let detail = format!("error converting fieldPath: field label not supported: {text}");
    errors.push(Error::invalid(&path.child("fieldPath"), text, detail));
}

fn validate_mounts(
    errors: &mut ErrorList,
    container: &Value,
    volumes: &BTreeSet<&str>,
    path: &Path,
) {
    let devices = container.items("volumeDevices");
    let mut places = BTreeSet::new();
    for (index, mount) in container.items("volumeMounts").iter().enumerate() {
        let path = path.index(index);
        let name = mount.text("name");
        checks::required(errors, mount, &path, "name");
        if !volumes.contains(name) {
            errors.push(checks::not_found(&path.child("name"), name));
        }
        let place = mount.text("mountPath");
        checks::required(errors, mount, &path, "mountPath");
        if !places.insert(place) {
            errors.push(Error::invalid(&path.child("mountPath"), place, "must be unique"));
        }
        if devices.iter().any(|device| device.text("name") == name) {
            let detail = "must not already exist in volumeDevices";
            errors.push(Error::invalid(&path.child("name"), name, detail));
        }
        if devices.iter().any(|device| device.text("devicePath") == place) {
            let detail = "must not already exist as a path in volumeDevices";
            errors.push(Error::invalid(&path.child("mountPath"), place, detail));
        }
        volume::relative(errors, &path.child("subPath"), mount.text("subPath"));
    }
}

fn validate_security(errors: &mut ErrorList, context: &Value, path: &Path) {
    for member in ["runAsUser", "runAsGroup"] {
        let range = 0..=i64::from(i32::MAX);
        if let Some(id) = context.int(member).filter(|id| !range.contains(id)) {
            let detail = "must be between 0 and 2147483647, inclusive";
            errors.push(Error::invalid(&path.child(member), id, detail));
        }
    }
    checks::one_of_if_any(errors, context, path, "procMount", &["Default", "Unmasked"]);
    if context.member("allowPrivilegeEscalation") == &Value::Bool(false)
        && context.flag("privileged")
    {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        errors.push(Error::invalid(path, Shown::json(context), detail));
    }
}
