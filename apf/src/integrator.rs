//! Statistics of a number that changes over time (spec: apf 5.2).

use std::time::{Duration, Instant};

/// Watches a number over a period.
#[derive(Debug, Clone)]
pub struct Integrator {
    value: f64,
    changed: Instant,
    elapsed: Duration,
    integral: f64,
    integral_of_square: f64,
    min: f64,
    max: f64,
}

/// What a number did over a period, each moment counting for as long as it lasted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// How long the period was.
    pub elapsed: Duration,
    /// The mean; not a number if the period was empty.
    pub average: f64,
    /// The standard deviation; not a number if the period was empty or rounding made the variance
    /// negative.
    pub deviation: f64,
    /// The least value, of whatever duration.
    pub min: f64,
    /// The greatest value, of whatever duration.
    pub max: f64,
}

/// A level's demand for seats over the last period and before (spec: apf 5.2).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SeatDemandStatistics {
    /// The mean.
    pub average: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The greatest demand.
    pub high_watermark: u64,
    /// The usual upper demand: rises at once and falls slowly.
    pub smoothed: f64,
}

/// How much of the smoothed demand stays from period to period.
const SMOOTHING: f64 = 0.977;
/// The rest. Written out since `1.0 - SMOOTHING` is another number in floating point.
const SMOOTHING_COMPLEMENT: f64 = 0.023;

impl Integrator {
    /// Starts at zero.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        Self {
            value: 0.0,
            changed: now,
            elapsed: Duration::ZERO,
            integral: 0.0,
            integral_of_square: 0.0,
            min: 0.0,
            max: 0.0,
        }
    }

    /// The number is `value` from now on.
    pub fn set(&mut self, now: Instant, value: f64) {
        self.advance(now);
        self.value = value;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Ends the period and starts the next one.
    pub fn reset(&mut self, now: Instant) -> Statistics {
        self.advance(now);
        let statistics = self.statistics();
        *self =
            Self { value: self.value, min: self.value, max: self.value, ..Self::new(self.changed) };
        statistics
    }

    fn advance(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.changed);
        if elapsed.is_zero() {
            // Whoever asked the clock first need not come first.
            return;
        }
        self.changed = now;
        self.elapsed += elapsed;
        let weighted = self.value * elapsed.as_secs_f64();
        self.integral += weighted;
        self.integral_of_square += self.value * weighted;
    }

    fn statistics(&self) -> Statistics {
        let Self { elapsed, min, max, .. } = *self;
        if elapsed.is_zero() {
            return Statistics { elapsed, average: f64::NAN, deviation: f64::NAN, min, max };
        }
        let average = self.integral / elapsed.as_secs_f64();
        let mean_square = self.integral_of_square / elapsed.as_secs_f64();
        // The root of a negative number is not a number.
        let deviation = (mean_square - average * average).sqrt();
        Statistics { elapsed, average, deviation, min, max }
    }
}

impl SeatDemandStatistics {
    /// Takes in what the demand did over a period.
    pub fn update(&mut self, period: &Statistics) {
        self.high_watermark = period.max.round() as u64;
        if period.elapsed.is_zero() {
            return;
        }
        self.average = period.average;
        self.deviation = if period.deviation.is_nan() { 0.0 } else { period.deviation };
        let envelope = self.average + self.deviation;
        let decayed = SMOOTHING * self.smoothed + SMOOTHING_COMPLEMENT * envelope;
        self.smoothed = envelope.max(decayed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Json, epoch, seconds, vectors};

    fn assert_statistics(actual: &Statistics, expected: &Json, case: &Json) {
        let pairs = [
            ("average", actual.average),
            ("deviation", actual.deviation),
            ("duration", actual.elapsed.as_secs_f64()),
            ("min", actual.min),
            ("max", actual.max),
        ];
        for (field, actual) in pairs {
            match expected[field].as_f64() {
                Some(expected) => assert!((actual - expected).abs() < 1e-9, "{field} {case}"),
                None => assert!(expected[field] == "NaN" && actual.is_nan(), "{field} {case}"),
            }
        }
    }

    #[test]
    fn integrals_are_as_recorded() {
        for case in vectors("integrator").as_array().unwrap() {
            let start = epoch();
            let mut integrator = Integrator::new(start);
            for event in case["events"].as_array().unwrap() {
                let at = start + seconds(&event["atSecond"]);
                integrator.set(at, event["set"].as_f64().unwrap());
            }
            let end = start + seconds(&case["resetAtSecond"]);
            assert_statistics(&integrator.reset(end), &case["result"], case);
            assert_statistics(&integrator.reset(end), &case["immediatelyAfterReset"], case);
        }
    }

    #[test]
    fn smoothed_demand_falls_slowly() {
        let period = |value: f64| Statistics {
            elapsed: Duration::from_secs(10),
            average: value,
            deviation: 0.0,
            min: value,
            max: value,
        };
        let mut demand = SeatDemandStatistics::default();
        let mut series = Vec::new();
        for value in [500.0, 0.0, 0.0, 0.0] {
            demand.update(&period(value));
            series.push(demand.smoothed);
        }
        for (actual, expected) in series.iter().zip([500.0, 488.5, 477.2645, 466.287_416_5]) {
            assert!((actual - expected).abs() < 1e-9);
        }
    }
}
