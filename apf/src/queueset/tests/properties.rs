//! What holds whatever happens.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::*;
use crate::estimate::{ESTIMATED_SERVICE_DURATION, WorkEstimate};
use crate::test_support::epoch;

#[derive(Debug, Clone)]
enum Step {
    Arrive { flow: u64, initial_seats: u64, final_seats: u64, latency_millis: u64 },
    Finish(prop::sample::Index),
    Cancel(prop::sample::Index),
    Pass { millis: u64 },
    Reconfigure(Configuration),
}

#[derive(Debug, Clone, Copy)]
struct Guest {
    number: u64,
    flow: u64,
}

/// A queue set, and what it ought to be like.
struct Model {
    now: Instant,
    set: QueueSet<Guest>,
    arrived: u64,
    turned_away: u64,
    finished: u64,
    waiting: BTreeMap<RequestId, (Guest, u64)>,
    executing: BTreeMap<RequestId, (Guest, u64)>,
    seats_in_use: u64,
    dispatched: Vec<Guest>,
}

fn dealer(queues: i32, hand_size: i32) -> Dealer {
    Dealer::new(queues, hand_size).unwrap()
}

fn queues(count: i32, hand_size: i32, limit: u64, seats: u64) -> Configuration {
    let dealer = dealer(count, hand_size);
    let intake = Intake::Queue { dealer, queue_length_limit: limit };
    Configuration { intake, concurrency_limit: seats }
}

