//! Ingresses, network policies, slices of endpoints, leases.

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};
use validation::format::{self, Unit};
use validation::text::go_quote;

use super::{checks, selector};
use crate::value::Members;

const PATH_TYPES: [&str; 3] = ["Exact", "ImplementationSpecific", "Prefix"];
const CONTROLLER_CHARACTERS_MAX: usize = 250;
const ENDPOINTS_MAX: usize = 1000;
const ADDRESSES_MAX: usize = 100;

/// The rules of an Ingress.
pub(crate) fn create_ingress(ingress: &Value, errors: &mut ErrorList) {
    let (spec, path) = (ingress.member("spec"), Path::new("spec"));
    if spec.is_blank("rules") && !spec.has("defaultBackend") {
        let detail = "either `defaultBackend` or `rules` must be specified";
        errors.push(Error::invalid(&path, Shown::null(), detail));
    }
    if spec.has("defaultBackend") {
        let path = path.child("defaultBackend");
        validate_backend(errors, spec.member("defaultBackend"), &path);
    }
    for (index, rule) in spec.items("rules").iter().enumerate() {
        validate_rule(errors, rule, &path.child("rules").index(index));
    }
    if !spec.is_blank("ingressClassName") {
        checks::subdomain(errors, &path.child("ingressClassName"), spec.text("ingressClassName"));
    }
}

fn validate_rule(errors: &mut ErrorList, rule: &Value, path: &Path) {
    let (host, host_path) = (rule.text("host"), path.child("host"));
    if host.parse::<std::net::IpAddr>().is_ok() {
        let detail = "must be a DNS name, not an IP address";
        errors.push(Error::invalid(&host_path, host, detail));
    } else if !host.is_empty() && !host.contains('*') {
        checks::subdomain(errors, &host_path, host);
    } else if !host.is_empty() {
        validate_wildcard(errors, host, &host_path);
    }
    let http = rule.member("http");
    if http.is_null() {
        return;
    }
    let path = path.child("http").child("paths");
    if http.is_blank("paths") {
        errors.push(Error::required(&path, ""));
    }
    for (index, item) in http.items("paths").iter().enumerate() {
        validate_path(errors, item, &path.index(index));
    }
}

fn validate_wildcard(errors: &mut ErrorList, host: &str, path: &Path) {
    let rest = host.strip_prefix("*.");
    if rest.is_none_or(|rest| !format::dns_subdomain(rest, Unit::Characters).is_empty()) {
        let detail = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS \
            subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end \
            with an alphanumeric character (e.g. '*.example.com', regex used for validation is \
            '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        errors.push(Error::invalid(path, host, detail));
    }
}

fn validate_path(errors: &mut ErrorList, item: &Value, path: &Path) {
    let (text, type_path) = (item.text("path"), path.child("pathType"));
    let absolute = text.starts_with('/');
    let relative = match item.text("pathType") {
        "" => {
            errors.push(Error::required(&type_path, "pathType must be specified"));
            false
        }
        "Exact" | "Prefix" => !absolute,
        "ImplementationSpecific" => !text.is_empty() && !absolute,
        other => {
            errors.push(Error::not_supported(&type_path, Shown::json(&other), &PATH_TYPES));
            false
        }
    };
    if relative {
        errors.push(Error::invalid(&path.child("path"), text, "must be an absolute path"));
    }
    validate_backend(errors, item.member("backend"), &path.child("backend"));
}

fn validate_backend(errors: &mut ErrorList, backend: &Value, path: &Path) {
    match (backend.has("service"), backend.has("resource")) {
        (true, true) => {
            let detail = "cannot set both resource and service backends";
            errors.push(Error::invalid(path, "", detail));
        }
        (false, true) => {}
        (true, false) => validate_service(errors, backend.member("service"), path),
        (false, false) => {
            errors.push(Error::invalid(path, "", "resource or service backend is required"));
        }
    }
}

fn validate_service(errors: &mut ErrorList, service: &Value, backend: &Path) {
    let path = backend.child("service");
    if checks::required(errors, service, &path, "name") {
        checks::label(errors, &path.child("name"), service.text("name"));
    }
    let (port, path) = (service.member("port"), path.child("port"));
    let (name, number) = (port.text("name"), port.int("number").unwrap_or(0));
    match (name.is_empty(), number) {
        (true, 0) => errors.push(Error::required(backend, "port name or number is required")),
        (true, number) => checks::port_number(errors, &path.child("number"), number),
        (false, 0) => {
            checks::each_message(errors, &path.child("name"), name, checks::port_name(name));
        }
        (false, _) => {
            errors.push(Error::invalid(backend, "", "cannot set both port name & port number"));
        }
    }
}

/// The rules of an IngressClass.
pub(crate) fn create_ingress_class(class: &Value, errors: &mut ErrorList) {
    let (spec, path) = (class.member("spec"), Path::new("spec"));
    let (controller, controller_path) = (spec.text("controller"), path.child("controller"));
    if controller.len() > CONTROLLER_CHARACTERS_MAX {
        errors.push(Error::too_long(&controller_path, CONTROLLER_CHARACTERS_MAX));
    }
    domain_prefixed(errors, controller, &controller_path);
    let (parameters, path) = (spec.member("parameters"), path.child("parameters"));
    if parameters.is_null() {
        return;
    }
    for member in ["kind", "name"] {
        checks::required(errors, parameters, &path, member);
    }
    checks::one_of(errors, parameters, &path, "scope", &["Cluster", "Namespace"]);
    let detail = match (parameters.text("scope"), parameters.is_blank("namespace")) {
        ("Namespace", true) => {
            let detail = "`parameters.scope` is set to 'Namespace'";
            errors.push(Error::required(&path.child("namespace"), detail));
            return;
        }
        ("Cluster", false) => "`parameters.scope` is set to 'Cluster'",
        _ => return,
    };
    errors.push(Error::forbidden(&path.child("namespace"), detail));
}

/// A path that begins with a domain.
pub(super) fn domain_prefixed(errors: &mut ErrorList, text: &str, path: &Path) {
    if text.is_empty() {
        errors.push(Error::required(path, ""));
        return;
    }
    match text.split_once('/') {
        Some((domain, rest)) if !domain.is_empty() && !rest.is_empty() => {
            for message in format::dns_subdomain(domain, Unit::Characters) {
                errors.push(Error::invalid(path, domain, message));
            }
        }
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            errors.push(Error::invalid(path, text, detail));
        }
    }
}

