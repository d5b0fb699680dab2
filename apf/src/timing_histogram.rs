//! Histograms in which every nanosecond counts as an observation (spec: apf 10).

use std::time::Instant;

/// Watches a ratio whose numerator and denominator change from time to time.
#[derive(Debug, Clone)]
pub struct TimingHistogram {
    ratio: Ratio,
    changed: Instant,
}

/// The same without a clock: it is told how much time passes.
#[derive(Debug, Clone)]
pub(crate) struct Ratio {
    bounds: &'static [f64],
    /// For each bound, and beyond the last one, the nanoseconds that fell there.
    nanos: Vec<u64>,
    sum: f64,
    numerator: f64,
    denominator: f64,
    /// The present ratio, and where it falls.
    value: f64,
    bucket: usize,
}

/// What a timing histogram has seen, in the form of an ordinary histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct HistogramSnapshot {
    /// The upper bounds, inclusive, and how many observations fell on or below each.
    pub buckets: Vec<(f64, u64)>,
    /// The number of observations: nanoseconds since it was made.
    pub count: u64,
    /// The sum of the observations.
    pub sum: f64,
}

impl TimingHistogram {
    /// Starts at 0 with denominator 1. `bounds` ascend.
    #[must_use]
    pub fn new(bounds: &'static [f64], now: Instant) -> Self {
        Self { ratio: Ratio::new(bounds), changed: now }
    }

    /// The numerator is this from now on.
    pub fn set_numerator(&mut self, now: Instant, numerator: f64) {
        self.advance(now);
        self.ratio.set_numerator(numerator);
    }

    /// The denominator is this from now on.
    pub fn set_denominator(&mut self, now: Instant, denominator: f64) {
        self.advance(now);
        self.ratio.set_denominator(denominator);
    }

    /// Adds to the numerator.
    pub fn add(&mut self, now: Instant, change: f64) {
        self.set_numerator(now, self.ratio.numerator + change);
    }

    /// What was seen up to now.
    pub fn snapshot(&mut self, now: Instant) -> HistogramSnapshot {
        self.advance(now);
        self.ratio.snapshot()
    }

    fn advance(&mut self, now: Instant) {
        self.ratio.pass(elapse(&mut self.changed, now));
    }
}

/// The nanoseconds since `clock`, which is set to `now`. Whoever asked the time first need not come
/// first.
pub(crate) fn elapse(clock: &mut Instant, now: Instant) -> u64 {
    let elapsed = now.saturating_duration_since(*clock);
    *clock = now.max(*clock);
    elapsed.as_secs() * 1_000_000_000 + u64::from(elapsed.subsec_nanos())
}

impl Ratio {
    /// Starts at 0 with denominator 1. `bounds` ascend.
    pub(crate) fn new(bounds: &'static [f64]) -> Self {
        let nanos = vec![0; bounds.len() + 1];
        let (numerator, denominator, value) = (0.0, 1.0, 0.0);
        let bucket = bucket_of(value, bounds);
        Self { bounds, nanos, sum: 0.0, numerator, denominator, value, bucket }
    }

    /// So many nanoseconds pass.
    pub(crate) fn pass(&mut self, nanos: u64) {
        self.nanos[self.bucket] += nanos;
        self.sum += self.value * nanos as f64;
    }

    pub(crate) fn set_numerator(&mut self, numerator: f64) {
        if numerator != self.numerator {
            self.numerator = numerator;
            self.find_bucket();
        }
    }

    pub(crate) fn set_denominator(&mut self, denominator: f64) {
        if denominator != self.denominator {
            self.denominator = denominator;
            self.find_bucket();
        }
    }

    /// What was seen.
    pub(crate) fn snapshot(&self) -> HistogramSnapshot {
        let mut count = 0;
        let cumulated = self.bounds.iter().zip(&self.nanos).map(|(bound, nanos)| {
            count += nanos;
            (*bound, count)
        });
        let buckets = cumulated.collect();
        HistogramSnapshot { buckets, count: self.nanos.iter().sum(), sum: self.sum }
    }

    fn find_bucket(&mut self) {
        self.value = self.numerator / self.denominator;
        self.bucket = bucket_of(self.value, self.bounds);
    }
}

fn bucket_of(ratio: f64, bounds: &[f64]) -> usize {
    bounds.iter().take_while(|bound| **bound < ratio).count()
}

/// Five centuries fit.
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_support::epoch;

    #[test]
    fn every_nanosecond_counts_with_the_ratio_of_its_time() {
        let start = epoch();
        let at = |nanos| start + Duration::from_nanos(nanos);
        let mut histogram = TimingHistogram::new(&[0.0, 0.5, 1.0], start);
        histogram.set_denominator(at(10), 4.0);
        histogram.set_numerator(at(10), 2.0);
        histogram.add(at(30), 6.0);
        let snapshot = histogram.snapshot(at(35));
        assert_eq!(snapshot.buckets, [(0.0, 10), (0.5, 30), (1.0, 30)]);
        assert_eq!((snapshot.count, snapshot.sum), (35, 20.0));
    }
}
