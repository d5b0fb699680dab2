//! Group `discovery.k8s.io`.

use serde_json::Value;

use super::fields::{list, name, optional, present, scalar, strings, text};
use super::format::shortened;
use super::{Column, Table, age_of};

pub(super) static ENDPOINT_SLICE: Table = Table::new(
    &[
        Column::NAME,
        Column::text("AddressType", "Whether the addresses in the slice are IPv4, IPv6 or names."),
        Column::text("Ports", "The ports that every endpoint of the slice listens on."),
        Column::text(
            "Endpoints",
            "The first addresses of the slice's endpoints, and how many more.",
        ),
        Column::AGE,
    ],
    |object, now| {
        let ports: Vec<_> = list(object, "/ports").iter().map(port).collect();
        let endpoints = list(object, "/endpoints").iter();
        let addresses: Vec<_> =
            endpoints.flat_map(|endpoint| strings(endpoint, "/addresses")).collect();
        vec![
            name(object),
            text(object, "/addressType"),
            or_unset(&ports),
            or_unset(&addresses),
            age_of(object, now),
        ]
    },
);

/// The number, else the name; a port with neither stands for all.
fn port(port: &Value) -> String {
    present(port, "/port")
        .map(scalar)
        .unwrap_or_else(|| optional(port, "/name").unwrap_or("*").to_owned())
}

fn or_unset<S: AsRef<str>>(all: &[S]) -> Value {
    let text = shortened(all);
    if text.is_empty() { "<unset>".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::cells;
    use super::*;

    #[test]
    fn ports_have_numbers_else_names_else_stand_for_all() {
        let object = json!({
            "metadata": {"name": "e"}, "addressType": "IPv4",
            "ports": [{"name": "a", "port": 80}, {"name": "b"}, {}],
            "endpoints": [
                {"addresses": ["1.1.1.1", "2.2.2.2"]}, {"addresses": ["3.3.3.3"]},
                {"addresses": ["4.4.4.4", "5.5.5.5"]},
            ],
        });
        assert_eq!(
            cells(&ENDPOINT_SLICE, &object),
            json!(["e", "IPv4", "80,b,*", "1.1.1.1,2.2.2.2,3.3.3.3 + 2 more...", "<unknown>"])
        );
    }

    #[test]
    fn an_empty_slice_has_nothing_set() {
        let object = json!({"metadata": {"name": "e"}, "addressType": "FQDN", "ports": null});
        assert_eq!(
            cells(&ENDPOINT_SLICE, &object),
            json!(["e", "FQDN", "<unset>", "<unset>", "<unknown>"])
        );
    }
}
