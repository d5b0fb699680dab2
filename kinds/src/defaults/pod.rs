//! Pods: defaults that templates do not have, and what the server decides when it takes one in.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::pod_spec;
use crate::value::Members;
use api::quantity::Quantity;

/// The priorities that every cluster has.
pub(crate) const BUILT_IN_PRIORITIES: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// The defaults of a pod.
pub(crate) fn fill(pod: &mut Value) {
    let Some(spec) = pod.present_mut("spec") else { return };
    spec.set_default("enableServiceLinks", true);
    let host_network = spec.flag("hostNetwork");
    for list in ["containers", "initContainers"] {
        for container in spec.items_mut(list) {
            request_limits(container);
            if host_network {
                container.items_mut("ports").for_each(host_port);
            }
        }
    }
    pod_spec::fill(spec);
    if spec.has("resources") {
        request_for_pod(spec);
    }
}

/// What is limited and not requested is requested up to the limit.
fn request_limits(container: &mut Value) {
    let Some(resources) = container.present_mut("resources") else { return };
    request_own_limits(resources);
}

fn request_own_limits(resources: &mut Value) {
    let limits = resources.member("limits").clone();
    resources.add_missing("requests", &limits);
}

/// A pod that has resources as a whole requests what its containers do together, else its limits.
fn request_for_pod(spec: &mut Value) {
    let known = |name: &str| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    let mut requests = container_sums(spec, "requests");
    let resources = spec.ensure("resources");
    if resources.is_blank("limits") && resources.is_blank("requests") {
        return;
    }
    for (name, limit) in resources.entries("limits") {
        requests.entry(name.clone()).or_insert(Quantity::of(limit));
    }
    let requests = requests.into_iter().filter(|(name, _)| known(name));
    let requests: Value =
        requests.map(|(name, sum)| (name, Value::from(sum.to_string()))).collect();
    resources.add_missing("requests", &requests);
}

/// What containers request together, or what limits them: those that run at the same time, or the
/// largest of those that run one after the other before them.
pub(crate) fn container_sums(spec: &Value, member: &str) -> BTreeMap<String, Quantity> {
    let mut running = BTreeMap::new();
    let mut largest: BTreeMap<String, Quantity> = BTreeMap::new();
    let add = |sums: &mut BTreeMap<String, Quantity>, container: &Value| {
        for (name, amount) in container.member("resources").entries(member) {
            let amount = Quantity::of(amount);
            let sum = sums.get(name).map_or(amount, |sum| sum.plus(amount));
            sums.insert(name.clone(), sum);
        }
    };
    for container in spec.items("initContainers") {
        let mut during = running.clone();
        add(&mut during, container);
        if container.text("restartPolicy") == "Always" {
            running.clone_from(&during);
        }
        raise(&mut largest, during);
    }
    spec.items("containers").iter().for_each(|container| add(&mut running, container));
    raise(&mut largest, running);
    largest
}

fn raise(largest: &mut BTreeMap<String, Quantity>, sums: BTreeMap<String, Quantity>) {
    for (name, sum) in sums {
        let known = largest.entry(name).or_insert(sum);
        if *known < sum {
            *known = sum;
        }
    }
}

/// In the network of its node a container's port is that of the node.
fn host_port(port: &mut Value) {
    if port.int("hostPort").unwrap_or(0) == 0
        && let Some(number) = port.int("containerPort")
    {
        port.set("hostPort", number);
    }
}

/// A pod that is about to be created.
pub(crate) fn prepare_create(pod: &mut Value) {
    let mut status = json!({"phase": "Pending", "qosClass": qos_class(pod.member("spec"))});
    if !pod.member("spec").is_blank("schedulingGates") {
        status.set(
            "conditions",
            json!([{
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": null,
                "lastTransitionTime": null,
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }]),
        );
    }
    pod.set("status", status);
}

/// How a pod is treated when its node runs short: by what it requests and what limits it.
pub(crate) fn qos_class(spec: &Value) -> &'static str {
    let own = spec.member("resources");
    let pod_level = !own.is_blank("requests") || !own.is_blank("limits");
    let parts: Vec<&Value> = if pod_level {
        vec![own]
    } else {
        let containers = ["containers", "initContainers"].into_iter();
        containers.flat_map(|list| spec.items(list)).map(|each| each.member("resources")).collect()
    };
    let (mut requests, mut limits) = (Amounts::default(), Amounts::default());
    let mut all_limited = true;
    for resources in parts {
        requests.add(resources, "requests");
        all_limited &= limits.add(resources, "limits") == 2;
    }
    if requests.0.is_empty() && limits.0.is_empty() {
        "BestEffort"
    } else if all_limited && requests.same_as(&limits) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

