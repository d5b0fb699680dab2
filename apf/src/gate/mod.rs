//! The gate of a priority level: the shell around its queue set.
//!
//! One lock for each level, held for microseconds and never across an await. Requests wait without
//! a thread, on a channel that their dispatch answers; a ticket leaves the queue and [`Seats`]
//! are freed exactly once, whatever becomes of the task that holds them.

mod flow;
mod pass;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, oneshot};

use crate::estimate::WorkEstimate;
use crate::integrator::{Integrator, SeatDemandStatistics};
use crate::observe::LevelObserver;
use crate::queueset::{
    Arrival, Arrived, Configuration, DispatchOrder, Effect, Effects, Finished, QueueSet,
    RejectReason, RequestId, Snapshot,
};
use crate::ratios::{InFlight, LevelRatios, Phase};
use crate::retry_after::RetryAfter;

pub(crate) use self::flow::{Flow, NameAndUid, Visitor};
pub use self::flow::{RequestDescription, RequestDetails};
pub use self::pass::Seats;
pub(crate) use self::pass::{Pass, Ticket};

/// Now, by tokio's clock, which tests can pause.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The gate of a priority level.
pub(crate) struct Gate {
    started: Instant,
    state: Mutex<State>,
    surroundings: Surroundings,
}

/// Who hears of what happens at a gate.
pub(crate) struct Surroundings {
    pub(crate) observer: Arc<dyn LevelObserver>,
    pub(crate) ratios: Arc<LevelRatios>,
    pub(crate) in_flight: Arc<InFlight>,
    /// Told when the level is idle and no longer wanted.
    pub(crate) idle: Arc<Notify>,
}

struct State {
    queue_set: QueueSet<Guest>,
    demand: Integrator,
    statistics: SeatDemandStatistics,
    retry_after: RetryAfter,
    standing: Standing,
    /// How the last dispatch was decided.
    order: Option<DispatchOrder>,
    /// Kept for its memory.
    effects: Effects<Guest>,
}

/// Whether a level is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Wanted,
    /// It only has requests to finish.
    Quiescing,
    /// It is out of use for good: whoever still comes has to be classified anew.
    Retired,
}

/// A request inside.
struct Guest {
    visitor: Visitor,
    arrived: Instant,
    /// Answers the task that waits.
    dispatched: Option<oneshot::Sender<()>>,
}

/// What became of a visitor.
pub(crate) enum Entered {
    Executing(Seats),
    Waiting(Ticket),
    /// Its client should try again after so many seconds.
    Rejected(RejectReason, u64),
}

/// What becomes of a request that leaves its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    /// Its client is told to try again.
    With429,
    /// There is nobody left to answer.
    NotAtAll,
}

/// The level is out of use; the visitor has to be classified anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Retired;

impl Gate {
    pub(crate) fn new(configuration: Configuration, surroundings: Surroundings) -> Self {
        let started = now();
        let state = Mutex::new(State {
            queue_set: QueueSet::new(started, configuration),
            demand: Integrator::new(started),
            statistics: SeatDemandStatistics::default(),
            retry_after: RetryAfter::default(),
            standing: Standing::Wanted,
            order: None,
            effects: Effects::new(),
        });
        Self { started, state, surroundings }
    }

    /// Takes a request in, or not.
    pub(crate) fn enter(
        self: &Arc<Self>,
        now: Instant,
        visitor: Visitor,
        hash: u64,
        work: WorkEstimate,
    ) -> Result<Entered, Retired> {
        let mut state = self.state.lock();
        if state.standing == Standing::Retired {
            return Err(Retired);
        }
        let data = Guest { visitor, arrived: now, dispatched: None };
        let State { queue_set, effects, .. } = &mut *state;
        let entered = match queue_set.arrive(now, Arrival { work, hash, data }, effects) {
            Arrived::Executing(id) => {
                Entered::Executing(Seats::new(Pass { gate: Arc::clone(self), id }))
            }
            Arrived::Queued(id) => {
                let (sender, receiver) = oneshot::channel();
                if let Some(guest) = queue_set.data_mut(id) {
                    guest.dispatched = Some(sender);
                }
                Entered::Waiting(Ticket::new(Pass { gate: Arc::clone(self), id }, receiver))
            }
            Arrived::Rejected(reason, guest) => {
                let observer = &guest.visitor.flow.observer;
                observer.rejected(reason);
                observer.waited(std::time::Duration::ZERO, false);
                Entered::Rejected(reason, self.drop_request(&mut state, now))
            }
        };
        self.settle(state, now);
        Ok(entered)
    }

