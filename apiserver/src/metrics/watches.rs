//! Counts what watches send.

use prometheus_client::metrics::histogram::Histogram;

use super::families::{Counter, Families, labels};

/// Counts the events of one watch.
#[derive(Debug, Clone)]
pub struct WatchMetrics {
    initial: Counter,
    events: Counter,
    sizes: Histogram,
}

impl WatchMetrics {
    pub(super) fn new(families: &Families, group: &str, version: &str, resource: &str) -> Self {
        let labels_with_version =
            || labels([("group", group), ("resource", resource), ("version", version)]);
        let initial = labels([("group", group), ("resource", resource)]);
        Self {
            initial: families.counter("apiserver_init_events_total", initial).get().clone(),
            events: families
                .counter("apiserver_watch_events_total", labels_with_version())
                .get()
                .clone(),
            sizes: families
                .histogram("apiserver_watch_events_sizes", labels_with_version())
                .get()
                .clone(),
        }
    }

    /// The watch begins with so many events.
    pub fn begins_with(&self, events: usize) {
        self.initial.inc_by(events as u64);
    }

    /// An event of so many bytes was sent.
    pub fn sent(&self, bytes: usize) {
        self.events.inc();
        self.sizes.observe(super::float(bytes as u64));
    }
}
