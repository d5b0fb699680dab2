//! From rules in the order of the source to checks in the order in which they run
//! (spec: validation 12.2, 12.3).

use validation_tags::model::{Default, Definition, Field, Kind, Model, NamedType, Type, TypeId};
use validation_tags::{ListKind, Rule};

use super::structs::{self, StructCheck};

/// A model with its checks.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) model: Model<Rule>,
    pub(super) types: Vec<TypePlan>,
}

/// The checks of a named type.
#[derive(Debug)]
pub(super) struct TypePlan {
    /// The name without the package, by which functions are found.
    pub(super) short_name: String,
    pub(super) checks: Checks,
    pub(super) struct_checks: Vec<StructCheck>,
    pub(super) fields: Vec<FieldPlan>,
    /// There is something to check in values of the type.
    pub(super) is_validated: bool,
}

/// The checks of a field.
#[derive(Debug)]
pub(super) struct FieldPlan {
    pub(super) checks: Checks,
    pub(super) is_validated: bool,
}

/// The checks of one value, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Checks {
    /// All of these run; if one fails nothing else does.
    pub(super) first: Vec<Check>,
    pub(super) then: Vec<Check>,
    /// Checks of one item or subfield each; failing firsts stop only their own group.
    pub(super) groups: Vec<Group>,
    pub(super) identity: Identity,
    /// The items' or values' own types are not looked into.
    pub(super) values_are_opaque: bool,
    pub(super) keys_are_opaque: bool,
    pub(super) is_opaque: bool,
}

/// Something to check.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Check {
    Rule(Rule),
    Unique,
    /// A union of a list's items: the keys of each member.
    ItemUnion(structs::ItemUnion),
}

/// The checks of one item or subfield.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    /// The item's or subfield's rule without its payload, by which rules are grouped.
    selector: Rule,
    /// Rules of the subfield itself: if one of them would stop, so does the group, silently.
    pub(super) inherited: Vec<Rule>,
    pub(super) first: Vec<Rule>,
    pub(super) then: Vec<Rule>,
}

/// What tells a list's items apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identity {
    None,
    Whole,
    Keys(Vec<String>),
}

impl Plan {
    pub(super) fn new(model: Model<Rule>) -> Self {
        let validated = validated_types(&model);
        let types = model.types.iter().enumerate();
        let types = types.map(|(index, named)| plan_type(&model, &validated, index, named));
        Self { types: types.collect(), model }
    }

    pub(super) fn get(&self, id: TypeId) -> Option<(&NamedType<Rule>, &TypePlan)> {
        Some((self.model.get(id)?, self.types.get(id.0)?))
    }

    /// Whether values of the type are checked by rules of named types in it.
    pub(super) fn is_validated(&self, value_type: &Type) -> bool {
        has_validated(&|id| self.types.get(id.0).is_some_and(|plan| plan.is_validated), value_type)
    }
}

fn plan_type(
    model: &Model<Rule>,
    validated: &[bool],
    index: usize,
    named: &NamedType<Rule>,
) -> TypePlan {
    let fields = match &named.definition {
        Definition::Struct(fields) => fields.as_slice(),
        Definition::Alias(_) | Definition::Unknown => &[],
    };
    let is_validated = |id: TypeId| validated.get(id.0).copied().unwrap_or(false);
    TypePlan {
        short_name: named.name.rsplit('.').next().unwrap_or_default().to_owned(),
        checks: Checks::new(model, &Type::Named(TypeId(index)), &named.rules, None),
        struct_checks: structs::plan(model, fields),
        fields: fields
            .iter()
            .map(|field| {
                let rules = with_default(model, field);
                let checks = Checks::new(model, &field.value_type, &rules, Some(&field.name));
                FieldPlan {
                    is_validated: !field.rules.is_empty()
                        || has_validated(&is_validated, &field.value_type),
                    checks,
                }
            })
            .collect(),
        is_validated: validated[index],
    }
}

