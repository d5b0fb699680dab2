//! Which revisions are how old. Pure: told the time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::backend::Revision;

/// States of the last 75 s can be read and watched from, as in Kubernetes, whatever was compacted
/// meanwhile.
pub const FRESH_FOR: Duration = Duration::from_secs(75);

/// How exactly times are kept.
const BUCKET: Duration = Duration::from_secs(1);

/// When the store reached its recent revisions, to the second.
#[derive(Debug)]
pub(super) struct Timeline {
    /// The newest revision that is older than [`FRESH_FOR`].
    stale: Revision,
    /// The start of each second in which something changed, and the last revision in it.
    buckets: VecDeque<(Instant, Revision)>,
}

impl Timeline {
    /// Revisions up to that one are of an unknown age: taken for old.
    pub(super) fn new(stale: Revision) -> Self {
        Self { stale, buckets: VecDeque::new() }
    }

    /// Notes that a revision was reached.
    pub(super) fn note(&mut self, now: Instant, revision: Revision) {
        match self.buckets.back_mut() {
            Some((start, last)) if now.saturating_duration_since(*start) < BUCKET => {
                *last = revision;
            }
            _ => self.buckets.push_back((now, revision)),
        }
        self.fresh_since(now);
    }

    /// The oldest revision that may still have been the current one [`FRESH_FOR`] ago.
    pub(super) fn fresh_since(&mut self, now: Instant) -> Revision {
        while let Some((start, last)) = self.buckets.front()
            && now.saturating_duration_since(*start) >= FRESH_FOR + BUCKET
        {
            self.stale = *last;
            self.buckets.pop_front();
        }
        self.stale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any instant will do.
    fn start() -> Instant {
        tokio::time::Instant::now().into_std()
    }

    #[test]
    fn a_revision_is_fresh_for_75_seconds_after_the_next_one_came() {
        let start = start();
        let mut timeline = Timeline::new(Revision(1));
        timeline.note(start, Revision(2));
        timeline.note(start + Duration::from_secs(10), Revision(3));
        assert_eq!(timeline.fresh_since(start + Duration::from_secs(75)), Revision(1));
        assert_eq!(timeline.fresh_since(start + Duration::from_secs(76)), Revision(2));
        assert_eq!(timeline.fresh_since(start + Duration::from_secs(85)), Revision(2));
        assert_eq!(timeline.fresh_since(start + Duration::from_secs(86)), Revision(3));
        assert_eq!(timeline.fresh_since(start + Duration::from_secs(999)), Revision(3));
    }

    #[test]
    fn what_is_kept_is_bounded_however_many_changes_come() {
        let start = start();
        let mut timeline = Timeline::new(Revision(1));
        for number in 0..200_000u64 {
            timeline.note(start + Duration::from_millis(number), Revision(2 + number));
        }
        assert!(timeline.buckets.len() <= 77, "{}", timeline.buckets.len());
        let now = start + Duration::from_secs(200);
        let fresh_since = timeline.fresh_since(now).0;
        assert!((123_000..=125_001).contains(&fresh_since), "{fresh_since}");
    }
}
