//! The metrics that the server exposes (spec: apf 10).
//!
//! `apf::metrics::METRICS` says which there are; here they are counted and written.

mod exposition;
mod flow_control;
mod ratios;
mod validation;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use apf::controller::FlowController;
use apf::metrics::{Kind, METRICS, Metric};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

pub use flow_control::FlowControlObserver;
pub use validation::ValidationObserver;

/// Names and values of labels, in alphabetical order of the names.
type Labels = Vec<(&'static str, String)>;
type FloatGauge = Gauge<f64, std::sync::atomic::AtomicU64>;

/// Makes the histograms of one metric.
#[derive(Debug, Clone, Copy)]
struct Bounds(&'static [f64]);

impl MetricConstructor<Histogram> for Bounds {
    fn new_metric(&self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

/// What is counted of everything, by the metrics' names.
#[derive(Debug, Default)]
struct Families {
    counters: BTreeMap<&'static str, Family<Labels, Counter>>,
    gauges: BTreeMap<&'static str, Family<Labels, FloatGauge>>,
    histograms: BTreeMap<&'static str, Family<Labels, Histogram, Bounds>>,
}

/// One series; it appears when it is first used.
struct Series<M, C = fn() -> M> {
    family: Option<Family<Labels, M, C>>,
    labels: Labels,
    made: OnceLock<M>,
    /// Used in the place of a metric that the table does not know.
    nowhere: M,
}

impl<M: Clone, C: MetricConstructor<M>> Series<M, C> {
    fn get(&self) -> &M {
        let Some(family) = &self.family else { return &self.nowhere };
        self.made.get_or_init(|| family.get_or_create_owned(&self.labels))
    }
}

impl Families {
    fn counter(&self, name: &str, labels: Labels) -> Series<Counter> {
        Series {
            family: self.counters.get(name).cloned(),
            labels,
            made: OnceLock::new(),
            nowhere: Counter::default(),
        }
    }

    fn gauge(&self, name: &str, labels: Labels) -> Series<FloatGauge> {
        Series {
            family: self.gauges.get(name).cloned(),
            labels,
            made: OnceLock::new(),
            nowhere: FloatGauge::default(),
        }
    }

    fn histogram(&self, name: &str, labels: Labels) -> Series<Histogram, Bounds> {
        Series {
            family: self.histograms.get(name).cloned(),
            labels,
            made: OnceLock::new(),
            nowhere: Histogram::new([]),
        }
    }
}

/// All metrics.
pub struct Metrics {
    registry: Registry,
    families: Arc<Families>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let mut families = Families::default();
        for metric in METRICS.iter().chain(validation::METRICS) {
            register(&mut registry, &mut families, metric);
        }
        Self { registry, families: Arc::new(families) }
    }
}

fn register(registry: &mut Registry, families: &mut Families, metric: &'static Metric) {
    let help = metric.help();
    match metric.kind {
        Kind::Counter => {
            let family = Family::<Labels, Counter>::default();
            // The suffix comes back when the counter is written.
            let name = metric.name.strip_suffix("_total").unwrap_or(metric.name);
            registry.register(name, help, family.clone());
            families.counters.insert(metric.name, family);
        }
        Kind::Gauge => {
            let family = Family::<Labels, FloatGauge>::default();
            registry.register(metric.name, help, family.clone());
            families.gauges.insert(metric.name, family);
        }
        Kind::Histogram(bounds) => {
            let family = Family::new_with_constructor(Bounds(bounds));
            registry.register(metric.name, help, family.clone());
            families.histograms.insert(metric.name, family);
        }
        // Kept by flow control itself and read when they are written.
        Kind::TimingHistogram(_) => {}
    }
}

impl Metrics {
    /// Who counts what flow control does.
    #[must_use]
    pub fn observer(&self) -> FlowControlObserver {
        FlowControlObserver::new(Arc::clone(&self.families))
    }

    /// Who counts what is found out about the rules of validation.
    #[must_use]
    pub fn validation_observer(&self) -> ValidationObserver {
        ValidationObserver::new(Arc::clone(&self.families))
    }

    /// Exposes the ratios that flow control keeps.
    pub fn expose_ratios(&mut self, controller: Arc<FlowController>) {
        self.registry.register_collector(Box::new(ratios::Ratios(controller)));
    }

    /// All metrics as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _written = encode(&mut text, &self.registry);
        exposition::plain(&text)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use apf::observe::Observer as _;
    use apf::queueset::RejectReason;

    use super::*;

    #[test]
    fn series_appear_on_first_use_with_the_reference_s_names() {
        let metrics = Metrics::default();
        let flow = metrics.observer().flow("level", "schema");
        assert_eq!(metrics.text(), "");
        flow.rejected(RejectReason::QueueFull);
        flow.waited(Duration::from_millis(10), true);
        let text = metrics.text();
        let labels = r#"flow_schema="schema",priority_level="level""#;
        for line in [
            "# HELP apiserver_flowcontrol_rejected_requests_total [BETA] ",
            "# TYPE apiserver_flowcontrol_rejected_requests_total counter\n",
            &format!(
                "apiserver_flowcontrol_rejected_requests_total{{{labels},reason=\"queue-full\"}} 1\n"
            ),
            &format!(
                "apiserver_flowcontrol_request_wait_duration_seconds_bucket\
                 {{execute=\"true\",{labels},le=\"0.02\"}} 1\n"
            ),
            &format!(
                "apiserver_flowcontrol_request_wait_duration_seconds_count\
                 {{execute=\"true\",{labels}}} 1\n"
            ),
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }
}