/// Amounts of computing resources.
#[derive(Default)]
struct Amounts(BTreeMap<&'static str, Quantity>);

impl Amounts {
    /// Adds what is not nothing, and tells how many resources that was.
    fn add(&mut self, resources: &Value, member: &str) -> usize {
        let mut added = 0;
        for name in ["cpu", "memory"] {
            let amount = Quantity::of(resources.member(member).member(name));
            if amount.sign() == Ordering::Greater {
                let sum = self.0.get(name).map_or(amount, |sum| sum.plus(amount));
                self.0.insert(name, sum);
                added += 1;
            }
        }
        added
    }

    fn same_as(&self, other: &Self) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().all(|(name, amount)| {
                other.0.get(name).is_some_and(|theirs| theirs.equals(*amount))
            })
    }
}

/// A pod that is about to be changed keeps its status.
pub(crate) fn prepare_update(pod: &mut Value, old: &Value) {
    let status = old.member("status").clone();
    pod.set("status", status);
}

/// How many seconds a pod has to end. Pods that never got to a node, and those that have ended,
/// have nothing to end.
pub(crate) fn deletion_grace_seconds(pod: &Value, asked: Option<i64>) -> i64 {
    let spec = pod.member("spec");
    let period = asked.or_else(|| spec.int("terminationGracePeriodSeconds")).unwrap_or(0);
    let ended = matches!(pod.member("status").text("phase"), "Failed" | "Succeeded");
    if spec.is_blank("nodeName") || ended {
        return 0;
    }
    // A negative period means: at once, but through the kubelet.
    if period < 0 { 1 } else { period }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn qos(resources: &Value) -> &'static str {
        qos_class(&json!({"containers": [{"resources": resources}]}))
    }

    #[test]
    fn the_class_of_service_follows_from_requests_and_limits() {
        assert_eq!(qos(&json!({})), "BestEffort");
        assert_eq!(qos(&json!({"requests": {"cpu": "0", "example.com/x": "1"}})), "BestEffort");
        assert_eq!(qos(&json!({"requests": {"cpu": "1"}})), "Burstable");
        let both = json!({"limits": {"cpu": "1", "memory": "1Gi"},
            "requests": {"cpu": "1000m", "memory": "1024Mi"}});
        assert_eq!(qos(&both), "Guaranteed");
        let mixed = json!({"containers": [{"resources": both}, {}]});
        assert_eq!(qos_class(&mixed), "Burstable");
    }

    #[test]
    fn a_gated_pod_says_that_it_is_not_scheduled() {
        let mut pod = json!({"spec": {"schedulingGates": [{"name": "g"}]}});
        prepare_create(&mut pod);
        assert_eq!(pod["status"]["conditions"][0]["reason"], "SchedulingGated");
    }

    #[test]
    fn only_pods_on_a_node_take_time_to_end() {
        let pod = json!({"spec": {"terminationGracePeriodSeconds": 30}});
        assert_eq!(deletion_grace_seconds(&pod, None), 0);
        let pod = json!({"spec": {"terminationGracePeriodSeconds": 30, "nodeName": "n"}});
        assert_eq!(deletion_grace_seconds(&pod, None), 30);
        assert_eq!(deletion_grace_seconds(&pod, Some(5)), 5);
        assert_eq!(deletion_grace_seconds(&pod, Some(-1)), 1);
    }

    #[test]
    fn a_pod_requests_what_its_containers_do_together() {
        let container = |cpu: &str| json!({"resources": {"requests": {"cpu": cpu}}});
        let mut pod = json!({"spec": {"resources": {"limits": {"cpu": "9", "memory": "1Gi"}},
            "initContainers": [container("3")], "containers": [container("1"), container("500m")]}});
        fill(&mut pod);
        assert_eq!(pod["spec"]["resources"]["requests"], json!({"cpu": "3", "memory": "1Gi"}));
    }

    #[test]
    fn ports_in_the_network_of_the_node_are_ports_of_the_node() {
        let mut pod = json!({"spec": {"hostNetwork": true,
            "containers": [{"name": "c", "ports": [{"containerPort": 80}]}]}});
        fill(&mut pod);
        assert_eq!(pod["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
    }
}
