//! Services and endpoints.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};

use super::checks;
use crate::value::Members;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
/// The port of the kubelet.
const KUBELET_PORT: i64 = 10_250;
const AFFINITY_SECONDS_MAX: i64 = 86_400;

/// The rules of a new service. What this cluster cannot do is told before anything else.
pub(crate) fn create(service: &Value, errors: &mut ErrorList) {
    let spec = service.member("spec");
    let mut impossible = ErrorList::default();
    validate_cluster(&mut impossible, spec, &Path::new("spec"));
    if !impossible.is_empty() {
        *errors = impossible;
        return;
    }
    validate(errors, spec, &Path::new("spec"));
}

/// The rules of a changed service.
pub(crate) fn update(service: &Value, old: &Value, errors: &mut ErrorList) {
    let (spec, before, path) = (service.member("spec"), old.member("spec"), Path::new("spec"));
    let outside = |spec: &Value| spec.text("type") == "ExternalName";
    if !outside(spec) && !outside(before) {
        for member in ["clusterIPs", "ipFamilies"] {
            let first = |spec: &Value| spec.items(member).first().cloned();
            if first(before).is_some() && first(spec).is_some() && first(spec) != first(before) {
                let shown = Shown::json(spec.member(member));
                let path = path.child(member).index(0);
                errors.push(Error::invalid(&path, shown, "may not change once set"));
            }
        }
    }
    validate(errors, spec, &path);
}

/// A cluster with one family of addresses has services of that family.
fn validate_cluster(errors: &mut ErrorList, spec: &Value, path: &Path) {
    if spec.text("type") == "ExternalName" {
        return;
    }
    let headless = is_headless(spec);
    if headless && spec.is_blank("selector") {
        return;
    }
    if spec.text("ipFamilyPolicy") == "RequireDualStack" {
        let detail = "this cluster is not configured for dual-stack services";
        let shown = Shown::json(spec.member("ipFamilyPolicy"));
        errors.push(Error::invalid(&path.child("ipFamilyPolicy"), shown, detail));
    }
    for (index, family) in spec.items("ipFamilies").iter().enumerate() {
        if family == "IPv6" {
            let path = path.child("ipFamilies").index(index);
            errors.push(Error::invalid(
                &path,
                Shown::json(family),
                "not configured on this cluster",
            ));
        }
    }
}

fn is_headless(spec: &Value) -> bool {
    spec.items("clusterIPs").first().is_some_and(|first| first == "None")
}

fn validate(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let (kind, headless) = (spec.text("type"), is_headless(spec));
    if spec.is_blank("ports") && !headless && kind != "ExternalName" {
        errors.push(Error::required(&path.child("ports"), ""));
    }
    validate_type(errors, spec, path);
    validate_ports(errors, spec, &path.child("ports"));
    checks::labels(errors, spec, path, "selector");
    validate_affinity(errors, spec, path);
    if kind != "ExternalName" {
        validate_addresses(errors, spec, path);
    }
    for (index, address) in spec.items("externalIPs").iter().enumerate() {
        let path = path.child("externalIPs").index(index);
        checks::address(errors, &path, address.as_str().unwrap_or_default());
    }
    checks::one_of(errors, spec, path, "type", &TYPES);
    validate_node_ports(errors, spec, path);
    validate_policies(errors, spec, path);
}

fn validate_type(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let kind = spec.text("type");
    match kind {
        "LoadBalancer" => {
            for (index, port) in spec.items("ports").iter().enumerate() {
                if port.int("port") == Some(KUBELET_PORT) {
                    let detail = format!(
                        "may not expose port {KUBELET_PORT} externally since it is used by kubelet"
                    );
                    errors.push(Error::invalid(
                        &path.child("ports").index(index),
                        KUBELET_PORT,
                        detail,
                    ));
                }
            }
            not_headless(errors, spec, path);
        }
        "NodePort" => not_headless(errors, spec, path),
        "ExternalName" => {
            for member in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                if !spec.is_blank(member) {
                    let detail = "may not be set for ExternalName services";
                    errors.push(Error::forbidden(&path.child(member), detail));
                }
            }
            let name = spec.text("externalName");
            let path = path.child("externalName");
            match name.strip_suffix('.').unwrap_or(name) {
                "" => errors.push(Error::required(&path, "")),
                name => checks::subdomain(errors, &path, name),
            }
        }
        _ => {}
    }
}

fn not_headless(errors: &mut ErrorList, spec: &Value, path: &Path) {
    if is_headless(spec) {
        let detail = format!("may not be set to 'None' for {} services", spec.text("type"));
        errors.push(Error::invalid(&path.child("clusterIPs").index(0), "None", detail));
    }
}

