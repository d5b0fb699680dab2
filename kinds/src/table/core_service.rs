//! Services and Endpoints.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{count, integer, list, map, name, optional_or, string, strings, text};
use super::format::{SHOWN, labels, load_balancer, with_more};
use super::{Column, NONE, Table, age_of};

pub(super) static SERVICE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Type", "How the Service is exposed, and so from where it can be reached."),
        Column::text("Cluster-IP", "The first address of the Service inside the cluster."),
        Column::text("External-IP", "Where the Service is reached from outside the cluster."),
        Column::text("Port(s)", "The ports, each with its port on the nodes, if any."),
        Column::AGE,
        Column::text("Selector", "Which labels a pod needs to get the Service's traffic.").wide(),
    ],
    service,
);

fn service(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        name(object),
        text(object, "/spec/type"),
        optional_or(object, "/spec/clusterIPs/0", NONE),
        external_ip(object).into(),
        or_none(list(object, "/spec/ports").iter().map(port).collect::<Vec<_>>().join(",")),
        age_of(object, now),
        labels(map(object, "/spec/selector")).into(),
    ]
}

fn or_none(text: String) -> Value {
    if text.is_empty() { NONE.into() } else { text.into() }
}

fn external_ip(service: &Value) -> String {
    let external_ips = strings(service, "/spec/externalIPs");
    let (addresses, nothing) = match string(service, "/spec/type") {
        "ClusterIP" | "NodePort" => (external_ips, NONE),
        "LoadBalancer" => ([load_balancer(service), external_ips].concat(), "<pending>"),
        "ExternalName" => return string(service, "/spec/externalName").to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    if addresses.is_empty() { nothing.to_owned() } else { addresses.join(",") }
}

fn port(port: &Value) -> String {
    let (number, protocol) = (integer(port, "/port"), string(port, "/protocol"));
    match integer(port, "/nodePort") {
        node_port @ 1.. => format!("{number}:{node_port}/{protocol}"),
        _ => format!("{number}/{protocol}"),
    }
}

pub(super) static ENDPOINTS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Endpoints", "The addresses and ports that take the Service's traffic."),
        Column::AGE,
    ],
    |object, now| vec![name(object), addresses(object).into(), age_of(object, now)],
);

fn addresses(endpoints: &Value) -> String {
    let subsets = list(endpoints, "/subsets");
    if subsets.is_empty() {
        return NONE.to_owned();
    }
    // There are as many as addresses times ports: only those that are shown may cost anything.
    let total = subsets.iter().map(size).fold(0, usize::saturating_add);
    let shown: Vec<_> = subsets.iter().flat_map(subset).take(SHOWN).collect();
    with_more(&shown.join(","), total - shown.len())
}

/// How many pairs of addresses and ports there are; headless Services may have no ports.
fn size(subset: &Value) -> usize {
    count(subset, "/addresses").saturating_mul(count(subset, "/ports").max(1))
}

fn subset(subset: &Value) -> impl Iterator<Item = String> + '_ {
    let ports = list(subset, "/ports").iter().map(|port| Some(integer(port, "/port")));
    let none = list(subset, "/ports").is_empty().then_some(None);
    ports.chain(none).flat_map(|port| {
        let addresses = list(subset, "/addresses").iter();
        addresses.map(move |address| host_port(string(address, "/ip"), port))
    })
}

