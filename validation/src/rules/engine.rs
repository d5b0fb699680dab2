//! Walking an object along its plan (spec: validation 12).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use validation_tags::Rule;
use validation_tags::model::{Definition, Kind, Type, TypeId};

use super::CustomRules;
use super::plan::{Check, Checks, Identity, Plan};
use super::value::{Given, Slot, Values};
use crate::field::{Error, Level, Trail};

/// One validation of one object.
pub(super) struct Engine<'a> {
    pub(super) plan: &'a Plan,
    pub(super) custom: &'a CustomRules,
    pub(super) options: &'a BTreeMap<String, bool>,
    pub(super) is_update: bool,
}

/// A value and what it was before.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) path: &'a Trail<'a>,
    pub(super) value_type: &'a Type,
    pub(super) new: Slot<'a>,
    /// The old value; nil on create, and where there is no counterpart.
    pub(super) old: Slot<'a>,
    pub(super) identity: &'a Identity,
    /// Which function of `customValidation` belongs here.
    pub(super) function: Option<(&'a str, Option<&'a str>)>,
}

/// What a rule found.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) errors: Vec<Error>,
    /// The value's other rules are not to be looked at, though nothing is wrong.
    pub(super) stop: bool,
}

impl Outcome {
    pub(super) fn stop() -> Self {
        Self { errors: Vec::new(), stop: true }
    }

    fn stops(&self) -> bool {
        self.stop || !self.errors.is_empty()
    }

    /// Adds another's findings.
    pub(super) fn add(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.stop |= other.stop;
    }
}

impl From<Error> for Outcome {
    fn from(error: Error) -> Self {
        Self { errors: vec![error], stop: false }
    }
}

impl From<Option<Error>> for Outcome {
    fn from(error: Option<Error>) -> Self {
        Self { errors: error.into_iter().collect(), stop: false }
    }
}

