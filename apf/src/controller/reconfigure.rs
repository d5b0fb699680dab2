//! Digestion of the objects and adjustment of the limits (spec: apf 4.3, 5.3).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};

use super::snapshot::{InUse, SchemaInUse};
use super::{FlowController, LevelState, Levels};
use crate::borrowing::{Borrower, adjust};
use crate::classify::DistinguisherMethod;
use crate::config::{self, ConditionUpdate, LevelInUse, LevelKind, LevelSpec, Limits, share_sum};
use crate::digest::RequestKind;
use crate::gate::{Flow, Gate, NameAndUid, Surroundings, now};
use crate::queueset::{Configuration, Intake};
use crate::ratios::{LevelRatios, Phase};

/// The part of the server's seats that ratios of a level without seats are relative to.
const DENOMINATOR_WITHOUT_SEATS: f64 = 10.0;

/// The limits of a level, in seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelLimits {
    /// Those that its configuration gives it.
    pub before_borrowing: Limits,
    /// CurrentCL: what it has at the moment.
    pub current: u64,
}

impl FlowController {
    /// Takes all stored objects into use, and returns the conditions of FlowSchemas that have to
    /// be written. To be called whenever an object comes, goes or changes, and when
    /// [`Self::unwanted_level_idle`] says so.
    pub fn digest(
        &self,
        flow_schemas: Vec<Arc<FlowSchema>>,
        priority_levels: Vec<Arc<PriorityLevelConfiguration>>,
    ) -> Vec<ConditionUpdate> {
        let mut levels = self.levels.lock();
        let Levels { in_use, states, .. } = &mut *levels;
        let is_idle = |name: &str| states.get(name).is_none_or(|s| s.gate.retire_if_idle());
        let digested = config::digest(flow_schemas, priority_levels, in_use, is_idle);
        for name in &digested.removed {
            states.remove(name);
        }
        *in_use = digested.levels;
        self.limit(&mut levels);
        self.adjust_levels(&mut levels);
        self.set_server_denominators(&levels);
        self.in_use.store(Arc::new(self.put_in_use(digested.flow_schemas, &levels)));
        digested.condition_updates
    }

    /// Lends and borrows seats according to the demand since the last time. To be called every
    /// [`super::ADJUSTMENT_PERIOD`].
    pub fn adjust(&self) {
        self.adjust_levels(&mut self.levels.lock());
    }

    /// Sets the limits of every level before borrowing, and makes the gates of new ones.
    fn limit(&self, levels: &mut Levels) {
        let server_limit = u64::from(self.options.server_concurrency_limit);
        let share_sum = share_sum(levels.in_use.values().map(|level| &level.spec));
        let Levels { in_use, states, ratios } = levels;
        for (name, level) in &*in_use {
            let limits = Limits::of(&level.spec, server_limit, share_sum);
            let state = states.entry(name.clone()).or_insert_with(|| {
                let ratios = ratios.entry(name.clone());
                let ratios = ratios.or_insert_with(|| Arc::new(LevelRatios::new(now())));
                self.new_level(name, &level.spec, limits, Arc::clone(ratios))
            });
            state.limits = limits;
            state.max_seats = limits.max_seats(&level.spec).or(state.max_seats);
            state.observer.limited(&limits);
            state.gate.set_wanted(!level.quiescing);
        }
    }

    fn new_level(
        &self,
        name: &str,
        spec: &LevelSpec,
        limits: Limits,
        ratios: Arc<LevelRatios>,
    ) -> LevelState {
        let observer = self.options.observer.level(name);
        // Replaced by the adjustment that follows every digestion.
        let current = limits.nominal - (limits.nominal - limits.min) / 2;
        let surroundings = Surroundings {
            observer: Arc::clone(&observer),
            ratios,
            in_flight: Arc::clone(&self.in_flight),
            idle: Arc::clone(&self.idle),
        };
        let gate = Arc::new(Gate::new(configuration(spec, current), surroundings));
        LevelState { gate, observer, limits, current, max_seats: None }
    }