fn configurations() -> impl Strategy<Value = Configuration> {
    prop_oneof![
        4 => (1..6_i32, 1..4_i32, 1..5_u64, 0..6_u64)
            .prop_map(|(count, hand, limit, seats)| queues(count, hand.min(count), limit, seats)),
        1 => (0..6_u64).prop_map(|concurrency_limit| Configuration {
            intake: Intake::Reject,
            concurrency_limit,
        }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let arrivals = (0..6_u64, 1..5_u64, 0..8_u64, 0..40_u64).prop_map(
        |(flow, initial_seats, final_seats, millis)| Step::Arrive {
            flow,
            initial_seats,
            final_seats,
            latency_millis: if final_seats == 0 { 0 } else { millis },
        },
    );
    let step = prop_oneof![
        5 => arrivals,
        3 => any::<prop::sample::Index>().prop_map(Step::Finish),
        1 => any::<prop::sample::Index>().prop_map(Step::Cancel),
        3 => (0..50_u64).prop_map(|millis| Step::Pass { millis }),
        1 => configurations().prop_map(Step::Reconfigure),
    ];
    prop::collection::vec(step, 1..80)
}

impl Model {
    fn new(configuration: Configuration) -> Self {
        let now = epoch();
        Self {
            now,
            set: QueueSet::new(now, configuration),
            arrived: 0,
            turned_away: 0,
            finished: 0,
            waiting: BTreeMap::new(),
            executing: BTreeMap::new(),
            seats_in_use: 0,
            dispatched: Vec::new(),
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Arrive { flow, initial_seats, final_seats, latency_millis } => {
                let additional_latency = Duration::from_millis(latency_millis);
                self.arrive(flow, WorkEstimate { initial_seats, final_seats, additional_latency });
            }
            Step::Finish(index) if !self.executing.is_empty() => {
                let nth = index.index(self.executing.len());
                let id = *self.executing.keys().nth(nth).unwrap();
                self.finish(id);
            }
            Step::Cancel(index) if !self.waiting.is_empty() => {
                let nth = index.index(self.waiting.len());
                let id = *self.waiting.keys().nth(nth).unwrap();
                self.cancel(id);
            }
            Step::Finish(_) | Step::Cancel(_) => {}
            Step::Pass { millis } => self.pass(Duration::from_millis(millis)),
            Step::Reconfigure(configuration) => {
                let mut effects = Effects::new();
                self.set.reconfigure(self.now, configuration, &mut effects);
                self.take(effects);
            }
        }
        self.check();
    }

    fn arrive(&mut self, flow: u64, work: WorkEstimate) {
        let mut effects = Effects::new();
        self.arrived += 1;
        let guest = Guest { number: self.arrived, flow };
        let arrival = Arrival { work, hash: flow, data: guest };
        let arrived = self.set.arrive(self.now, arrival, &mut effects);
        let rejected = matches!(arrived, Arrived::Rejected(..));
        self.turned_away += u64::from(rejected);
        self.take(effects);
        match arrived {
            Arrived::Executing(id) => assert!(self.executing.contains_key(&id)),
            Arrived::Queued(id) => assert!(self.waiting.contains_key(&id)),
            Arrived::Rejected(..) => {}
        }
    }

    fn finish(&mut self, id: RequestId) {
        let mut effects = Effects::new();
        self.executing.remove(&id).unwrap();
        self.finished += 1;
        assert_ne!(self.set.finish(self.now, id, &mut effects), Finished::NotExecuting);
        self.take(effects);
        assert_eq!(self.set.finish(self.now, id, &mut Effects::new()), Finished::NotExecuting);
    }

    fn cancel(&mut self, id: RequestId) {
        let mut effects = Effects::new();
        self.waiting.remove(&id).unwrap();
        self.turned_away += 1;
        assert!(self.set.cancel(self.now, id, &mut effects).is_some());
        self.take(effects);
        assert!(self.set.cancel(self.now, id, &mut Effects::new()).is_none());
    }

    fn pass(&mut self, duration: Duration) {
        let end = self.now + duration;
        while let Some(at) = self.set.next_event().filter(|at| *at <= end) {
            self.now = at;
            let mut effects = Effects::new();
            self.set.advance(at, &mut effects);
            self.take(effects);
        }
        self.now = end;
    }

    /// Follows what happened, and checks of each dispatch that it was allowed.
    fn take(&mut self, effects: Effects<Guest>) {
        for effect in effects {
            match effect {
                Effect::Enqueued { id, .. } => {
                    let (guest, seats) = self.set.data_and_seats(id).unwrap();
                    // Narrowed by now if it was dispatched at once.
                    self.waiting.insert(id, (*guest, seats));
                }
                Effect::Dispatched { id, seats_waited_for, seats } => {
                    let limit = self.set.configuration.concurrency_limit;
                    // Before it was narrowed.
                    let width = seats_waited_for.unwrap_or(seats);
                    let fits = self.seats_in_use + width <= limit;
                    let too_wide_for_any = width > limit && self.executing.is_empty();
                    assert!(fits || too_wide_for_any);
                    self.waiting.remove(&id);
                    let guest = *self.set.data_and_seats(id).unwrap().0;
                    self.executing.insert(id, (guest, seats));
                    self.seats_in_use += seats;
                    self.dispatched.push(guest);
                }
                Effect::SeatsFreed { seats, .. } => self.seats_in_use -= seats,
                Effect::NotAccommodated { .. }
                | Effect::Ordered(_)
                | Effect::EpochAdvanced { .. } => {}
            }
        }
    }

    fn check(&self) {
        let totals = self.set.totals();
        let (waiting, executing) = (self.waiting.len() as u64, self.executing.len() as u64);
        assert_eq!((totals.waiting, totals.executing), (waiting, executing));
        assert_eq!(self.arrived, self.turned_away + waiting + executing + self.finished);
        assert_eq!(totals.rejected, self.turned_away);
        assert_eq!(totals.seats_in_use, self.seats_in_use);
        let seats_waiting: u64 = self.waiting.values().map(|(_, seats)| seats).sum();
        assert_eq!(totals.seats_waiting, seats_waiting);
        self.check_sums();
    }

    /// What is kept in step is what counting it all anew gives.
    fn check_sums(&self) {
        let queues = &self.set.queues;
        let active = queues.iter().filter(|queue| queue.is_active()).count() as u64;
        assert_eq!(self.set.active_queues, active);
        let seats: u64 = queues.iter().map(|queue| queue.seats_in_use).sum();
        assert_eq!(self.set.queues_seats_in_use, seats);
        for (index, queue) in queues.iter().enumerate() {
            assert_eq!(self.set.occupied.contains(index), !queue.waiting.is_empty());
            let mut sums = WaitingSums::default();
            for id in &queue.waiting {
                let request = self.set.requests.get(*id).unwrap();
                assert_eq!(request.queue(), Some(index));
                sums.add(&request.work, request.total_work);
            }
            assert_eq!(queue.sums, sums);
        }
    }

    /// Serves what is left: everything gets its turn.
    fn drain(&mut self) {
        let mut effects = Effects::new();
        self.set.reconfigure(self.now, queues(3, 1, 5, 2), &mut effects);
        self.take(effects);
        for _ in 0..=self.arrived {
            self.pass(Duration::from_secs(3600));
            let Some(id) = self.executing.keys().next().copied() else { break };
            self.finish(id);
            self.check();
        }
        self.pass(Duration::from_secs(3600));
        assert!(self.waiting.is_empty() && self.executing.is_empty());
        assert_eq!(self.seats_in_use, 0);
    }
}

/// When each request is done that is served bit by bit: all flows that have requests share one
/// seat equally at each moment. Times are in steps.
fn bit_by_bit(arrivals: &[(u64, u64)], steps_of_service: u64) -> Vec<u64> {
    let mut left: Vec<f64> = arrivals.iter().map(|_| steps_of_service as f64).collect();
    let mut done = vec![0; arrivals.len()];
    let mut step = 0;
    while left.iter().any(|left| *left > 1e-9) {
        let mut heads: BTreeMap<u64, usize> = BTreeMap::new();
        for (index, (at, flow)) in arrivals.iter().enumerate() {
            if *at <= step && left[index] > 1e-9 {
                heads.entry(*flow).or_insert(index);
            }
        }
        step += 1;
        let share = 1.0 / heads.len().max(1) as f64;
        for index in heads.into_values() {
            left[index] -= share;
            if left[index] <= 1e-9 {
                done[index] = step;
            }
        }
    }
    done
}

/// When each request is done by a queue set with one seat and a queue for each flow.
fn by_queue_set(arrivals: &[(u64, u64)], step: Duration) -> Vec<u64> {
    let mut model = Model::new(queues(8, 1, 1_000, 1));
    let start = model.now;
    let mut done = vec![0; arrivals.len()];
    let mut coming = arrivals.iter().peekable();
    let mut busy_until: Option<Instant> = None;
    let at = |steps: u64| start + step * u32::try_from(steps).unwrap();
    loop {
        let arrival = coming.peek().map(|(steps, _)| at(*steps));
        match (arrival, busy_until) {
            (Some(next), until) if until.is_none_or(|until| next < until) => {
                model.now = next;
                model.arrive(coming.next().unwrap().1, WorkEstimate::ONE_SEAT);
            }
            (_, Some(until)) => {
                model.now = until;
                let (&id, &(guest, _)) = model.executing.iter().next().unwrap();
                let steps = (until - start).as_nanos() / step.as_nanos();
                done[guest.number as usize - 1] = u64::try_from(steps).unwrap();
                model.finish(id);
                busy_until = None;
            }
            (None, None) => return done,
            (Some(_), None) => unreachable!("an arrival comes first when nothing executes"),
        }
        if busy_until.is_none() && !model.executing.is_empty() {
            busy_until = Some(model.now + ESTIMATED_SERVICE_DURATION);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn requests_are_conserved_and_seats_respected(
        configuration in configurations(),
        steps in steps(),
    ) {
        let mut model = Model::new(configuration);
        for step in &steps {
            model.step(step);
        }
        model.drain();
    }

    #[test]
    fn a_flow_is_served_in_the_order_of_its_arrivals(steps in steps()) {
        let mut model = Model::new(queues(4, 1, 1_000, 3));
        for step in steps.iter().filter(|step| !matches!(step, Step::Reconfigure(_))) {
            model.step(step);
        }
        model.drain();
        let mut last = BTreeMap::new();
        for guest in &model.dispatched {
            let before = last.insert(guest.flow, guest.number);
            prop_assert!(before < Some(guest.number));
        }
    }

    #[test]
    fn no_request_is_done_much_later_than_bit_by_bit(
        mut arrivals in prop::collection::vec((0..200_u64, 0..5_u64), 1..40),
    ) {
        arrivals.sort_by_key(|(at, _)| *at);
        // Steps of a tenth of a millisecond; the service takes what it is thought to.
        let step = Duration::from_micros(100);
        let service = 30;
        let ideal = bit_by_bit(&arrivals, service);
        let actual = by_queue_set(&arrivals, step);
        for (index, (ideal, actual)) in ideal.iter().zip(&actual).enumerate() {
            prop_assert!(*actual <= ideal + FAIRNESS_BOUND * service, "{index}: {actual} {ideal}");
        }
    }
}

/// So many services later at most: the one that runs when the request's turn comes.
const FAIRNESS_BOUND: u64 = 1;
