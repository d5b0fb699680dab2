//! The numbers whose metrics are timing histograms, and the watermarks of requests by kind
//! (spec: apf 10).

use std::time::Instant;

use parking_lot::Mutex;

use crate::digest::RequestKind;
use crate::queueset::Totals;
use crate::timing_histogram::{HistogramSnapshot, Ratio, TimingHistogram, elapse};

/// Bounds of `demand_seats`.
pub const DEMAND_BOUNDS: &[f64] = &[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.8, 4.0, 6.0];
/// Bounds of `priority_level_request_utilization`.
pub const REQUEST_BOUNDS: &[f64] = &[0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1.0];
/// Bounds of `priority_level_seat_utilization`.
pub const SEAT_BOUNDS: &[f64] =
    &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];
/// Bounds of `read_vs_write_current_requests`.
pub const KIND_BOUNDS: &[f64] =
    &[0.0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0];

/// The ratios of a level.
#[derive(Debug)]
pub(crate) struct LevelRatios(Mutex<Histograms>);

#[derive(Debug)]
struct Histograms {
    /// Up to when they have counted.
    clock: Instant,
    demand: Ratio,
    waiting: Ratio,
    executing: Ratio,
    seats: Ratio,
}

impl Histograms {
    fn advance(&mut self, now: Instant) {
        let nanos = elapse(&mut self.clock, now);
        if nanos > 0 {
            self.demand.pass(nanos);
            self.waiting.pass(nanos);
            self.executing.pass(nanos);
            self.seats.pass(nanos);
        }
    }
}

/// What the ratios of a level have been.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelRatiosSnapshot {
    /// The level's name.
    pub priority_level: String,
    /// `demand_seats`.
    pub demand_seats: HistogramSnapshot,
    /// `priority_level_request_utilization` of phase `waiting`.
    pub waiting_requests: HistogramSnapshot,
    /// `priority_level_request_utilization` of phase `executing`.
    pub executing_requests: HistogramSnapshot,
    /// `priority_level_seat_utilization`.
    pub seats: HistogramSnapshot,
}

impl LevelRatios {
    pub(crate) fn new(now: Instant) -> Self {
        Self(Mutex::new(Histograms {
            clock: now,
            demand: Ratio::new(DEMAND_BOUNDS),
            waiting: Ratio::new(REQUEST_BOUNDS),
            executing: Ratio::new(REQUEST_BOUNDS),
            seats: Ratio::new(SEAT_BOUNDS),
        }))
    }

    pub(crate) fn set(&self, now: Instant, totals: &Totals) {
        let mut ratios = self.0.lock();
        ratios.advance(now);
        let demand = totals.seats_in_use + totals.seats_waiting;
        ratios.demand.set_numerator(demand as f64);
        ratios.waiting.set_numerator(totals.waiting as f64);
        ratios.executing.set_numerator(totals.executing as f64);
        ratios.seats.set_numerator(totals.seats_in_use as f64);
    }

    pub(crate) fn set_denominators(&self, now: Instant, waiting: u64, concurrency: u64) {
        let mut ratios = self.0.lock();
        ratios.advance(now);
        ratios.waiting.set_denominator(waiting as f64);
        let concurrency = concurrency as f64;
        ratios.demand.set_denominator(concurrency);
        ratios.executing.set_denominator(concurrency);
        ratios.seats.set_denominator(concurrency);
    }

    pub(crate) fn snapshot(&self, now: Instant, priority_level: &str) -> LevelRatiosSnapshot {
        let mut ratios = self.0.lock();
        ratios.advance(now);
        LevelRatiosSnapshot {
            priority_level: priority_level.to_owned(),
            demand_seats: ratios.demand.snapshot(),
            waiting_requests: ratios.waiting.snapshot(),
            executing_requests: ratios.executing.snapshot(),
            seats: ratios.seats.snapshot(),
        }
    }
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// In a queue.
    Waiting,
    /// Being served.
    Executing,
}

