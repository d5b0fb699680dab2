//! Rules that tie the fields of a struct, or the items of a list, together.

use std::collections::BTreeMap;

use validation_tags::model::{Field, Kind, Model, Type};
use validation_tags::{Literal, Rule};

use crate::field::Level;

/// A rule over several fields.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StructCheck {
    /// The fields of a union.
    Union { kind: UnionKind, members: Vec<Member>, level: Level },
    /// The members of a union with a discriminator.
    Discriminated { discriminator: FieldRef, members: Vec<Member>, level: Level },
    /// The fields whose rules depend on a mode.
    Modes { discriminator: FieldRef, is_bool: bool, members: Vec<ModeMember> },
    /// A field that depends on another.
    Dependent { trigger: FieldRef, other: FieldRef, required: bool, level: Level },
}

/// How many members of a union may be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnionKind {
    One,
    ZeroOrOne,
}

/// A field by its name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FieldRef {
    pub(super) name: String,
    pub(super) value_type: Type,
}

/// A member of a union; `value` is the discriminator's value that selects it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) field: FieldRef,
    pub(super) value: String,
}

/// A field with rules for some modes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModeMember {
    pub(super) field: FieldRef,
    /// The modes and their rules.
    pub(super) rules: Vec<(String, Rule)>,
    /// The level of the error in all other modes.
    pub(super) level: Level,
}

/// A union of the items of a list, each named by its keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ItemUnion {
    pub(super) kind: UnionKind,
    /// The name in messages and the keys.
    pub(super) members: Vec<(String, Vec<(String, Literal)>)>,
    pub(super) level: Level,
}

impl FieldRef {
    fn of(field: &Field<Rule>) -> Self {
        Self { name: field.name.clone(), value_type: field.value_type.clone() }
    }
}

pub(super) fn level_of(rule: &Rule) -> Level {
    match rule {
        Rule::Alpha(_) => Level::Alpha,
        Rule::Beta(_) => Level::Beta,
        _ => Level::Standard,
    }
}

/// The level that all have; `Standard` if they differ.
fn common(levels: impl IntoIterator<Item = Level>) -> Level {
    let mut levels = levels.into_iter();
    let first = levels.next().unwrap_or_default();
    if levels.all(|level| level == first) { first } else { Level::Standard }
}

/// Whether a rule makes what it stands on a member of a union.
pub(super) fn is_member(rule: &Rule) -> bool {
    matches!(rule.without_level(), Rule::UnionMember { .. } | Rule::ZeroOrOneOfMember { .. })
}

/// The checks that fields contribute to their struct, in the order of the first field of each.
pub(super) fn plan(model: &Model<Rule>, fields: &[Field<Rule>]) -> Vec<StructCheck> {
    let mut checks: Vec<(usize, StructCheck)> = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        checks.extend(dependents(field, fields).into_iter().map(|check| (index, check)));
    }
    checks.extend(unions(fields));
    checks.extend(modes(model, fields));
    checks.sort_by_key(|(index, _)| *index);
    checks.into_iter().map(|(_, check)| check).collect()
}

fn dependents(field: &Field<Rule>, fields: &[Field<Rule>]) -> Vec<StructCheck> {
    let check = |rule: &Rule| {
        let (name, required) = match rule.without_level() {
            Rule::DependentForbidden(name) => (name, false),
            Rule::DependentRequired(name) => (name, true),
            _ => return None,
        };
        let other = FieldRef::of(fields.iter().find(|field| field.name == *name)?);
        Some(StructCheck::Dependent {
            trigger: FieldRef::of(field),
            other,
            required,
            level: level_of(rule),
        })
    };
    let mut checks: Vec<StructCheck> = field.rules.iter().filter_map(check).collect();
    checks.sort_by_key(|check| matches!(check, StructCheck::Dependent { required: true, .. }));
    checks
}

#[derive(Default)]
struct Union {
    first: Option<usize>,
    members: Vec<Member>,
    discriminator: Option<FieldRef>,
    levels: Vec<Level>,
}

