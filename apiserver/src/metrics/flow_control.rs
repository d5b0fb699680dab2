//! Counts what flow control does.

use std::sync::Arc;
use std::time::Duration;

use apf::borrowing::AdjustedLevel;
use apf::config::Limits;
use apf::integrator::SeatDemandStatistics;
use apf::observe::{ExecutionType, FlowObserver, LevelObserver, Observer};
use apf::queueset::{DispatchOrder, RejectReason};
use apf::seat_seconds::SeatSeconds;
use prometheus_client::metrics::histogram::Histogram;

use super::families::{Counter, Families, Gauge, Labels, Series};

fn full(name: &str) -> String {
    format!("apiserver_flowcontrol_{name}")
}

/// Counts for the metrics.
pub struct FlowControlObserver {
    families: Arc<Families>,
    seat_fair_frac: Series<Gauge>,
}

impl FlowControlObserver {
    pub(super) fn new(families: Arc<Families>) -> Self {
        let seat_fair_frac = families.gauge(&full("seat_fair_frac"), Labels::new());
        Self { families, seat_fair_frac }
    }
}

impl Observer for FlowControlObserver {
    fn level(&self, priority_level: &str) -> Arc<dyn LevelObserver> {
        Arc::new(Level::new(&self.families, priority_level))
    }

    fn flow(&self, priority_level: &str, flow_schema: &str) -> Arc<dyn FlowObserver> {
        Arc::new(Flow::new(&self.families, priority_level, flow_schema))
    }

    fn seat_fair_frac(&self, fraction: f64) {
        self.seat_fair_frac.get().set(fraction);
    }
}

struct Level {
    nominal: Series<Gauge>,
    lower: Series<Gauge>,
    upper: Series<Gauge>,
    current: Series<Gauge>,
    target: Series<Gauge>,
    /// High watermark, average, standard deviation, smoothed.
    demand: [Series<Gauge>; 4],
    progress: Series<Gauge>,
    dispatch_progress: Series<Gauge>,
    latest_start: Series<Gauge>,
    /// Least and greatest.
    next_starts: [Series<Gauge>; 2],
    /// Least and greatest.
    next_discounted_starts: [Series<Gauge>; 2],
    /// By success: no, yes.
    epochs: [Series<Counter>; 2],
}

impl Level {
    fn new(families: &Families, level: &str) -> Self {
        let labels = |further: Option<(&'static str, &str)>| {
            let mut labels: Labels = vec![("priority_level", level.to_owned())];
            labels.extend(further.map(|(name, value)| (name, value.to_owned())));
            labels.sort_unstable();
            labels
        };
        let gauge = |name: &str| families.gauge(&full(name), labels(None));
        let bounds = |name: &str| {
            ["min", "max"].map(|bound| families.gauge(&full(name), labels(Some(("bound", bound)))))
        };
        let epochs = |success| {
            families.counter(&full("epoch_advance_total"), labels(Some(("success", success))))
        };
        Self {
            nominal: gauge("nominal_limit_seats"),
            lower: gauge("lower_limit_seats"),
            upper: gauge("upper_limit_seats"),
            current: gauge("current_limit_seats"),
            target: gauge("target_seats"),
            demand: ["high_watermark", "average", "stdev", "smoothed"]
                .map(|part| gauge(&format!("demand_seats_{part}"))),
            progress: gauge("current_r"),
            dispatch_progress: gauge("dispatch_r"),
            latest_start: gauge("latest_s"),
            next_starts: bounds("next_s_bounds"),
            next_discounted_starts: bounds("next_discounted_s_bounds"),
            epochs: ["false", "true"].map(epochs),
        }
    }
}

/// Seats as a gauge has them; exact up to 2^53.
#[expect(clippy::cast_precision_loss, reason = "gauges are floating point numbers")]
const fn float(seats: u64) -> f64 {
    seats as f64
}

impl LevelObserver for Level {
    fn limited(&self, limits: &Limits) {
        self.nominal.get().set(float(limits.nominal));
        self.lower.get().set(float(limits.min));
        self.upper.get().set(float(limits.max));
    }

    fn adjusted(&self, level: &AdjustedLevel, demand: &SeatDemandStatistics) {
        self.current.get().set(float(level.current));
        self.target.get().set(level.target);
        let parts =
            [float(demand.high_watermark), demand.average, demand.deviation, demand.smoothed];
        for (series, value) in self.demand.iter().zip(parts) {
            series.get().set(value);
        }
    }

    fn progressed(&self, progress: SeatSeconds) {
        self.progress.get().set(progress.as_f64());
    }