    /// Takes a request out of its queue; `None` if it executes by now. Otherwise its client, if it
    /// is still there, should try again after so many seconds.
    fn cancel(&self, id: RequestId, answered: Answered) -> Option<u64> {
        let now = now();
        let mut state = self.state.lock();
        let State { queue_set, effects, .. } = &mut *state;
        let seats_before = queue_set.totals().seats_waiting;
        let cancelled = queue_set.cancel(now, id, effects);
        if let Some(guest) = &cancelled {
            let seats = seats_before - queue_set.totals().seats_waiting;
            let observer = &guest.visitor.flow.observer;
            observer.rejected(RejectReason::TimeOut);
            observer.dequeued(seats);
            // That it counts as executed is a quirk of the reference.
            observer.waited(now.saturating_duration_since(guest.arrived), true);
            self.surroundings.in_flight.leave(now, Phase::Waiting, guest.visitor.kind);
        }
        let retry_after_seconds = cancelled.map(|_| match answered {
            Answered::With429 => self.drop_request(&mut state, now),
            Answered::NotAtAll => 0,
        });
        self.settle(state, now);
        retry_after_seconds
    }

    /// Ends the main phase of a request.
    fn finish(self: &Arc<Self>, now: Instant, id: RequestId) {
        let mut state = self.state.lock();
        let State { queue_set, effects, .. } = &mut *state;
        if let Some((guest, started)) = queue_set.executing(id) {
            let Visitor { flow, kind, execution, .. } = &guest.visitor;
            flow.observer.executed(*execution, now.saturating_duration_since(started));
            self.surroundings.in_flight.leave(now, Phase::Executing, *kind);
        }
        let finished = queue_set.finish(now, id, effects);
        self.settle(state, now);
        if let Finished::Lingering { until } = finished {
            self.free_seats_at(until);
        }
    }