/// All unions stand where the first member of any stands, in the order of their names.
fn unions(fields: &[Field<Rule>]) -> Vec<(usize, StructCheck)> {
    let mut unions: BTreeMap<(UnionKind, &str), Union> = BTreeMap::new();
    for (index, field) in fields.iter().enumerate() {
        for rule in &field.rules {
            let (key, member_name) = match rule.without_level() {
                Rule::UnionMember { union, member_name } => {
                    ((UnionKind::One, union.as_str()), Some(member_name.clone()))
                }
                Rule::ZeroOrOneOfMember { union } => {
                    ((UnionKind::ZeroOrOne, union.as_str()), Some(None))
                }
                Rule::UnionDiscriminator { union } => ((UnionKind::One, union.as_str()), None),
                _ => continue,
            };
            let union = unions.entry(key).or_default();
            union.first.get_or_insert(index);
            union.levels.push(level_of(rule));
            match member_name {
                None => union.discriminator = Some(FieldRef::of(field)),
                Some(name) => union.members.push(Member {
                    field: FieldRef::of(field),
                    value: name.unwrap_or_else(|| field.go_name()),
                }),
            }
        }
    }
    let first = unions.values().filter_map(|union| union.first).min().unwrap_or(0);
    let check = |((kind, _), union): ((UnionKind, &str), Union)| {
        let level = common(union.levels);
        let members = union.members;
        let check = match union.discriminator {
            Some(discriminator) => StructCheck::Discriminated { discriminator, members, level },
            None => StructCheck::Union { kind, members, level },
        };
        (first, check)
    };
    unions.into_iter().map(check).collect()
}

fn modes(model: &Model<Rule>, fields: &[Field<Rule>]) -> Vec<(usize, StructCheck)> {
    let mut groups: BTreeMap<&str, (usize, &Field<Rule>)> = BTreeMap::new();
    for (index, field) in fields.iter().enumerate() {
        for rule in &field.rules {
            if let Rule::ModeDiscriminator { modality } = rule.without_level() {
                groups.insert(modality, (index, field));
            }
        }
    }
    let check = |(modality, (index, field)): (&str, (usize, &Field<Rule>))| {
        let mut members: Vec<(String, ModeMember)> =
            fields.iter().filter_map(|field| mode_member(field, modality)).collect();
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        let check = StructCheck::Modes {
            discriminator: FieldRef::of(field),
            is_bool: matches!(model.kind(&field.value_type), Kind::Bool),
            members: members.into_iter().map(|(_, member)| member).collect(),
        };
        (index, check)
    };
    groups.into_iter().map(check).collect()
}

fn mode_member(field: &Field<Rule>, wanted: &str) -> Option<(String, ModeMember)> {
    let mut levels = Vec::new();
    let mut rules = Vec::new();
    for rule in &field.rules {
        let Rule::IfMode { modality, mode, rule: payload } = rule.without_level() else { continue };
        if modality != wanted {
            continue;
        }
        let payload = payload.clone();
        let level = level_of(rule);
        levels.push(level);
        rules.push((
            mode.clone(),
            match level {
                Level::Standard => *payload,
                Level::Alpha => Rule::Alpha(payload),
                Level::Beta => Rule::Beta(payload),
            },
        ));
    }
    if rules.is_empty() {
        return None;
    }
    let member = ModeMember { field: FieldRef::of(field), rules, level: common(levels) };
    Some((field.go_name(), member))
}

/// The unions of a list's items.
pub(super) fn item_unions(rules: &[Rule], field_name: Option<&str>) -> Vec<ItemUnion> {
    let mut unions: BTreeMap<(UnionKind, &str), (ItemUnion, Vec<Level>)> = BTreeMap::new();
    for rule in rules {
        let Rule::Item { keys, rule: payload } = rule.without_level() else { continue };
        let key = match payload.without_level() {
            Rule::UnionMember { union, .. } => (UnionKind::One, union.as_str()),
            Rule::ZeroOrOneOfMember { union } => (UnionKind::ZeroOrOne, union.as_str()),
            _ => continue,
        };
        let (union, levels) = unions.entry(key).or_insert_with(|| {
            (ItemUnion { kind: key.0, members: Vec::new(), level: Level::Standard }, Vec::new())
        });
        union.members.push((item_name(field_name.unwrap_or_default(), keys), keys.clone()));
        levels.push(level_of(rule));
    }
    let finish = |(mut union, levels): (ItemUnion, Vec<Level>)| {
        union.level = common(levels);
        union
    };
    unions.into_values().map(finish).collect()
}

/// `conditions[{"type": "Ready"}]`
fn item_name(field_name: &str, keys: &[(String, Literal)]) -> String {
    let keys: Vec<String> = keys.iter().map(|(name, value)| format!("{name:?}: {value}")).collect();
    format!("{field_name}[{{{}}}]", keys.join(", "))
}
