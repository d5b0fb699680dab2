//! What an update must not do (spec: validation 13.12).

use validation_tags::Constraint;
use validation_tags::model::{Kind, Type};

use super::engine::{Engine, Known, Outcome, Place};
use super::value::Given;
use crate::field::{Error, Shown, Trail};

impl Engine<'_> {
    pub(super) fn apply_constraint(&self, constraint: Constraint, place: &Place<'_>) -> Outcome {
        if !self.is_update {
            return Outcome::default();
        }
        let was_set = self.values().is_set(place.value_type, place.old);
        let is_set = self.values().is_set(place.value_type, place.new);
        let detail = match (constraint, was_set, is_set) {
            (Constraint::NoSet, false, true) => "field cannot be set once created",
            (Constraint::NoUnset, true, false) => "field cannot be cleared once set",
            (Constraint::NoModify, true, true) => "field cannot be modified once set",
            (Constraint::NoAddItem | Constraint::NoRemoveItem, ..) => {
                return Outcome { errors: self.check_items(constraint, place), stop: false };
            }
            _ => return Outcome::default(),
        };
        Error::invalid(place.path, Shown::null(), detail).with_origin("update").into()
    }

    fn check_items(&self, constraint: Constraint, place: &Place<'_>) -> Vec<Error> {
        let nothing = Given::NOTHING;
        let (new, old) = (place.new.unwrap_or(nothing), place.old.unwrap_or(nothing));
        let added = constraint == Constraint::NoAddItem;
        match self.plan.model.kind(place.value_type) {
            Kind::Map(..) => {
                let (these, others) = if added { (new, old) } else { (old, new) };
                let missing = these.entries().filter(|(key, _)| others.entry(key).is_none());
                missing.map(|(key, _)| refusal(&place.path.key(key), added)).collect()
            }
            Kind::List(item) if added => {
                let missing = self.missing(place, item, new, old);
                missing.map(|index| refusal(&place.path.index(index), true)).collect()
            }
            Kind::List(item) => {
                self.missing(place, item, old, new).map(|_| refusal(place.path, false)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The indexes of those items that have no counterpart among the others.
    fn missing<'v>(
        &'v self,
        place: &'v Place<'_>,
        item: &'v Type,
        these: Given<'v>,
        others: Given<'v>,
    ) -> impl Iterator<Item = usize> + 'v {
        let known = Known::of(self, place.identity, item, others);
        these.items().iter().enumerate().filter_map(move |(index, value)| {
            let slot = self.values().member(item, Some(value));
            let key = self.key(place.identity, item, slot)?;
            known.find(&key).is_none().then_some(index)
        })
    }
}

fn refusal(path: &Trail<'_>, added: bool) -> Error {
    let detail = if added { "item may not be added" } else { "item may not be removed" };
    Error::forbidden(path, detail).with_origin("update")
}
