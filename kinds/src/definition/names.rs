//! Which names a definition gets.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Condition, NAMES_ACCEPTED};
use crate::value::Members;

/// The names that are accepted in a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenNames {
    /// Plurals, singulars and short names.
    resources: BTreeSet<String>,
    /// Kinds and kinds of lists.
    kinds: BTreeSet<String>,
}

impl TakenNames {
    /// What these definitions have, which are all of one group.
    pub fn of<'a>(definitions: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut taken = Self::default();
        for definition in definitions {
            let names = accepted_names(definition);
            for member in ["plural", "singular"] {
                taken.resources.insert(names.text(member).to_owned());
            }
            let short_names = names.items("shortNames").iter().filter_map(Value::as_str);
            taken.resources.extend(short_names.map(str::to_owned));
            for member in ["kind", "listKind"] {
                taken.kinds.insert(names.text(member).to_owned());
            }
        }
        taken
    }
}

/// The names that a definition was given.
#[must_use]
pub fn accepted_names(definition: &Value) -> &Value {
    definition.member("status").member("acceptedNames")
}

/// Gives a definition those of the names it asks for that are its own or nobody's, and says how
/// that went. Of several conflicts the last one is told of.
pub(super) fn accept(definition: &mut Value, taken: &TakenNames) -> Condition {
    let asked = definition.member("spec").member("names").clone();
    let mut accepted = accepted_names(definition).clone();
    if !accepted.is_object() {
        accepted = json!({});
    }
    let mut conflict = None;
    for (member, among, reason) in [
        ("plural", &taken.resources, "PluralConflict"),
        ("singular", &taken.resources, "SingularConflict"),
        ("shortNames", &taken.resources, "ShortNamesConflict"),
        ("kind", &taken.kinds, "KindConflict"),
        ("listKind", &taken.kinds, "ListKindConflict"),
    ] {
        let conflicts = conflicts(&asked, &accepted, member, among);
        if conflicts.is_empty() {
            copy(&asked, &mut accepted, member);
        } else {
            conflict = Some(Condition::unmet(NAMES_ACCEPTED, reason, aggregate(&conflicts)));
        }
    }
    copy(&asked, &mut accepted, "categories");
    let status = definition.ensure("status");
    status.set("acceptedNames", in_order(&accepted));
    conflict.unwrap_or_else(|| Condition::met(NAMES_ACCEPTED, "NoConflicts", "no conflicts found"))
}

/// The names of a member that somebody else has, in words.
fn conflicts(
    asked: &Value,
    accepted: &Value,
    member: &str,
    taken: &BTreeSet<String>,
) -> Vec<String> {
    let own = texts(accepted.member(member));
    let foreign = |name: &&str| !own.contains(name) && taken.contains(*name);
    let names = texts(asked.member(member)).into_iter().filter(foreign);
    names.map(|name| format!("{name:?} is already in use")).collect()
}

/// A name, or a list of names.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().filter(|name| !name.is_empty()).collect(),
    }
}

fn aggregate(errors: &[String]) -> String {
    match errors {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}

fn copy(from: &Value, to: &mut Value, member: &str) {
    if from.is_blank(member) {
        to.take_member(member);
    } else {
        to.set(member, from.member(member).clone());
    }
}

/// The members in the order of their type; plural and kind are always there.
fn in_order(names: &Value) -> Value {
    let mut ordered = json!({});
    for member in ["plural", "singular", "shortNames", "kind", "listKind", "categories"] {
        if names.has(member) {
            ordered.set(member, names.member(member).clone());
        } else if matches!(member, "plural" | "kind") {
            ordered.set(member, "");
        }
    }
    ordered
}
