//! One request of a queue set (spec: apf 7.3).

use std::time::Instant;

use crate::estimate::WorkEstimate;
use crate::seat_seconds::SeatSeconds;

#[derive(Debug)]
pub(super) struct Request<T> {
    /// Seats and latency as they are, maybe narrowed to the limit.
    pub(super) work: WorkEstimate,
    /// All its work, which narrowing does not change.
    pub(super) total_work: SeatSeconds,
    pub(super) arrived: Instant,
    /// The reading of the progress meter when it arrived.
    pub(super) arrival_progress: SeatSeconds,
    pub(super) phase: Phase,
    pub(super) place: Place,
    pub(super) data: T,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Waiting,
    Executing { started: Instant },
    Lingering,
}

/// Where a request belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// To no queue.
    Queueless,
    /// To the queue of this index.
    Queue(usize),
    /// To a queue that is gone.
    RemovedQueue,
}

impl<T> Request<T> {
    pub(super) fn arrival_progress_if_waiting(&mut self) -> Option<&mut SeatSeconds> {
        (self.phase == Phase::Waiting).then_some(&mut self.arrival_progress)
    }

    pub(super) fn queue(&self) -> Option<usize> {
        match self.place {
            Place::Queue(index) => Some(index),
            Place::Queueless | Place::RemovedQueue => None,
        }
    }
}