/// The rules of a changed IngressClass.
pub(crate) fn update_ingress_class(class: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec");
    checks::immutable(errors, class.member("spec"), old.member("spec"), &path, "controller");
    create_ingress_class(class, errors);
}

/// The rules of a NetworkPolicy.
pub(crate) fn create_network_policy(policy: &Value, errors: &mut ErrorList) {
    let (spec, path) = (policy.member("spec"), Path::new("spec"));
    selector::validate(errors, spec.member("podSelector"), &path.child("podSelector"));
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (index, rule) in spec.items(direction).iter().enumerate() {
            let path = path.child(direction).index(index);
            for (index, port) in rule.items("ports").iter().enumerate() {
                validate_policy_port(errors, port, &path.child("ports").index(index));
            }
            for (index, peer) in rule.items(peers).iter().enumerate() {
                validate_peer(errors, peer, &path.child(peers).index(index));
            }
        }
    }
    let (types, path) = (spec.items("policyTypes"), path.child("policyTypes"));
    if types.len() > 2 {
        let detail = "may not specify more than two policyTypes";
        errors.push(Error::invalid(&path, Shown::json(&types), detail));
        return;
    }
    for (index, each) in types.iter().enumerate() {
        if each != "Ingress" && each != "Egress" {
            let known = ["Egress", "Ingress"];
            errors.push(Error::not_supported(&path.index(index), Shown::json(each), &known));
        }
    }
}

fn validate_policy_port(errors: &mut ErrorList, port: &Value, path: &Path) {
    checks::one_of_if_any(errors, port, path, "protocol", &checks::PROTOCOLS);
    let first = port.member("port");
    if !first.is_null() {
        checks::port(errors, &path.child("port"), first);
    }
    let Some(last) = port.int("endPort") else { return };
    let path = path.child("endPort");
    if first.is_null() {
        errors.push(Error::required(&path, "must be specified when endPort is specified"));
    } else if first.is_string() {
        let detail = "may not be specified when `port` is non-numeric";
        errors.push(Error::invalid(&path, last, detail));
    } else if last < first.as_i64().unwrap_or(0) {
        errors.push(Error::invalid(&path, last, "must be greater than or equal to `port`"));
    }
}

fn validate_peer(errors: &mut ErrorList, peer: &Value, path: &Path) {
    let members = ["podSelector", "namespaceSelector"];
    let selected = members.iter().filter(|member| peer.has(member)).count();
    for member in members {
        selector::validate(errors, peer.member(member), &path.child(member));
    }
    if peer.has("ipBlock") {
        checks::required(errors, peer.member("ipBlock"), &path.child("ipBlock"), "cidr");
    }
    if selected == 0 && !peer.has("ipBlock") {
        errors.push(Error::required(path, "must specify a peer"));
    } else if selected > 0 && peer.has("ipBlock") {
        let detail = "may not specify both ipBlock and another peer";
        errors.push(Error::forbidden(path, detail));
    }
}

