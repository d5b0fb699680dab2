//! Whose turn it is (spec: apf 7.7).

use std::time::Instant;

use super::request::Phase;
use super::{Bounds, DispatchOrder, Effect, Effects, QueueSet, RequestId};
use crate::estimate::ESTIMATED_SERVICE_DURATION;
use crate::seat_seconds::SeatSeconds;

/// The queue whose turn it is.
struct Choice {
    index: usize,
    id: RequestId,
    finish: SeatSeconds,
}

impl<T> QueueSet<T> {
    /// Starts as many waiting requests as fit. Nobody overtakes a request whose turn it is.
    pub(super) fn dispatch(&mut self, now: Instant, effects: &mut Effects<T>) {
        while self.totals.waiting > 0
            && self.totals.seats_in_use < self.configuration.concurrency_limit
            && self.dispatch_one(now, effects)
        {}
    }

    fn dispatch_one(&mut self, now: Instant, effects: &mut Effects<T>) -> bool {
        let Some((choice, order)) = self.choose_request() else { return false };
        let Some(seats) = self.requests.get(choice.id).map(|r| r.work.max_seats()) else {
            return false;
        };
        if !self.fits(seats) {
            effects.push(Effect::NotAccommodated { id: choice.id });
            return false;
        }
        effects.push(Effect::Ordered(order));
        self.robin_index = choice.index.cast_signed();
        self.start(now, &choice, effects);
        self.bound_next_dispatch(choice.index);
        true
    }

    /// The request that would finish first if each queue had a server of its own. Queues are looked
    /// through from the one after the last, so that equals take turns.
    fn choose_request(&self) -> Option<(Choice, DispatchOrder)> {
        let first = (self.robin_index + 1).cast_unsigned();
        let (mut starts, mut discounted_starts) = (None, None);
        let mut best: Option<Choice> = None;
        for index in self.occupied.cycle_from(first) {
            let queue = self.queues.get(index)?;
            let id = *queue.waiting.front()?;
            let start = queue.next_dispatch;
            let seats = queue.seats_in_use as f64;
            let discount = SeatSeconds::new(seats, ESTIMATED_SERVICE_DURATION);
            starts = Some(Bounds::widen(starts, start));
            discounted_starts = Some(Bounds::widen(discounted_starts, start.minus(discount)));
            let finish = start.plus(self.requests.get(id)?.total_work);
            if best.as_ref().is_none_or(|best| finish < best.finish) {
                best = Some(Choice { index, id, finish });
            }
        }
        let best = best?;
        let order = DispatchOrder {
            progress: self.progress,
            chosen: self.queues.get(best.index)?.next_dispatch,
            starts: starts?,
            discounted_starts: discounted_starts?,
        };
        Some((best, order))
    }

    fn start(&mut self, now: Instant, choice: &Choice, effects: &mut Effects<T>) {
        let limit = self.configuration.concurrency_limit;
        let Some(request) = self.requests.get_mut(choice.id) else { return };
        let estimated = request.work;
        if estimated.final_seats > limit {
            // As much work on fewer seats takes longer.
            request.work.additional_latency =
                estimated.final_work().duration_per_seat(limit as f64);
            request.work.final_seats = limit;
        }
        request.phase = Phase::Executing { started: now };
        let (seats, total_work) = (request.work.max_seats(), request.total_work);
        self.change_queue(choice.index, |queue| {
            queue.waiting.pop_front();
            queue.sums.subtract(&estimated, total_work);
            queue.executing += 1;
            queue.seats_in_use += seats;
            queue.next_dispatch = queue.next_dispatch.plus(total_work);
        });
        self.totals.waiting -= 1;
        self.totals.seats_waiting -= estimated.max_seats();
        self.note_dispatch(seats);
        let seats_waited_for = Some(estimated.max_seats());
        effects.push(Effect::Dispatched { id: choice.id, seats_waited_for, seats });
    }

    pub(super) fn note_dispatch(&mut self, seats: u64) {
        self.totals.executing += 1;
        self.totals.dispatched += 1;
        self.totals.seats_in_use += seats;
    }
}