fn validate_ports(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let ports = spec.items("ports");
    let mut names = BTreeSet::new();
    for (index, port) in ports.iter().enumerate() {
        let (path, name) = (path.index(index), port.text("name"));
        if name.is_empty() {
            if ports.len() > 1 {
                errors.push(Error::required(&path.child("name"), ""));
            }
        } else {
            checks::label(errors, &path.child("name"), name);
            if !names.insert(name) {
                errors.push(Error::duplicate(&path.child("name"), name));
            }
        }
        checks::port_number(errors, &path.child("port"), port.int("port").unwrap_or(0));
        checks::one_of(errors, port, &path, "protocol", &checks::PROTOCOLS);
        checks::port(errors, &path.child("targetPort"), port.member("targetPort"));
        if port.has("appProtocol") {
            let text = port.text("appProtocol");
            let wrong = validation::format::qualified_name(text);
            checks::each_message(errors, &path.child("appProtocol"), text, wrong);
        }
    }
}

fn validate_affinity(errors: &mut ErrorList, spec: &Value, path: &Path) {
    checks::one_of(errors, spec, path, "sessionAffinity", &["ClientIP", "None"]);
    let (config, path) =
        (spec.member("sessionAffinityConfig"), path.child("sessionAffinityConfig"));
    match spec.text("sessionAffinity") {
        "ClientIP" => {
            let path = path.child("clientIP").child("timeoutSeconds");
            match config.member("clientIP").int("timeoutSeconds") {
                None => {
                    errors.push(Error::required(&path, "when session affinity type is ClientIP"));
                }
                Some(seconds) if !(1..=AFFINITY_SECONDS_MAX).contains(&seconds) => {
                    let detail =
                        format!("must be greater than 0 and less than {AFFINITY_SECONDS_MAX}");
                    errors.push(Error::invalid(&path, seconds, detail));
                }
                Some(_) => {}
            }
        }
        "None" if !config.is_null() => {
            errors.push(Error::forbidden(&path, "must not be set when session affinity is None"));
        }
        _ => {}
    }
}

fn validate_addresses(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let addresses = spec.items("clusterIPs");
    let path_of_addresses = path.child("clusterIPs");
    if addresses.first().is_some_and(|first| first != spec.text("clusterIP")) {
        let detail = "first value must match `clusterIP`";
        errors.push(Error::invalid(&path_of_addresses, Shown::json(&addresses), detail));
    }
    let known = ["IPv4", "IPv6"];
    let families = spec.items("ipFamilies");
    for (index, family) in families.iter().enumerate() {
        let path = path.child("ipFamilies").index(index);
        if !known.iter().any(|known| family == known) {
            errors.push(Error::not_supported(&path, Shown::json(family), &known));
        }
        if families[..index].contains(family) {
            errors.push(Error::duplicate(&path, Shown::json(family)));
        }
    }
    let policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
    checks::one_of_if_any(errors, spec, path, "ipFamilyPolicy", &policies);
    for (index, address) in addresses.iter().enumerate() {
        let path = path_of_addresses.index(index);
        match address.as_str().unwrap_or_default() {
            "None" if addresses.len() > 1 => {
                let detail = "'None' must be the first and only value";
                errors.push(Error::invalid(&path, "None", detail));
            }
            "None" => {}
            text => checks::address(errors, &path, text),
        }
    }
}

fn validate_node_ports(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let (mut node_ports, mut ports) = (BTreeSet::new(), BTreeSet::new());
    let internal = spec.text("type") == "ClusterIP";
    for (index, port) in spec.items("ports").iter().enumerate() {
        let path = path.child("ports").index(index);
        let (protocol, node_port) = (port.text("protocol"), port.int("nodePort").unwrap_or(0));
        if node_port != 0 {
            if internal {
                let detail = "may not be used when `type` is 'ClusterIP'";
                errors.push(Error::forbidden(&path.child("nodePort"), detail));
            }
            if !node_ports.insert((protocol, node_port)) {
                errors.push(Error::duplicate(&path.child("nodePort"), node_port));
            }
        }
        let number = port.int("port").unwrap_or(0);
        if !ports.insert((protocol, number)) {
            let shown = json!({"Name": "", "Protocol": protocol, "AppProtocol": null, "Port": number,
                "TargetPort": 0, "NodePort": 0});
            errors.push(Error::duplicate(&path, Shown::json(&shown)));
        }
    }
}