    fn ordered(&self, order: &DispatchOrder) {
        self.dispatch_progress.get().set(order.progress.as_f64());
        self.latest_start.get().set(order.chosen.as_f64());
        let pairs = [
            (&self.next_starts, order.starts),
            (&self.next_discounted_starts, order.discounted_starts),
        ];
        for ([least, greatest], bounds) in pairs {
            least.get().set(bounds.min.as_f64());
            greatest.get().set(bounds.max.as_f64());
        }
    }

    fn epoch_advanced(&self, success: bool) {
        self.epochs[usize::from(success)].get().inc();
    }
}

struct Flow {
    estimated: Series<Histogram>,
    watches: Series<Histogram>,
    waiting: Series<Gauge>,
    waiting_seats: Series<Gauge>,
    queue_length: Series<Histogram>,
    not_accommodated: Series<Counter>,
    executing: Series<Gauge>,
    executing_seats: Series<Gauge>,
    dispatched: Series<Counter>,
    /// By whether they execute: no, yes.
    waited: [Series<Histogram>; 2],
    /// By reason.
    rejected: Vec<(RejectReason, Series<Counter>)>,
    /// By type.
    executed: [(ExecutionType, Series<Histogram>); 2],
}

const REASONS: [RejectReason; 3] =
    [RejectReason::QueueFull, RejectReason::ConcurrencyLimit, RejectReason::TimeOut];

impl Flow {
    fn new(families: &Families, level: &str, schema: &str) -> Self {
        let labels = |further: Option<(&'static str, &str)>| {
            let mut labels: Labels =
                vec![("flow_schema", schema.to_owned()), ("priority_level", level.to_owned())];
            labels.extend(further.map(|(name, value)| (name, value.to_owned())));
            labels.sort_unstable();
            labels
        };
        let gauge = |name: &str| families.gauge(&full(name), labels(None));
        let counter = |name: &str| families.counter(&full(name), labels(None));
        let histogram = |name: &str, further| families.histogram(&full(name), labels(further));
        let executed = |execution: ExecutionType| {
            let further = Some(("type", execution.as_str()));
            (execution, histogram("request_execution_seconds", further))
        };
        let rejected = |reason: RejectReason| {
            let labels = labels(Some(("reason", reason.as_str())));
            (reason, families.counter(&full("rejected_requests_total"), labels))
        };
        Self {
            estimated: histogram("work_estimated_seats", None),
            watches: histogram("watch_count_samples", None),
            waiting: gauge("current_inqueue_requests"),
            waiting_seats: gauge("current_inqueue_seats"),
            queue_length: histogram("request_queue_length_after_enqueue", None),
            not_accommodated: counter("request_dispatch_no_accommodation_total"),
            executing: gauge("current_executing_requests"),
            executing_seats: gauge("current_executing_seats"),
            dispatched: counter("dispatched_requests_total"),
            waited: ["false", "true"].map(|execute| {
                histogram("request_wait_duration_seconds", Some(("execute", execute)))
            }),
            rejected: REASONS.map(rejected).into(),
            executed: [executed(ExecutionType::Regular), executed(ExecutionType::Watch)],
        }
    }
}

impl FlowObserver for Flow {
    fn estimated(&self, max_seats: u64) {
        self.estimated.get().observe(float(max_seats));
    }

    fn watches_counted(&self, watches: u64) {
        self.watches.get().observe(float(watches));
    }

    fn queued(&self, queue_length: u64) {
        // These are there from now on, even if nothing ever waits.
        let (_, _) = (self.waiting.get(), self.waiting_seats.get());
        self.queue_length.get().observe(float(queue_length));
    }

    fn enqueued(&self, seats: u64) {
        self.waiting.get().inc();
        self.waiting_seats.get().inc_by(float(seats));
    }

    fn dequeued(&self, seats: u64) {
        self.waiting.get().dec();
        self.waiting_seats.get().dec_by(float(seats));
    }

    fn not_accommodated(&self) {
        self.not_accommodated.get().inc();
    }

    fn dispatched(&self, seats: u64) {
        self.executing.get().inc();
        self.executing_seats.get().inc_by(float(seats));
        self.dispatched.get().inc();
    }

    fn waited(&self, duration: Duration, execute: bool) {
        self.waited[usize::from(execute)].get().observe(duration.as_secs_f64());
    }

    fn rejected(&self, reason: RejectReason) {
        if let Some((_, series)) = self.rejected.iter().find(|(known, _)| *known == reason) {
            series.get().inc();
        }
    }

    fn executed(&self, execution: ExecutionType, duration: Duration) {
        self.executing.get().dec();
        if let Some((_, series)) = self.executed.iter().find(|(known, _)| *known == execution) {
            series.get().observe(duration.as_secs_f64());
        }
    }

    fn seats_freed(&self, seats: u64) {
        self.executing_seats.get().dec_by(float(seats));
    }
}
