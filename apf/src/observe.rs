//! Who wants to know what happens: one call for each moment at which a metric moves
//! (spec: apf 10).
//!
//! Handles are asked for once, at a digestion, and kept. All calls come with locks held: they must
//! return at once and not call back. The moving ratios are not among them, see [`crate::ratios`].
//! What every request moves but only its last value counts is told when somebody is about to look,
//! see [`crate::controller::FlowController::tell_progress`].

use std::sync::Arc;
use std::time::Duration;

use crate::borrowing::AdjustedLevel;
use crate::config::Limits;
use crate::integrator::SeatDemandStatistics;
use crate::queueset::{DispatchOrder, RejectReason};
use crate::seat_seconds::SeatSeconds;

/// Wants to know about everything.
pub trait Observer: Send + Sync + 'static {
    /// Wants to know about a level.
    fn level(&self, _priority_level: &str) -> Arc<dyn LevelObserver> {
        Arc::new(Unobserved)
    }

    /// Wants to know about the requests of a FlowSchema on a level.
    fn flow(&self, _priority_level: &str, _flow_schema: &str) -> Arc<dyn FlowObserver> {
        Arc::new(Unobserved)
    }

    /// Seats were lent and borrowed anew (`seat_fair_frac`).
    fn seat_fair_frac(&self, _fraction: f64) {}
}

/// Wants to know about a level.
pub trait LevelObserver: Send + Sync + 'static {
    /// A digestion set the limits (`nominal_limit_seats`, `lower_limit_seats`,
    /// `upper_limit_seats`).
    fn limited(&self, _limits: &Limits) {}

    /// Seats were lent and borrowed anew (`current_limit_seats`, `target_seats`,
    /// `demand_seats_*`).
    fn adjusted(&self, _level: &AdjustedLevel, _demand: &SeatDemandStatistics) {}

    /// What the progress meter reads (`current_r`). Told before somebody looks.
    fn progressed(&self, _progress: SeatSeconds) {}

    /// How the last queue that was dispatched from was chosen (`dispatch_r`, `latest_s`,
    /// `next_s_bounds`, `next_discounted_s_bounds`). Told before somebody looks.
    fn ordered(&self, _order: &DispatchOrder) {}

    /// The progress meter was wound back (`epoch_advance_total`).
    fn epoch_advanced(&self, _success: bool) {}
}

/// Wants to know about the requests of a FlowSchema on a level.
pub trait FlowObserver: Send + Sync + 'static {
    /// A request was classified and its work estimated (`work_estimated_seats`).
    fn estimated(&self, _max_seats: u64) {}

    /// Watches that hear of a mutating request were counted (`watch_count_samples`).
    fn watches_counted(&self, _watches: u64) {}

    /// A request came to a queue (`request_queue_length_after_enqueue`), be it that it executes at
    /// once. The length of its queue has it included.
    fn queued(&self, _queue_length: u64) {}

    /// A request began to wait (`current_inqueue_*`).
    fn enqueued(&self, _seats: u64) {}

    /// A request waits no more (`current_inqueue_*`). The seats are those told before.
    fn dequeued(&self, _seats: u64) {}

    /// It was a request's turn and it did not fit (`request_dispatch_no_accommodation_total`).
    fn not_accommodated(&self) {}

    /// A request began to execute (`current_executing_*`, `dispatched_requests_total`).
    fn dispatched(&self, _seats: u64) {}

    /// A request that is not exempt was decided about (`request_wait_duration_seconds`). As in the
    /// reference, those that waited and timed out count as executed, only those rejected at once
    /// do not **\[quirk\]**.
    fn waited(&self, _duration: Duration, _execute: bool) {}

    /// A request was rejected (`rejected_requests_total`).
    fn rejected(&self, _reason: RejectReason) {}

    /// A request's main phase is over (`current_executing_requests`,
    /// `request_execution_seconds`).
    fn executed(&self, _execution: ExecutionType, _duration: Duration) {}

    /// A request's seats are free (`current_executing_seats`).
    fn seats_freed(&self, _seats: u64) {}
}

/// What kind of execution a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExecutionType {
    /// It executes until it is answered.
    Regular,
    /// It executes until its initial events are delivered, and goes on without seats.
    Watch,
}

impl ExecutionType {
    /// The execution of a request with this verb.
    #[must_use]
    pub fn of_verb(verb: &str) -> Self {
        if verb == "watch" { Self::Watch } else { Self::Regular }
    }

    /// The value of the label `type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "regular",
            Self::Watch => "watch",
        }
    }
}

/// Does not want to know.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}
impl LevelObserver for Unobserved {}
impl FlowObserver for Unobserved {}
