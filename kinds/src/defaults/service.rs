//! Services: types, ports and families of addresses, and the endpoints behind them.

use std::net::IpAddr;

use serde_json::{Value, json};

use crate::value::Members;

/// How long a client is sent to the same endpoint, in seconds.
const AFFINITY_SECONDS: i64 = 10_800;

/// The defaults of a service.
pub(crate) fn fill(service: &mut Value) {
    let Some(spec) = service.present_mut("spec") else { return };
    spec.set_default("sessionAffinity", "None");
    match spec.text("sessionAffinity") {
        "None" => drop(spec.take_member("sessionAffinityConfig")),
        "ClientIP" => {
            let client = spec.ensure("sessionAffinityConfig").ensure("clientIP");
            client.set_default("timeoutSeconds", AFFINITY_SECONDS);
        }
        _ => {}
    }
    spec.set_default("type", "ClusterIP");
    spec.items_mut("ports").for_each(fill_port);
    if is_outside(spec) {
        spec.set_default("externalTrafficPolicy", "Cluster");
    }
    if has_node_ports(spec) || spec.text("type") == "ClusterIP" {
        spec.set_default("internalTrafficPolicy", "Cluster");
    }
    if is_balanced(spec) {
        spec.set_default("allocateLoadBalancerNodePorts", true);
    }
}

fn fill_port(port: &mut Value) {
    port.set_default("protocol", "TCP");
    let target = port.member("targetPort");
    if target.is_null() || target == 0 || target == "" {
        let number = port.int("port").unwrap_or(0);
        port.set("targetPort", number);
    }
}

/// A service that is about to be created: one cluster IP and the list of them agree, and the
/// families of its addresses are settled (on a cluster that has IPv4 only).
pub(crate) fn prepare_create(service: &mut Value) {
    service.set("status", json!({"loadBalancer": {}}));
    let Some(spec) = service.present_mut("spec") else { return };
    if spec.text("type") == "ExternalName" {
        return;
    }
    if !spec.is_blank("clusterIP") && spec.is_blank("clusterIPs") {
        let address = spec.text("clusterIP").to_owned();
        spec.set("clusterIPs", vec![address]);
    }
    settle_families(spec);
}

fn settle_families(spec: &mut Value) {
    let given: Vec<&str> = spec.items("clusterIPs").iter().filter_map(Value::as_str).collect();
    let headless = given.first() == Some(&"None");
    let addresses: Vec<&str> = given.into_iter().filter_map(family).collect();
    if spec.is_blank("ipFamilies") && !addresses.is_empty() {
        let families = Value::from(addresses);
        spec.set("ipFamilies", families);
    }
    if headless && spec.is_blank("selector") {
        spec.set_default("ipFamilyPolicy", "RequireDualStack");
        if spec.is_blank("ipFamilies") {
            spec.set("ipFamilies", json!(["IPv4"]));
        }
        if spec.text("ipFamilyPolicy") != "SingleStack" && spec.items("ipFamilies").len() == 1 {
            let other = if spec.items("ipFamilies")[0] == "IPv4" { "IPv6" } else { "IPv4" };
            spec.push_item("ipFamilies", other.into());
        }
        return;
    }
    spec.set_default("ipFamilyPolicy", "SingleStack");
    if spec.is_blank("ipFamilies") {
        spec.set("ipFamilies", json!(["IPv4"]));
    }
}

fn family(address: &str) -> Option<&'static str> {
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => Some("IPv4"),
        Ok(IpAddr::V6(_)) => Some("IPv6"),
        Err(_) => None,
    }
}

/// A service that is about to be changed: what the client left out it did not mean to change, and
/// what belonged to the type it had goes with the type.
pub(crate) fn prepare_update(service: &mut Value, old: &Value) {
    service.set("status", old.member("status").clone());
    let old = old.member("spec");
    let Some(spec) = service.present_mut("spec") else { return };
    if has_addresses(spec) && has_addresses(old) {
        keep_addresses(spec, old);
        keep_node_ports(spec, old);
    }
    drop_members_of_type(spec, old);
    if !has_addresses(spec) {
        return;
    }
    if !spec.is_blank("clusterIP") && spec.is_blank("clusterIPs") {
        let address = spec.text("clusterIP").to_owned();
        spec.set("clusterIPs", vec![address]);
    }
    settle_families(spec);
}

fn has_addresses(spec: &Value) -> bool {
    spec.text("type") != "ExternalName"
}

fn has_node_ports(spec: &Value) -> bool {
    matches!(spec.text("type"), "NodePort" | "LoadBalancer")
}

fn is_balanced(spec: &Value) -> bool {
    spec.text("type") == "LoadBalancer"
}

/// Whether a service is reached from outside of the cluster.
fn is_outside(spec: &Value) -> bool {
    has_node_ports(spec) || (spec.text("type") == "ClusterIP" && !spec.is_blank("externalIPs"))
}

/// Members that only some types have, by which types those are.
type Needed = fn(&Value) -> bool;
const OF_TYPES: [(&str, Needed); 8] = [
    ("clusterIP", has_addresses),
    ("clusterIPs", has_addresses),
    ("ipFamilies", has_addresses),
    ("ipFamilyPolicy", has_addresses),
    ("allocateLoadBalancerNodePorts", is_balanced),
    ("loadBalancerClass", is_balanced),
    ("externalTrafficPolicy", is_outside),
    ("healthCheckNodePort", |spec| {
        is_balanced(spec) && spec.text("externalTrafficPolicy") == "Local"
    }),
];

