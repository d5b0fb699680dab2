//! An observer that counts everything it hears.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::observe::{ExecutionType, FlowObserver, LevelObserver, Observer};
use crate::queueset::RejectReason;

/// Numbers by metric, over all flows and levels, and what happened in order.
#[derive(Debug, Default, Clone)]
pub(crate) struct CountingObserver(Arc<Mutex<Heard>>);

#[derive(Debug, Default)]
struct Heard {
    numbers: BTreeMap<&'static str, i64>,
    events: Vec<String>,
}

const GAUGES: [&str; 4] =
    ["inqueue_requests", "inqueue_seats", "executing_requests", "executing_seats"];

impl CountingObserver {
    fn add(&self, name: &'static str, change: i64) {
        *self.0.lock().numbers.entry(name).or_default() += change;
    }

    fn event(&self, event: impl Into<String>) {
        self.0.lock().events.push(event.into());
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.0.lock().numbers.get(name).copied().unwrap_or_default()
    }

    /// What happened since the last call.
    pub(crate) fn take_events(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().events)
    }

    pub(crate) fn assert_gauges_are_zero(&self) {
        for gauge in GAUGES {
            assert_eq!(self.number(gauge), 0, "{gauge}");
        }
    }
}

impl Observer for CountingObserver {
    fn level(&self, _priority_level: &str) -> Arc<dyn LevelObserver> {
        Arc::new(self.clone())
    }

    fn flow(&self, _priority_level: &str, _flow_schema: &str) -> Arc<dyn FlowObserver> {
        Arc::new(self.clone())
    }
}

impl LevelObserver for CountingObserver {}

impl FlowObserver for CountingObserver {
    fn estimated(&self, max_seats: u64) {
        self.add("estimated", 1);
        self.event(format!("estimated {max_seats}"));
    }

    fn watches_counted(&self, watches: u64) {
        self.event(format!("watches {watches}"));
    }

    fn queued(&self, queue_length: u64) {
        self.event(format!("queued {queue_length}"));
    }

    fn enqueued(&self, seats: u64) {
        self.add("inqueue_requests", 1);
        self.add("inqueue_seats", seats.cast_signed());
        self.event(format!("enqueued {seats}"));
    }

    fn dequeued(&self, seats: u64) {
        self.add("inqueue_requests", -1);
        self.add("inqueue_seats", -seats.cast_signed());
        self.event(format!("dequeued {seats}"));
    }

    fn dispatched(&self, seats: u64) {
        self.add("dispatched", 1);
        self.add("executing_requests", 1);
        self.add("executing_seats", seats.cast_signed());
        self.event(format!("dispatched {seats}"));
    }

    fn waited(&self, duration: Duration, execute: bool) {
        self.event(format!("waited {duration:?} {execute}"));
    }

    fn rejected(&self, reason: RejectReason) {
        self.add("rejected", 1);
        self.event(format!("rejected {}", reason.as_str()));
    }

    fn executed(&self, execution: ExecutionType, duration: Duration) {
        self.add("executing_requests", -1);
        self.event(format!("executed {} {duration:?}", execution.as_str()));
    }

    fn seats_freed(&self, seats: u64) {
        self.add("executing_seats", -seats.cast_signed());
        self.event(format!("freed {seats}"));
    }
}