impl Phase {
    /// Both phases.
    pub const ALL: [Self; 2] = [Self::Waiting, Self::Executing];

    /// The value of the label `phase`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Executing => "executing",
        }
    }
}

/// The requests of the whole server, by phase and kind.
#[derive(Debug)]
pub struct InFlight {
    /// By kind: waiting, executing.
    counts: [[Mutex<Count>; 2]; 2],
}

#[derive(Debug)]
struct Count {
    now: u64,
    highest: u64,
    ratio: TimingHistogram,
}

impl InFlight {
    /// Nothing yet.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        let count = || {
            let ratio = TimingHistogram::new(KIND_BOUNDS, now);
            Mutex::new(Count { now: 0, highest: 0, ratio })
        };
        Self { counts: [[count(), count()], [count(), count()]] }
    }

    fn count(&self, phase: Phase, kind: RequestKind) -> &Mutex<Count> {
        let [waiting, executing] = &self.counts[kind.index()];
        match phase {
            Phase::Waiting => waiting,
            Phase::Executing => executing,
        }
    }

    pub(crate) fn enter(&self, now: Instant, phase: Phase, kind: RequestKind) {
        let mut count = self.count(phase, kind).lock();
        count.now += 1;
        count.note(now);
    }

    /// Requests that wait for no time at all count for the watermark only.
    pub(crate) fn pass(&self, phase: Phase, kind: RequestKind) {
        let mut count = self.count(phase, kind).lock();
        count.highest = count.highest.max(count.now + 1);
    }

    pub(crate) fn leave(&self, now: Instant, phase: Phase, kind: RequestKind) {
        let mut count = self.count(phase, kind).lock();
        count.now -= 1;
        count.note(now);
    }

    /// How many requests there are now.
    #[must_use]
    pub fn current(&self, phase: Phase, kind: RequestKind) -> u64 {
        self.count(phase, kind).lock().now
    }

    /// The most requests there were since the last call, for `current_inflight_requests` and
    /// `current_inqueue_requests`. As in the reference the watermark restarts from 0 and not from
    /// the present number.
    #[must_use]
    pub fn take_watermark(&self, phase: Phase, kind: RequestKind) -> u64 {
        std::mem::take(&mut self.count(phase, kind).lock().highest)
    }

    /// What `read_vs_write_current_requests` has been.
    #[must_use]
    pub fn snapshot(&self, now: Instant, phase: Phase, kind: RequestKind) -> HistogramSnapshot {
        self.count(phase, kind).lock().ratio.snapshot(now)
    }

    /// Sets what the ratios of a phase are relative to; the same for both kinds with Priority and
    /// Fairness, each kind's limit without.
    pub(crate) fn set_denominator(
        &self,
        now: Instant,
        phase: Phase,
        kind: RequestKind,
        denominator: u64,
    ) {
        let mut count = self.count(phase, kind).lock();
        count.ratio.set_denominator(now, denominator.max(1) as f64);
    }
}

impl Count {
    fn note(&mut self, now: Instant) {
        self.highest = self.highest.max(self.now);
        let numerator = self.now as f64;
        self.ratio.set_numerator(now, numerator);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::epoch;

    #[test]
    fn a_watermark_restarts_from_zero() {
        let now = epoch();
        let in_flight = InFlight::new(now);
        let (phase, kind) = (Phase::Executing, RequestKind::Mutating);
        in_flight.enter(now, phase, kind);
        in_flight.enter(now, phase, kind);
        in_flight.leave(now, phase, kind);
        assert_eq!(in_flight.take_watermark(phase, kind), 2);
        assert_eq!(in_flight.take_watermark(phase, kind), 0);
        in_flight.leave(now, phase, kind);
        assert_eq!(in_flight.current(phase, kind), 0);
        assert_eq!(in_flight.take_watermark(phase, RequestKind::ReadOnly), 0);
    }
}
