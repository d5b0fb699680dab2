//! What a service gets that leaves its addresses and ports open, and whether it gets what it asks
//! for.

use std::net::IpAddr;

use serde_json::Value;
use validation::field::{Error, ErrorList, Path, Shown};

use super::{Network, NodePorts};
use crate::value::Members;

const TAKEN_ADDRESS: &str = "provided IP is already allocated";
const TAKEN_PORT: &str = "provided port is already allocated";

/// What there is to be had.
pub struct Free<'a> {
    /// The first one is that of services that leave their family open.
    pub networks: &'a [Network],
    /// The ports of nodes.
    pub ports: NodePorts,
    /// Whether another service has an address.
    pub address_is_taken: &'a dyn Fn(IpAddr) -> bool,
    /// Whether another service has a port.
    pub port_is_taken: &'a dyn Fn(i64) -> bool,
    /// What chance says.
    pub random: u64,
}

/// Why a service does not get what it needs.
#[derive(Debug)]
pub enum Refused {
    /// It asks for something that it cannot have.
    Invalid(ErrorList),
    /// Nothing is left, in the reference's words.
    Exhausted(String),
}

impl Refused {
    fn invalid(path: &Path, shown: impl Into<Shown>, detail: impl Into<String>) -> Self {
        let mut errors = ErrorList::default();
        errors.push(Error::invalid(path, shown, detail.into()));
        Self::Invalid(errors)
    }
}

/// The addresses that a service has; none if it is reached otherwise.
#[must_use]
pub fn addresses(service: &Value) -> Vec<IpAddr> {
    let list = service.member("spec").items("clusterIPs");
    list.iter().filter_map(|address| address.as_str()?.parse().ok()).collect()
}

/// The ports of nodes that a service has.
#[must_use]
pub fn node_ports(service: &Value) -> Vec<i64> {
    let spec = service.member("spec");
    let ports = spec.items("ports").iter().filter_map(|port| port.int("nodePort"));
    let ports = ports.chain(spec.int("healthCheckNodePort"));
    ports.filter(|port| *port != 0).collect()
}

/// Gives a service the addresses and ports that it lacks. What it had in `old` it keeps.
///
/// # Errors
///
/// It asks for something that others have or nobody can have, or nothing is left.
pub fn allocate(service: &mut Value, old: Option<&Value>, free: &Free<'_>) -> Result<(), Refused> {
    let (had, had_ports) =
        (old.map(addresses).unwrap_or_default(), old.map(node_ports).unwrap_or_default());
    let wanted = addresses(service);
    let Some(spec) = service.present_mut("spec") else { return Ok(()) };
    if spec.text("type") == "ExternalName" {
        return Ok(());
    }
    let headless = spec.items("clusterIPs").first().is_some_and(|first| first == "None");
    if !headless {
        if wanted.is_empty() {
            give_address(spec, free)?;
        }
        for address in wanted.into_iter().filter(|address| !had.contains(address)) {
            check_address(spec, address, free)?;
        }
    }
    let mut ports = Ports { had: &had_ports, given: Vec::new(), free };
    ports.give_all(spec)?;
    ports.give_health_check(spec)
}

fn give_address(spec: &mut Value, free: &Free<'_>) -> Result<(), Refused> {
    let family = spec.items("ipFamilies").first().and_then(Value::as_str).unwrap_or_default();
    let of_family = free.networks.iter().find(|network| network.family() == family);
    // A cluster without that family has another one.
    let Some(network) = of_family.or(free.networks.first()) else { return Ok(()) };
    let address = network.choose(free.random, free.address_is_taken).ok_or_else(|| {
        Refused::Exhausted("failed to allocate a serviceIP: range is full".to_owned())
    })?;
    spec.set("clusterIP", address.to_string());
    spec.set("clusterIPs", vec![address.to_string()]);
    if of_family.is_none() {
        spec.set("ipFamilies", vec![network.family()]);
    }
    Ok(())
}

