//! The metrics that the server exposes (spec: apf 10).
//!
//! Two tables say which there are: [`apf::metrics::METRICS`] and the server's own in `table`. From
//! them come the families that are counted in and what is written. Whoever counts resolves its
//! series once and keeps them.

mod endpoint;
mod exposition;
mod families;
mod flow_control;
mod process;
mod ratios;
mod requests;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod validation;
mod watches;

use std::sync::Arc;

use apf::controller::FlowController;
use apf::digest::RequestKind;
use apf::ratios::{InFlight, Phase};

use self::exposition::Exposition;
use self::families::{Families, labels};
use self::ratios::Ratios;

pub use endpoint::Endpoint;
pub use flow_control::FlowControlObserver;
pub use requests::{Answer, Filter, RequestMetrics, Watching};
pub use validation::ValidationObserver;
pub use watches::WatchMetrics;

const OBJECTS: &str = "apiserver_resource_objects";
const OBJECTS_BYTES: &str = "apiserver_resource_size_estimate_bytes";

/// What the server says about itself in metrics that never change.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// When it started, in seconds since 1970.
    pub start_seconds: i64,
    /// The labels of `kubernetes_build_info` by their names.
    pub build: Vec<(&'static str, String)>,
    /// Feature gates: name, stage, whether it is on.
    pub feature_gates: Vec<(&'static str, &'static str, bool)>,
    /// What impersonation is called among the filters.
    pub impersonation: &'static str,
}

/// All metrics.
#[derive(Debug)]
pub struct Metrics {
    /// Requests and their answers.
    pub requests: Arc<RequestMetrics>,
    families: Arc<Families>,
    exposition: Exposition,
    start_seconds: f64,
}

/// What is counted before there is anything to write.
#[derive(Debug)]
pub struct Counting(Arc<Families>);

impl Counting {
    /// Nothing was counted yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it is made once, on purpose")]
    pub fn new() -> Self {
        Self(Arc::new(Families::new()))
    }

    /// Who counts what flow control does.
    #[must_use]
    pub fn observer(&self) -> FlowControlObserver {
        FlowControlObserver::new(Arc::clone(&self.0))
    }

    /// All metrics, with the ratios that flow control keeps.
    #[must_use]
    pub fn into_metrics(
        self,
        about: About,
        in_flight: Arc<InFlight>,
        controller: Option<Arc<FlowController>>,
    ) -> Metrics {
        let families = self.0;
        let mut build = about.build;
        build.sort_unstable();
        families.gauge("kubernetes_build_info", build).get().set(1.0);
        for (name, stage, enabled) in about.feature_gates {
            let labels = labels([("name", name), ("stage", stage)]);
            families.gauge("kubernetes_feature_enabled", labels).get().set(enabled.into());
        }
        let exposition = Exposition::new(Arc::clone(&families), Ratios { in_flight, controller });
        Metrics {
            requests: Arc::new(RequestMetrics::new(Arc::clone(&families), about.impersonation)),
            exposition,
            families,
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            start_seconds: about.start_seconds as f64,
        }
    }
}

impl Metrics {
    /// Who counts what is found out about the rules of validation.
    #[must_use]
    pub fn validation_observer(&self) -> ValidationObserver {
        ValidationObserver::new(Arc::clone(&self.families))
    }

    /// All metrics as text.
    #[must_use]
    pub fn text(&self) -> String {
        process::update(&self.families, self.start_seconds);
        self.exposition.text()
    }

    /// Notes the most requests that there were in a phase lately.
    pub fn note_watermark(&self, phase: Phase, kind: RequestKind, requests: u64) {
        let name = match phase {
            Phase::Executing => "apiserver_current_inflight_requests",
            Phase::Waiting => "apiserver_current_inqueue_requests",
        };
        let labels = labels([("request_kind", kind.as_str())]);
        self.families.gauge(name, labels).get().set(float(requests));
    }

    /// Notes how many objects of a resource are stored, and how large they are together.
    pub fn note_objects(&self, group: &str, resource: &str, count: u64, bytes: u64) {
        let labels = || labels([("group", group), ("resource", resource)]);
        self.families.gauge(OBJECTS, labels()).get().set(float(count));
        self.families.gauge(OBJECTS_BYTES, labels()).get().set(float(bytes));
    }

    /// Forgets the objects of a resource that is served no more.
    pub fn forget_objects(&self, group: &str, resource: &str) {
        let labels = labels([("group", group), ("resource", resource)]);
        self.families.forget_gauge(OBJECTS, &labels);
        self.families.forget_gauge(OBJECTS_BYTES, &labels);
    }

    /// Counts a handshake that failed.
    pub fn handshake_failed(&self) {
        self.families.counter("apiserver_tls_handshake_errors_total", Vec::new()).get().inc();
    }

    /// Who counts what a watch of these objects sends.
    #[must_use]
    pub fn watch(&self, group: &str, version: &str, resource: &str) -> WatchMetrics {
        WatchMetrics::new(&self.families, group, version, resource)
    }
}

/// Numbers as gauges have them; exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "gauges are floating point numbers")]
const fn float(number: u64) -> f64 {
    number as f64
}
