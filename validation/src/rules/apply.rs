//! What each rule checks (spec: validation 13).

use validation_tags::model::{Constant, Definition, Kind, Type};
use validation_tags::{Literal, Rule, Tag};

use super::engine::{Engine, Outcome, Place};
use super::formats;
use super::plan::Identity;
use super::value::{Given, Slot};
use crate::field::{Error, Level, Shown, Trail};
use crate::text::go_quote;

impl Engine<'_> {
    /// Applies one rule to one value.
    pub(super) fn apply(&self, rule: &Rule, place: &Place<'_>) -> Outcome {
        match rule {
            Rule::Alpha(rule) => self.apply_at(Level::Alpha, rule, place),
            Rule::Beta(rule) => self.apply_at(Level::Beta, rule, place),
            Rule::IfEnabled(option, payload) => self.apply_if(option, true, payload, place),
            Rule::IfDisabled(option, payload) => self.apply_if(option, false, payload, place),
            Rule::EachVal(payload) => {
                self.collect(|check| self.for_each_value(place, check), payload)
            }
            Rule::EachKey(payload) => {
                self.collect(|check| self.for_each_key(place, check), payload)
            }
            Rule::Item { keys, rule } => self.apply_to_item(keys, rule, place),
            Rule::Subfield(name, rule) => self.apply_to_subfield(name, rule, place),
            Rule::Required | Rule::Optional | Rule::Forbidden => self.apply_presence(rule, place),
            Rule::Immutable => self
                .is_update
                .then(|| {
                    Error::invalid(place.path, Shown::null(), "field is immutable")
                        .with_origin("immutable")
                })
                .into(),
            Rule::Update(constraint) => self.apply_constraint(*constraint, place),
            Rule::CustomValidation => self.apply_function(place),
            Rule::Custom(tag) => self.apply_custom(tag, place),
            _ => self.apply_to_target(rule, place),
        }
    }

    fn collect(&self, each: impl FnOnce(&mut dyn FnMut(&Place<'_>)), payload: &Rule) -> Outcome {
        let mut outcome = Outcome::default();
        each(&mut |place| outcome.add(self.apply(payload, place)));
        outcome
    }

    fn apply_if(&self, option: &str, wanted: bool, payload: &Rule, place: &Place<'_>) -> Outcome {
        match self.options.get(option) {
            Some(enabled) if *enabled == wanted => self.apply(payload, place),
            Some(_) => Outcome::default(),
            // Nothing that `optional` finds is ever reported, not even this.
            None if *payload.unconditional() == Rule::Optional => Outcome::stop(),
            None => undefined(option, place.path).into(),
        }
    }

    fn apply_presence(&self, rule: &Rule, place: &Place<'_>) -> Outcome {
        match (rule, self.values().is_set(place.value_type, place.new)) {
            (Rule::Required, false) => Error::required(place.path, "").into(),
            (Rule::Forbidden, true) => Error::forbidden(place.path, "").into(),
            (Rule::Forbidden | Rule::Optional, false) => Outcome::stop(),
            _ => Outcome::default(),
        }
    }

    fn apply_to_item(&self, keys: &[(String, Literal)], rule: &Rule, place: &Place<'_>) -> Outcome {
        let (Kind::List(item), Some(list)) = (self.plan.model.kind(place.value_type), place.new)
        else {
            return Outcome::default();
        };
        let Some((index, new)) = self.find_item(item, list, keys) else {
            return Outcome::default();
        };
        let old = place.old.and_then(|old| self.find_item(item, old, keys));
        let old = old.and_then(|(_, old)| old);
        if old.is_some() && self.is_unchanged(item, place.old, new, old) {
            return Outcome::default();
        }
        let path = place.path.index(index);
        let identity = &Identity::None;
        let item = Place { path: &path, value_type: item, new, old, identity, function: None };
        self.apply(rule, &item)
    }

    /// The first item with those keys.
    pub(super) fn find_item<'v>(
        &self,
        item: &Type,
        list: Given<'v>,
        keys: &[(String, Literal)],
    ) -> Option<(usize, Slot<'v>)> {
        let fields = self.plan.model.fields(item)?;
        let matches = |slot: Slot<'_>| {
            keys.iter().all(|(name, literal)| {
                fields.iter().find(|field| field.name == *name).is_some_and(|field| {
                    let value = self.values().field(&field.value_type, slot, name);
                    self.values().is(&field.value_type, value, literal)
                })
            })
        };
        let slots = list.items().iter().map(|value| self.values().member(item, Some(value)));
        slots.enumerate().find(|(_, slot)| matches(*slot))
    }

    fn apply_to_subfield(&self, name: &str, rule: &Rule, place: &Place<'_>) -> Outcome {
        let fields = self.plan.model.fields(place.value_type);
        let field = fields.into_iter().flatten().find(|field| field.name == name);
        let (Some(field), Some(_)) = (field, place.new) else { return Outcome::default() };
        let new = self.values().field(&field.value_type, place.new, name);
        let old = self.values().field(&field.value_type, place.old, name);
        if self.is_unchanged(&field.value_type, place.old, new, old) {
            return Outcome::default();
        }
        let subfield = Place {
            path: &place.path.child(name),
            value_type: &field.value_type,
            new,
            old,
            identity: &Identity::None,
            function: None,
        };
        self.apply(rule, &subfield)
    }

    fn apply_function(&self, place: &Place<'_>) -> Outcome {
        let Some((owner, field)) = place.function else { return Outcome::default() };
        let Some(function) = self.custom.find(owner, field) else { return Outcome::default() };
        let json = |slot: Slot<'_>| self.values().json(place.value_type, slot);
        let (new, old) = (json(place.new), place.old.map(|_| json(place.old)));
        let errors = function(place.path, &new, old.as_ref());
        Outcome { errors: errors.into_iter().collect(), stop: false }
    }

    fn apply_custom(&self, tag: &Tag, place: &Place<'_>) -> Outcome {
        let (Some(custom), Some(_)) = (self.custom.tag(&tag.name), place.new) else {
            return Outcome::default();
        };
        let json = |slot: Slot<'_>| self.values().json(place.value_type, slot);
        let (new, old) = (json(place.new), place.old.map(|_| json(place.old)));
        let errors = custom.check(tag, place.path, &new, old.as_ref());
        Outcome { errors: errors.into_iter().collect(), stop: false }
    }

    /// Applies a rule that looks through pointers and has nothing to say about nil.
    fn apply_to_target(&self, rule: &Rule, place: &Place<'_>) -> Outcome {
        // A nil list or map is an empty one, so only pointers are nil here.
        let Some(given) = place.new else { return Outcome::default() };
        let error = |origin, error: Error| Outcome::from(error.with_origin(origin));
        let path = place.path;
        let (count, characters) = (given.len(), || given.text().chars().count());
        let shown = || self.values().shown(place.value_type, place.new);
        match rule {
            Rule::Minimum(bound) if given.int() < *bound => {
                let detail = format!("must be greater than or equal to {bound}");
                error("minimum", Error::invalid(path, shown(), detail))
            }
            Rule::Maximum(bound) if given.int() > *bound => {
                let detail = format!("must be less than or equal to {bound}");
                error("maximum", Error::invalid(path, shown(), detail))
            }
            Rule::MinLength(min) if characters() < *min => {
                error("minLength", Error::too_short(path, *min))
            }
            Rule::MaxLength(max) if characters() > *max => {
                error("maxLength", Error::too_many_characters(path, *max))
            }
            Rule::MaxBytes(max) if given.text().len() > *max => {
                error("maxBytes", Error::too_long(path, *max))
            }
            Rule::MinItems(min) if count < *min => {
                error("minItems", Error::too_few(path, count, *min))
            }
            Rule::MaxItems(max) if count > *max => {
                error("maxItems", Error::too_many(path, count, *max))
            }
            Rule::MinProperties(min) if count < *min => {
                error("minProperties", Error::too_few(path, count, *min))
            }
            Rule::MaxProperties(max) if count > *max => {
                error("maxProperties", Error::too_many(path, count, *max))
            }
            Rule::Enum => self.apply_enum(given, place).into(),
            Rule::Format(format) => {
                let errors = formats::check(*format, given.text(), path, &shown);
                Outcome { errors, stop: false }
            }
            Rule::Neq(value) if self.values().is(place.value_type, place.new, value) => {
                let shown_value = match value {
                    Literal::Text(text) => go_quote(text),
                    other => other.to_string(),
                };
                let detail = format!("must not be equal to {shown_value}");
                error("neq", Error::invalid(path, shown(), detail))
            }
            Rule::Monotonic if self.is_update => match place.old {
                Some(old) if given.int() < old.int() => {
                    let detail = format!("may not be decreased from {}", old.int());
                    error("monotonic", Error::invalid(path, shown(), detail))
                }
                _ => Outcome::default(),
            },
            _ => Outcome::default(),
        }
    }

    fn apply_enum(&self, given: Given<'_>, place: &Place<'_>) -> Option<Error> {
        let Type::Named(id) = self.values().target(place.value_type) else { return None };
        let named = self.plan.model.get(*id)?;
        debug_assert!(matches!(named.definition, Definition::Alias(_)), "enumerations are text");
        let mut is_supported = false;
        for constant in &named.constants {
            match self.is_excluded(&constant.rules) {
                Err(option) => return Some(undefined(option, place.path)),
                Ok(excluded) => is_supported |= !excluded && constant.value == given.text(),
            }
        }
        if is_supported {
            return None;
        }
        let listed = |constant: &&Constant<Rule>| self.is_excluded(&constant.rules) == Ok(false);
        let listed = named.constants.iter().filter(listed);
        let mut supported: Vec<&str> = listed.map(|constant| constant.value.as_str()).collect();
        supported.sort_unstable();
        supported.dedup();
        let shown = self.values().shown(place.value_type, place.new);
        Some(Error::not_supported(place.path, shown, &supported))
    }

    /// Whether a constant is excluded; the option's name if it is not defined.
    fn is_excluded<'r>(&self, rules: &'r [Rule]) -> Result<bool, &'r str> {
        let mut excluded = false;
        for rule in rules {
            excluded |= match rule.without_level() {
                Rule::EnumExclude => true,
                Rule::IfEnabled(option, _) => self.option(option)?,
                Rule::IfDisabled(option, _) => !self.option(option)?,
                _ => false,
            };
        }
        Ok(excluded)
    }

    fn option<'r>(&self, option: &'r str) -> Result<bool, &'r str> {
        self.options.get(option).copied().ok_or(option)
    }
}

fn undefined(option: &str, path: &Trail<'_>) -> Error {
    Error::internal(path, format!("undefined validation option {}", go_quote(option)))
}
