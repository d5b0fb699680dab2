//! What a cluster has from its first moment.

use std::net::{IpAddr, Ipv4Addr, UdpSocket};

use kinds::services::Network;
use serde_json::{Value, json};

use super::api_services;
use crate::controllers::Known;
use crate::options::Config;
use crate::server::Server;

/// The first address of the range that services have where no flag gives another.
const DEFAULT_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

/// What every cluster needs to run, and what every node needs.
const PRIORITY_CLASSES: [(&str, i64, &str); 2] = [
    (
        "system-cluster-critical",
        2_000_000_000,
        "For pods without which the cluster does not work, but which may run on another node.",
    ),
    ("system-node-critical", 2_000_001_000, "For pods without which their node does not work."),
];

/// An object that has to be there.
pub(super) struct Needed {
    pub(super) group: &'static str,
    pub(super) plural: &'static str,
    pub(super) namespace: &'static str,
    pub(super) name: String,
    pub(super) object: Value,
    /// The members that are kept as they are here, as JSON pointers.
    pub(super) kept: &'static [&'static str],
}

impl Needed {
    fn new(group: &'static str, plural: &'static str, object: Value) -> Self {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        Self { group, plural, namespace: "", name, object, kept: &[] }
    }

    fn within(mut self, namespace: &'static str) -> Self {
        self.namespace = namespace;
        self
    }

    fn keeping(mut self, kept: &'static [&'static str]) -> Self {
        self.kept = kept;
        self
    }
}

/// What the objects depend on.
pub(super) struct Cluster {
    /// The server's address among services.
    service_address: IpAddr,
    networks: Vec<Network>,
    /// Where the server is reached from elsewhere, if that is known.
    address: Option<IpAddr>,
    port: u16,
    /// Who signs client certificates, in PEM.
    client_authorities: String,
    /// `2026-01-31`
    today: String,
    now: String,
    /// Groups and versions, in the order of discovery.
    group_versions: Vec<(String, String)>,
}

impl Cluster {
    pub(super) fn new(server: &Server, config: &Config, known: &Known<'_>) -> Self {
        let now = server.clock.timestamp().to_string();
        let mut group_versions: Vec<(String, String)> = Vec::new();
        let served = server.served();
        let stored = served.resources.iter().map(|resource| &resource.kind);
        let stored = stored.map(|kind| (kind.group.clone(), kind.version.clone()));
        let reviews = ["authentication.k8s.io", "authorization.k8s.io"];
        for each in stored.chain(reviews.map(|group| (group.to_owned(), "v1".to_owned()))) {
            if !group_versions.contains(&each) {
                group_versions.push(each);
            }
        }
        Self {
            service_address: config.service_address.unwrap_or(DEFAULT_ADDRESS),
            networks: config.service_networks.clone(),
            address: config.advertise_address.or_else(|| address_of(config.bind_address)),
            port: known.port,
            client_authorities: known.client_authorities.to_owned(),
            today: now.get(..10).unwrap_or_default().to_owned(),
            now,
            group_versions,
        }
    }
}

/// The address that others reach us at: the one that we listen on or, if only we can reach that,
/// the one that we send from. Nothing is sent to find it out.
fn address_of(listening: IpAddr) -> Option<IpAddr> {
    if !listening.is_loopback() && !listening.is_unspecified() {
        return Some(listening);
    }
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address for documentation, which nobody has.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}

pub(super) fn needed(cluster: &Cluster) -> Vec<Needed> {
    let namespace =
        |name: &str| Needed::new("", "namespaces", json!({ "metadata": { "name": name } }));
    let mut needed: Vec<Needed> =
        ["default", "kube-node-lease", "kube-public", "kube-system"].map(namespace).into();
    needed.extend(PRIORITY_CLASSES.map(priority_class));
    needed.extend(service_networks(cluster));
    let account = json!({ "metadata": { "name": "default" } });
    needed.push(Needed::new("", "serviceaccounts", account).within("default"));
    needed.push(service(cluster));
    needed.extend(endpoints(cluster));
    needed.extend(config_maps(cluster));
    let groups = cluster.group_versions.iter();
    let services = groups.filter_map(|(group, version)| api_services::local(group, version));
    needed.extend(
        services.map(|object| Needed::new("apiregistration.k8s.io", "apiservices", object)),
    );
    needed
}