impl<'a> Engine<'a> {
    pub(super) fn values(&self) -> Values<'a> {
        Values(&self.plan.model)
    }

    /// The rules of a named type.
    pub(super) fn check_type(&self, id: TypeId, place: &Place<'_>) -> Vec<Error> {
        let Some((_, plan)) = self.plan.get(id) else { return Vec::new() };
        if !plan.is_validated || place.new.is_none() {
            return Vec::new();
        }
        let function = Some((plan.short_name.as_str(), None));
        let place = Place { identity: &plan.checks.identity, function, ..*place };
        let mut errors = Vec::new();
        if self.run_first(&plan.checks, &place, &mut errors) {
            return errors;
        }
        for check in &plan.struct_checks {
            errors.extend(self.check_struct(check, &place));
        }
        self.run_then(&plan.checks, &place, &mut errors);
        if let Some(fields_of) = self.struct_of(id) {
            self.check_fields(fields_of, &place, &mut errors);
        } else {
            errors.extend(self.check_contents(&plan.checks, &place));
        }
        errors
    }

    /// The struct that a type is under all its names.
    fn struct_of(&self, id: TypeId) -> Option<TypeId> {
        match &self.plan.model.get(id)?.definition {
            Definition::Struct(_) => Some(id),
            Definition::Alias(Type::Named(id)) => self.struct_of(*id),
            Definition::Alias(_) | Definition::Unknown => None,
        }
    }

    fn check_fields(&self, id: TypeId, owner: &Place<'_>, errors: &mut Vec<Error>) {
        let Some((named, plan)) = self.plan.get(id) else { return };
        let Definition::Struct(fields) = &named.definition else { return };
        for (field, field_plan) in fields.iter().zip(&plan.fields) {
            if !field_plan.is_validated {
                continue;
            }
            let value_type = &field.value_type;
            let new = self.values().field(value_type, owner.new, &field.name);
            let old = self.values().field(value_type, owner.old, &field.name);
            if self.is_unchanged(value_type, owner.old, new, old) {
                continue;
            }
            let place = Place {
                path: &owner.path.child(&field.name),
                value_type,
                new,
                old,
                identity: &field_plan.checks.identity,
                function: Some((&plan.short_name, Some(&field.name))),
            };
            errors.extend(self.check_field(&field_plan.checks, &place));
        }
    }

    /// Whether what has an old counterpart did not change, so that it is not looked at again.
    pub(super) fn is_unchanged(
        &self,
        value_type: &Type,
        old_owner: Slot<'_>,
        new: Slot<'_>,
        old: Slot<'_>,
    ) -> bool {
        self.is_update && old_owner.is_some() && self.values().equal(value_type, new, old)
    }

    fn check_field(&self, checks: &Checks, place: &Place<'_>) -> Vec<Error> {
        let nils = self.check_nil_items(checks, place);
        if !nils.is_empty() {
            return nils;
        }
        let mut errors = Vec::new();
        if self.run_first(checks, place, &mut errors) {
            return errors;
        }
        self.run_then(checks, place, &mut errors);
        if !checks.is_opaque {
            match self.values().target(place.value_type) {
                Type::Named(id) => {
                    let place = Place { value_type: &Type::Named(*id), ..*place };
                    errors.extend(self.check_type(*id, &place));
                }
                _ => errors.extend(self.check_contents(checks, place)),
            }
        }
        errors
    }

    /// Lists of what can be nil must not have nil items, if there is anything to check.
    fn check_nil_items(&self, checks: &Checks, place: &Place<'_>) -> Vec<Error> {
        let (Kind::List(item), Some(list)) = (self.plan.model.kind(place.value_type), place.new)
        else {
            return Vec::new();
        };
        let quiet = checks.then.is_empty() && !self.plan.is_validated(item);
        if quiet || !matches!(self.plan.model.kind(item), Kind::Pointer(_)) {
            return Vec::new();
        }
        let nil = |(index, value): (usize, &Value)| {
            value.is_null().then(|| {
                let mut error = Error::required(&place.path.index(index), "");
                error.short_circuit = true;
                error
            })
        };
        list.items().iter().enumerate().filter_map(nil).collect()
    }

    /// Runs the checks that may stop all others; tells whether they did.
    fn run_first(&self, checks: &Checks, place: &Place<'_>, errors: &mut Vec<Error>) -> bool {
        let mut stopped = false;
        for check in &checks.first {
            let mut outcome = self.run(check, place);
            outcome.errors.iter_mut().for_each(|error| error.short_circuit = true);
            stopped |= outcome.stops();
            errors.extend(outcome.errors);
        }
        stopped
    }

    fn run_then(&self, checks: &Checks, place: &Place<'_>, errors: &mut Vec<Error>) {
        for check in &checks.then {
            errors.extend(self.run(check, place).errors);
        }
        for group in &checks.groups {
            let mut stopped = group.inherited.iter().any(|rule| self.apply(rule, place).stops());
            for rule in &group.first {
                let mut outcome = self.apply(rule, place);
                outcome.errors.iter_mut().for_each(|error| error.short_circuit = true);
                stopped |= outcome.stops();
                errors.extend(outcome.errors);
            }
            if !stopped {
                errors.extend(group.then.iter().flat_map(|rule| self.apply(rule, place).errors));
            }
        }
    }

    fn run(&self, check: &Check, place: &Place<'_>) -> Outcome {
        match check {
            Check::Rule(rule) => self.apply(rule, place),
            Check::Unique => Outcome { errors: self.check_unique(place), stop: false },
            Check::ItemUnion(union) => self.check_item_union(union, place).into(),
        }
    }

    /// The rules of the types of keys, items and values.
    fn check_contents(&self, checks: &Checks, place: &Place<'_>) -> Vec<Error> {
        let mut errors = Vec::new();
        let mut check = |place: &Place<'_>| {
            if let Type::Named(id) = self.values().target(place.value_type) {
                let place = Place { value_type: &Type::Named(*id), ..*place };
                errors.extend(self.check_type(*id, &place));
            }
        };
        match self.plan.model.kind(place.value_type) {
            Kind::List(item) if !checks.values_are_opaque && self.plan.is_validated(item) => {
                self.for_each_value(place, &mut check);
            }
            Kind::Map(key, value) => {
                if !checks.keys_are_opaque && self.plan.is_validated(key) {
                    self.for_each_key(place, &mut check);
                }
                if !checks.values_are_opaque && self.plan.is_validated(value) {
                    self.for_each_value(place, &mut check);
                }
            }
            _ => {}
        }
        errors
    }

    /// Every item of a list or value of a map that is new or changed; nil ones are left out.
    pub(super) fn for_each_value(&self, place: &Place<'_>, check: &mut dyn FnMut(&Place<'_>)) {
        let Some(new) = place.new else { return };
        match self.plan.model.kind(place.value_type) {
            Kind::List(item) => {
                let known = place.old.map(|old| Known::of(self, place.identity, item, old));
                for (index, value) in new.items().iter().enumerate() {
                    let slot = self.values().member(item, Some(value));
                    let old = known
                        .as_ref()
                        .and_then(|known| known.find(&self.key(place.identity, item, slot)?));
                    let path = place.path.index(index);
                    self.check_value(place, &path, item, (slot, old), check);
                }
            }
            Kind::Map(_, value_type) => {
                for (key, value) in new.entries() {
                    let slot = self.values().member(value_type, Some(value));
                    let old = place.old.and_then(|old| old.entry(key));
                    let old = old.and_then(|old| self.values().member(value_type, Some(old)));
                    let path = place.path.key(key);
                    self.check_value(place, &path, value_type, (slot, old), check);
                }
            }
            _ => {}
        }
    }

    fn check_value(
        &self,
        owner: &Place<'_>,
        path: &Trail<'_>,
        value_type: &Type,
        (new, old): (Slot<'_>, Slot<'_>),
        check: &mut dyn FnMut(&Place<'_>),
    ) {
        let unchanged = old.is_some() && self.is_unchanged(value_type, owner.old, new, old);
        if new.is_some() && !unchanged {
            let identity = &Identity::None;
            check(&Place { path, value_type, new, old, identity, function: None });
        }
    }

    /// Every key of a map that was not there before; errors are the map's own.
    pub(super) fn for_each_key(&self, place: &Place<'_>, check: &mut dyn FnMut(&Place<'_>)) {
        let (Kind::Map(key_type, _), Some(new)) =
            (self.plan.model.kind(place.value_type), place.new)
        else {
            return;
        };
        for (key, _) in new.entries() {
            if place.old.is_some_and(|old| old.entry(key).is_some()) {
                continue;
            }
            let value = Value::from(key.as_str());
            check(&Place {
                path: place.path,
                value_type: key_type,
                new: Some(Given::new(&value)),
                old: None,
                identity: &Identity::None,
                function: None,
            });
        }
    }

    /// What tells an item of a list from others, as text; `None` if nothing does.
    pub(super) fn key(
        &self,
        identity: &Identity,
        item_type: &Type,
        item: Slot<'_>,
    ) -> Option<String> {
        let json = |value_type: &Type, slot| self.values().json(value_type, slot).to_string();
        match identity {
            Identity::None => None,
            Identity::Whole => Some(json(item_type, item)),
            Identity::Keys(names) => {
                let fields = self.plan.model.fields(item_type)?;
                let mut key = String::new();
                for name in names {
                    let field = fields.iter().find(|field| field.name == *name)?;
                    let slot = self.values().field(&field.value_type, item, name);
                    key.push_str(&json(&field.value_type, slot));
                    key.push(',');
                }
                Some(key)
            }
        }
    }

    fn check_unique(&self, place: &Place<'_>) -> Vec<Error> {
        let (Kind::List(item), Some(list)) = (self.plan.model.kind(place.value_type), place.new)
        else {
            return Vec::new();
        };
        let mut seen = BTreeSet::new();
        let mut errors = Vec::new();
        for (index, value) in list.items().iter().enumerate() {
            let slot = self.values().member(item, Some(value));
            let Some(key) = self.key(place.identity, item, slot) else { continue };
            if !seen.insert(key) {
                let path = place.path.index(index);
                errors.push(Error::duplicate(&path, self.values().shown(item, slot)));
            }
        }
        errors
    }

    /// Marks what a rule of a level found.
    pub(super) fn apply_at(&self, level: Level, rule: &Rule, place: &Place<'_>) -> Outcome {
        let mut outcome = self.apply(rule, place);
        outcome.errors.iter_mut().for_each(|error| error.level = level);
        outcome
    }
}

/// The items of a list by what tells them apart.
pub(super) struct Known<'a>(BTreeMap<String, Given<'a>>);

impl<'a> Known<'a> {
    pub(super) fn of(
        engine: &Engine<'_>,
        identity: &Identity,
        item_type: &Type,
        list: Given<'a>,
    ) -> Self {
        let mut known = BTreeMap::new();
        for value in list.items() {
            let slot = engine.values().member(item_type, Some(value));
            if let (Some(key), Some(given)) = (engine.key(identity, item_type, slot), slot) {
                known.entry(key).or_insert(given);
            }
        }
        Self(known)
    }

    pub(super) fn find(&self, key: &str) -> Slot<'a> {
        self.0.get(key).copied()
    }
}
