//! One list of what is particular about each kind. A kind that is not listed is plain: its names are
//! subdomains, nothing is filled in, and nothing but its metadata is checked.

mod list;

use serde_json::Value;
use validation::field::ErrorList;

pub(crate) use list::find;
#[cfg(test)]
pub(crate) use list::kinds;

use crate::rules::Names;

/// What is particular about a kind.
pub(crate) struct Kind {
    pub(crate) group: &'static str,
    pub(crate) kind: &'static str,
    /// What its names look like.
    pub(crate) names: Names,
    /// Fills in defaults.
    pub(crate) fill: fn(&mut Value),
    /// What happens before a new object is validated.
    pub(crate) prepare_create: fn(&mut Value),
    /// What happens before a changed object is validated; the second is the old one.
    pub(crate) prepare_update: fn(&mut Value, &Value),
    /// The status of a new object, if clients have no say in it.
    pub(crate) no_status: Option<fn(&Value) -> Value>,
    /// The rules of a new object, metadata aside.
    pub(crate) validate_create: fn(&Value, &mut ErrorList),
    /// The rules of a changed object, metadata aside; `None` if they are those of a new one.
    pub(crate) validate_update: Option<fn(&Value, &Value, &mut ErrorList)>,
    /// Where a change makes a new generation (JSON pointers); `None` if there are no generations.
    pub(crate) generation: Option<&'static [&'static str]>,
    /// Whether an update may leave out the resource version.
    pub(crate) unconditional_update: bool,
    /// Whether an update may create the object.
    pub(crate) create_on_update: bool,
}

impl Kind {
    const fn new(group: &'static str, kind: &'static str) -> Self {
        Self {
            group,
            kind,
            names: Names::Subdomain,
            fill: |_| {},
            prepare_create: |_| {},
            prepare_update: |_, _| {},
            no_status: None,
            validate_create: |_, _| {},
            validate_update: None,
            generation: None,
            unconditional_update: true,
            create_on_update: false,
        }
    }

    const fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    const fn fill(mut self, fill: fn(&mut Value)) -> Self {
        self.fill = fill;
        self
    }

    const fn on_create(mut self, prepare: fn(&mut Value)) -> Self {
        self.prepare_create = prepare;
        self
    }

    const fn on_update(mut self, prepare: fn(&mut Value, &Value)) -> Self {
        self.prepare_update = prepare;
        self
    }

    const fn status(mut self, none: fn(&Value) -> Value) -> Self {
        self.no_status = Some(none);
        self
    }

    const fn rules(mut self, rules: fn(&Value, &mut ErrorList)) -> Self {
        self.validate_create = rules;
        self
    }

    const fn update_rules(mut self, rules: fn(&Value, &Value, &mut ErrorList)) -> Self {
        self.validate_update = Some(rules);
        self
    }

    const fn generation(mut self, of: &'static [&'static str]) -> Self {
        self.generation = Some(of);
        self
    }

    const fn needs_version(mut self) -> Self {
        self.unconditional_update = false;
        self
    }

    const fn created_by_update(mut self) -> Self {
        self.create_on_update = true;
        self
    }
}