fn priority_class((name, value, description): (&str, i64, &str)) -> Needed {
    let object = json!({
        "metadata": { "name": name },
        "value": value,
        "preemptionPolicy": "PreemptLowerPriority",
        "description": description,
    });
    Needed::new("scheduling.k8s.io", "priorityclasses", object)
}

/// The networks of services as an object. That it is ready is told by whoever made it.
fn service_networks(cluster: &Cluster) -> Option<Needed> {
    let networks: Vec<String> = cluster.networks.iter().map(ToString::to_string).collect();
    let object = json!({
        "metadata": { "name": "kubernetes" },
        "spec": { "cidrs": networks },
        "status": { "conditions": [{
            "type": "Ready",
            "status": "True",
            "lastTransitionTime": cluster.now,
            "reason": "",
            "message": "Kubernetes default Service CIDR is ready",
        }] },
    });
    (!networks.is_empty()).then(|| Needed::new("networking.k8s.io", "servicecidrs", object))
}

/// The service of the API itself has the first address of the range.
fn service(cluster: &Cluster) -> Needed {
    let family = family(cluster.service_address);
    let address = cluster.service_address.to_string();
    let object = json!({
        "metadata": {
            "name": "kubernetes",
            "labels": { "component": "apiserver", "provider": "kubernetes" },
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": address,
            "clusterIPs": [address],
            "ipFamilies": [family],
            "ipFamilyPolicy": "SingleStack",
            "internalTrafficPolicy": "Cluster",
            "sessionAffinity": "None",
            "ports": [{
                "name": "https",
                "port": 443,
                "protocol": "TCP",
                "targetPort": cluster.port,
            }],
        },
    });
    Needed::new("", "services", object).within("default").keeping(&["/spec/ports"])
}

/// Where the service leads, in the old form and in the new one.
fn endpoints(cluster: &Cluster) -> Vec<Needed> {
    let Some(address) = cluster.address else { return Vec::new() };
    let port = json!({ "name": "https", "port": cluster.port, "protocol": "TCP" });
    let old = json!({
        "metadata": {
            "name": "kubernetes",
            "labels": { "endpointslice.kubernetes.io/skip-mirror": "true" },
        },
        "subsets": [{ "addresses": [{ "ip": address.to_string() }], "ports": [port] }],
    });
    let slice = json!({
        "metadata": {
            "name": "kubernetes",
            "labels": { "kubernetes.io/service-name": "kubernetes" },
        },
        "addressType": family(address),
        "endpoints": [{
            "addresses": [address.to_string()],
            "conditions": { "ready": true },
        }],
        "ports": [port],
    });
    vec![
        Needed::new("", "endpoints", old).within("default").keeping(&["/subsets"]),
        Needed::new("discovery.k8s.io", "endpointslices", slice)
            .within("default")
            .keeping(&["/endpoints", "/ports"]),
    ]
}

/// What extension servers need to know our clients, and since when the use of old tokens is noted.
fn config_maps(cluster: &Cluster) -> [Needed; 2] {
    let authentication = json!({
        "metadata": { "name": "extension-apiserver-authentication" },
        "data": { "client-ca-file": cluster.client_authorities },
    });
    let tracking = json!({
        "metadata": { "name": "kube-apiserver-legacy-service-account-token-tracking" },
        "data": { "since": cluster.today },
    });
    [
        Needed::new("", "configmaps", authentication)
            .within("kube-system")
            .keeping(&["/data/client-ca-file"]),
        Needed::new("", "configmaps", tracking).within("kube-system"),
    ]
}

fn family(address: IpAddr) -> &'static str {
    if address.is_ipv4() { "IPv4" } else { "IPv6" }
}
