//! Where it is counted: a family for each metric of the table, a series for each set of labels.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use apf::metrics::{Kind, Metric};
use parking_lot::RwLock;
use prometheus_client::metrics::counter::Counter as Count;
use prometheus_client::metrics::gauge::Gauge as Number;
use prometheus_client::metrics::histogram::Histogram;

use super::table;

/// Names and values of labels, in alphabetical order of the names.
pub(super) type Labels = Vec<(&'static str, String)>;
pub(super) type Counter = Count;
pub(super) type Gauge = Number<f64, AtomicU64>;

/// The series of one metric.
#[derive(Debug)]
pub(super) struct Family<M> {
    metric: &'static Metric,
    new: fn(&Metric) -> M,
    series: RwLock<BTreeMap<Labels, M>>,
}

impl<M: Clone> Family<M> {
    fn of(metric: &'static Metric, new: fn(&Metric) -> M) -> Arc<Self> {
        let family = Self { metric, new, series: RwLock::default() };
        if metric.labels.is_empty() {
            // What has no labels is there from the start, as in the reference.
            family.series.write().insert(Labels::new(), new(metric));
        }
        Arc::new(family)
    }

    /// The series of these labels, which is made if it is not there yet.
    pub(super) fn series(&self, labels: &Labels) -> M {
        debug_assert!(labels.iter().map(|(name, _)| *name).is_sorted(), "{labels:?}");
        if let Some(made) = self.series.read().get(labels) {
            return made.clone();
        }
        let mut series = self.series.write();
        series.entry(labels.clone()).or_insert_with(|| (self.new)(self.metric)).clone()
    }

    /// Takes away the series of these labels.
    fn forget(&self, labels: &Labels) {
        self.series.write().remove(labels);
    }

    /// All series, in the order of their labels.
    pub(super) fn snapshot(&self) -> Vec<(Labels, M)> {
        let series = self.series.read();
        series.iter().map(|(labels, made)| (labels.clone(), made.clone())).collect()
    }
}

/// One series; it appears when it is first used.
#[derive(Debug)]
pub(super) struct Series<M> {
    /// `None` for a metric that the table does not know.
    family: Option<Arc<Family<M>>>,
    labels: Labels,
    made: OnceLock<M>,
    nowhere: fn() -> M,
}

impl<M: Clone> Series<M> {
    pub(super) fn get(&self) -> &M {
        self.made.get_or_init(|| match &self.family {
            Some(family) => family.series(&self.labels),
            None => (self.nowhere)(),
        })
    }
}

/// What is counted of everything, by the metrics' names.
#[derive(Debug)]
pub(super) struct Families {
    pub(super) counters: BTreeMap<&'static str, Arc<Family<Counter>>>,
    pub(super) gauges: BTreeMap<&'static str, Arc<Family<Gauge>>>,
    pub(super) histograms: BTreeMap<&'static str, Arc<Family<Histogram>>>,
}

fn histogram_of(metric: &Metric) -> Histogram {
    match metric.kind {
        Kind::Histogram(bounds) => Histogram::new(bounds.iter().copied()),
        Kind::Counter | Kind::Gauge | Kind::TimingHistogram(_) => Histogram::new([]),
    }
}

impl Families {
    /// A family for each metric of the table, but for those that flow control keeps itself.
    pub(super) fn new() -> Self {
        let mut families = Self {
            counters: BTreeMap::new(),
            gauges: BTreeMap::new(),
            histograms: BTreeMap::new(),
        };
        for metric in table::all() {
            match metric.kind {
                Kind::Counter => {
                    let family = Family::of(metric, |_| Counter::default());
                    families.counters.insert(metric.name, family);
                }
                Kind::Gauge => {
                    let family = Family::of(metric, |_| Gauge::default());
                    families.gauges.insert(metric.name, family);
                }
                Kind::Histogram(_) => {
                    let family = Family::of(metric, histogram_of);
                    families.histograms.insert(metric.name, family);
                }
                Kind::TimingHistogram(_) => {}
            }
        }
        families
    }

    pub(super) fn counter(&self, name: &str, labels: Labels) -> Series<Counter> {
        let family = self.counters.get(name).cloned();
        Series { family, labels, made: OnceLock::new(), nowhere: Counter::default }
    }

    pub(super) fn gauge(&self, name: &str, labels: Labels) -> Series<Gauge> {
        let family = self.gauges.get(name).cloned();
        Series { family, labels, made: OnceLock::new(), nowhere: Gauge::default }
    }

    /// Takes a gauge away of what is there no more.
    pub(super) fn forget_gauge(&self, name: &str, labels: &Labels) {
        if let Some(family) = self.gauges.get(name) {
            family.forget(labels);
        }
    }

    pub(super) fn histogram(&self, name: &str, labels: Labels) -> Series<Histogram> {
        let family = self.histograms.get(name).cloned();
        Series { family, labels, made: OnceLock::new(), nowhere: || Histogram::new([]) }
    }
}

/// Labels in order.
pub(super) fn labels<const COUNT: usize>(pairs: [(&'static str, &str); COUNT]) -> Labels {
    let mut labels: Labels = pairs.map(|(name, value)| (name, value.to_owned())).into();
    labels.sort_unstable();
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_of_an_unknown_metric_counts_nowhere() {
        let families = Families::new();
        families.counter("nope_total", labels([])).get().inc();
        assert!(
            families
                .counters
                .values()
                .all(|family| { family.snapshot().iter().all(|(_, counter)| counter.get() == 0) })
        );
    }

    #[test]
    fn the_same_labels_are_the_same_series() {
        let families = Families::new();
        let name = "authentication_attempts";
        let first = families.counter(name, labels([("result", "success")]));
        let second = families.counter(name, labels([("result", "success")]));
        first.get().inc();
        second.get().inc();
        assert_eq!(first.get().get(), 2);
        assert_eq!(families.counters[name].snapshot().len(), 1);
    }
}
