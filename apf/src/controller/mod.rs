//! Priority and Fairness as a whole: the levels, what is in use, and the way of a request through
//! them (spec: apf 1, 4).
//!
//! Requests take no common lock: what is in use is swapped as a whole, and each level has a lock of
//! its own. A level that goes out of use turns latecomers away to be classified anew.

mod admission;
mod reconfigure;
mod snapshot;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use api::time::Clock;
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::Notify;

use self::snapshot::InUse;
use crate::config::{LevelInUse, Limits};
use crate::digest::{RequestDigest, ResourceTarget};
use crate::estimate::{EstimatorConfig, NoObjectStatistics, ObjectStatisticsSource};
use crate::gate::{Gate, now};
use crate::observe::{Observer, Unobserved};
use crate::ratios::{InFlight, LevelRatios, LevelRatiosSnapshot};
use crate::watch_tracker::{WatchRegistration, WatchTracker};

pub use self::admission::{Admitted, Rejected, Request};
pub use self::reconfigure::LevelLimits;
pub use self::snapshot::Classification;

/// The period of [`FlowController::adjust`], measured from the end of one run to the next.
pub const ADJUSTMENT_PERIOD: std::time::Duration = std::time::Duration::from_secs(10);

/// What a [`FlowController`] is made of.
pub struct Options {
    /// ServerCL: how many requests the server may serve at a time, limits for both kinds together.
    pub server_concurrency_limit: u32,
    /// Which rules of work estimation hold.
    pub estimator: EstimatorConfig,
    /// Who hears of what happens.
    pub observer: Arc<dyn Observer>,
    /// Who knows the stored objects.
    pub objects: Arc<dyn ObjectStatisticsSource>,
}

/// Priority and Fairness.
pub struct FlowController {
    options: Options,
    in_use: ArcSwap<InUse>,
    levels: Mutex<Levels>,
    watches: Arc<WatchTracker>,
    in_flight: Arc<InFlight>,
    idle: Arc<Notify>,
    /// A moment by both clocks, to tell the wall time of others.
    anchor: (std::time::Instant, SystemTime),
}

/// What digestion and adjustment work on.
#[derive(Default)]
struct Levels {
    in_use: BTreeMap<String, LevelInUse>,
    states: BTreeMap<String, LevelState>,
    /// Of every level there ever was: its series go on when a level of its name comes back.
    ratios: BTreeMap<String, Arc<LevelRatios>>,
}

struct LevelState {
    gate: Arc<Gate>,
    observer: Arc<dyn crate::observe::LevelObserver>,
    limits: Limits,
    current: u64,
    /// The last one that a level with queues had: a level that loses its queues keeps it, as in
    /// the reference **\[quirk\]**.
    max_seats: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            server_concurrency_limit: 600,
            estimator: EstimatorConfig::default(),
            observer: Arc::new(Unobserved),
            objects: Arc::new(NoObjectStatistics),
        }
    }
}

impl FlowController {
    /// A controller with the built-in levels and FlowSchemas in use.
    #[must_use]
    pub fn new(options: Options, clock: &dyn Clock) -> Self {
        let start = now();
        let controller = Self {
            options,
            in_use: ArcSwap::default(),
            levels: Mutex::default(),
            watches: Arc::default(),
            in_flight: Arc::new(InFlight::new(start)),
            idle: Arc::default(),
            anchor: (start, clock.now()),
        };
        // Nothing is stored yet, so that no condition is out of date.
        drop(controller.digest(Vec::new(), Vec::new()));
        controller
    }

    /// Which FlowSchema claims a request and which level would serve it.
    #[must_use]
    pub fn classify(&self, digest: &RequestDigest<'_>) -> Option<Classification> {
        self.in_use.load().classify(digest).map(snapshot::SchemaInUse::classification)
    }

    /// Waits until a level that is no longer wanted has become idle, so that objects should be
    /// digested again to let it go.
    pub async fn unwanted_level_idle(&self) {
        self.idle.notified().await;
    }

    /// Counts a watch for the work estimates of requests that change what it looks at, from its
    /// dispatch to its end. `required_node_name` is what its field selector requires
    /// `spec.nodeName` to equal. `None` if such watches do not count.
    #[must_use]
    pub fn register_watch(
        &self,
        target: &ResourceTarget<'_>,
        required_node_name: Option<&str>,
    ) -> Option<WatchRegistration> {
        self.watches.register(target, required_node_name)
    }

    /// The server's requests by phase and kind.
    #[must_use]
    pub fn in_flight(&self) -> &Arc<InFlight> {
        &self.in_flight
    }

    /// The ratios of all levels there ever were, up to now, by name.
    #[must_use]
    pub fn level_ratios(&self) -> Vec<LevelRatiosSnapshot> {
        let now = now();
        let levels = self.levels.lock();
        levels.ratios.iter().map(|(name, ratios)| ratios.snapshot(now, name)).collect()
    }

    /// Tells the observers of all levels what their progress meters read and how their last
    /// dispatches were decided: to be called before somebody looks.
    pub fn tell_progress(&self) {
        for (_, gate) in self.gates() {
            gate.tell_progress();
        }
    }

    pub(crate) fn wall_time(&self, instant: std::time::Instant) -> SystemTime {
        self.anchor.1 + instant.saturating_duration_since(self.anchor.0)
    }

    pub(crate) fn gates(&self) -> Vec<(String, Arc<Gate>)> {
        let levels = self.levels.lock();
        let gates = levels.states.iter();
        gates.map(|(name, state)| (name.clone(), Arc::clone(&state.gate))).collect()
    }
}
