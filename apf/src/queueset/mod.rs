//! The queues of one priority level: fair queuing in virtual time (spec: apf 7).
//!
//! Pure: told the time, and answers what happened. A shell around it wakes the waiting.
//!
//! Of the reference's quirks
//! - seats waiting leak when a request is narrowed as it is dispatched: not here, what was added is
//!   subtracted;
//! - an index may name the wrong queue after another was removed, and a request that lingers may
//!   then remove an unrelated queue: not here, requests of a removed queue know that it is gone;
//! - the discounted bounds of a dispatch wrap when a queue has more seats in use than progress:
//!   kept, they are only reported.

mod arrival;
mod completion;
mod dispatch;
mod effect;
mod inspect;
mod occupied;
mod queue;
mod reconfigure;
mod request;
mod slab;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use self::occupied::Occupied;
use self::queue::Queue;
use self::request::{Phase, Place, Request};
use self::slab::Slab;
use crate::seat_seconds::SeatSeconds;
use crate::shuffle_shard::Dealer;

pub use self::arrival::{Arrival, Arrived};
pub use self::completion::Finished;
pub use self::effect::{Bounds, DispatchOrder, Effect, Effects, RejectReason};
pub use self::inspect::{QueueView, RequestView, Snapshot};
pub use self::queue::WaitingSums;
pub use self::slab::RequestId;

/// How arrivals are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intake {
    /// Every request executes at once.
    Exempt,
    /// Requests that find no seats are rejected.
    Reject,
    /// Requests that find no seats wait.
    Queue {
        /// Deals each flow its queues; its deck are all the queues wanted.
        dealer: Dealer,
        /// How many requests may wait in a queue while all seats are taken.
        queue_length_limit: u64,
    },
}

/// The configuration of a queue set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Configuration {
    /// How arrivals are taken.
    pub intake: Intake,
    /// CurrentCL: how many seats there are. Exempt requests do not heed it.
    pub concurrency_limit: u64,
}

/// Running numbers of a queue set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Requests that wait.
    pub waiting: u64,
    /// Requests in their main phase.
    pub executing: u64,
    /// Seats occupied, those that linger included.
    pub seats_in_use: u64,
    /// Seats that the waiting requests will occupy.
    pub seats_waiting: u64,
    /// Requests that have been dispatched so far.
    pub dispatched: u64,
    /// Requests that have been rejected so far, the cancelled ones included.
    pub rejected: u64,
    /// Requests that left their queue unserved so far.
    pub cancelled: u64,
}

/// The queues and requests of one priority level. `T` is what the shell keeps with each request.
#[derive(Debug)]
pub struct QueueSet<T> {
    configuration: Configuration,
    /// The last limit there was; it outlives the queues it was for.
    queue_length_limit: u64,
    requests: Slab<Request<T>>,
    queues: Vec<Queue>,
    /// The indexes of the queues in which requests wait.
    occupied: Occupied,
    active_queues: u64,
    /// The seats in use of all queues; requests without queue do not count.
    queues_seats_in_use: u64,
    totals: Totals,
    lingering: BTreeMap<(Instant, u64), RequestId>,
    lingering_counter: u64,
    progress: SeatSeconds,
    synced: Instant,
    /// The queue that was dispatched from last; -1 if the queue 0 that was is gone.
    robin_index: isize,
    enqueues: u64,
}

impl<T> QueueSet<T> {
    /// An empty queue set.
    #[must_use]
    pub fn new(now: Instant, configuration: Configuration) -> Self {
        let mut set = Self {
            configuration,
            queue_length_limit: 0,
            requests: Slab::new(),
            queues: Vec::new(),
            occupied: Occupied::default(),
            active_queues: 0,
            queues_seats_in_use: 0,
            totals: Totals::default(),
            lingering: BTreeMap::new(),
            lingering_counter: 0,
            progress: SeatSeconds::ZERO,
            synced: now,
            robin_index: 0,
            enqueues: 0,
        };
        set.apply(configuration);
        set
    }