/// Which types have rules, in themselves or in what they are made of.
fn validated_types(model: &Model<Rule>) -> Vec<bool> {
    let mut validated: Vec<bool> = model
        .types
        .iter()
        .map(|named| {
            let fields = match &named.definition {
                Definition::Struct(fields) => fields.as_slice(),
                Definition::Alias(_) | Definition::Unknown => &[],
            };
            named.rules.iter().any(is_check) || fields.iter().any(|field| !field.rules.is_empty())
        })
        .collect();
    loop {
        let before = validated.clone();
        let known = |id: TypeId| before.get(id.0).copied().unwrap_or(false);
        for (validated, named) in validated.iter_mut().zip(&model.types) {
            *validated |= match &named.definition {
                Definition::Struct(fields) => {
                    fields.iter().any(|field| has_validated(&known, &field.value_type))
                }
                Definition::Alias(target) => has_validated(&known, target),
                Definition::Unknown => false,
            };
        }
        if before == validated {
            return validated;
        }
    }
}

fn has_validated(known: &impl Fn(TypeId) -> bool, value_type: &Type) -> bool {
    match value_type {
        Type::Named(id) => known(*id),
        Type::Pointer(inner) | Type::List(inner) | Type::Array(_, inner) => {
            has_validated(known, inner)
        }
        Type::Map(key, value) => has_validated(known, key) || has_validated(known, value),
        Type::String | Type::Bool | Type::Int(_) | Type::Float | Type::Opaque(_) => false,
    }
}

/// Optional fields with a default must be set once defaulting has run (spec: validation 13.2).
fn with_default(model: &Model<Rule>, field: &Field<Rule>) -> Vec<Rule> {
    let Some(default) = field.default else { return field.rules.clone() };
    let nilable =
        matches!(model.kind(&field.value_type), Kind::Pointer(_) | Kind::List(_) | Kind::Map(..));
    let must_be_set = nilable || default == Default::Other;
    let rules = field.rules.iter().filter_map(|rule| match rule {
        Rule::Optional if must_be_set => Some(Rule::Required),
        Rule::Optional => None,
        other => Some(other.clone()),
    });
    rules.collect()
}

/// Whether a rule checks a value; the others say something about the type.
fn is_check(rule: &Rule) -> bool {
    match rule.unconditional() {
        Rule::CustomUnique
        | Rule::DependentForbidden(_)
        | Rule::DependentRequired(_)
        | Rule::EnumExclude
        | Rule::IfMode { .. }
        | Rule::IsSubresource(_)
        | Rule::ListMapKey(_)
        | Rule::ModeDiscriminator { .. }
        | Rule::OpaqueType
        | Rule::SupportsSubresource(_)
        | Rule::UnionDiscriminator { .. }
        | Rule::UnionMember { .. }
        | Rule::ZeroOrOneOfMember { .. }
        | Rule::ListType(ListKind::Atomic)
        | Rule::Unique(ListKind::Atomic) => false,
        Rule::EachVal(payload) | Rule::EachKey(payload) => **payload != Rule::OpaqueType,
        _ => true,
    }
}

impl Checks {
    fn new(
        model: &Model<Rule>,
        value_type: &Type,
        rules: &[Rule],
        field_name: Option<&str>,
    ) -> Self {
        let mut checks = Self {
            first: Vec::new(),
            then: Vec::new(),
            groups: Vec::new(),
            identity: identity(model, value_type, rules),
            values_are_opaque: has(rules, &Rule::EachVal(Box::new(Rule::OpaqueType))),
            keys_are_opaque: has(rules, &Rule::EachKey(Box::new(Rule::OpaqueType))),
            is_opaque: has(rules, &Rule::OpaqueType),
        };
        let custom_unique = has(rules, &Rule::CustomUnique);
        let mut item_unions = structs::item_unions(rules, field_name);
        for rule in in_order(rules) {
            match rule.unconditional() {
                Rule::Item { rule: payload, .. } if structs::is_member(payload) => {
                    // All members of the union are checked where the first of them stands.
                    checks.then.extend(item_unions.drain(..).map(Check::ItemUnion));
                }
                Rule::Item { .. } | Rule::Subfield(..) => {
                    checks.push_to_group(model, value_type, rule);
                }
                Rule::ListType(_) | Rule::Unique(_) if custom_unique => {}
                Rule::ListType(ListKind::Set | ListKind::Map) | Rule::Unique(_) => {
                    checks.then.push(Check::Unique);
                }
                _ if !is_check(rule) => {}
                _ if rule.short_circuits() => checks.first.push(Check::Rule(rule.clone())),
                _ => checks.then.push(Check::Rule(rule.clone())),
            }
        }
        checks
    }

