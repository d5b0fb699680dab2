//! The levels without their queues: digestion, limits, demand and borrowing put together.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{Json, epoch, seconds};
use crate::borrowing::{Borrower, adjust};
use crate::config::{self, LevelInUse, Limits, share_sum};
use crate::integrator::{Integrator, SeatDemandStatistics};

pub(crate) struct LevelsModel {
    server_concurrency_limit: u64,
    now: Instant,
    in_use: BTreeMap<String, LevelInUse>,
    states: BTreeMap<String, State>,
}

struct State {
    limits: Limits,
    current: u64,
    integrator: Integrator,
    demand: SeatDemandStatistics,
}

impl LevelsModel {
    pub(crate) fn new(server_concurrency_limit: u64) -> Self {
        let (in_use, states) = (BTreeMap::new(), BTreeMap::new());
        Self { server_concurrency_limit, now: epoch(), in_use, states }
    }

    pub(crate) fn digest(&mut self, config: &Json) {
        let levels = config.as_array().unwrap().iter().map(|item| {
            let mut object = api::flowcontrol::v1::PriorityLevelConfiguration::default();
            item["name"].as_str().unwrap().clone_into(&mut object.metadata.name);
            object.spec = serde_json::from_value(item["spec"].clone()).unwrap();
            object.into()
        });
        self.digest_objects(levels.collect());
    }

    pub(crate) fn digest_defaults(&mut self) {
        let levels = crate::bootstrap::priority_levels().map(|object| object.build().into());
        self.digest_objects(levels.collect());
    }

    fn digest_objects(
        &mut self,
        levels: Vec<std::sync::Arc<api::flowcontrol::v1::PriorityLevelConfiguration>>,
    ) {
        self.in_use = config::digest(vec![], levels, &self.in_use, |_| true).levels;
        let share_sum = share_sum(self.in_use.values().map(|level| &level.spec));
        for (name, level) in &self.in_use {
            let limits = Limits::of(&level.spec, self.server_concurrency_limit, share_sum);
            let state = self.states.entry(name.clone()).or_insert_with(|| State {
                limits,
                current: 0,
                integrator: Integrator::new(self.now),
                demand: SeatDemandStatistics::default(),
            });
            state.limits = limits;
        }
        self.adjust();
    }

    pub(crate) fn nominal_sum(&self) -> u64 {
        self.states.values().map(|state| state.limits.nominal).sum()
    }

    /// Ten seconds with the demand that a recorded step describes.
    pub(crate) fn run_period(&mut self, step: &Json) {
        let start = self.now;
        for (name, demand) in step["demandSetAtStart"].as_object().into_iter().flatten() {
            self.set_demand(start, name, demand);
        }
        for change in step["demandChangesDuring"].as_array().into_iter().flatten() {
            let at = start + seconds(&change["atSecond"]);
            self.set_demand(at, change["level"].as_str().unwrap(), &change["demand"]);
        }
        self.now = start + Duration::from_secs(10);
    }

    fn set_demand(&mut self, at: Instant, name: &str, demand: &Json) {
        self.states.get_mut(name).unwrap().integrator.set(at, demand.as_f64().unwrap());
    }

    pub(crate) fn adjust(&mut self) {
        for state in self.states.values_mut() {
            state.demand.update(&state.integrator.reset(self.now));
        }
        let borrowers: Vec<Borrower> = self
            .states
            .iter()
            .map(|(name, state)| Borrower {
                exempt: self.in_use[name].spec.is_exempt(),
                limits: state.limits,
                demand: state.demand,
                current: state.current,
            })
            .collect();
        let adjustment = adjust(self.nominal_sum(), &borrowers);
        for (state, level) in self.states.values_mut().zip(adjustment.levels) {
            state.current = level.current;
        }
    }

    pub(crate) fn assert_levels(&self, expected: &Json, when: &str) {
        let expected = expected.as_array().unwrap();
        assert_eq!(self.states.len(), expected.len(), "{when}");
        for level in expected {
            let name = level["name"].as_str().unwrap();
            let (state, in_use) = (&self.states[name], &self.in_use[name]);
            let max_seats = state.limits.max_seats(&in_use.spec).unwrap_or_default();
            for (field, actual) in [
                ("currentCL", state.current),
                ("nominalCL", state.limits.nominal),
                ("minCL", state.limits.min),
                ("maxCL", state.limits.max),
                ("maxSeats", max_seats),
                ("demandHWM", state.demand.high_watermark),
            ] {
                assert_eq!(Some(actual), level[field].as_u64(), "{when}: {field} of {name}");
            }
            for (field, actual) in [
                ("demandAvg", state.demand.average),
                ("demandStdev", state.demand.deviation),
                ("demandSmoothed", state.demand.smoothed),
            ] {
                let expected = level[field].as_f64().unwrap();
                assert!((actual - expected).abs() < 1e-9, "{when}: {field} of {name}: {actual}");
            }
            assert_eq!(level["quiescing"], in_use.quiescing);
        }
    }
}
