//! A queue set's configuration changes while it works (spec: apf 7.11).

use std::time::Instant;

use super::queue::Queue;
use super::{Configuration, Effects, Intake, QueueSet};

impl<T> QueueSet<T> {
    /// Takes another configuration. Queues that are wanted come at once; those that are not go
    /// when they run empty.
    pub fn reconfigure(
        &mut self,
        now: Instant,
        configuration: Configuration,
        effects: &mut Effects<T>,
    ) {
        self.sync(now, effects);
        self.apply(configuration);
        self.dispatch(now, effects);
    }

    pub(super) fn apply(&mut self, configuration: Configuration) {
        self.configuration = configuration;
        if let Intake::Queue { queue_length_limit, .. } = configuration.intake {
            self.queue_length_limit = queue_length_limit;
        }
        let wanted = self.wanted_queues();
        if wanted > self.queues.len() {
            self.queues.resize_with(wanted, Queue::default);
        }
    }

    /// How many requests may wait, for ratios; at least 1.
    #[must_use]
    pub fn waiting_capacity(&self) -> u64 {
        self.queue_length_limit.max(1) * (self.wanted_queues() as u64).max(1)
    }
}
