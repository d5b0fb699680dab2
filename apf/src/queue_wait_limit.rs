//! How long a request may wait in a queue (spec: apf 8.3).

use std::time::{Duration, Instant};

/// No request waits longer.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// A request may wait for this part of its time.
const PARTS: u32 = 4;

/// The moment at which a request leaves its queue unserved. It may wait for a quarter of the time
/// from its receipt (or from `now` if that is not known) to its deadline; without a deadline, as
/// watches are, for `default_wait`, which is a quarter of `--request-timeout`. A deadline that has
/// passed already is the answer itself.
#[must_use]
pub fn queue_wait_deadline(
    now: Instant,
    received: Option<Instant>,
    request_deadline: Option<Instant>,
    default_wait: Duration,
) -> Instant {
    if let Some(passed) = request_deadline.filter(|deadline| *deadline <= now) {
        return passed;
    }
    let start = received.unwrap_or(now);
    let wait = request_deadline
        .map_or(default_wait, |deadline| deadline.saturating_duration_since(start) / PARTS);
    start + wait.min(MAX_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{epoch, seconds, vectors};

    #[test]
    fn waits_are_limited_as_recorded() {
        for case in vectors("queue-wait-limit").as_array().unwrap() {
            let start = epoch();
            if case["contextDone"] == true {
                let deadline = queue_wait_deadline(start, None, Some(start), Duration::MAX);
                assert_eq!(deadline, start);
                continue;
            }
            let at = |field: &str| {
                Some(&case[field]).filter(|f| f.is_number()).map(|f| start + seconds(f))
            };
            let now = at("nowSecond").unwrap();
            let deadline = queue_wait_deadline(
                now,
                at("requestReceivedSecond"),
                at("contextDeadlineSecond"),
                seconds(&case["defaultWaitLimitSeconds"]),
            );
            assert_eq!(Some(deadline), at("queueWaitDeadlineSecond"), "{case}");
            assert_eq!(deadline - now, seconds(&case["waitFromNowSeconds"]), "{case}");
        }
    }
}
