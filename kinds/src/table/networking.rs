//! Group `networking.k8s.io`.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{list, name, optional, optional_or, present, string, strings, text};
use super::format::{load_balancer, qualified, with_more};
use super::{Column, NONE, Table, age_of, selector};

/// How many hosts of an Ingress are shown.
const HOSTS_SHOWN: usize = 3;

pub(super) static INGRESS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Class", "The IngressClass that says who serves the Ingress."),
        Column::text(
            "Hosts",
            "The first hosts for which the Ingress has rules, and how many more.",
        ),
        Column::text("Address", "The addresses of the load balancer that takes the traffic."),
        Column::text("Ports", "Ports of TLS configurations that open"),
        Column::AGE,
    ],
    ingress,
);

fn ingress(object: &Value, now: Timestamp) -> Vec<Value> {
    let ports = if list(object, "/spec/tls").is_empty() { "80" } else { "80, 443" };
    vec![
        name(object),
        optional_or(object, "/spec/ingressClassName", NONE),
        hosts(list(object, "/spec/rules")).into(),
        load_balancer(object).join(",").into(),
        ports.into(),
        age_of(object, now),
    ]
}

/// The first hosts. Once there are three, every rule but three counts as not shown, also those
/// without a host, and those before.
fn hosts(rules: &[Value]) -> String {
    let mut hosts = Vec::new();
    for rule in rules {
        if hosts.len() == HOSTS_SHOWN {
            return with_more(&hosts.join(","), rules.len() - HOSTS_SHOWN);
        }
        hosts.extend(Some(string(rule, "/host")).filter(|host| !host.is_empty()));
    }
    if hosts.is_empty() { "*".to_owned() } else { hosts.join(",") }
}

pub(super) static INGRESS_CLASS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("Controller", "The controller that serves the Ingresses of the class."),
        Column::text("Parameters", "The object that has more settings of the class."),
        Column::AGE,
    ],
    |object, now| {
        let controller = text(object, "/spec/controller");
        vec![name(object), controller, parameters(object).into(), age_of(object, now)]
    },
);

fn parameters(class: &Value) -> String {
    let Some(parameters) = present(class, "/spec/parameters") else { return NONE.to_owned() };
    let (kind, name) = (string(parameters, "/kind"), string(parameters, "/name"));
    match optional(parameters, "/apiGroup") {
        Some(group) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

pub(super) static NETWORK_POLICY: Table = Table::new(
    &[
        Column::NAME,
        Column::text(
            "Pod-Selector",
            "Which labels make the policy apply to a pod of its namespace.",
        ),
        Column::AGE,
    ],
    |object, now| {
        let pods = selector::cell(object.pointer("/spec/podSelector"));
        vec![name(object), pods, age_of(object, now)]
    },
);

/// The reference's rows have an age, for which there is no column.
pub(super) static IP_ADDRESS: Table = Table::new(
    &[
        Column::NAME,
        Column::text("ParentRef", "The object, most often a Service, that the address belongs to."),
    ],
    |object, now| vec![name(object), parent(object).into(), age_of(object, now)],
);

fn parent(address: &Value) -> String {
    let Some(parent) = present(address, "/spec/parentRef") else { return NONE.to_owned() };
    let resource = qualified(string(parent, "/resource"), string(parent, "/group")).to_lowercase();
    match (string(parent, "/namespace"), string(parent, "/name")) {
        ("", name) => format!("{resource}/{name}"),
        (namespace, name) => format!("{resource}/{namespace}/{name}"),
    }
}

pub(super) static SERVICE_CIDR: Table = Table::new(
    &[
        Column::NAME,
        Column::text("CIDRs", "The ranges from which Services get their addresses."),
        Column::AGE,
    ],
    |object, now| {
        let ranges = strings(object, "/spec/cidrs").join(",");
        vec![name(object), ranges.into(), age_of(object, now)]
    },
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{NOW, cells, some_cells};
    use super::*;

    #[test]
    fn an_ingress_shows_where_it_takes_what() {
        let object = json!({
            "metadata": {"name": "i"},
            "spec": {
                "ingressClassName": "nginx", "tls": [{"hosts": ["a.example.com"]}],
                "rules": [{"host": "a.example.com"}, {}, {"host": "b.example.com"}],
            },
            "status": {"loadBalancer": {"ingress": [{"ip": "2.2.2.2"}, {"ip": "1.1.1.1"}]}},
        });
        assert_eq!(
            cells(&INGRESS, &object),
            json!([
                "i",
                "nginx",
                "a.example.com,b.example.com",
                "1.1.1.1,2.2.2.2",
                "80, 443",
                "<unknown>"
            ])
        );
    }

    #[test]
    fn hosts_beyond_the_third_are_counted_by_rules() {
        for (hosts, expected) in [
            (&[][..], "*"),
            (&[""], "*"),
            (&["a", "b", "c"], "a,b,c"),
            (&["a", "b", "c", "d", "e"], "a,b,c + 2 more..."),
            (&["a", "b", "c", ""], "a,b,c + 1 more..."),
            (&["", "a", "b", "c", "d"], "a,b,c + 2 more..."),
        ] {
            let rules: Vec<_> = hosts.iter().map(|host| json!({"host": host})).collect();
            let object = json!({"spec": {"rules": rules}});
            assert_eq!(some_cells(&INGRESS, &object, &["Hosts"]), json!([expected]));
        }
    }

    #[test]
    fn parameters_of_a_class_have_a_group_or_none() {
        let object = json!({"metadata": {"name": "c"}, "spec": {
            "controller": "example.com/c",
            "parameters": {"apiGroup": "k8s.example.com", "kind": "Params", "name": "p"},
        }});
        assert_eq!(
            cells(&INGRESS_CLASS, &object),
            json!(["c", "example.com/c", "Params.k8s.example.com/p", "<unknown>"])
        );
        let object = json!({"spec": {"parameters": {"kind": "ConfigMap", "name": "p"}}});
        assert_eq!(some_cells(&INGRESS_CLASS, &object, &["Parameters"]), json!(["ConfigMap/p"]));
    }

    #[test]
    fn network_policies_show_whom_they_concern() {
        let object = json!({"spec": {"podSelector": {"matchLabels": {"a": "b"}}}});
        assert_eq!(some_cells(&NETWORK_POLICY, &object, &["Pod-Selector"]), json!(["a=b"]));
    }

    #[test]
    fn addresses_name_what_they_belong_to_and_have_one_cell_more_than_columns() {
        let row = |parent| {
            let object = json!({"metadata": {"name": "10.0.0.1"}, "spec": {"parentRef": parent}});
            Value::Array((IP_ADDRESS.cells)(&object, NOW.parse().unwrap()))
        };
        let service = json!({"resource": "services", "namespace": "default", "name": "s"});
        assert_eq!(row(service), json!(["10.0.0.1", "services/default/s", "<unknown>"]));
        let other = json!({"group": "Example.com", "resource": "things", "name": "t"});
        assert_eq!(row(other), json!(["10.0.0.1", "things.example.com/t", "<unknown>"]));
        assert_eq!(row(json!(null)), json!(["10.0.0.1", "<none>", "<unknown>"]));
    }

    #[test]
    fn ranges_are_joined() {
        let object = json!({"spec": {"cidrs": ["10.0.0.0/24", "fd00::/112"]}});
        assert_eq!(
            some_cells(&SERVICE_CIDR, &object, &["CIDRs"]),
            json!(["10.0.0.0/24,fd00::/112"])
        );
    }
}
