//! The recorded traces, step by step.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::super::*;
use crate::estimate::WorkEstimate;
use crate::test_support::{Json, epoch, strings, vectors};

struct Replay {
    start: Instant,
    set: QueueSet<String>,
    ids: BTreeMap<String, RequestId>,
    name: String,
}

fn number(json: &Json, field: &str) -> u64 {
    json[field].as_u64().unwrap_or_else(|| panic!("{field} of {json}"))
}

fn units(json: &Json, field: &str) -> u64 {
    json[field].as_str().unwrap().parse().unwrap()
}

fn configuration(json: &Json) -> Configuration {
    let int = |field: &str| i32::try_from(json[field].as_i64().unwrap()).unwrap();
    let intake = match int("desiredNumQueues") {
        -1 => Intake::Exempt,
        0 => Intake::Reject,
        queues => Intake::Queue {
            dealer: Dealer::new(queues, int("handSize")).unwrap(),
            queue_length_limit: number(json, "queueLengthLimit"),
        },
    };
    Configuration { intake, concurrency_limit: number(json, "concurrencyLimit") }
}

impl Replay {
    fn new(trace: &Json) -> Self {
        assert_eq!(number(trace, "estimatedServiceDurationNs"), 3_000_000);
        let start = epoch();
        let set = QueueSet::new(start, configuration(trace));
        let name = trace["name"].as_str().unwrap().to_owned();
        Self { start, set, ids: BTreeMap::new(), name }
    }

    fn step(&mut self, step: &Json) {
        let now = self.start + Duration::from_nanos(number(step, "tNs"));
        let mut effects = Effects::new();
        let mut left = Vec::new();
        let op = step["op"].as_str().unwrap();
        if op == "lingering-seats-released" {
            assert_eq!(self.set.next_event(), Some(now));
            self.set.advance(now, &mut effects);
        } else {
            assert!(self.set.next_event().is_none_or(|at| at > now));
        }
        match op {
            "arrive" => self.arrive(now, step, &mut effects),
            "finish" => {
                let id = self.ids[step["id"].as_str().unwrap()];
                assert_ne!(self.set.finish(now, id, &mut effects), Finished::NotExecuting);
            }
            "cancel" => {
                let id = self.ids[step["id"].as_str().unwrap()];
                left.extend(self.set.cancel(now, id, &mut effects));
            }
            "reconfigure" => self.set.reconfigure(now, configuration(step), &mut effects),
            "look" => self.set.sync(now, &mut effects),
            "lingering-seats-released" => {}
            other => panic!("no such operation: {other}"),
        }
        for effect in effects {
            if let Effect::Dispatched { id, seats_waited_for: Some(_), .. } = effect {
                left.push(self.set.data_mut(id).unwrap().clone());
            }
        }
        assert_eq!(left, strings(&step["dequeuedInOrder"]), "{} {step}", self.name);
        self.assert_state(step);
    }

    fn arrive(&mut self, now: Instant, step: &Json, effects: &mut Effects<String>) {
        let name = step["id"].as_str().unwrap().to_owned();
        let work = WorkEstimate {
            initial_seats: number(step, "initialSeats"),
            final_seats: number(step, "finalSeats"),
            additional_latency: Duration::from_nanos(number(step, "additionalLatencyNs")),
        };
        if step["totalWork"].is_string() {
            assert_eq!(work.total_work().units(), units(step, "totalWork"));
        }
        let arrival = Arrival { work, hash: units(step, "hash"), data: name.clone() };
        let (result, id) = match self.set.arrive(now, arrival, effects) {
            Arrived::Executing(id) => ("dispatched", Some(id)),
            Arrived::Queued(id) => ("queued", Some(id)),
            Arrived::Rejected(_, data) => {
                assert_eq!(data, name);
                ("rejected", None)
            }
        };
        assert_eq!(step["result"], result, "{} {step}", self.name);
        if let Some(id) = id {
            let queue = self.set.requests.get(id).unwrap().queue();
            let expected = step["queue"].as_u64().map(|index| index as usize);
            assert_eq!(queue, expected, "{} {step}", self.name);
            self.ids.insert(name, id);
        }
    }

    fn assert_state(&self, step: &Json) {
        let state = &step["stateAfter"];
        let snapshot = self.set.snapshot();
        let when = format!("{} at {} ns: {}", self.name, step["tNs"], step["op"]);
        assert_eq!(snapshot.progress.units(), units(state, "currentR"), "{when}");
        assert_eq!(Some(snapshot.robin_index as i64), state["robinIndex"].as_i64(), "{when}");
        assert_eq!(state["idle"], self.set.is_idle(), "{when}");
        for (field, actual) in [
            ("waiting", snapshot.totals.waiting),
            ("executing", snapshot.totals.executing),
            ("seatsInUse", snapshot.totals.seats_in_use),
            ("rejected", snapshot.totals.rejected),
            ("cancelled", snapshot.totals.cancelled),
            ("enqueues", snapshot.enqueues),
        ] {
            assert_eq!(actual, number(state, field), "{when}: {field}");
        }
        // The reference leaks seats that were waited for when it narrows a request.
        let leaked = self.leaked_seats();
        let seats_waiting = snapshot.totals.seats_waiting + leaked;
        assert_eq!(seats_waiting, number(state, "seatsWaiting"), "{when}");
        let queues = state["queues"].as_array().unwrap();
        assert_eq!(snapshot.queues.len(), queues.len(), "{when}");
        for (view, queue) in snapshot.queues.iter().zip(queues) {
            assert_queue(view, queue, &when);
        }
    }

    fn leaked_seats(&self) -> u64 {
        let reshaped = self.name == "final-seats-reshaped";
        let first_dispatched = self.set.totals().dispatched > 0;
        if reshaped && first_dispatched { LEAKED_WHEN_RESHAPED } else { 0 }
    }
}

/// Ten seats were waited for and two were given.
const LEAKED_WHEN_RESHAPED: u64 = 8;

fn assert_queue(view: &QueueView, queue: &Json, when: &str) {
    let actual = [
        ("waiting", view.waiting),
        ("executing", view.executing),
        ("seatsInUse", view.seats_in_use),
        ("initialSeatsSum", view.sums.initial_seats),
        ("maxSeatsSum", view.sums.max_seats),
    ];
    for (field, actual) in actual {
        assert_eq!(actual, number(queue, field), "{when}: {field} of {queue}");
    }
    assert_eq!(view.next_dispatch.units(), units(queue, "nextDispatchR"), "{when}: {queue}");
    assert_eq!(view.sums.total_work.units(), units(queue, "totalWorkSum"), "{when}: {queue}");
}

#[test]
fn all_traces_are_replayed_step_by_step() {
    let traces = vectors("queueset-traces");
    let traces = traces.as_array().unwrap();
    assert_eq!(traces.len(), 22);
    for trace in traces {
        let mut replay = Replay::new(trace);
        for step in trace["steps"].as_array().unwrap() {
            replay.step(step);
        }
    }
}