fn validate_policies(errors: &mut ErrorList, spec: &Value, path: &Path) {
    let balanced = spec.text("type") == "LoadBalancer";
    let member = "allocateLoadBalancerNodePorts";
    if balanced && !spec.has(member) {
        errors.push(Error::required(&path.child(member), ""));
    } else if !balanced && spec.has(member) {
        let detail = "may only be used when `type` is 'LoadBalancer'";
        errors.push(Error::forbidden(&path.child(member), detail));
    }
    if !balanced && spec.has("loadBalancerClass") {
        let detail = "may only be used when `type` is 'LoadBalancer'";
        errors.push(Error::forbidden(&path.child("loadBalancerClass"), detail));
    }
    let member = "externalTrafficPolicy";
    let outside = balanced
        || spec.text("type") == "NodePort"
        || (spec.text("type") == "ClusterIP" && !spec.is_blank("externalIPs"));
    if outside {
        checks::one_of(errors, spec, path, member, &["Cluster", "Local"]);
    } else if !spec.is_blank(member) {
        let detail = "may only be set for externally-accessible services";
        let shown = Shown::json(spec.member(member));
        errors.push(Error::invalid(&path.child(member), shown, detail));
    }
    checks::one_of_if_any(errors, spec, path, "internalTrafficPolicy", &["Cluster", "Local"]);
}

/// The rules of endpoints.
pub(crate) fn create_endpoints(endpoints: &Value, errors: &mut ErrorList) {
    for (index, subset) in endpoints.items("subsets").iter().enumerate() {
        let path = Path::new("subsets").index(index);
        if subset.is_blank("addresses") && subset.is_blank("notReadyAddresses") {
            let detail = "must specify `addresses` or `notReadyAddresses`";
            errors.push(Error::required(&path, detail));
        }
        for list in ["addresses", "notReadyAddresses"] {
            for (index, address) in subset.items(list).iter().enumerate() {
                let path = path.child(list).index(index).child("ip");
                checks::address(errors, &path, address.text("ip"));
            }
        }
        let ports = subset.items("ports");
        for (index, port) in ports.iter().enumerate() {
            let path = path.child("ports").index(index);
            if port.is_blank("name") {
                if ports.len() > 1 {
                    errors.push(Error::required(&path.child("name"), ""));
                }
            } else {
                checks::label(errors, &path.child("name"), port.text("name"));
            }
            checks::port_number(errors, &path.child("port"), port.int("port").unwrap_or(0));
            checks::one_of(errors, port, &path, "protocol", &checks::PROTOCOLS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(spec: &Value) -> Vec<String> {
        let mut service = json!({"spec": spec});
        crate::defaults::fill("", "Service", &mut service);
        crate::defaults::prepare_create("", "Service", &mut service);
        let mut errors = ErrorList::default();
        create(&service, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_service_without_ports_is_refused() {
        assert_eq!(texts(&json!({})), ["spec.ports: Required value"]);
        assert!(texts(&json!({"clusterIP": "None"})).is_empty());
    }

    #[test]
    fn several_ports_have_names() {
        assert_eq!(
            texts(
                &json!({"ports": [{"port": 1, "name": "a"}, {"port": 2, "name": "a"}, {"port": 3}]})
            ),
            ["spec.ports[1].name: Duplicate value: \"a\"", "spec.ports[2].name: Required value",]
        );
    }

    #[test]
    fn types_and_their_members_belong_together() {
        assert_eq!(texts(&json!({"type": "ExternalName"})), ["spec.externalName: Required value"]);
        assert_eq!(
            texts(&json!({"type": "X", "ports": [{"port": 1}]})),
            ["spec.type: Unsupported value: \"X\": supported values: \"ClusterIP\", \
              \"ExternalName\", \"LoadBalancer\", \"NodePort\""]
        );
        assert_eq!(
            texts(&json!({"ports": [{"port": 1, "nodePort": 30000}]})),
            ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"]
        );
    }

    #[test]
    fn a_cluster_of_one_family_has_no_services_of_two() {
        assert_eq!(
            texts(&json!({"ipFamilyPolicy": "RequireDualStack"})),
            ["spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not \
              configured for dual-stack services"]
        );
    }

    #[test]
    fn the_address_of_a_service_stays() {
        let spec = |address: &str| {
            json!({"spec": {"type": "ClusterIP", "sessionAffinity": "None", "clusterIP": address,
                "clusterIPs": [address],
                "ports": [{"port": 1, "targetPort": 1, "protocol": "TCP"}]}})
        };
        let mut errors = ErrorList::default();
        update(&spec("10.0.0.2"), &spec("10.0.0.1"), &mut errors);
        assert_eq!(
            errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["spec.clusterIPs[0]: Invalid value: [\"10.0.0.2\"]: may not change once set"]
        );
    }
}
