//! Pod specs, wherever they stand: in pods and in the templates of workloads.

use serde_json::{Value, json};

use super::volume;
use crate::value::Members;

/// The tag that is meant if an image names neither tag nor digest.
const LATEST: &str = "latest";

/// A pod template: what follows `template` in workloads.
pub(crate) fn fill_template(template: &mut Value) {
    if let Some(spec) = template.present_mut("spec") {
        fill(spec);
    }
}

/// A pod spec.
pub(crate) fn fill(spec: &mut Value) {
    one_service_account(spec);
    spec.set_default("restartPolicy", "Always");
    spec.set_default("terminationGracePeriodSeconds", 30);
    spec.set_default("dnsPolicy", "ClusterFirst");
    spec.set_default("securityContext", json!({}));
    spec.set_default("schedulerName", "default-scheduler");
    spec.items_mut("volumes").for_each(volume::fill);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        spec.items_mut(list).for_each(fill_container);
    }
}

/// `serviceAccount` is the old name of `serviceAccountName`; both are written.
fn one_service_account(spec: &mut Value) {
    let old = spec.text("serviceAccount").to_owned();
    if !old.is_empty() {
        spec.set_default("serviceAccountName", old);
    }
    match spec.text("serviceAccountName").to_owned() {
        name if name.is_empty() => {}
        name => spec.set("serviceAccount", name),
    }
}

fn fill_container(container: &mut Value) {
    let policy = pull_policy(container.text("image"));
    container.items_mut("ports").for_each(|port| port.set_default("protocol", "TCP"));
    for variable in container.items_mut("env") {
        let Some(source) = variable.present_mut("valueFrom") else { continue };
        fill_field_ref(source);
        if let Some(file_key) = source.present_mut("fileKeyRef") {
            file_key.set_default("optional", false);
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.present_mut(probe) {
            fill_probe(probe);
        }
    }
    if let Some(lifecycle) = container.present_mut("lifecycle") {
        for hook in ["postStart", "preStop"] {
            if let Some(hook) = lifecycle.present_mut(hook) {
                fill_http_get(hook);
            }
        }
    }
    container.set_default("terminationMessagePath", "/dev/termination-log");
    container.set_default("terminationMessagePolicy", "File");
    container.set_default("imagePullPolicy", policy);
}

fn fill_probe(probe: &mut Value) {
    fill_http_get(probe);
    if let Some(grpc) = probe.present_mut("grpc") {
        grpc.set_default("service", "");
    }
    let defaults = [
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ];
    for (member, default) in defaults {
        if probe.int(member).unwrap_or(0) == 0 {
            probe.set(member, default);
        }
    }
}

fn fill_http_get(handler: &mut Value) {
    if let Some(get) = handler.present_mut("httpGet") {
        get.set_default("path", "/");
        get.set_default("scheme", "HTTP");
    }
}

/// `fieldRef` of variables and of files in volumes.
pub(crate) fn fill_field_ref(source: &mut Value) {
    if let Some(field) = source.present_mut("fieldRef") {
        field.set_default("apiVersion", "v1");
    }
}

/// Images that may change under their name are pulled each time.
pub(crate) fn pull_policy(image: &str) -> &'static str {
    match tag(image) {
        Some(LATEST) => "Always",
        _ => "IfNotPresent",
    }
}

/// The tag of an image; none if there is a digest only, or if it is no image at all.
fn tag(image: &str) -> Option<&str> {
    let (named, digest) = match image.split_once('@') {
        Some((named, digest)) => (named, Some(digest)),
        None => (image, None),
    };
    // A colon before the last slash belongs to the port of a registry.
    let (path, tag) = match named.rfind(':') {
        Some(at) if !named[at..].contains('/') => (&named[..at], Some(&named[at + 1..])),
        _ => (named, None),
    };
    let is_name = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:[]".contains(&byte))
    };
    let repository = path.rsplit_once('/').map_or(path, |(_, repository)| repository);
    let no_capitals = !repository.bytes().any(|byte| byte.is_ascii_uppercase());
    if !path.split('/').all(is_name) || !no_capitals || tag.is_some_and(str::is_empty) {
        return None;
    }
    tag.or_else(|| digest.is_none().then_some(LATEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_image_is_pulled_each_time() {
        for image in ["img", "img:latest", "r.example.com:5000/a/img", "r:1/img:latest@sha256:0"] {
            assert_eq!(pull_policy(image), "Always", "{image}");
        }
        for image in ["img:1", "r:5000/img:1", "img@sha256:0", "", "Bad", "a//b", "img:"] {
            assert_eq!(pull_policy(image), "IfNotPresent", "{image}");
        }
    }

    #[test]
    fn both_names_of_the_service_account_are_written() {
        for given in ["serviceAccount", "serviceAccountName"] {
            let mut spec = json!({given: "sa"});
            fill(&mut spec);
            assert_eq!(
                (spec.text("serviceAccount"), spec.text("serviceAccountName")),
                ("sa", "sa")
            );
        }
    }

    #[test]
    fn probes_and_hooks_are_completed() {
        let mut spec = json!({"containers": [{"name": "c", "image": "i:1",
            "readinessProbe": {"grpc": {"port": 1}, "periodSeconds": 3},
            "lifecycle": {"preStop": {"httpGet": {"port": 80}}}}]});
        fill(&mut spec);
        let container = &spec["containers"][0];
        let probe = json!({"grpc": {"port": 1, "service": ""}, "periodSeconds": 3,
            "timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3});
        assert_eq!(container["readinessProbe"], probe);
        let hook = json!({"httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}});
        assert_eq!(container["lifecycle"]["preStop"], hook);
    }
}
