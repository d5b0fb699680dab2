//! Writing it all in the text format 0.0.4, as the reference does: families and series in order,
//! families without series left out.

use std::fmt;
use std::sync::Arc;

use apf::metrics::{Kind, Metric};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::prometheus_text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::families::{Families, Gauge, Labels};
use super::ratios::{Ratio, Ratios};
use super::table;

/// The end of a counter's name, which the library adds to every one.
const COUNTER_SUFFIX: &str = "_total";

/// Everything that is exposed.
#[derive(Debug)]
struct Exposed {
    families: Arc<Families>,
    ratios: Ratios,
}

/// Who writes what is counted.
#[derive(Debug)]
pub(super) struct Exposition {
    registry: Registry,
}

impl Exposition {
    pub(super) fn new(families: Arc<Families>, ratios: Ratios) -> Self {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Exposed { families, ratios }));
        Self { registry }
    }

    /// All metrics as text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _written = encode(&mut text, &self.registry);
        tidy(&text)
    }
}

/// What the library writes otherwise than the reference: whole numbers have a fraction, and all
/// counters end in the same word.
fn tidy(text: &str) -> String {
    let bare = table::all().filter(|metric| metric.kind == Kind::Counter).map(|metric| metric.name);
    let bare: Vec<&str> = bare.filter(|name| !name.ends_with(COUNTER_SUFFIX)).collect();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.strip_suffix(".0").unwrap_or(line);
        let (head, rest) = match line.strip_prefix("# ").and_then(|line| line.split_once(' ')) {
            Some((word, _)) => line.split_at("# ".len() + word.len() + 1),
            None => ("", line),
        };
        out.push_str(head);
        match bare.iter().find_map(|name| Some((name, strip_counter(rest, name)?))) {
            Some((name, rest)) => out.extend([name, rest]),
            None => out.push_str(rest),
        }
        out.push('\n');
    }
    out
}

/// What follows the name and the counters' suffix.
fn strip_counter<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(name)?.strip_prefix(COUNTER_SUFFIX)?;
    rest.starts_with([' ', '{']).then_some(rest)
}

impl Collector for Exposed {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        self.ratios.look();
        let ratios = self.ratios.snapshot();
        let mut metrics: Vec<_> = table::all().collect();
        metrics.sort_unstable_by_key(|metric| metric.name);
        for metric in metrics {
            match metric.kind {
                Kind::Counter => {
                    let Some(family) = self.families.counters.get(metric.name) else { continue };
                    write(&mut encoder, metric, &family.snapshot())?;
                }
                Kind::Gauge => {
                    let Some(family) = self.families.gauges.get(metric.name) else { continue };
                    write_gauges(&mut encoder, metric, &family.snapshot())?;
                }
                Kind::Histogram(_) => {
                    let Some(family) = self.families.histograms.get(metric.name) else { continue };
                    write(&mut encoder, metric, &family.snapshot())?;
                }
                Kind::TimingHistogram(_) => write_ratios(&mut encoder, metric, &ratios)?,
            }
        }
        Ok(())
    }
}

fn write(
    encoder: &mut DescriptorEncoder<'_>,
    metric: &Metric,
    series: &[(Labels, impl EncodeMetric)],
) -> fmt::Result {
    let Some((_, first)) = series.first() else { return Ok(()) };
    let name = metric.name.strip_suffix(COUNTER_SUFFIX);
    let name = name.filter(|_| metric.kind == Kind::Counter).unwrap_or(metric.name);
    let kind = first.metric_type();
    let mut family = encoder.encode_descriptor(name, &metric.help(), None, kind)?;
    for (labels, made) in series {
        made.encode(family.encode_family(labels)?)?;
    }
    Ok(())
}

fn write_gauges(
    encoder: &mut DescriptorEncoder<'_>,
    metric: &Metric,
    series: &[(Labels, Gauge)],
) -> fmt::Result {
    if series.is_empty() {
        return Ok(());
    }
    let help = metric.help();
    let mut family = encoder.encode_descriptor(metric.name, &help, None, MetricType::Gauge)?;
    for (labels, gauge) in series {
        ConstGauge::new(gauge.get()).encode(family.encode_family(labels)?)?;
    }
    Ok(())
}

fn write_ratios(
    encoder: &mut DescriptorEncoder<'_>,
    metric: &Metric,
    ratios: &[Ratio],
) -> fmt::Result {
    let of_metric = || ratios.iter().filter(|ratio| ratio.metric == metric.name);
    if of_metric().next().is_none() {
        return Ok(());
    }
    let help = metric.help();
    let mut family = encoder.encode_descriptor(metric.name, &help, None, MetricType::Histogram)?;
    for Ratio { labels, histogram, .. } in of_metric() {
        // The library adds up what falls into each bucket.
        let mut below = 0;
        let mut buckets = Vec::with_capacity(histogram.buckets.len());
        for (bound, count) in &histogram.buckets {
            buckets.push((*bound, count.saturating_sub(below)));
            below = *count;
        }
        family.encode_family(labels)?.encode_histogram::<NoLabelSet>(
            histogram.sum,
            histogram.count,
            &buckets,
            None,
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn whole_numbers_have_no_fraction() {
        assert_eq!(tidy("a{x=\"1.0\"} 3.0\nb 0.5\n"), "a{x=\"1.0\"} 3\nb 0.5\n");
    }

    #[test]
    fn counters_keep_the_name_of_the_table() {
        let text = "# HELP authentication_attempts_total [ALPHA] x\n\
                    # TYPE authentication_attempts_total counter\n\
                    authentication_attempts_total{result=\"success\"} 1\n\
                    apiserver_request_total{code=\"200\"} 1\n";
        let expected = "# HELP authentication_attempts [ALPHA] x\n\
                        # TYPE authentication_attempts counter\n\
                        authentication_attempts{result=\"success\"} 1\n\
                        apiserver_request_total{code=\"200\"} 1\n";
        assert_eq!(tidy(text), expected);
    }
}