/// A client that changes the type and nothing else means the rest to follow.
fn drop_members_of_type(spec: &mut Value, old: &Value) {
    let outdated = |needed: Needed, spec: &Value| needed(old) && !needed(spec);
    let members: Vec<&str> = OF_TYPES
        .into_iter()
        .filter(|(member, needed)| {
            outdated(*needed, spec) && spec.member(member) == old.member(member)
        })
        .map(|(member, _)| member)
        .collect();
    let numbers = |spec: &Value| -> Vec<i64> {
        let mut numbers: Vec<i64> =
            spec.items("ports").iter().filter_map(|port| port.int("nodePort")).collect();
        numbers.sort_unstable();
        numbers
    };
    if outdated(has_node_ports, spec) && numbers(spec) == numbers(old) {
        for port in spec.items_mut("ports") {
            port.take_member("nodePort");
        }
    }
    for member in members {
        spec.take_member(member);
    }
}

fn keep_addresses(spec: &mut Value, old: &Value) {
    if spec.is_blank("clusterIP") && spec.is_blank("clusterIPs") {
        for member in ["clusterIP", "clusterIPs"] {
            if old.has(member) {
                spec.set(member, old.member(member).clone());
            }
        }
    } else if spec.text("clusterIP") != old.text("clusterIP")
        && spec.member("clusterIPs") == old.member("clusterIPs")
    {
        // Old clients know the one address only.
        let address = spec.text("clusterIP").to_owned();
        let list = if address.is_empty() { Vec::new() } else { vec![address] };
        spec.set("clusterIPs", list);
    }
    for member in ["ipFamilies", "ipFamilyPolicy"] {
        if spec.is_blank(member) && old.has(member) {
            spec.set(member, old.member(member).clone());
        }
    }
}

/// Node ports that were allocated stay with the ports they belong to.
fn keep_node_ports(spec: &mut Value, old: &Value) {
    if !has_node_ports(spec) || !has_node_ports(old) {
        return;
    }
    let key = |port: &Value| (port.text("protocol").to_owned(), port.int("port"));
    for port in spec.items_mut("ports") {
        if port.int("nodePort").unwrap_or(0) != 0 {
            continue;
        }
        let before = old.items("ports").iter().find(|before| key(before) == key(port));
        if let Some(number) = before.and_then(|before| before.int("nodePort")) {
            port.set("nodePort", number);
        }
    }
}

/// The defaults of endpoints.
pub(crate) fn fill_endpoints(endpoints: &mut Value) {
    for subset in endpoints.items_mut("subsets") {
        subset.items_mut("ports").for_each(|port| port.set_default("protocol", "TCP"));
    }
}

/// The defaults of a slice of endpoints.
pub(crate) fn fill_slice(slice: &mut Value) {
    for port in slice.items_mut("ports") {
        port.set_default("name", "");
        port.set_default("protocol", "TCP");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(mut spec: Value) -> Value {
        spec.set_default("ports", json!([{"port": 80}]));
        let mut service = json!({"spec": spec});
        fill(&mut service);
        prepare_create(&mut service);
        service["spec"].take()
    }

    #[test]
    fn families_follow_the_addresses_that_are_given() {
        let spec = created(json!({"clusterIP": "fd00::1"}));
        assert_eq!(spec["ipFamilies"], json!(["IPv6"]));
        let spec = created(json!({}));
        assert_eq!(spec["ipFamilies"], json!(["IPv4"]));
    }

    #[test]
    fn a_headless_service_with_a_selector_has_one_family() {
        let spec = created(json!({"clusterIP": "None", "selector": {"a": "b"}}));
        assert_eq!(spec["ipFamilies"], json!(["IPv4"]));
        assert_eq!(spec["ipFamilyPolicy"], "SingleStack");
    }

    #[test]
    fn services_reached_from_outside_have_a_policy_for_it() {
        for spec in [json!({"type": "NodePort"}), json!({"externalIPs": ["1.2.3.4"]})] {
            assert_eq!(created(spec)["externalTrafficPolicy"], "Cluster");
        }
        let spec = created(json!({"type": "LoadBalancer", "sessionAffinity": "ClientIP"}));
        assert_eq!(spec["allocateLoadBalancerNodePorts"], true);
        assert_eq!(spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"], 10_800);
    }

    #[test]
    fn what_belongs_to_a_type_goes_with_it() {
        let old = json!({"spec": {"type": "LoadBalancer", "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "allocateLoadBalancerNodePorts": true, "externalTrafficPolicy": "Cluster",
            "ports": [{"port": 80, "nodePort": 30000}]}});
        let mut new = old.clone();
        new["spec"]["type"] = "ClusterIP".into();
        prepare_update(&mut new, &old);
        assert_eq!(new["spec"]["clusterIP"], "10.0.0.1");
        assert_eq!(new["spec"]["ports"], json!([{"port": 80}]));
        assert!(!new["spec"].has("externalTrafficPolicy"));
        assert!(!new["spec"].has("allocateLoadBalancerNodePorts"));
        let mut new = old.clone();
        new["spec"]["type"] = "ExternalName".into();
        prepare_update(&mut new, &old);
        assert!(!new["spec"].has("clusterIPs") && !new["spec"].has("ipFamilies"));
    }

    #[test]
    fn addresses_and_node_ports_stay_when_a_client_leaves_them_out() {
        let old = json!({"spec": {"type": "NodePort", "clusterIP": "10.0.0.1",
            "clusterIPs": ["10.0.0.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80, "nodePort": 30000}]}});
        let mut new = json!({"spec": {"type": "NodePort", "ports": [{"port": 80}]}});
        fill(&mut new);
        prepare_update(&mut new, &old);
        assert_eq!(new["spec"]["clusterIPs"], json!(["10.0.0.1"]));
        assert_eq!(new["spec"]["ports"][0]["nodePort"], 30000);
    }
}
