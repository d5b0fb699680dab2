//! What is in a queue set (spec: apf 9).

use std::time::Instant;

use super::request::{Phase, Request};
use super::{Place, QueueSet, Totals, WaitingSums};
use crate::estimate::WorkEstimate;
use crate::seat_seconds::SeatSeconds;

/// A queue set at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The running numbers.
    pub totals: Totals,
    /// The progress meter.
    pub progress: SeatSeconds,
    /// How many queues have waiting requests.
    pub queues_with_waiting: u64,
    /// The queue that was dispatched from last.
    pub robin_index: isize,
    /// How many requests have come to queues.
    pub enqueues: u64,
    /// The queues by index.
    pub queues: Vec<QueueView>,
}

/// A queue at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueView {
    /// Requests that wait.
    pub waiting: u64,
    /// Requests in their main phase.
    pub executing: u64,
    /// Seats occupied.
    pub seats_in_use: u64,
    /// When its oldest request is to start; stale if it is idle.
    pub next_dispatch: SeatSeconds,
    /// Sums over the waiting requests.
    pub sums: WaitingSums,
}

/// A request that waits or executes.
#[derive(Debug)]
pub struct RequestView<'a, T> {
    /// The index of its queue, if it has one.
    pub queue: Option<usize>,
    /// How many wait before it, if it waits.
    pub position: Option<usize>,
    /// When it came.
    pub arrived: Instant,
    /// When it began to execute.
    pub started: Option<Instant>,
    /// Its work, maybe narrowed.
    pub work: WorkEstimate,
    /// What the shell keeps with it.
    pub data: &'a T,
}

impl<T> QueueSet<T> {
    /// What there is.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let queues = self.queues.iter().map(|queue| QueueView {
            waiting: queue.waiting.len() as u64,
            executing: queue.executing,
            seats_in_use: queue.seats_in_use,
            next_dispatch: queue.next_dispatch,
            sums: queue.sums,
        });
        Snapshot {
            totals: self.totals,
            progress: self.progress,
            queues_with_waiting: self.occupied.len() as u64,
            robin_index: self.robin_index,
            enqueues: self.enqueues,
            queues: queues.collect(),
        }
    }

    /// The requests queue by queue, the waiting ones in their order and then the executing ones;
    /// and at last those that have no queue. Lingering ones are left out.
    #[must_use]
    pub fn requests(&self) -> Vec<RequestView<'_, T>> {
        let mut views = Vec::new();
        let mut executing: Vec<&Request<T>> = self.requests.iter().collect();
        executing.retain(|request| matches!(request.phase, Phase::Executing { .. }));
        executing.sort_by_key(|request| request.queue().unwrap_or(usize::MAX));
        let mut executing = executing.into_iter().peekable();
        for (index, queue) in self.queues.iter().enumerate() {
            let waiting = queue.waiting.iter().filter_map(|id| self.requests.get(*id));
            views.extend(
                waiting.enumerate().map(|(position, request)| request.view(Some(position))),
            );
            while let Some(request) = executing.next_if(|r| r.place == Place::Queue(index)) {
                views.push(request.view(None));
            }
        }
        views.extend(executing.map(|request| request.view(None)));
        views
    }
}

impl<T> Request<T> {
    fn view(&self, position: Option<usize>) -> RequestView<'_, T> {
        RequestView {
            queue: self.queue(),
            position,
            arrived: self.arrived,
            started: match self.phase {
                Phase::Executing { started } => Some(started),
                Phase::Waiting | Phase::Lingering => None,
            },
            work: self.work,
            data: &self.data,
        }
    }
}
