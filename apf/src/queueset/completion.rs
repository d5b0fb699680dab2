//! Requests end and free their seats, at once or later (spec: apf 7.9, 7.11).

use std::time::Instant;

use super::request::Phase;
use super::{Effect, Effects, Intake, Place, QueueSet, RequestId};
use crate::estimate::ESTIMATED_SERVICE_DURATION;
use crate::seat_seconds::SeatSeconds;

/// What the end of a request's main phase did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// Nothing: the request does not execute (any more).
    NotExecuting,
    /// Its seats are free.
    SeatsFreed,
    /// Its seats stay occupied until then; [`QueueSet::advance`] has to be called.
    Lingering {
        /// The moment they are to be freed.
        until: Instant,
    },
}

impl<T> QueueSet<T> {
    /// A request's main phase is over.
    pub fn finish(&mut self, now: Instant, id: RequestId, effects: &mut Effects<T>) -> Finished {
        self.sync(now, effects);
        let Some(request) = self.requests.get_mut(id) else { return Finished::NotExecuting };
        let Phase::Executing { started } = request.phase else { return Finished::NotExecuting };
        request.phase = Phase::Lingering;
        let (work, queue) = (request.work, request.queue());
        self.totals.executing -= 1;
        if let Some(index) = queue {
            let took = now.saturating_duration_since(started);
            let seats = work.initial_seats as f64;
            let overestimate = SeatSeconds::of_difference(seats, ESTIMATED_SERVICE_DURATION, took);
            self.change_queue(index, |queue| {
                queue.executing -= 1;
                queue.next_dispatch = queue.next_dispatch.minus(overestimate);
            });
            self.bound_next_dispatch(index);
        }
        let finished = if work.additional_latency.is_zero() {
            self.free_seats(id, effects);
            Finished::SeatsFreed
        } else {
            let until = now + work.additional_latency;
            self.lingering_counter += 1;
            self.lingering.insert((until, self.lingering_counter), id);
            Finished::Lingering { until }
        };
        self.dispatch(now, effects);
        finished
    }

    /// Frees the lingering seats whose time has come.
    pub fn advance(&mut self, now: Instant, effects: &mut Effects<T>) {
        while let Some(entry) = self.lingering.first_entry().filter(|entry| entry.key().0 <= now) {
            let id = entry.remove();
            self.sync(now, effects);
            self.free_seats(id, effects);
            self.dispatch(now, effects);
        }
    }

    fn free_seats(&mut self, id: RequestId, effects: &mut Effects<T>) {
        let Some(request) = self.requests.remove(id) else { return };
        let seats = request.work.max_seats();
        self.totals.seats_in_use -= seats;
        if let Some(index) = request.queue() {
            let active = self.change_queue(index, |queue| {
                queue.seats_in_use -= seats;
                queue.is_active()
            });
            if active == Some(false) && self.queues.len() > self.wanted_queues() {
                self.remove_queue(index);
            }
        }
        effects.push(Effect::SeatsFreed { data: request.data, seats });
    }

    pub(super) fn wanted_queues(&self) -> usize {
        match self.configuration.intake {
            Intake::Exempt | Intake::Reject => 0,
            Intake::Queue { dealer, .. } => dealer.deck_size() as usize,
        }
    }

    /// Removes a queue without waiting or executing requests; those after it move down. Some of
    /// its requests may still linger.
    fn remove_queue(&mut self, removed: usize) {
        let queue = self.queues.remove(removed);
        self.queues_seats_in_use -= queue.seats_in_use;
        let robin_moves = self.robin_index >= removed.cast_signed();
        self.robin_index -= isize::from(robin_moves);
        self.occupied.move_down_after(removed);
        for request in self.requests.values_mut() {
            request.place = match request.place {
                Place::Queue(index) if index == removed => Place::RemovedQueue,
                Place::Queue(index) => Place::Queue(index - usize::from(index > removed)),
                other => other,
            };
        }
    }
}
