//! Where services are. Nothing here carries what is sent to a service's own address to those behind it:
//! who is known to be behind it is addressed directly.

use std::net::{IpAddr, SocketAddr};

use serde_json::Value;

use super::Services;
use crate::catalog::{Catalog, Served};

impl Services for Catalog {
    fn address(&self, namespace: &str, name: &str, port: u16) -> Result<String, String> {
        let served = self.now();
        let service = read(&served, "", "services", namespace, name);
        let service = service.ok_or_else(|| format!("service {name:?} not found"))?;
        let Some(port_name) = port_name(&service, port) else {
            return Err(format!("no service port {port} found for service {name:?}"));
        };
        if service["spec"]["type"] == "ExternalName" {
            let host = service["spec"]["externalName"].as_str().unwrap_or_default();
            return Ok(format!("{host}:{port}"));
        }
        let mut slices = slices(&served, namespace, name);
        slices.extend(read(&served, "", "endpoints", namespace, name));
        let behind = slices.iter().find_map(|slice| behind(slice, port_name));
        let own = || {
            let address = service["spec"]["clusterIP"].as_str()?.parse().ok()?;
            Some(SocketAddr::new(address, port))
        };
        let address = behind.or_else(own);
        let address = address.map(|address| address.to_string());
        address.ok_or_else(|| format!("no endpoints available for service {name:?}"))
    }
}

fn read(served: &Served, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Value> {
    let entry = served.stores.peek(group, plural, namespace, name)?;
    Some(entry.object.value(&served.stores.find(group, plural)?.resource))
}

fn slices(served: &Served, namespace: &str, name: &str) -> Vec<Value> {
    let Some(store) = served.stores.find("discovery.k8s.io", "endpointslices") else {
        return Vec::new();
    };
    let list = store.cache.peek_list();
    let all = list.below(&format!("{}{namespace}/", store.resource.key_prefix())).iter();
    let all = all.map(|entry| entry.object.value(&store.resource));
    all.filter(|slice| slice["metadata"]["labels"]["kubernetes.io/service-name"] == name).collect()
}

/// What a port of a service is called; its only port may have no name.
fn port_name(service: &Value, port: u16) -> Option<&str> {
    let mut ports = service["spec"]["ports"].as_array().into_iter().flatten();
    let found = ports.find(|known| known["port"] == port);
    match found {
        Some(found) => Some(found["name"].as_str().unwrap_or_default()),
        // A name elsewhere has whatever ports it has.
        None => (service["spec"]["type"] == "ExternalName").then_some(""),
    }
}

/// The first address in an `EndpointSlice` or `Endpoints` that is ready.
fn behind(slice: &Value, port_name: &str) -> Option<SocketAddr> {
    fn items(list: &Value) -> impl Iterator<Item = &Value> {
        list.as_array().into_iter().flatten()
    }
    let port = |of: &Value| {
        let named = |port: &&Value| port["name"].as_str().unwrap_or_default() == port_name;
        items(&of["ports"]).find(named)?["port"].as_u64().and_then(|port| u16::try_from(port).ok())
    };
    let address = |text: Option<&str>| text?.parse::<IpAddr>().ok();
    let in_slice = || {
        let mut ready =
            items(&slice["endpoints"]).filter(|endpoint| endpoint["conditions"]["ready"] != false);
        let first = ready.find_map(|endpoint| address(endpoint["addresses"][0].as_str()))?;
        Some(SocketAddr::new(first, port(slice)?))
    };
    let in_subset = |subset: &Value| {
        let first = items(&subset["addresses"]).find_map(|each| address(each["ip"].as_str()))?;
        Some(SocketAddr::new(first, port(subset)?))
    };
    in_slice().or_else(|| items(&slice["subsets"]).find_map(in_subset))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ports_of_services_are_known_by_their_number() {
        let service =
            json!({ "spec": { "ports": [{ "port": 443, "name": "https" }, { "port": 80 }] } });
        assert_eq!(port_name(&service, 443), Some("https"));
        assert_eq!(port_name(&service, 80), Some(""));
        assert_eq!(port_name(&service, 81), None);
        assert_eq!(port_name(&json!({ "spec": { "type": "ExternalName" } }), 81), Some(""));
    }

    #[test]
    fn who_is_ready_behind_a_service_is_addressed() {
        let slice = json!({
            "ports": [{ "name": "http", "port": 80 }, { "name": "https", "port": 9443 }],
            "endpoints": [
                { "addresses": ["10.1.0.1"], "conditions": { "ready": false } },
                { "addresses": ["10.1.0.2"], "conditions": { "ready": true } },
            ],
        });
        assert_eq!(behind(&slice, "https"), Some("10.1.0.2:9443".parse().unwrap()));
        assert_eq!(behind(&slice, "other"), None);
        let endpoints = json!({ "subsets": [
            { "notReadyAddresses": [{ "ip": "10.1.0.1" }], "ports": [{ "port": 1 }] },
            { "addresses": [{ "ip": "fd00::1" }], "ports": [{ "port": 2 }] },
        ] });
        assert_eq!(behind(&endpoints, ""), Some("[fd00::1]:2".parse().unwrap()));
        assert_eq!(behind(&json!({}), ""), None);
    }
}