    fn free_seats_at(self: &Arc<Self>, until: Instant) {
        let gate = Arc::clone(self);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                // Nobody waits for this task: it ends by itself.
                drop(runtime.spawn(async move {
                    tokio::time::sleep_until(until.into()).await;
                    gate.free_lingering_seats(now());
                }));
            }
            // Without a runtime there is nobody left to wait for.
            Err(_) => gate.free_lingering_seats(until),
        }
    }

    fn free_lingering_seats(&self, now: Instant) {
        let mut state = self.state.lock();
        let State { queue_set, effects, .. } = &mut *state;
        queue_set.advance(now, effects);
        self.settle(state, now);
    }

    /// Tells everyone what happened. Every operation ends here.
    fn settle(&self, mut state: MutexGuard<'_, State>, now: Instant) {
        let State { queue_set, effects, demand, standing, order, .. } = &mut *state;
        for effect in effects.drain(..) {
            match effect {
                Effect::Ordered(latest) => *order = Some(latest),
                other => self.tell(other, queue_set, now),
            }
        }
        let totals = *queue_set.totals();
        demand.set(now, (totals.seats_in_use + totals.seats_waiting) as f64);
        self.surroundings.ratios.set(now, &totals);
        let unwanted_and_idle = *standing == Standing::Quiescing && queue_set.is_idle();
        drop(state);
        if unwanted_and_idle {
            self.surroundings.idle.notify_one();
        }
    }

    fn tell(&self, effect: Effect<Guest>, queue_set: &mut QueueSet<Guest>, now: Instant) {
        match effect {
            Effect::Enqueued { id, queue_length } => {
                let waits = queue_set.is_waiting(id);
                let Some((guest, seats)) = queue_set.data_and_seats(id) else { return };
                let observer = &guest.visitor.flow.observer;
                observer.queued(queue_length);
                let (in_flight, kind) = (&self.surroundings.in_flight, guest.visitor.kind);
                if waits {
                    observer.enqueued(seats);
                    in_flight.enter(now, Phase::Waiting, kind);
                } else {
                    in_flight.pass(Phase::Waiting, kind);
                }
            }
            Effect::Dispatched { id, seats_waited_for, seats } => {
                let exempt = queue_set.is_exempt();
                if let Some(guest) = queue_set.data_mut(id) {
                    self.tell_dispatched(guest, seats_waited_for, seats, exempt, now);
                }
            }
            Effect::SeatsFreed { data, seats } => data.visitor.flow.observer.seats_freed(seats),
            Effect::NotAccommodated { id } => {
                if let Some(guest) = queue_set.data_mut(id) {
                    guest.visitor.flow.observer.not_accommodated();
                }
            }
            // Only the last one counts, and only when somebody looks.
            Effect::Ordered(_) => {}
            Effect::EpochAdvanced { success } => self.surroundings.observer.epoch_advanced(success),
        }
    }

    fn tell_dispatched(
        &self,
        guest: &mut Guest,
        seats_waited_for: Option<u64>,
        seats: u64,
        exempt: bool,
        now: Instant,
    ) {
        let observer = &guest.visitor.flow.observer;
        let kind = guest.visitor.kind;
        if let Some(seats) = seats_waited_for {
            // Those without did not wait.
            if let Some(sender) = guest.dispatched.take() {
                observer.dequeued(seats);
                self.surroundings.in_flight.leave(now, Phase::Waiting, kind);
                // A task that is gone has dropped its ticket, which finds the request executing
                // and ends it.
                let _gone = sender.send(());
            }
        }
        if !exempt {
            observer.waited(now.saturating_duration_since(guest.arrived), true);
        }
        observer.dispatched(seats);
        self.surroundings.in_flight.enter(now, Phase::Executing, kind);
    }

    /// Notes that a request of this level is answered with 429 and says after how many seconds its
    /// client should try again.
    fn drop_request(&self, state: &mut State, now: Instant) -> u64 {
        let second = now.saturating_duration_since(self.started).as_secs();
        state.retry_after.record_drop(second.cast_signed());
        state.retry_after.seconds().unsigned_abs()
    }

    /// Ends the period over which the demand for seats is watched.
    pub(crate) fn end_period(&self) -> SeatDemandStatistics {
        let now = now();
        let mut state = self.state.lock();
        let period = state.demand.reset(now);
        state.statistics.update(&period);
        state.statistics
    }

    /// Takes another configuration. Ratios are relative to `denominator` seats.
    pub(crate) fn reconfigure(&self, configuration: Configuration, denominator: u64) {
        let now = now();
        let mut state = self.state.lock();
        let State { queue_set, effects, .. } = &mut *state;
        queue_set.reconfigure(now, configuration, effects);
        let waiting = queue_set.waiting_capacity();
        self.surroundings.ratios.set_denominators(now, waiting, denominator);
        self.settle(state, now);
    }

    pub(crate) fn set_wanted(&self, wanted: bool) {
        let standing = if wanted { Standing::Wanted } else { Standing::Quiescing };
        let now = now();
        let mut state = self.state.lock();
        state.standing = standing;
        self.settle(state, now);
    }

    /// Puts the level out of use for good if it is idle, and says whether it was.
    pub(crate) fn retire_if_idle(&self) -> bool {
        let mut state = self.state.lock();
        let idle = state.queue_set.is_idle();
        if idle {
            state.standing = Standing::Retired;
            self.tell_progress_of(&state);
        }
        idle
    }

    /// Tells what the progress meter reads and how the last dispatch was decided.
    pub(crate) fn tell_progress(&self) {
        self.tell_progress_of(&self.state.lock());
    }

    fn tell_progress_of(&self, state: &State) {
        self.surroundings.observer.progressed(state.queue_set.progress());
        if let Some(order) = &state.order {
            self.surroundings.observer.ordered(order);
        }
    }

    /// The level as it is.
    pub(crate) fn view(&self) -> GateView {
        let state = self.state.lock();
        GateView {
            snapshot: state.queue_set.snapshot(),
            idle: state.queue_set.is_idle(),
            quiescing: state.standing == Standing::Quiescing,
        }
    }

    /// The requests that wait or execute, as they are dumped.
    pub(crate) fn requests(&self) -> Vec<GuestView> {
        let state = self.state.lock();
        let views = state.queue_set.requests().into_iter().map(|view| GuestView {
            flow: Arc::clone(&view.data.visitor.flow),
            distinguisher: view.data.visitor.distinguisher.clone(),
            details: Arc::clone(&view.data.visitor.details),
            queue: view.queue,
            position: view.position,
            arrived: view.arrived,
            started: view.started,
            work: view.work,
        });
        views.collect()
    }
}

/// A level as it is.
pub(crate) struct GateView {
    pub(crate) snapshot: Snapshot,
    pub(crate) idle: bool,
    pub(crate) quiescing: bool,
}

/// A request that waits or executes.
pub(crate) struct GuestView {
    pub(crate) flow: Arc<Flow>,
    pub(crate) distinguisher: Box<str>,
    pub(crate) details: Arc<dyn RequestDetails>,
    pub(crate) queue: Option<usize>,
    pub(crate) position: Option<usize>,
    pub(crate) arrived: Instant,
    pub(crate) started: Option<Instant>,
    pub(crate) work: WorkEstimate,
}