    /// Whether nothing waits or executes. Lingering seats do not count.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.totals.waiting == 0 && self.totals.executing == 0
    }

    /// The running numbers.
    #[must_use]
    pub const fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The reading of the progress meter when it was last brought up to date.
    #[must_use]
    pub const fn progress(&self) -> SeatSeconds {
        self.progress
    }

    /// What the shell keeps with a request.
    pub fn data_mut(&mut self, id: RequestId) -> Option<&mut T> {
        self.requests.get_mut(id).map(|request| &mut request.data)
    }

    /// What the shell keeps with a request, and the seats it occupies throughout.
    pub fn data_and_seats(&self, id: RequestId) -> Option<(&T, u64)> {
        self.requests.get(id).map(|request| (&request.data, request.work.max_seats()))
    }

    /// What the shell keeps with a request in its main phase, and when that began.
    pub(crate) fn executing(&self, id: RequestId) -> Option<(&T, Instant)> {
        let request = self.requests.get(id)?;
        match request.phase {
            Phase::Executing { started } => Some((&request.data, started)),
            Phase::Waiting | Phase::Lingering => None,
        }
    }

    /// Whether every request executes at once.
    #[must_use]
    pub fn is_exempt(&self) -> bool {
        self.configuration.intake == Intake::Exempt
    }

    /// The moment at which [`Self::advance`] has something to do.
    #[must_use]
    pub fn next_event(&self) -> Option<Instant> {
        self.lingering.keys().next().map(|(at, _)| *at)
    }

    /// Brings the progress meter up to date (spec: apf 7.4).
    fn sync(&mut self, now: Instant, effects: &mut Effects<T>) {
        let elapsed = now.saturating_duration_since(self.synced);
        self.synced = self.synced.max(now);
        if self.active_queues == 0 || elapsed.is_zero() {
            return;
        }
        let requested = self.queues_seats_in_use + self.totals.seats_waiting;
        let seats = requested.min(self.configuration.concurrency_limit);
        let rate = seats as f64 / self.active_queues as f64;
        self.progress = self.progress.plus(SeatSeconds::new(rate, elapsed));
        if self.progress >= SeatSeconds::EPOCH_END {
            let success = self.advance_epoch();
            effects.push(Effect::EpochAdvanced { success });
        }
    }

    /// Winds all meters back before they overflow.
    fn advance_epoch(&mut self) -> bool {
        let mut success = self.progress.wind_back();
        for queue in &mut self.queues {
            if queue.is_active() {
                success &= queue.next_dispatch.wind_back();
            } else {
                queue.next_dispatch = SeatSeconds::ZERO;
            }
        }
        for request in self.requests.values_mut() {
            if let Some(arrival) = request.arrival_progress_if_waiting() {
                success &= arrival.wind_back();
            }
        }
        success
    }

    /// Changes a queue and keeps what is known about all queues in step.
    fn change_queue<R>(&mut self, index: usize, change: impl FnOnce(&mut Queue) -> R) -> Option<R> {
        let queue = self.queues.get_mut(index)?;
        let (was_active, had_seats) = (queue.is_active(), queue.seats_in_use);
        let was_occupied = !queue.waiting.is_empty();
        let result = change(queue);
        self.active_queues += u64::from(queue.is_active());
        self.active_queues -= u64::from(was_active);
        self.queues_seats_in_use += queue.seats_in_use;
        self.queues_seats_in_use -= had_seats;
        match (was_occupied, !queue.waiting.is_empty()) {
            (false, true) => self.occupied.insert(index),
            (true, false) => self.occupied.remove(index),
            (false, false) | (true, true) => {}
        }
        Some(result)
    }

    /// Keeps a flow from saving up seats it could not use: a queue does not start before its
    /// oldest request arrived (spec: apf 7.8).
    fn bound_next_dispatch(&mut self, index: usize) {
        let Some(queue) = self.queues.get_mut(index) else { return };
        let oldest = queue.waiting.front().and_then(|id| self.requests.get(*id));
        if let Some(oldest) = oldest {
            queue.next_dispatch = queue.next_dispatch.max(oldest.arrival_progress);
        }
    }

    /// Whether a request of so many seats may execute now (spec: apf 7.6).
    fn fits(&self, seats: u64) -> bool {
        let limit = self.configuration.concurrency_limit;
        if self.configuration.intake == Intake::Exempt {
            true
        } else if seats > limit {
            self.totals.executing == 0
        } else {
            self.totals.seats_in_use + seats <= limit
        }
    }
}
