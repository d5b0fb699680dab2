//! Limits how often the status of a FlowSchema is written (spec: apf 4.4), so that servers that
//! disagree about it do not write without end.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use crate::config::ConditionUpdate;

/// The field manager of these writes.
pub const FIELD_MANAGER: &str = "api-priority-and-fairness-config-consumer-v1";
const PERIOD: Duration = Duration::from_mins(1);
const WRITES_PER_PERIOD: usize = 6;
const LEAST_DELAY: Duration = Duration::from_secs(30);
/// The jitter, in whole seconds, is below this.
pub const JITTER_SECONDS: u64 = 45;

/// Remembers which FlowSchemas had their status written in the last minute.
#[derive(Debug, Default)]
pub struct StatusWriteLimiter {
    /// Newest first.
    attempts: VecDeque<(Instant, BTreeSet<String>)>,
}

/// What to write now, and when to digest again for the rest.
#[derive(Debug, Default)]
pub struct StatusWrites {
    /// The updates to write now.
    pub now: Vec<ConditionUpdate>,
    /// After how long to digest again, if updates were withheld.
    pub again_after: Option<Duration>,
}

impl StatusWriteLimiter {
    /// Sorts out which updates may be written now. `jitter_seconds` is drawn at random below
    /// [`JITTER_SECONDS`].
    pub fn plan(
        &mut self,
        now: Instant,
        updates: Vec<ConditionUpdate>,
        jitter_seconds: u64,
    ) -> StatusWrites {
        let recent = |(at, _): &&(Instant, BTreeSet<String>)| now.duration_since(*at) <= PERIOD;
        let kept = self.attempts.iter().take_while(recent).count();
        self.attempts.truncate(kept);
        let mut writes = StatusWrites::default();
        let mut names = BTreeSet::new();
        for update in updates {
            let written = |(_, names): &&(_, BTreeSet<_>)| names.contains(&update.flow_schema_name);
            if self.attempts.iter().filter(written).count() >= WRITES_PER_PERIOD {
                writes.again_after = Some(LEAST_DELAY + Duration::from_secs(jitter_seconds));
            } else {
                names.insert(update.flow_schema_name.clone());
                writes.now.push(update);
            }
        }
        self.attempts.push_front((now, names));
        writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::epoch;

    fn update(name: &str) -> ConditionUpdate {
        ConditionUpdate {
            flow_schema_name: name.to_owned(),
            status: "True",
            reason: "NotFound",
            message: String::new(),
        }
    }

    #[test]
    fn a_status_is_written_six_times_a_minute() {
        let start = epoch();
        let mut limiter = StatusWriteLimiter::default();
        for second in 0..6 {
            let now = start + Duration::from_secs(second);
            let writes = limiter.plan(now, vec![update("a")], 0);
            assert_eq!((writes.now.len(), writes.again_after), (1, None));
        }
        let writes =
            limiter.plan(start + Duration::from_secs(30), vec![update("a"), update("b")], 7);
        assert_eq!(writes.now, [update("b")]);
        assert_eq!(writes.again_after, Some(Duration::from_secs(37)));
        let writes = limiter.plan(start + Duration::from_secs(61), vec![update("a")], 0);
        assert_eq!(writes.now.len(), 1);
    }
}
