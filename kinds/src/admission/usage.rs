//! ResourceQuota: what objects count.

use std::collections::BTreeMap;

use api::quantity::Quantity;
use serde_json::Value;

use super::limits::sum_of_pod;
use super::scopes;
use crate::value::Members;

/// Amounts by the names that quotas have for them.
pub type Amounts = BTreeMap<String, Quantity>;

/// Kinds of the core group that are counted under their plural.
pub(super) const COUNTED: [&str; 7] = [
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
];

/// A kind, as quotas know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted<'a> {
    /// The group; empty for the core group.
    pub group: &'a str,
    /// The plural.
    pub plural: &'a str,
}

impl Counted<'_> {
    /// `count/deployments.apps`
    pub(super) fn count_name(self) -> String {
        match self.group {
            "" => format!("count/{}", self.plural),
            group => format!("count/{}.{group}", self.plural),
        }
    }

    pub(super) fn is_core(self, plural: &str) -> bool {
        self.group.is_empty() && self.plural == plural
    }

    /// Whether what objects count depends on what is in them.
    #[must_use]
    pub fn is_measured(self) -> bool {
        ["pods", "services", "persistentvolumeclaims"].iter().any(|plural| self.is_core(plural))
    }

    /// Whether a quota says anything about the kind.
    #[must_use]
    pub fn is_in(self, quota: &Value) -> bool {
        let hard = quota.member("spec").entries("hard");
        hard.into_iter().any(|(name, _)| self.is_named(name))
    }

    pub(super) fn is_named(self, name: &str) -> bool {
        if name == self.count_name() {
            return true;
        }
        let core = COUNTED.iter().any(|plural| self.is_core(plural));
        if core && name == self.plural {
            return true;
        }
        if self.is_core("pods") {
            return is_amount_of_pods(name);
        }
        (self.is_core("services") && name.starts_with("services."))
            || (self.is_core("persistentvolumeclaims")
                && (name == "requests.storage" || name.contains(".storageclass.storage.k8s.io/")))
    }

    /// What an object of the kind counts.
    #[must_use]
    pub fn usage(self, object: &Value) -> Amounts {
        let mut usage = Amounts::from([(self.count_name(), Quantity::ONE)]);
        let spec = object.member("spec");
        if self.is_core("pods") && scopes::has_ended(object) {
            return usage;
        }
        if COUNTED.iter().any(|plural| self.is_core(plural)) {
            usage.insert(self.plural.to_owned(), Quantity::ONE);
        }
        match self.plural {
            "pods" if self.group.is_empty() => usage.extend(usage_of_pod(spec)),
            "services" if self.group.is_empty() => usage.extend(usage_of_service(spec)),
            "persistentvolumeclaims" if self.group.is_empty() => usage.extend(usage_of_claim(spec)),
            _ => {}
        }
        usage
    }
}

fn is_amount_of_pods(name: &str) -> bool {
    let plain = ["cpu", "memory", "ephemeral-storage"];
    plain.contains(&name)
        || name.starts_with("limits.")
        || name.starts_with("hugepages-")
        || (name.starts_with("requests.") && name != "requests.storage")
}

fn usage_of_pod(spec: &Value) -> Amounts {
    let mut usage = Amounts::new();
    let overhead = |member: &str| {
        let mut sums = sum_of_pod(spec, member);
        for (name, amount) in spec.entries("overhead") {
            if let Some(sum) = sums.get_mut(name) {
                *sum = sum.plus(Quantity::of(amount));
            } else if member == "requests" {
                sums.insert(name.clone(), Quantity::of(amount));
            }
        }
        sums
    };
    for (name, amount) in overhead("requests") {
        let plain = ["cpu", "memory", "ephemeral-storage"].contains(&name.as_str());
        if plain || name.starts_with("hugepages-") {
            usage.insert(name.clone(), amount);
        }
        usage.insert(format!("requests.{name}"), amount);
    }
    for (name, amount) in overhead("limits") {
        if ["cpu", "memory", "ephemeral-storage"].contains(&name.as_str()) {
            usage.insert(format!("limits.{name}"), amount);
        }
    }
    usage
}

fn usage_of_service(spec: &Value) -> Amounts {
    let ports = spec.items("ports");
    let allocates = spec.member("allocateLoadBalancerNodePorts") != &Value::Bool(false);
    let (node_ports, balancers) = match spec.text("type") {
        "NodePort" => (ports.len(), 0),
        "LoadBalancer" if allocates => (ports.len(), 1),
        "LoadBalancer" => {
            (ports.iter().filter(|port| port.int("nodePort").unwrap_or(0) != 0).count(), 1)
        }
        _ => (0, 0),
    };
    Amounts::from([
        ("services.nodeports".to_owned(), Quantity::of_count(node_ports)),
        ("services.loadbalancers".to_owned(), Quantity::of_count(balancers)),
    ])
}

fn usage_of_claim(spec: &Value) -> Amounts {
    let storage = Quantity::of(spec.member("resources").member("requests").member("storage"));
    let mut usage = Amounts::from([("requests.storage".to_owned(), storage)]);
    let class = spec.text("storageClassName");
    if !class.is_empty() {
        let of_class = format!("{class}.storageclass.storage.k8s.io/");
        usage.insert(format!("{of_class}requests.storage"), storage);
        usage.insert(format!("{of_class}persistentvolumeclaims"), Quantity::ONE);
    }
    usage
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn services_and_claims_count_what_they_take() {
        let services = Counted { group: "", plural: "services" };
        let service = json!({"spec": {"type": "LoadBalancer", "ports": [{}, {}]}});
        let usage = services.usage(&service);
        assert_eq!(usage["services.nodeports"].to_string(), "2");
        assert_eq!(usage["services.loadbalancers"].to_string(), "1");
        let claims = Counted { group: "", plural: "persistentvolumeclaims" };
        let claim = json!({"spec": {"storageClassName": "gold",
            "resources": {"requests": {"storage": "1Gi"}}}});
        let usage = claims.usage(&claim);
        assert_eq!(usage["gold.storageclass.storage.k8s.io/requests.storage"].to_string(), "1Gi");
        assert_eq!(usage["count/persistentvolumeclaims"].to_string(), "1");
    }

    #[test]
    fn pods_that_have_ended_are_objects_and_nothing_more() {
        let pods = Counted { group: "", plural: "pods" };
        let mut pod = json!({"spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]}});
        pod["status"] = json!({"phase": "Succeeded"});
        assert_eq!(pods.usage(&pod).into_keys().collect::<Vec<_>>(), ["count/pods"]);
    }
}
