//! How many objects of each resource are stored, as last polled (spec: apf 6.2).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::estimate::ObjectStatistics;

/// After this long a count is out of date.
const STALE_AFTER: Duration = Duration::from_mins(3);
/// After this long a count is forgotten; so often there should be a [`ObjectCounts::prune`].
pub const PRUNE_PERIOD: Duration = Duration::from_hours(1);

/// The last poll of each resource.
#[derive(Debug, Default)]
pub struct ObjectCounts {
    polls: BTreeMap<(String, String), Poll>,
}

#[derive(Debug, Clone, Copy)]
struct Poll {
    at: Instant,
    count: u64,
    average_bytes: u64,
}

impl ObjectCounts {
    /// Notes a poll. `total_bytes` is the size of all objects as they are stored.
    pub fn set(&mut self, now: Instant, group: &str, resource: &str, count: u64, total_bytes: u64) {
        let average_bytes = total_bytes.checked_div(count).unwrap_or_default();
        let poll = Poll { at: now, count, average_bytes };
        self.polls.insert((group.to_owned(), resource.to_owned()), poll);
    }

    /// What is known of a resource.
    #[must_use]
    pub fn get(&self, now: Instant, group: &str, resource: &str) -> ObjectStatistics {
        match self.polls.get(&(group.to_owned(), resource.to_owned())) {
            None => ObjectStatistics::Unknown,
            Some(poll) if now.saturating_duration_since(poll.at) > STALE_AFTER => {
                ObjectStatistics::Stale
            }
            Some(&Poll { count, average_bytes, .. }) => {
                ObjectStatistics::Known { count, average_bytes }
            }
        }
    }

    /// Forgets resources that have not been polled for long.
    pub fn prune(&mut self, now: Instant) {
        self.polls.retain(|_, poll| now.saturating_duration_since(poll.at) <= PRUNE_PERIOD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::epoch;

    #[test]
    fn counts_grow_stale_and_are_forgotten() {
        let start = epoch();
        let mut counts = ObjectCounts::default();
        assert_eq!(counts.get(start, "", "pods"), ObjectStatistics::Unknown);
        counts.set(start, "", "pods", 3, 10);
        let known = ObjectStatistics::Known { count: 3, average_bytes: 3 };
        assert_eq!(counts.get(start + STALE_AFTER, "", "pods"), known);
        let later = start + STALE_AFTER + Duration::from_nanos(1);
        assert_eq!(counts.get(later, "", "pods"), ObjectStatistics::Stale);
        counts.prune(start + PRUNE_PERIOD);
        assert_eq!(counts.get(later, "", "pods"), ObjectStatistics::Stale);
        counts.prune(start + PRUNE_PERIOD + Duration::from_nanos(1));
        assert_eq!(counts.get(later, "", "pods"), ObjectStatistics::Unknown);
    }
}
