//! Tags that say what a list's items are.

use crate::model::{Kind, Model, Type};
use crate::rule::{Constraint, ListKind, Rule};
use crate::syntax::{Literal, Tag};
use crate::table::Scope;

/// Whether a rule may stand beside those read before it.
pub(super) fn check_pair<'a>(
    rule: &Rule,
    mut before: impl Iterator<Item = &'a Rule>,
) -> Result<(), String> {
    match rule.without_level() {
        Rule::ListType(_) if before.any(|rule| matches!(rule, Rule::ListType(_))) => {
            Err("listType cannot be specified more than once".to_owned())
        }
        Rule::Unique(_)
            if before.any(|rule| matches!(rule, Rule::ListType(ListKind::Set | ListKind::Map))) =>
        {
            Err("unique tag may not be used with listType=set or listType=map".to_owned())
        }
        _ => Ok(()),
    }
}

/// What the tags of a list say together.
#[derive(Default)]
struct Identity {
    list_type: Option<ListKind>,
    unique: Option<ListKind>,
    keys: Vec<String>,
}

impl Identity {
    fn of(rules: &[Rule]) -> Self {
        let mut identity = Self::default();
        for rule in rules {
            match rule.without_level() {
                Rule::ListType(kind) => identity.list_type = Some(*kind),
                Rule::Unique(kind) => identity.unique = Some(*kind),
                Rule::ListMapKey(name) => identity.keys.push(name.clone()),
                _ => {}
            }
        }
        identity
    }

    fn is_map(&self) -> bool {
        [self.list_type, self.unique].contains(&Some(ListKind::Map))
    }

    fn is_set(&self) -> bool {
        [self.list_type, self.unique].contains(&Some(ListKind::Set))
    }
}

/// Whether the rules of a list make sense together.
pub(super) fn check(
    model: &Model<Tag>,
    value_type: &Type,
    rules: &[Rule],
    scope: Scope,
) -> Result<(), String> {
    let Kind::List(item) = model.kind(value_type) else { return Ok(()) };
    let identity = Identity::of(rules);
    if identity.is_map() && identity.keys.is_empty() {
        return Err("found listType=map or unique=map without listMapKey".to_owned());
    }
    if !identity.is_map() && !identity.keys.is_empty() {
        return Err("found listMapKey without listType=map or unique=map".to_owned());
    }
    let custom = rules.iter().any(|rule| matches!(rule.without_level(), Rule::CustomUnique));
    if identity.list_type.is_none() && (identity.unique.is_some() || custom) {
        return Err("listType must be specified - use listType=atomic, listType=set, or \
                    listType=map"
            .to_owned());
    }
    // A list of a named type may have its identity from there.
    let elsewhere = scope == Scope::Field && matches!(value_type, Type::Named(_));
    for rule in rules {
        match rule.without_level() {
            Rule::Update(Constraint::NoAddItem | Constraint::NoRemoveItem)
                if !identity.is_map() && !identity.is_set() && !elsewhere =>
            {
                return Err(
                    "+k8s:update=NoAddItem/+k8s:update=NoRemoveItem require listType=set, \
                            listType=map, unique=set, or unique=map to define item identity"
                        .to_owned(),
                );
            }
            Rule::Item { .. } if !identity.is_map() && !elsewhere => {
                return Err(
                    "found items with no list metadata - item tags require listType=map or \
                            unique=map with listMapKey"
                        .to_owned(),
                );
            }
            Rule::Item { keys, .. } if !elsewhere => check_item(model, item, &identity, keys)?,
            _ => {}
        }
    }
    Ok(())
}

fn check_item(
    model: &Model<Tag>,
    item: &Type,
    identity: &Identity,
    keys: &[(String, Literal)],
) -> Result<(), String> {
    let (given, wanted) = (keys.len(), identity.keys.len());
    if given != wanted {
        return Err(format!(
            "number of arguments ({given}) does not match number of listMapKey fields ({wanted})"
        ));
    }
    for (name, value) in keys {
        if !identity.keys.contains(name) {
            return Err(format!("{name:?} is not a listMapKey"));
        }
        let field = model.fields(item).into_iter().flatten().find(|field| field.name == *name);
        let Some(field) = field else { continue };
        let kind = model.target_kind(&field.value_type);
        let fits = match (&kind, value) {
            (Kind::String, value) => matches!(value, Literal::Text(_)),
            (Kind::Int(_), value) => matches!(value, Literal::Int(_)),
            (Kind::Bool, value) => matches!(value, Literal::Bool(_)),
            _ => true,
        };
        if !fits {
            let field = match kind {
                Kind::String => "string",
                Kind::Bool => "bool",
                _ => "int",
            };
            return Err(format!("type mismatch, field is {field} but value is not: {value}"));
        }
    }
    Ok(())
}
