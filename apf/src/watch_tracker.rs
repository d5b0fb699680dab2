//! How many watches hear of a change (spec: apf 6.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::digest::ResourceTarget;

/// Counts running watches by what they look at.
#[derive(Debug, Default)]
pub struct WatchTracker {
    /// By group, resource, namespace and name, each ended by a zero byte.
    counts: RwLock<BTreeMap<String, u64>>,
}

/// A running watch; it is forgotten when this is dropped.
#[must_use = "dropping it forgets the watch"]
#[derive(Debug)]
pub struct WatchRegistration {
    tracker: Arc<WatchTracker>,
    key: String,
}

impl WatchTracker {
    /// Counts a watch while it runs. `required_node_name` is what its field selector requires
    /// `spec.nodeName` to equal; watches of one node's pods hear little and do not count.
    pub fn register(
        self: &Arc<Self>,
        target: &ResourceTarget<'_>,
        required_node_name: Option<&str>,
    ) -> Option<WatchRegistration> {
        let of_one_node = required_node_name.is_some_and(|node| !node.is_empty());
        if target.resource == "pods" && of_one_node {
            return None;
        }
        let key = format!("{}{}\0{}", prefix(target), target.namespace, target.name);
        *self.counts.write().entry(key.clone()).or_default() += 1;
        Some(WatchRegistration { tracker: Arc::clone(self), key })
    }

    /// How many watches hear of this request; none if it changes nothing.
    #[must_use]
    pub fn interested_watches(&self, target: &ResourceTarget<'_>) -> u64 {
        if matches!(target.verb, "get" | "list" | "watch" | "proxy") {
            return 0;
        }
        let counts = self.counts.read();
        if counts.is_empty() {
            return 0;
        }
        let mut key = prefix(target);
        let prefix_length = key.len();
        let mut count = |namespace: &str, name: &str| {
            key.truncate(prefix_length);
            key.extend([namespace, "\0", name]);
            counts.get(&key).copied().unwrap_or_default()
        };
        let mut interested = count("", "");
        if !target.namespace.is_empty() {
            interested += count(target.namespace, "");
        }
        if !target.name.is_empty() {
            interested += count(target.namespace, target.name);
        }
        interested
    }
}

fn prefix(target: &ResourceTarget<'_>) -> String {
    format!("{}\0{}\0", target.api_group, target.resource)
}

impl Drop for WatchRegistration {
    fn drop(&mut self) {
        let mut counts = self.tracker.counts.write();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Target;
    use crate::test_support::{RequestInfo, strings, vectors};

    fn target(info: &RequestInfo) -> ResourceTarget<'_> {
        match info.target() {
            Target::Resource(target) => target,
            Target::NonResource { .. } => unreachable!("all recorded requests are for resources"),
        }
    }

    #[test]
    fn watches_that_hear_of_a_change_are_counted_as_recorded() {
        for scenario in vectors("watch-tracker").as_array().unwrap() {
            let tracker = Arc::new(WatchTracker::default());
            let mut registrations = Vec::new();
            for url in strings(&scenario["registeredWatches"]) {
                let node = url.split_once("fieldSelector=spec.nodeName=").map(|(_, node)| node);
                let info = RequestInfo::read("GET", &url);
                registrations.push(tracker.register(&target(&info), node));
            }
            for query in scenario["queries"].as_array().unwrap() {
                let (method, url) =
                    (query["method"].as_str().unwrap(), query["url"].as_str().unwrap());
                let info = RequestInfo::read(method, url);
                let interested = tracker.interested_watches(&target(&info));
                assert_eq!(Some(interested), query["interestedWatches"].as_u64(), "{query}");
            }
            drop(registrations);
            assert!(tracker.counts.read().is_empty());
        }
    }
}