/// The rules of an EndpointSlice.
pub(crate) fn create_slice(slice: &Value, errors: &mut ErrorList) {
    let kinds = ["FQDN", "IPv4", "IPv6"];
    checks::one_of(errors, slice, &Path::default(), "addressType", &kinds);
    let (endpoints, path) = (slice.items("endpoints"), Path::new("endpoints"));
    if endpoints.len() > ENDPOINTS_MAX {
        errors.push(Error::too_many(&path, endpoints.len(), ENDPOINTS_MAX));
        return;
    }
    for (index, endpoint) in endpoints.iter().enumerate() {
        let (addresses, path) = (endpoint.items("addresses"), path.index(index).child("addresses"));
        if addresses.is_empty() {
            errors.push(Error::required(&path, "must contain at least 1 address"));
        } else if addresses.len() > ADDRESSES_MAX {
            errors.push(Error::too_many(&path, addresses.len(), ADDRESSES_MAX));
        }
        if matches!(slice.text("addressType"), "IPv4" | "IPv6") {
            for (index, address) in addresses.iter().enumerate() {
                checks::address(errors, &path.index(index), address.as_str().unwrap_or_default());
            }
        }
    }
    let ports = slice.items("ports");
    for (index, port) in ports.iter().enumerate() {
        let (path, name) = (Path::new("ports").index(index), port.text("name"));
        if ports[..index].iter().any(|before| before.text("name") == name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        }
        if !name.is_empty() {
            checks::label(errors, &path.child("name"), name);
        }
        checks::one_of(errors, port, &path, "protocol", &checks::PROTOCOLS);
    }
}

/// The rules of a changed EndpointSlice.
pub(crate) fn update_slice(slice: &Value, old: &Value, errors: &mut ErrorList) {
    create_slice(slice, errors);
    checks::immutable(errors, slice, old, &Path::default(), "addressType");
}

/// The rules of an IPAddress, which is named after itself.
pub(crate) fn create_address(object: &Value, errors: &mut ErrorList) {
    let name = object.member("metadata").text("name");
    let detail = match name.parse::<std::net::IpAddr>() {
        Err(_) => Some(format!("ParseAddr({}): unable to parse IP", go_quote(name))),
        Ok(address) if address.to_string() != name => {
            Some("must be a valid address in canonical format".to_owned())
        }
        Ok(_) => None,
    };
    let path = Path::new("metadata").child("name");
    errors.extend(detail.map(|detail| Error::invalid(&path, name, detail)));
    let (spec, path) = (object.member("spec"), Path::new("spec").child("parentRef"));
    if !spec.has("parentRef") {
        errors.push(Error::required(&path, ""));
        return;
    }
    for member in ["resource", "name"] {
        checks::required(errors, spec.member("parentRef"), &path, member);
    }
}

/// The rules of a changed IPAddress: it belongs to whom it belongs.
pub(crate) fn update_address(object: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec");
    checks::immutable(errors, object.member("spec"), old.member("spec"), &path, "parentRef");
}

/// The rules of a Lease.
pub(crate) fn create_lease(lease: &Value, errors: &mut ErrorList) {
    let (spec, path) = (lease.member("spec"), Path::new("spec"));
    if let Some(seconds) = spec.int("leaseDurationSeconds").filter(|seconds| *seconds <= 0) {
        let detail = "must be greater than 0";
        errors.push(Error::invalid(&path.child("leaseDurationSeconds"), seconds, detail));
    }
    checks::not_negative(errors, spec, &path, &["leaseTransitions"]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(check: fn(&Value, &mut ErrorList), object: &Value) -> Vec<String> {
        let mut errors = ErrorList::default();
        check(object, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_ingress_leads_somewhere() {
        assert_eq!(
            texts(create_ingress, &json!({"spec": {}})),
            ["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"]
        );
        let paths = json!([{"path": "x", "pathType": "Prefix", "backend": {"service": {"name": "s",
            "port": {}}}}]);
        let rules = json!([{"host": "1.2.3.4", "http": {"paths": paths}}]);
        assert_eq!(
            texts(create_ingress, &json!({"spec": {"rules": rules}})),
            [
                "spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address",
                "spec.rules[0].http.paths[0].path: Invalid value: \"x\": must be an absolute path",
                "spec.rules[0].http.paths[0].backend: Required value: port name or number is required",
            ]
        );
    }

    #[test]
    fn a_peer_of_a_policy_is_of_one_kind() {
        let rule = json!({"from": [{}, {"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8"}}]});
        assert_eq!(
            texts(create_network_policy, &json!({"spec": {"ingress": [rule]}})),
            [
                "spec.ingress[0].from[0]: Required value: must specify a peer",
                "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer",
            ]
        );
    }

    #[test]
    fn an_address_is_named_after_itself() {
        let address = |name: &str| json!({"metadata": {"name": name}, "spec": {"parentRef": {"resource": "r", "name": "n"}}});
        assert!(texts(create_address, &address("10.0.0.1")).is_empty());
        assert_eq!(
            texts(create_address, &address("FD00::1")),
            [
                "metadata.name: Invalid value: \"FD00::1\": must be a valid address in canonical format"
            ]
        );
    }

    #[test]
    fn leases_last_for_some_time() {
        assert_eq!(
            texts(
                create_lease,
                &json!({"spec": {"leaseDurationSeconds": 0, "leaseTransitions": -1}})
            ),
            [
                "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
                "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
            ]
        );
    }

    #[test]
    fn controllers_have_a_domain() {
        assert_eq!(
            texts(create_ingress_class, &json!({"spec": {"controller": "x"}})),
            ["spec.controller: Invalid value: \"x\": must be a domain-prefixed path (such as \
              \"acme.io/foo\")"]
        );
    }
}