fn check_address(spec: &Value, address: IpAddr, free: &Free<'_>) -> Result<(), Refused> {
    let network = free.networks.iter().find(|network| network.contains(address));
    let why = match network {
        None => "the provided network does not match the current range".to_owned(),
        Some(network) if !network.offers(address) => format!(
            "the provided IP ({address}) is not in the valid range. The range of valid IPs is \
             {network}"
        ),
        Some(_) if (free.address_is_taken)(address) => TAKEN_ADDRESS.to_owned(),
        Some(_) => return Ok(()),
    };
    let path = Path::new("spec").child("clusterIPs");
    let shown = Shown::json(spec.member("clusterIPs"));
    Err(Refused::invalid(&path, shown, format!("failed to allocate IP {address}: {why}")))
}

struct Ports<'a> {
    /// Those that the service had.
    had: &'a [i64],
    /// Those that it gets now, and for which of its ports.
    given: Vec<(i64, i64)>,
    free: &'a Free<'a>,
}

impl Ports<'_> {
    fn give_all(&mut self, spec: &mut Value) -> Result<(), Refused> {
        let allocates = match spec.text("type") {
            "NodePort" => true,
            "LoadBalancer" => spec.member("allocateLoadBalancerNodePorts") != &Value::Bool(false),
            _ => return Ok(()),
        };
        for (index, port) in spec.items("ports").iter().enumerate() {
            let wanted = port.int("nodePort").unwrap_or(0);
            if wanted != 0 {
                self.check(index, wanted)?;
                self.given.push((port.int("port").unwrap_or(0), wanted));
            }
        }
        if !allocates {
            return Ok(());
        }
        for port in spec.items_mut("ports") {
            if port.int("nodePort").unwrap_or(0) != 0 {
                continue;
            }
            let number = port.int("port").unwrap_or(0);
            // The same port of another protocol has the same port of the node.
            let same = self.given.iter().find(|(of, _)| *of == number).map(|(_, given)| *given);
            let given = match same {
                Some(given) => given,
                None => self.next().ok_or_else(|| exhausted("a nodePort"))?,
            };
            self.given.push((number, given));
            port.set("nodePort", given);
        }
        Ok(())
    }

    fn check(&self, index: usize, wanted: i64) -> Result<(), Refused> {
        let ports = self.free.ports;
        let why = if self.had.contains(&wanted) {
            return Ok(());
        } else if !ports.offers(wanted) {
            format!("provided port is not in the valid range. The range of valid ports is {ports}")
        } else if (self.free.port_is_taken)(wanted) {
            TAKEN_PORT.to_owned()
        } else {
            return Ok(());
        };
        let path = Path::new("spec").child("ports").index(index).child("nodePort");
        Err(Refused::invalid(&path, wanted, why))
    }

    fn next(&self) -> Option<i64> {
        let own = |port: i64| {
            self.had.contains(&port) || self.given.iter().any(|(_, given)| *given == port)
        };
        self.free
            .ports
            .choose(self.free.random, |port| own(port) || (self.free.port_is_taken)(port))
    }

    fn give_health_check(&mut self, spec: &mut Value) -> Result<(), Refused> {
        let needed =
            spec.text("type") == "LoadBalancer" && spec.text("externalTrafficPolicy") == "Local";
        if !needed {
            return Ok(());
        }
        let wanted = spec.int("healthCheckNodePort").unwrap_or(0);
        if wanted == 0 {
            let given = self.next().ok_or_else(|| exhausted("a HealthCheck NodePort"))?;
            spec.set("healthCheckNodePort", given);
        } else if !self.had.contains(&wanted) && (self.free.port_is_taken)(wanted) {
            let why =
                format!("failed to allocate requested HealthCheck NodePort {wanted}: {TAKEN_PORT}");
            return Err(Refused::Exhausted(why));
        }
        Ok(())
    }
}

