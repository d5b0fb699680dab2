//! From FlowSchemas and PriorityLevelConfigurations to what is in use (spec: apf 3.7, 4.3).
//!
//! Pure. Two quirks of the reference are kept: an exempt object without member `exempt` counts as
//! absent although the API accepts it; and a mandatory level whose object was deleted keeps the
//! deleted object, uid included, until there is one again.

mod level;
mod limits;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use api::flowcontrol::v1::{FlowSchema, PriorityLevelConfiguration};

use crate::bootstrap;

pub use level::{BrokenLevel, CATCH_ALL, EXEMPT, LevelKind, LevelSpec, LimitResponse, Queuing};
pub use limits::{Limits, share_sum};

/// A level in use.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelInUse {
    /// The object it comes from: a stored one or a built-in stand-in without uid.
    pub object: Arc<PriorityLevelConfiguration>,
    /// What the object asks for.
    pub spec: LevelSpec,
    /// Whether it is no longer wanted and only has requests to finish. It keeps its shares
    /// meanwhile.
    pub quiescing: bool,
}

/// A condition of type Dangling that has to be written to a FlowSchema's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionUpdate {
    /// The FlowSchema's name.
    pub flow_schema_name: String,
    /// `True` or `False`.
    pub status: &'static str,
    /// `NotFound` or `Found`.
    pub reason: &'static str,
    /// The sentence for people.
    pub message: String,
}

/// What is in use after a digestion.
#[derive(Debug, Default)]
pub struct Digested {
    /// The FlowSchemas in matching order, each referring to one of `levels`. The mandatory two are
    /// always among them.
    pub flow_schemas: Vec<Arc<FlowSchema>>,
    /// The levels by name. The mandatory two are always among them.
    pub levels: BTreeMap<String, LevelInUse>,
    /// The levels that were in use before and are gone for good.
    pub removed: Vec<String>,
    /// The conditions to write.
    pub condition_updates: Vec<ConditionUpdate>,
}

/// The built-in FlowSchemas that stand in for missing mandatory ones; they have no uid.
static STAND_IN_SCHEMAS: LazyLock<BTreeMap<&str, Arc<FlowSchema>>> = LazyLock::new(|| {
    let objects = bootstrap::flow_schemas().filter(|object| object.mandatory);
    objects.map(|object| (object.name, Arc::new(object.build()))).collect()
});

/// The built-in levels that stand in for missing mandatory ones; they have no uid.
static STAND_IN_LEVELS: LazyLock<BTreeMap<&str, LevelInUse>> = LazyLock::new(|| {
    let objects = bootstrap::priority_levels().filter(|object| object.mandatory);
    objects
        .filter_map(|object| {
            let spec = LevelSpec::read(object.name, object.spec).ok()?;
            let object_built = Arc::new(object.build());
            Some((object.name, LevelInUse { object: object_built, spec, quiescing: false }))
        })
        .collect()
});

/// Digests all objects there are, after `previous` levels were in use. `is_idle` says of a level
/// that is no longer wanted whether it has no requests left and may go.
#[must_use]
pub fn digest(
    flow_schemas: Vec<Arc<FlowSchema>>,
    levels: Vec<Arc<PriorityLevelConfiguration>>,
    previous: &BTreeMap<String, LevelInUse>,
    mut is_idle: impl FnMut(&str) -> bool,
) -> Digested {
    let mut digested = Digested { levels: usable_levels(levels), ..Digested::default() };
    digested.take_flow_schemas(flow_schemas);
    digested.keep_old_levels(previous, &mut is_idle);
    for (name, stand_in) in &*STAND_IN_LEVELS {
        digested.levels.entry((*name).to_owned()).or_insert_with(|| stand_in.clone());
    }
    digested
}

fn usable_levels(objects: Vec<Arc<PriorityLevelConfiguration>>) -> BTreeMap<String, LevelInUse> {
    let mut levels = BTreeMap::new();
    for object in objects {
        let name = &object.metadata.name;
        match LevelSpec::read(name, &object.spec) {
            Ok(spec) => {
                levels.insert(name.clone(), LevelInUse { object, spec, quiescing: false });
            }
            Err(error) => {
                tracing::warn!(priority_level = %name, %error, "ignoring a broken priority level");
            }
        }
    }
    levels
}

impl Digested {
    /// Takes those FlowSchemas into use whose level there is. Levels that only finish their
    /// requests are not there yet and do not count.
    fn take_flow_schemas(&mut self, flow_schemas: Vec<Arc<FlowSchema>>) {
        for schema in flow_schemas {
            let found = self.levels.contains_key(&schema.spec.priority_level_configuration.name);
            self.condition_updates.extend(condition_update(&schema, found));
            if found {
                self.flow_schemas.push(schema);
            }
        }
        self.flow_schemas.sort_by(|a, b| matching_order(a).cmp(&matching_order(b)));
        let has = |name| self.flow_schemas.iter().any(|schema| schema.metadata.name == name);
        let (has_exempt, has_catch_all) = (has(EXEMPT), has(CATCH_ALL));
        if let (false, Some(stand_in)) = (has_exempt, STAND_IN_SCHEMAS.get(EXEMPT)) {
            self.flow_schemas.insert(0, Arc::clone(stand_in));
        }
        if let (false, Some(stand_in)) = (has_catch_all, STAND_IN_SCHEMAS.get(CATCH_ALL)) {
            self.flow_schemas.push(Arc::clone(stand_in));
        }
    }

    fn keep_old_levels(
        &mut self,
        previous: &BTreeMap<String, LevelInUse>,
        is_idle: &mut impl FnMut(&str) -> bool,
    ) {
        for (name, level) in previous {
            if self.levels.contains_key(name) {
                continue;
            }
            let mandatory = STAND_IN_LEVELS.contains_key(name.as_str());
            if !mandatory && is_idle(name) {
                self.removed.push(name.clone());
            } else {
                let kept = LevelInUse { quiescing: !mandatory, ..level.clone() };
                self.levels.insert(name.clone(), kept);
            }
        }
    }
}

fn matching_order(schema: &FlowSchema) -> (i32, &str) {
    (schema.spec.matching_precedence, &schema.metadata.name)
}

/// The condition to write, unless the FlowSchema's status has it already.
fn condition_update(schema: &FlowSchema, found: bool) -> Option<ConditionUpdate> {
    let name = &schema.spec.priority_level_configuration.name;
    let (status, reason, end) = if found {
        ("False", "Found", "and it exists")
    } else {
        ("True", "NotFound", "but there is no such object")
    };
    let message = format!(
        "This FlowSchema references the PriorityLevelConfiguration object named {name:?} {end}"
    );
    let current = schema.status.conditions.iter().find(|c| c.condition_type == "Dangling");
    if current.is_some_and(|c| c.status == status && c.reason == reason && c.message == message) {
        return None;
    }
    let flow_schema_name = schema.metadata.name.clone();
    Some(ConditionUpdate { flow_schema_name, status, reason, message })
}
