//! Services get addresses and ports before they are stored, and give them back (spec: apimachinery
//! 6.1). An address that a service has is an IPAddress of its own; ports are read off the services.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use api::status::Status;
use kinds::services::{Free, Network, NodePorts, Refused, addresses, allocate, node_ports};
use serde_json::{Value, json};
use storage::cache::Freshness;
use tokio::sync::{Mutex, MutexGuard};

use super::failure;
use super::part::Part;
use super::write::{Origin, WriteContext};
use crate::objects::{ObjectStore, metadata};
use crate::resources::Resource;
use crate::server::Server;

const FIELD_MANAGER: &str = "kube-apiserver";
const GROUP: &str = "networking.k8s.io";
const PLURAL: &str = "ipaddresses";
const MANAGED_BY: &str = "ipaddress.kubernetes.io/managed-by";
const FAMILY: &str = "ipaddress.kubernetes.io/ip-family";
const ALLOCATOR: &str = "ipallocator.k8s.io";

/// Where services get their addresses and ports from.
#[derive(Debug, Default)]
pub struct ServiceNetwork {
    /// The first one is that of services that leave their family open.
    pub networks: Vec<Network>,
    /// The ports of nodes.
    pub ports: NodePorts,
    /// Who allocates does so alone, until what was given is stored.
    alone: Mutex<()>,
}

impl ServiceNetwork {
    /// Addresses and ports from these ranges.
    #[must_use]
    pub fn new(networks: Vec<Network>, ports: NodePorts) -> Self {
        Self { networks, ports, alone: Mutex::new(()) }
    }

    /// Waits until nobody else allocates.
    pub(crate) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.alone.lock().await
    }
}

/// What a service was given. Nobody else allocates while it is held.
pub(super) struct Allocated<'a> {
    claimed: Vec<IpAddr>,
    _alone: Option<MutexGuard<'a, ()>>,
}

impl<'c> WriteContext<'c> {
    /// Gives a service the addresses and ports that it lacks; `old` is the stored one.
    pub(super) async fn allocate(
        &self,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Result<Allocated<'c>, Status> {
        if !is_service(self.resource) || !self.part.is_whole() {
            return Ok(Allocated { claimed: Vec::new(), _alone: None });
        }
        let alone = self.server.services.lock().await;
        let seen = self.store.cache.wait_until(Freshness::Consistent).await;
        seen.map_err(|error| failure::read(&error))?;
        self.assign(object, old)?;
        let name = metadata::text(object, "name").to_owned();
        let had = old.map(addresses).unwrap_or_default();
        let mut claimed = addresses(object);
        claimed.retain(|address| !had.contains(address));
        if self.origin.dry_run {
            claimed.clear();
        }
        for (at, address) in claimed.iter().enumerate() {
            if let Err(status) = claim(self.server, *address, self.namespace, &name).await {
                let claimed = claimed[..at].to_vec();
                self.give_up(Allocated { claimed, _alone: Some(alone) }, object).await;
                return Err(status);
            }
        }
        Ok(Allocated { claimed, _alone: Some(alone) })
    }

    fn assign(&self, object: &mut Value, old: Option<&Value>) -> Result<(), Status> {
        let network = &self.server.services;
        let taken =
            if has_node_ports(object) { self.ports_of_others(object) } else { BTreeSet::new() };
        let served = self.server.served();
        let claims = served.stores.find(GROUP, PLURAL);
        let is_taken = |address: IpAddr| {
            claims.is_some_and(|store| {
                store.cache.peek(&store.resource.key("", &address.to_string())).is_some()
            })
        };
        let free = Free {
            networks: &network.networks,
            ports: network.ports,
            address_is_taken: &is_taken,
            port_is_taken: &|port| taken.contains(&port),
            random: uuid::Uuid::new_v4().as_u64_pair().0,
        };
        let name = metadata::text(object, "name").to_owned();
        match allocate(object, old, &free) {
            Ok(()) => {}
            Err(Refused::Exhausted(why)) => return Err(Status::internal_error(&why)),
            Err(Refused::Invalid(errors)) => failure::invalid(self.resource, &name, &errors)?,
        }
        self.resource.type_def().put_in_order(object);
        Ok(())
    }

    /// Gives back what was claimed for a service that was not stored.
    pub(super) async fn give_up(&self, allocated: Allocated<'_>, service: &Value) {
        for address in &allocated.claimed {
            release(self.server, *address, service).await;
        }
    }

    /// Gives back the addresses that a changed service has no longer.
    pub(super) async fn release_former(&self, old: &Value, service: &Value) {
        if is_service(self.resource) && self.part.is_whole() {
            let kept = addresses(service);
            for address in addresses(old).into_iter().filter(|address| !kept.contains(address)) {
                release(self.server, address, service).await;
            }
        }
    }

    fn ports_of_others(&self, service: &Value) -> BTreeSet<i64> {
        let name = (self.namespace, metadata::text(service, "name"));
        let list = self.store.cache.peek_list();
        let others = list.entries.iter().filter(|entry| {
            let metadata = &entry.object.metadata;
            (metadata.namespace.as_str(), metadata.name.as_str()) != name
        });
        others.flat_map(|entry| node_ports(&entry.object.value(&self.store.resource))).collect()
    }
}