fn host_port(ip: &str, port: Option<i64>) -> String {
    match port {
        None => ip.to_owned(),
        Some(port) if ip.contains(':') => format!("[{ip}]:{port}"),
        Some(port) => format!("{ip}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    fn external(spec: &Value, status: &Value) -> Value {
        let object = json!({"spec": spec, "status": status});
        some_cells(&SERVICE, &object, &["External-IP"])[0].clone()
    }

    #[test]
    fn ports_on_nodes_stand_after_the_ports_of_the_service() {
        let object = json!({"metadata": {"name": "s"}, "spec": {
            "type": "NodePort", "clusterIP": "10.0.0.9", "clusterIPs": ["10.0.0.9", "fd00::9"],
            "ports": [
                {"port": 80, "protocol": "TCP", "nodePort": 30080},
                {"port": 53, "protocol": "UDP"},
            ],
            "selector": {"b": "2", "a": "1"},
        }});
        assert_eq!(
            cells(&SERVICE, &object),
            json!([
                "s",
                "NodePort",
                "10.0.0.9",
                "<none>",
                "80:30080/TCP,53/UDP",
                "<unknown>",
                "a=1,b=2"
            ])
        );
    }

    #[test]
    fn load_balancers_are_pending_until_they_have_addresses() {
        let balancer = json!({"type": "LoadBalancer"});
        assert_eq!(external(&balancer, &json!({"loadBalancer": {}})), "<pending>");
        let status = json!({"loadBalancer": {"ingress": [
            {"ip": "9.9.9.9"}, {"hostname": "lb.example.com"}, {"ip": "1.1.1.1"}, {"ip": "9.9.9.9"}, {},
        ]}});
        assert_eq!(external(&balancer, &status), "1.1.1.1,9.9.9.9,lb.example.com");
        let both = json!({"type": "LoadBalancer", "externalIPs": ["5.5.5.5"]});
        assert_eq!(external(&both, &status), "1.1.1.1,9.9.9.9,lb.example.com,5.5.5.5");
        assert_eq!(external(&both, &json!(null)), "5.5.5.5");
    }

    #[test]
    fn external_addresses_are_those_of_the_spec_else_none() {
        let none = json!(null);
        for (spec, expected) in [
            (
                json!({"type": "ClusterIP", "externalIPs": ["1.1.1.1", "2.2.2.2"]}),
                "1.1.1.1,2.2.2.2",
            ),
            (json!({"type": "NodePort", "externalIPs": []}), "<none>"),
            (json!({"type": "ExternalName", "externalName": "a.example.com"}), "a.example.com"),
            (json!({}), "<unknown>"),
        ] {
            assert_eq!(external(&spec, &none), expected, "{spec}");
        }
    }

    #[test]
    fn endpoints_are_addresses_times_ports() {
        for (subsets, expected) in [
            (json!(null), "<none>"),
            (json!([]), "<none>"),
            (json!([{"notReadyAddresses": [{"ip": "1.1.1.1"}], "ports": [{"port": 80}]}]), ""),
            (json!([{"addresses": [{"ip": "1.1.1.1"}, {"ip": "2.2.2.2"}]}]), "1.1.1.1,2.2.2.2"),
            (json!([{"addresses": [{"ip": "fd00::1"}], "ports": [{"port": 80}]}]), "[fd00::1]:80"),
            (
                json!([
                    {"addresses": [{"ip": "1.1.1.1"}, {"ip": "2.2.2.2"}],
                     "ports": [{"port": 80}, {"port": 81}]},
                    {"addresses": [{"ip": "3.3.3.3"}], "ports": [{"port": 82}]},
                ]),
                "1.1.1.1:80,2.2.2.2:80,1.1.1.1:81 + 2 more...",
            ),
        ] {
            let object = json!({"subsets": subsets});
            assert_eq!(some_cells(&ENDPOINTS, &object, &["Endpoints"]), json!([expected]));
        }
    }

    #[test]
    fn endpoints_beyond_counting_are_counted_without_being_written_out() {
        let addresses = vec![json!({"ip": "1.1.1.1"}); 10_000];
        let ports = vec![json!({"port": 80}); 10_000];
        let object = json!({"subsets": [{"addresses": addresses, "ports": ports}]});
        assert_eq!(
            some_cells(&ENDPOINTS, &object, &["Endpoints"]),
            json!(["1.1.1.1:80,1.1.1.1:80,1.1.1.1:80 + 99999997 more..."])
        );
    }
}
