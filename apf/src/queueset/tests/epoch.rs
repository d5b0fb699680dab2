//! The progress meter is wound back before it overflows.

use std::time::Duration;

use super::super::*;
use crate::estimate::WorkEstimate;
use crate::test_support::epoch;

fn arrive(set: &mut QueueSet<()>, now: Instant, hash: u64, effects: &mut Effects<()>) {
    let arrival = Arrival { work: WorkEstimate::ONE_SEAT, hash, data: () };
    assert!(!matches!(set.arrive(now, arrival, effects), Arrived::Rejected(..)));
}

#[test]
fn all_readings_are_wound_back_together() {
    let start = epoch();
    let dealer = Dealer::new(3, 1).unwrap();
    let intake = Intake::Queue { dealer, queue_length_limit: 5 };
    let mut set = QueueSet::new(start, Configuration { intake, concurrency_limit: 1 });
    let before = SeatSeconds::from_units(SeatSeconds::EPOCH_END.units() - 100_000_000);
    set.progress = before;
    set.queues[2].next_dispatch = SeatSeconds::from_units(7);
    let mut effects = Effects::new();
    arrive(&mut set, start, 0, &mut effects);
    arrive(&mut set, start, 1, &mut effects);
    let readings = |set: &QueueSet<()>| {
        let since = |reading: SeatSeconds| reading.minus(set.progress).units().cast_signed();
        (since(set.queues[0].next_dispatch), since(set.queues[1].next_dispatch))
    };
    assert_eq!(readings(&set), (300_000, 0));
    effects.clear();

    // One seat over two queues for two seconds: the meter passes the end of the epoch.
    set.sync(start + Duration::from_secs(2), &mut effects);
    assert_eq!(effects, [Effect::EpochAdvanced { success: true }]);
    let expected = before.plus(SeatSeconds::from_units(100_000_000)).minus(SeatSeconds::EPOCH_STEP);
    assert_eq!(set.progress, expected);
    assert_eq!(readings(&set), (300_000 - 100_000_000, -100_000_000));
    let waiting = set.requests.iter().find(|request| request.phase == Phase::Waiting);
    assert_eq!(waiting.unwrap().arrival_progress, before.minus(SeatSeconds::EPOCH_STEP));
    assert_eq!(set.queues[2].next_dispatch, SeatSeconds::ZERO);
}

#[test]
fn a_reading_that_was_too_far_back_is_reported() {
    let start = epoch();
    let dealer = Dealer::new(1, 1).unwrap();
    let intake = Intake::Queue { dealer, queue_length_limit: 5 };
    let mut set = QueueSet::new(start, Configuration { intake, concurrency_limit: 1 });
    let mut effects = Effects::new();
    arrive(&mut set, start, 0, &mut effects);
    set.progress = SeatSeconds::EPOCH_END;
    effects.clear();
    set.sync(start + Duration::from_secs(1), &mut effects);
    assert_eq!(effects, [Effect::EpochAdvanced { success: false }]);
}
