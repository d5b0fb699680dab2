//! The histograms over time that flow control keeps.

use std::fmt;
use std::sync::Arc;

use apf::controller::FlowController;
use apf::digest::RequestKind;
use apf::metrics::{Kind, METRICS, Metric};
use apf::ratios::{LevelRatiosSnapshot, Phase};
use apf::timing_histogram::HistogramSnapshot;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use tokio::time::Instant;

use super::Labels;

/// Reads the ratios when they are written.
pub(super) struct Ratios(pub(super) Arc<FlowController>);

impl fmt::Debug for Ratios {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ratios")
    }
}

impl Collector for Ratios {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let levels = self.0.level_ratios();
        for metric in METRICS.iter().filter(|m| matches!(m.kind, Kind::TimingHistogram(_))) {
            let mut family = encoder.encode_descriptor(
                metric.name,
                &metric.help(),
                None,
                MetricType::Histogram,
            )?;
            if metric.labels.contains(&"request_kind") {
                self.encode_kinds(&mut family)?;
            }
            for level in &levels {
                for (phase, histogram) in of_level(metric, level) {
                    let mut labels: Labels = metric
                        .const_labels
                        .iter()
                        .map(|(name, value)| (*name, (*value).to_owned()))
                        .collect();
                    labels.extend(phase.map(|phase| ("phase", phase.to_owned())));
                    labels.push(("priority_level", level.priority_level.clone()));
                    labels.sort_unstable();
                    labels.dedup_by_key(|(name, _)| *name);
                    write(&mut family, &labels, histogram)?;
                }
            }
        }
        Ok(())
    }
}

impl Ratios {
    /// The requests of the whole server, by phase and kind.
    fn encode_kinds(&self, family: &mut MetricEncoder<'_>) -> fmt::Result {
        let in_flight = self.0.in_flight();
        for phase in Phase::ALL {
            for kind in [RequestKind::Mutating, RequestKind::ReadOnly] {
                let snapshot = in_flight.snapshot(Instant::now().into_std(), phase, kind);
                let labels: Labels = vec![
                    ("phase", phase.as_str().to_owned()),
                    ("request_kind", kind.as_str().to_owned()),
                ];
                write(family, &labels, &snapshot)?;
            }
        }
        Ok(())
    }
}

/// The histograms of a level that belong to a metric, by phase if it tells phases apart.
fn of_level<'a>(
    metric: &Metric,
    level: &'a LevelRatiosSnapshot,
) -> Vec<(Option<&'static str>, &'a HistogramSnapshot)> {
    match metric.name.strip_prefix("apiserver_flowcontrol_").unwrap_or_default() {
        "demand_seats" => vec![(None, &level.demand_seats)],
        "priority_level_request_utilization" => vec![
            (Some("executing"), &level.executing_requests),
            (Some("waiting"), &level.waiting_requests),
        ],
        "priority_level_seat_utilization" => vec![(None, &level.seats)],
        _ => Vec::new(),
    }
}

fn write(
    family: &mut MetricEncoder<'_>,
    labels: &Labels,
    histogram: &HistogramSnapshot,
) -> fmt::Result {
    // The library adds up what falls into each bucket.
    let mut below = 0;
    let mut buckets = Vec::with_capacity(histogram.buckets.len() + 1);
    for (bound, count) in &histogram.buckets {
        buckets.push((*bound, count.saturating_sub(below)));
        below = *count;
    }
    buckets.push((f64::MAX, histogram.count.saturating_sub(below)));
    family.encode_family(labels)?.encode_histogram::<NoLabelSet>(
        histogram.sum,
        histogram.count,
        &buckets,
        None,
    )
}
