//! Requests come, and may go before their turn (spec: apf 7.5, 7.10).

use std::time::Instant;

use super::request::Phase;
use super::{Effect, Effects, Intake, Place, QueueSet, RejectReason, Request, RequestId};
use crate::estimate::WorkEstimate;
use crate::seat_seconds::SeatSeconds;
use crate::shuffle_shard::Dealer;

/// A request that comes.
#[derive(Debug)]
pub struct Arrival<T> {
    /// Its work.
    pub work: WorkEstimate,
    /// The hash of its flow.
    pub hash: u64,
    /// What the shell keeps with it.
    pub data: T,
}

/// What became of a request that came.
#[derive(Debug, PartialEq, Eq)]
pub enum Arrived<T> {
    /// It executes.
    Executing(RequestId),
    /// It waits.
    Queued(RequestId),
    /// It is not served.
    Rejected(RejectReason, T),
}

impl<T> QueueSet<T> {
    /// Takes a request.
    pub fn arrive(
        &mut self,
        now: Instant,
        arrival: Arrival<T>,
        effects: &mut Effects<T>,
    ) -> Arrived<T> {
        self.sync(now, effects);
        match self.configuration.intake {
            Intake::Queue { dealer, queue_length_limit } => {
                self.arrive_at_queue(now, arrival, dealer, queue_length_limit, effects)
            }
            Intake::Exempt | Intake::Reject => self.arrive_without_queue(now, arrival, effects),
        }
    }

    fn arrive_without_queue(
        &mut self,
        now: Instant,
        arrival: Arrival<T>,
        effects: &mut Effects<T>,
    ) -> Arrived<T> {
        let seats = arrival.work.max_seats();
        if !self.fits(seats) {
            self.totals.rejected += 1;
            return Arrived::Rejected(RejectReason::ConcurrencyLimit, arrival.data);
        }
        let phase = Phase::Executing { started: now };
        let total_work = arrival.work.total_work();
        let id = self.insert(now, arrival, total_work, Place::Queueless, phase);
        self.note_dispatch(seats);
        effects.push(Effect::Dispatched { id, seats_waited_for: None, seats });
        Arrived::Executing(id)
    }

    fn arrive_at_queue(
        &mut self,
        now: Instant,
        arrival: Arrival<T>,
        dealer: Dealer,
        queue_length_limit: u64,
        effects: &mut Effects<T>,
    ) -> Arrived<T> {
        let index = self.choose_queue(dealer, arrival.hash);
        let queue_length = self.queues.get(index).map_or(0, |queue| queue.waiting.len() as u64);
        let no_seat = self.totals.seats_in_use >= self.configuration.concurrency_limit;
        let outcome = if no_seat && queue_length >= queue_length_limit {
            self.totals.rejected += 1;
            Err(arrival.data)
        } else {
            let id = self.enqueue(now, arrival, index);
            effects.push(Effect::Enqueued { id, queue_length: queue_length + 1 });
            Ok(id)
        };
        self.bound_next_dispatch(index);
        self.dispatch(now, effects);
        match outcome {
            Err(data) => Arrived::Rejected(RejectReason::QueueFull, data),
            Ok(id) if self.is_waiting(id) => Arrived::Queued(id),
            Ok(id) => Arrived::Executing(id),
        }
    }

    /// The queue of the flow's hand with the least waiting work. Arrivals start at different cards
    /// so that equal queues are used alike.
    fn choose_queue(&mut self, dealer: Dealer, hash: u64) -> usize {
        let hand = dealer.deal(hash);
        let cards = hand.cards();
        let offset = (self.enqueues % cards.len() as u64) as usize;
        self.enqueues += 1;
        let (before, after) = cards.split_at(offset);
        let rotated = after.iter().chain(before).map(|card| *card as usize);
        let work = |index: &usize| self.queues.get(*index).map(|queue| queue.sums.total_work);
        rotated.min_by_key(work).unwrap_or_default()
    }

    fn enqueue(&mut self, now: Instant, arrival: Arrival<T>, index: usize) -> RequestId {
        let work = arrival.work;
        let total_work = work.total_work();
        let id = self.insert(now, arrival, total_work, Place::Queue(index), Phase::Waiting);
        let progress = self.progress;
        self.change_queue(index, |queue| {
            if !queue.is_active() {
                queue.next_dispatch = progress;
            }
            queue.waiting.push_back(id);
            queue.sums.add(&work, total_work);
        });
        self.totals.waiting += 1;
        self.totals.seats_waiting += work.max_seats();
        id
    }

    fn insert(
        &mut self,
        now: Instant,
        arrival: Arrival<T>,
        total_work: SeatSeconds,
        place: Place,
        phase: Phase,
    ) -> RequestId {
        self.requests.insert(Request {
            work: arrival.work,
            total_work,
            arrived: now,
            arrival_progress: self.progress,
            phase,
            place,
            data: arrival.data,
        })
    }

    /// Whether a request waits.
    pub(crate) fn is_waiting(&self, id: RequestId) -> bool {
        self.requests.get(id).is_some_and(|request| request.phase == Phase::Waiting)
    }

    /// Takes a request out of its queue unserved, and gives back what the shell kept with it;
    /// `None` if it does not wait (any more).
    pub fn cancel(&mut self, now: Instant, id: RequestId, effects: &mut Effects<T>) -> Option<T> {
        self.sync(now, effects);
        if !self.is_waiting(id) {
            return None;
        }
        let request = self.requests.remove(id)?;
        if let Some(index) = request.queue() {
            self.change_queue(index, |queue| {
                queue.waiting.retain(|other| *other != id);
                queue.sums.subtract(&request.work, request.total_work);
            });
            self.bound_next_dispatch(index);
        }
        self.totals.waiting -= 1;
        self.totals.seats_waiting -= request.work.max_seats();
        self.totals.rejected += 1;
        self.totals.cancelled += 1;
        Some(request.data)
    }
}