fn is_service(resource: &Resource) -> bool {
    (resource.kind.group.as_str(), resource.kind.kind.as_str()) == ("", "Service")
}

fn has_node_ports(service: &Value) -> bool {
    matches!(service["spec"]["type"].as_str(), Some("NodePort" | "LoadBalancer"))
}

/// Gives back the addresses of a service that is gone.
pub(super) async fn release_all(server: &Server, resource: &Resource, service: &Value) {
    if is_service(resource) {
        for address in addresses(service) {
            release(server, address, service).await;
        }
    }
}

/// Writes down that a service has an address.
pub(crate) async fn claim(
    server: &Arc<Server>,
    address: IpAddr,
    namespace: &str,
    service: &str,
) -> Result<(), Status> {
    let served = server.served();
    let Some(store) = served.stores.find(GROUP, PLURAL) else { return Ok(()) };
    let name = address.to_string();
    let context = WriteContext {
        server,
        resource: &store.resource,
        store,
        namespace: "",
        name: &name,
        part: Part::WHOLE,
        origin: Origin::own(FIELD_MANAGER),
    };
    let family = if address.is_ipv4() { "IPv4" } else { "IPv6" };
    let object = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IPAddress",
        "metadata": { "name": name, "labels": { FAMILY: family, MANAGED_BY: ALLOCATOR } },
        "spec": {
            "parentRef": { "resource": "services", "namespace": namespace, "name": service },
        },
    });
    let (object, _) = context.decode(object).map_err(Status::other)?;
    Box::pin(context.create(object)).await.map(drop)
}

/// Forgets that a service has an address. Addresses of others are left alone; what cannot be
/// deleted now is found again by [`crate::controllers`].
async fn release(server: &Server, address: IpAddr, service: &Value) {
    let served = server.served();
    let Some(store) = served.stores.find(GROUP, PLURAL) else { return };
    let key = store.resource.key("", &address.to_string());
    let Some(entry) = store.cache.peek(&key) else { return };
    let claimed = entry.object.value(&store.resource);
    let parent = &claimed["spec"]["parentRef"];
    let is_ours = parent["resource"] == "services"
        && parent["namespace"] == metadata::text(service, "namespace")
        && parent["name"] == metadata::text(service, "name");
    if is_ours && let Err(error) = store.delete(&key, entry.modified).await {
        tracing::warn!(%error, %address, "an address cannot be released yet");
    }
}

/// Makes claims and services agree: after a crash between the two, or where an older version of
/// this server claimed nothing.
pub(crate) async fn repair(server: &Arc<Server>) -> Result<(), Status> {
    let served = server.served();
    let (Some(services), Some(claims)) =
        (served.stores.find("", "services"), served.stores.find(GROUP, PLURAL))
    else {
        return Ok(());
    };
    let _alone = server.services.lock().await;
    let seen = services.cache.wait_until(Freshness::Consistent).await;
    seen.map_err(|error| failure::read(&error))?;
    let values = |store: &ObjectStore| -> Vec<Value> {
        let list = store.cache.peek_list();
        list.entries.iter().map(|entry| entry.object.value(&store.resource)).collect()
    };
    let (services, claims) = (values(services), values(claims));
    for claimed in claims.iter().filter(|claimed| is_stale(claimed, &services)) {
        let parent = &claimed["spec"]["parentRef"];
        let gone =
            json!({ "metadata": { "namespace": parent["namespace"], "name": parent["name"] } });
        if let Ok(address) = metadata::text(claimed, "name").parse() {
            release(server, address, &gone).await;
        }
    }
    let named: BTreeSet<&str> =
        claims.iter().map(|claimed| metadata::text(claimed, "name")).collect();
    for service in &services {
        let of = |member| metadata::text(service, member);
        for address in addresses(service) {
            if !named.contains(address.to_string().as_str()) {
                claim(server, address, of("namespace"), of("name")).await?;
            }
        }
    }
    Ok(())
}

/// Whether we claimed an address for a service that has it no longer.
fn is_stale(claimed: &Value, services: &[Value]) -> bool {
    let parent = &claimed["spec"]["parentRef"];
    if claimed["metadata"]["labels"][MANAGED_BY] != ALLOCATOR || parent["resource"] != "services" {
        return false;
    }
    let name = metadata::text(claimed, "name");
    !services.iter().any(|service| {
        parent["namespace"] == metadata::text(service, "namespace")
            && parent["name"] == metadata::text(service, "name")
            && addresses(service).iter().any(|address| address.to_string() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_stale_once_its_service_has_another_address() {
        let mut claimed = json!({
            "metadata": { "name": "10.0.0.5", "labels": { MANAGED_BY: ALLOCATOR } },
            "spec": { "parentRef": { "resource": "services", "namespace": "n", "name": "s" } },
        });
        let service = |address: &str| {
            json!({ "metadata": { "namespace": "n", "name": "s" },
                "spec": { "clusterIPs": [address] } })
        };
        assert!(!is_stale(&claimed, &[service("10.0.0.5")]));
        assert!(is_stale(&claimed, &[service("10.0.0.6")]));
        assert!(is_stale(&claimed, &[]));
        claimed["metadata"]["labels"] = json!({ MANAGED_BY: "somebody.else" });
        assert!(!is_stale(&claimed, &[]), "what others claim is theirs");
    }
}
