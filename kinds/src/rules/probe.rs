//! Probes and lifecycle hooks.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path};

use super::checks;
use crate::value::Members;

/// The probes and hooks of a container.
pub(super) fn validate(errors: &mut ErrorList, container: &Value, path: &Path) {
    if container.has("lifecycle") {
        let path = path.child("lifecycle");
        for hook in ["postStart", "preStop"] {
            let handler = container.member("lifecycle").member(hook);
            if !handler.is_null() {
                validate_handler(
                    errors,
                    handler,
                    &path.child(hook),
                    &["exec", "httpGet", "tcpSocket", "sleep"],
                );
            }
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = container.member(name);
        if probe.is_null() {
            continue;
        }
        let path = path.child(name);
        validate_probe(errors, probe, &path);
        let successes = probe.int("successThreshold").unwrap_or(0);
        if name != "readinessProbe" && successes != 1 {
            errors.push(Error::invalid(&path.child("successThreshold"), successes, "must be 1"));
        }
        let grace = probe.int("terminationGracePeriodSeconds");
        if let Some(grace) = grace.filter(|_| name == "readinessProbe") {
            errors.push(Error::invalid(
                &path.child("terminationGracePeriodSeconds"),
                grace,
                "must not be set for readinessProbes",
            ));
        }
    }
}

fn validate_probe(errors: &mut ErrorList, probe: &Value, path: &Path) {
    validate_handler(errors, probe, path, &["exec", "httpGet", "tcpSocket", "grpc"]);
    checks::not_negative(
        errors,
        probe,
        path,
        &[
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold",
        ],
    );
    if let Some(grace) = probe.int("terminationGracePeriodSeconds").filter(|grace| *grace <= 0) {
        let path = path.child("terminationGracePeriodSeconds");
        errors.push(Error::invalid(&path, grace, "must be greater than 0"));
    }
}

/// Exactly one way of probing or acting.
fn validate_handler(errors: &mut ErrorList, handler: &Value, path: &Path, ways: &[&str]) {
    let mut first = true;
    for way in ways {
        let (details, path) = (handler.member(way), path.child(way));
        if details.is_null() {
            continue;
        }
        if !first {
            errors.push(Error::forbidden(&path, "may not specify more than 1 handler type"));
            continue;
        }
        first = false;
        match *way {
            "exec" => drop(checks::required(errors, details, &path, "command")),
            "httpGet" => validate_http_get(errors, details, &path),
            "tcpSocket" | "grpc" => {
                checks::port(errors, &path.child("port"), details.member("port"));
            }
            _ => {}
        }
    }
    if first {
        errors.push(Error::required(path, "must specify a handler type"));
    }
}

fn validate_http_get(errors: &mut ErrorList, get: &Value, path: &Path) {
    checks::required(errors, get, path, "path");
    checks::port(errors, &path.child("port"), get.member("port"));
    checks::one_of_if_any(errors, get, path, "scheme", &["HTTP", "HTTPS"]);
    for (index, header) in get.items("httpHeaders").iter().enumerate() {
        let name = header.text("name");
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-".contains(&byte);
        if name.is_empty() || !name.bytes().all(known) {
            let path = path.child("httpHeaders").index(index).child("name");
            let detail = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. \
                'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
            errors.push(Error::invalid(&path, name, detail));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_probe_probes_in_one_way() {
        let container = json!({
            "livenessProbe": {"successThreshold": 2, "timeoutSeconds": -1},
            "readinessProbe": {"exec": {"command": ["x"]}, "tcpSocket": {"port": 0}},
        });
        let mut errors = ErrorList::default();
        validate(&mut errors, &container, &Path::new("c"));
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "c.livenessProbe: Required value: must specify a handler type",
                "c.livenessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0",
                "c.livenessProbe.successThreshold: Invalid value: 2: must be 1",
                "c.readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
            ]
        );
    }
}
