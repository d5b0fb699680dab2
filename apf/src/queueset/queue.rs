//! One queue of a queue set (spec: apf 7.3).

use std::collections::VecDeque;

use super::slab::RequestId;
use crate::estimate::WorkEstimate;
use crate::seat_seconds::SeatSeconds;

/// Requests that wait, oldest first, and what goes on in their name.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) waiting: VecDeque<RequestId>,
    pub(super) sums: WaitingSums,
    /// The reading of the progress meter at which the oldest request would start if each queue had
    /// a server of its own.
    pub(super) next_dispatch: SeatSeconds,
    /// How many of its requests are in their main phase.
    pub(super) executing: u64,
    /// The seats its requests occupy, those that linger included.
    pub(super) seats_in_use: u64,
}

/// Sums over the waiting requests of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitingSums {
    /// Of their initial seats.
    pub initial_seats: u64,
    /// Of the seats they occupy throughout.
    pub max_seats: u64,
    /// Of their work.
    pub total_work: SeatSeconds,
}

impl Queue {
    /// Whether it takes part in sharing the seats.
    pub(super) fn is_active(&self) -> bool {
        !self.waiting.is_empty() || self.executing > 0
    }
}

impl WaitingSums {
    pub(super) fn add(&mut self, work: &WorkEstimate, total_work: SeatSeconds) {
        self.initial_seats += work.initial_seats;
        self.max_seats += work.max_seats();
        self.total_work = self.total_work.plus(total_work);
    }

    pub(super) fn subtract(&mut self, work: &WorkEstimate, total_work: SeatSeconds) {
        self.initial_seats -= work.initial_seats;
        self.max_seats -= work.max_seats();
        self.total_work = self.total_work.minus(total_work);
    }
}
