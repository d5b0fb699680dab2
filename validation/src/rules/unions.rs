//! Checks over several fields of a struct or items of a list (spec: validation 13.18 to 13.21).

use validation_tags::model::Kind;

use super::engine::{Engine, Place};
use super::plan::Identity;
use super::structs::{FieldRef, ItemUnion, Member, ModeMember, StructCheck, UnionKind};
use super::value::Slot;
use crate::field::{Error, Shown, Trail};
use crate::text::go_quote;

impl Engine<'_> {
    pub(super) fn check_struct(&self, check: &StructCheck, place: &Place<'_>) -> Vec<Error> {
        match check {
            StructCheck::Union { kind, members, level } => {
                let names: Vec<&str> =
                    members.iter().map(|member| member.field.name.as_str()).collect();
                let set = |owner| -> Vec<bool> {
                    members.iter().map(|member| self.is_field_set(&member.field, owner)).collect()
                };
                let set_before = self.old_owner(place).map(|old| set(Some(old)));
                let error =
                    check_union(*kind, &names, &set(place.new), set_before.as_deref(), place.path);
                error.map(|error| error.with_level(*level)).into_iter().collect()
            }
            StructCheck::Discriminated { discriminator, members, level } => {
                let errors = self.check_discriminated(discriminator, members, place);
                errors.into_iter().map(|error| error.with_level(*level)).collect()
            }
            StructCheck::Modes { discriminator, is_bool, members } => {
                let check = |member| self.check_mode(discriminator, *is_bool, member, place);
                members.iter().flat_map(check).collect()
            }
            StructCheck::Dependent { trigger, other, required, level } => {
                let error = self.check_dependent(trigger, other, *required, place);
                error.map(|error| error.with_level(*level)).into_iter().collect()
            }
        }
    }

    /// The old struct, in an update.
    fn old_owner<'v>(&self, place: &Place<'v>) -> Option<super::value::Given<'v>> {
        place.old.filter(|_| self.is_update)
    }

    fn field_slot<'v>(&self, field: &FieldRef, owner: Slot<'v>) -> Slot<'v> {
        self.values().field(&field.value_type, owner, &field.name)
    }

    fn is_field_set(&self, field: &FieldRef, owner: Slot<'_>) -> bool {
        self.values().is_set(&field.value_type, self.field_slot(field, owner))
    }

    fn is_field_equal(&self, field: &FieldRef, place: &Place<'_>) -> bool {
        let (new, old) = (self.field_slot(field, place.new), self.field_slot(field, place.old));
        self.values().equal(&field.value_type, new, old)
    }

    fn check_discriminated(
        &self,
        discriminator: &FieldRef,
        members: &[Member],
        place: &Place<'_>,
    ) -> Vec<Error> {
        let is_set = |member: &Member, owner| self.is_field_set(&member.field, owner);
        let unchanged = self.old_owner(place).is_some()
            && self.is_field_equal(discriminator, place)
            && members.iter().all(|m| is_set(m, place.new) == is_set(m, place.old));
        if unchanged {
            return Vec::new();
        }
        let selected = self.field_slot(discriminator, place.new).map_or("", |given| given.text());
        let check = |member: &Member| {
            let detail = match (member.value == selected, is_set(member, place.new)) {
                (false, true) => "may only be specified when",
                (true, false) => "must be specified when",
                _ => return None,
            };
            let (name, value) = (&discriminator.name, go_quote(&member.value));
            let path = place.path.child(&member.field.name);
            let error = Error::invalid(&path, "", format!("{detail} `{name}` is {value}"));
            Some(error.with_origin("union"))
        };
        members.iter().filter_map(check).collect()
    }

    fn check_mode(
        &self,
        discriminator: &FieldRef,
        is_bool: bool,
        member: &ModeMember,
        place: &Place<'_>,
    ) -> Vec<Error> {
        let unchanged = self.old_owner(place).is_some()
            && self.is_field_equal(discriminator, place)
            && self.is_field_equal(&member.field, place);
        if unchanged {
            return Vec::new();
        }
        let mode =
            self.field_slot(discriminator, place.new).map_or("", |given| match given.flag() {
                _ if !is_bool => given.text(),
                true => "true",
                false => "false",
            });
        let member_place = Place {
            path: &place.path.child(&member.field.name),
            value_type: &member.field.value_type,
            new: self.field_slot(&member.field, place.new),
            old: self.field_slot(&member.field, place.old),
            identity: &Identity::None,
            function: None,
        };
        let mut rules = member.rules.iter().filter(|(of, _)| of == mode).peekable();
        if rules.peek().is_some() {
            return rules.flat_map(|(_, rule)| self.apply(rule, &member_place).errors).collect();
        }
        let forbidden = self.values().is_set(member_place.value_type, member_place.new);
        let error = || Error::forbidden(member_place.path, "").with_level(member.level);
        forbidden.then(error).into_iter().collect()
    }

    fn check_dependent(
        &self,
        trigger: &FieldRef,
        other: &FieldRef,
        required: bool,
        place: &Place<'_>,
    ) -> Option<Error> {
        let state = |owner| (self.is_field_set(trigger, owner), self.is_field_set(other, owner));
        let now = state(place.new);
        if self.old_owner(place).is_some_and(|old| state(Some(old)) == now) {
            return None;
        }
        let path = place.path.child(&other.name);
        let name = &trigger.name;
        match (now, required) {
            ((true, false), true) => {
                let error = Error::required(&path, format!("must be set when {name} is set"));
                Some(error.with_origin("dependentRequired"))
            }
            ((true, true), false) => {
                let error = Error::forbidden(&path, format!("may not be set when {name} is set"));
                Some(error.with_origin("dependentForbidden"))
            }
            _ => None,
        }
    }

    pub(super) fn check_item_union(&self, union: &ItemUnion, place: &Place<'_>) -> Option<Error> {
        let Kind::List(item) = self.plan.model.kind(place.value_type) else { return None };
        let set = |list: super::value::Given<'_>| -> Vec<bool> {
            let found = |(_, keys): &(String, Vec<_>)| self.find_item(item, list, keys).is_some();
            union.members.iter().map(found).collect()
        };
        let names: Vec<&str> = union.members.iter().map(|(name, _)| name.as_str()).collect();
        let set_before = self.old_owner(place).map(set);
        let error =
            check_union(union.kind, &names, &set(place.new?), set_before.as_deref(), place.path);
        error.map(|error| error.with_level(union.level))
    }
}

/// Whether as many members are set as may be. What was already so is not looked at again.
fn check_union(
    kind: UnionKind,
    names: &[&str],
    set: &[bool],
    set_before: Option<&[bool]>,
    path: &Trail<'_>,
) -> Option<Error> {
    if set_before == Some(set) {
        return None;
    }
    let (origin, at_most) = match kind {
        UnionKind::One => ("union", "must specify exactly one of"),
        UnionKind::ZeroOrOne => ("zeroOrOneOf", "must specify at most one of"),
    };
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let all = all.join(", ");
    let chosen: Vec<&str> =
        names.iter().zip(set).filter(|(_, set)| **set).map(|(name, _)| *name).collect();
    let (value, detail) = match chosen.len() {
        0 if kind == UnionKind::One => (String::new(), format!("must specify one of: {all}")),
        0 | 1 => return None,
        _ => (format!("{{{}}}", chosen.join(", ")), format!("{at_most}: {all}")),
    };
    Some(Error::invalid(path, Shown::from(&value), detail).with_origin(origin))
}