fn exhausted(what: &str) -> Refused {
    Refused::Exhausted(format!("failed to allocate {what}: range is full"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn allocated(spec: &Value, old: Option<&Value>) -> Result<Value, String> {
        let mut service = json!({"spec": spec});
        let networks = ["10.0.0.0/24".parse().unwrap()];
        let free = Free {
            networks: &networks,
            ports: NodePorts::default(),
            address_is_taken: &|address| address.to_string() == "10.0.0.9",
            port_is_taken: &|port| port == 30_007,
            random: 5,
        };
        match allocate(&mut service, old, &free) {
            Ok(()) => Ok(service["spec"].take()),
            Err(Refused::Exhausted(why)) => Err(why),
            Err(Refused::Invalid(errors)) => {
                Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
        }
    }

    #[test]
    fn a_service_gets_an_address_unless_it_needs_none() {
        let spec = allocated(&json!({"type": "ClusterIP", "ipFamilies": ["IPv4"]}), None).unwrap();
        assert_eq!(spec["clusterIPs"], json!(["10.0.0.22"]));
        assert_eq!(spec["clusterIP"], "10.0.0.22");
        for spec in [
            json!({"type": "ExternalName"}),
            json!({"type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"]}),
        ] {
            assert_eq!(allocated(&spec, None), Ok(spec.clone()));
        }
    }

    #[test]
    fn an_address_that_is_asked_for_must_be_free_and_in_the_range() {
        let asked = |address: &str| {
            allocated(&json!({"type": "ClusterIP", "clusterIPs": [address]}), None).map(drop)
        };
        let told = |address: &str, why: &str| {
            Err(format!(
                "spec.clusterIPs: Invalid value: [\"{address}\"]: failed to allocate IP {address}: \
                 {why}"
            ))
        };
        assert_eq!(asked("10.0.0.8"), Ok(()));
        assert_eq!(asked("10.0.0.9"), told("10.0.0.9", "provided IP is already allocated"));
        assert_eq!(
            asked("10.1.0.9"),
            told("10.1.0.9", "the provided network does not match the current range")
        );
        assert_eq!(
            asked("10.0.0.255"),
            told(
                "10.0.0.255",
                "the provided IP (10.0.0.255) is not in the valid range. The range of valid IPs is \
                 10.0.0.0/24"
            )
        );
    }

    #[test]
    fn what_a_service_had_it_keeps() {
        let old = json!({"spec": {"clusterIPs": ["10.0.0.9"], "ports": [{"nodePort": 30_007}]}});
        let spec = json!({"type": "NodePort", "clusterIPs": ["10.0.0.9"],
            "ports": [{"port": 80, "nodePort": 30_007}]});
        assert_eq!(allocated(&spec, Some(&old)), Ok(spec.clone()));
        assert!(allocated(&spec, None).is_err());
    }

    #[test]
    fn ports_of_nodes_are_given_once_for_each_port() {
        let spec = allocated(
            &json!({"type": "NodePort", "clusterIPs": ["10.0.0.8"], "ports": [
                {"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}, {"port": 80}]}),
            None,
        );
        let ports = spec.unwrap();
        let numbers = node_ports(&json!({"spec": ports}));
        assert_eq!(numbers[0], numbers[1]);
        assert_ne!(numbers[0], numbers[2]);
    }

    #[test]
    fn a_port_that_is_asked_for_must_be_free_and_in_the_range() {
        let asked = |port: i64| {
            let spec = json!({"type": "NodePort", "clusterIPs": ["10.0.0.8"],
                "ports": [{"port": 80, "nodePort": port}]});
            allocated(&spec, None).map(drop)
        };
        let told = |port: i64, why: &str| {
            Err(format!("spec.ports[0].nodePort: Invalid value: {port}: {why}"))
        };
        assert_eq!(asked(30_008), Ok(()));
        assert_eq!(asked(30_007), told(30_007, "provided port is already allocated"));
        assert_eq!(
            asked(80),
            told(
                80,
                "provided port is not in the valid range. The range of valid ports is 30000-32767"
            )
        );
    }

    #[test]
    fn balancers_have_a_port_for_health_checks_if_traffic_stays_on_the_node() {
        let spec = allocated(
            &json!({"type": "LoadBalancer", "clusterIPs": ["10.0.0.8"],
                "externalTrafficPolicy": "Local", "allocateLoadBalancerNodePorts": false,
                "ports": [{"port": 80}]}),
            None,
        )
        .unwrap();
        assert!(spec["healthCheckNodePort"].is_i64() && !spec["ports"][0].has("nodePort"));
    }

    #[test]
    fn in_a_cluster_of_one_family_services_have_that_one() {
        let mut service = json!({"spec": {"type": "ClusterIP", "ipFamilies": ["IPv4"]}});
        let networks = ["fd00::/108".parse().unwrap()];
        let free = Free {
            networks: &networks,
            ports: NodePorts::default(),
            address_is_taken: &|_| false,
            port_is_taken: &|_| false,
            random: 0,
        };
        allocate(&mut service, None, &free).unwrap();
        assert_eq!(service["spec"]["ipFamilies"], json!(["IPv6"]));
    }
}