    fn adjust_levels(&self, levels: &mut Levels) {
        let Levels { in_use, states, .. } = levels;
        let nominal_sum = states.values().map(|state| state.limits.nominal).sum();
        let mut known: Vec<(&LevelInUse, &mut LevelState)> = states
            .iter_mut()
            .filter_map(|(name, state)| Some((in_use.get(name)?, state)))
            .collect();
        let borrowers: Vec<Borrower> = known
            .iter()
            .map(|(level, state)| Borrower {
                exempt: level.spec.is_exempt(),
                limits: state.limits,
                demand: state.gate.end_period(),
                current: state.current,
            })
            .collect();
        let adjustment = adjust(nominal_sum, &borrowers);
        let adjusted = known.iter_mut().zip(adjustment.levels).zip(borrowers);
        for (((level, state), adjusted), borrower) in adjusted {
            state.current = adjusted.current;
            state.observer.adjusted(&adjusted, &borrower.demand);
            let denominator = self.ratio_denominator(adjusted.current);
            state.gate.reconfigure(configuration(&level.spec, adjusted.current), denominator);
        }
        self.options.observer.seat_fair_frac(adjustment.seat_fair_frac);
    }

    fn ratio_denominator(&self, current: u64) -> u64 {
        if current > 0 {
            return current;
        }
        let server_limit = f64::from(self.options.server_concurrency_limit);
        (server_limit / DENOMINATOR_WITHOUT_SEATS).round().max(1.0) as u64
    }

    fn set_server_denominators(&self, levels: &Levels) {
        let now = now();
        let queuing = levels.in_use.values().filter_map(|level| level.spec.queuing());
        let waiting = queuing
            .map(|queuing| {
                u64::from(queuing.dealer.deck_size()) * u64::from(queuing.queue_length_limit)
            })
            .sum();
        let executing = levels.states.values().map(|state| state.limits.nominal).sum();
        for kind in RequestKind::ALL {
            self.in_flight.set_denominator(now, Phase::Waiting, kind, waiting);
            self.in_flight.set_denominator(now, Phase::Executing, kind, executing);
        }
    }

    fn put_in_use(&self, flow_schemas: Vec<Arc<FlowSchema>>, levels: &Levels) -> InUse {
        let before = self.in_use.load();
        let flows = before.flows();
        let schemas = flow_schemas.into_iter().filter_map(|object| {
            let level_name = &object.spec.priority_level_configuration.name;
            let level = levels.in_use.get(level_name)?;
            let state = levels.states.get(level_name)?;
            let priority_level = NameAndUid::new(level_name, &level.object.metadata.uid);
            let same = flows.get(&Arc::as_ptr(&object));
            let flow = match same.filter(|flow| flow.priority_level == priority_level) {
                Some(flow) => Arc::clone(flow),
                None => Arc::new(self.new_flow(&object, priority_level)),
            };
            Some(SchemaInUse {
                method: DistinguisherMethod::from_api(object.spec.distinguisher_method.as_ref()),
                flow,
                gate: Arc::clone(&state.gate),
                has_queues: level.spec.queuing().is_some_and(|q| q.dealer.deck_size() > 1),
                level_max_seats: state.max_seats,
                object,
            })
        });
        InUse::new(schemas.collect())
    }

    fn new_flow(&self, object: &FlowSchema, priority_level: NameAndUid) -> Flow {
        let name = &object.metadata.name;
        let observer = self.options.observer.flow(&priority_level.name, name);
        let flow_schema = NameAndUid::new(name, &object.metadata.uid);
        Flow { flow_schema, priority_level, observer }
    }

    /// The limits of each level and what it has at the moment, by name.
    #[must_use]
    pub fn limits(&self) -> BTreeMap<String, LevelLimits> {
        let levels = self.levels.lock();
        let states = levels.states.iter();
        let limits = states.map(|(name, state)| {
            let limits = LevelLimits { before_borrowing: state.limits, current: state.current };
            (name.clone(), limits)
        });
        limits.collect()
    }
}

fn configuration(spec: &LevelSpec, concurrency_limit: u64) -> Configuration {
    let intake = match (spec.kind, spec.queuing()) {
        (LevelKind::Exempt, _) => Intake::Exempt,
        (LevelKind::Limited { .. }, None) => Intake::Reject,
        (LevelKind::Limited { .. }, Some(queuing)) => Intake::Queue {
            dealer: queuing.dealer,
            queue_length_limit: u64::from(queuing.queue_length_limit),
        },
    };
    Configuration { intake, concurrency_limit }
}