    fn push_to_group(&mut self, model: &Model<Rule>, value_type: &Type, rule: &Rule) {
        let selector = match rule.unconditional() {
            Rule::Item { keys, .. } => {
                Rule::Item { keys: keys.clone(), rule: Box::new(Rule::OpaqueType) }
            }
            Rule::Subfield(name, _) => Rule::Subfield(name.clone(), Box::new(Rule::OpaqueType)),
            _ => return,
        };
        let at = self.groups.iter().position(|group| group.selector == selector);
        let at = at.unwrap_or_else(|| {
            let inherited = inherited(model, value_type, &selector);
            self.groups.push(Group { selector, inherited, first: Vec::new(), then: Vec::new() });
            self.groups.len() - 1
        });
        let group = &mut self.groups[at];
        let list = if rule.short_circuits() { &mut group.first } else { &mut group.then };
        list.push(rule.clone());
    }
}

/// The rules of a subfield itself that may stop it, applied through `subfield`.
fn inherited(model: &Model<Rule>, value_type: &Type, selector: &Rule) -> Vec<Rule> {
    let Rule::Subfield(name, _) = selector else { return Vec::new() };
    let mut fields = model.fields(value_type).into_iter().flatten();
    let Some(field) = fields.find(|field| field.name == *name) else { return Vec::new() };
    if has(&field.rules, &Rule::OpaqueType) {
        return Vec::new();
    }
    let stops = |rule: &&Rule| rule.short_circuits() && !matches!(rule, Rule::EachVal(_));
    let wrapped = |rule: &Rule| Rule::Subfield(name.clone(), Box::new(rule.clone()));
    field.rules.iter().filter(stops).map(wrapped).collect()
}

fn has(rules: &[Rule], wanted: &Rule) -> bool {
    rules.iter().any(|rule| rule.unconditional() == wanted)
}

fn identity(model: &Model<Rule>, value_type: &Type, rules: &[Rule]) -> Identity {
    let own = own_identity(rules);
    match (own, value_type) {
        // A list of a named type has its identity from there.
        (Identity::None, Type::Named(id)) => {
            model.get(*id).map_or(Identity::None, |named| own_identity(&named.rules))
        }
        (own, _) => own,
    }
}

fn own_identity(rules: &[Rule]) -> Identity {
    let mut identity = Identity::None;
    let mut keys = Vec::new();
    for rule in rules {
        match rule.without_level() {
            Rule::ListType(ListKind::Set) | Rule::Unique(ListKind::Set) => {
                identity = Identity::Whole;
            }
            Rule::ListMapKey(name) => keys.push(name.clone()),
            _ => {}
        }
    }
    if keys.is_empty() { identity } else { Identity::Keys(keys) }
}

/// Rules by the round in which they are resolved, then by name, then as written; the constraints
/// of `update` in their own order.
fn in_order(rules: &[Rule]) -> Vec<&Rule> {
    let mut rules: Vec<&Rule> = rules.iter().collect();
    rules.sort_by_key(|rule| {
        let rule = *rule;
        let constraint = match rule {
            Rule::Update(constraint) => Some(*constraint),
            _ => None,
        };
        (round(rule), rule.name(), constraint)
    });
    rules
}

/// Rules that need to know others are resolved after them, and those around them one round later.
fn round(rule: &Rule) -> usize {
    let own = match rule {
        Rule::EachVal(_)
        | Rule::Item { .. }
        | Rule::ListType(_)
        | Rule::Subfield(..)
        | Rule::Unique(_)
        | Rule::Update(_) => 1,
        _ => 0,
    };
    own + rule.inner().map_or(0, round)
}
