//! Whether a value is one of its schema, in the words of the reference's library (spec: apimachinery
//! 9.3).

mod numbers;
mod result;

use serde_json::{Map, Value};
use validation::field::{Error, ErrorList, Shown};
use validation::text::go_quote;

use super::correlate::{Old, is_unchanged};
use super::lists::{shown, sorted};
use super::node::{Additional, Kind, ListKind, Node};
use crate::value::equal;
use result::Outcome;

/// What is wrong with a value that stands at a path; with the value that it replaces, what is wrong
/// and has not changed is let through.
pub(crate) fn validate(node: &Node, value: &Value, old: Option<&Value>, path: &str) -> ErrorList {
    let place = Place { path: path.to_owned(), is_root: path.is_empty() };
    let old = old.map_or(Old::Unknown, Old::Known);
    check(node, value, old, &place).errors.into_iter().collect()
}

/// Where a value stands, as errors name it.
struct Place {
    path: String,
    is_root: bool,
}

impl Place {
    fn at(path: String) -> Self {
        Self { path, is_root: false }
    }

    fn member(&self, name: &str) -> Self {
        Self::at(if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        })
    }

    fn item(&self, index: usize) -> Self {
        Self::at(format!("{}[{index}]", self.path))
    }

    /// The field that errors name; none at all at the root.
    fn field(&self) -> &str {
        if self.path.is_empty() { "<nil>" } else { &self.path }
    }

    fn invalid(&self, value: Shown, what: &str) -> Error {
        Error::invalid(&self.field(), value, format!("{} in body {what}", self.path))
    }

    fn wrong_type(&self, expected: &str, found: &str) -> Error {
        let detail =
            format!("{} in body must be of type {expected}: {}", self.path, go_quote(found));
        Error::type_invalid(&self.field(), found, detail)
    }
}

fn check(node: &Node, value: &Value, old: Old<'_>, place: &Place) -> Outcome {
    let outcome = checks(node, value, old, place);
    match old {
        Old::Known(old) if !outcome.errors.is_empty() && is_unchanged(node, value, old) => {
            Outcome::default()
        }
        _ => outcome,
    }
}

fn checks(node: &Node, value: &Value, old: Old<'_>, place: &Place) -> Outcome {
    let mut outcome = Outcome::default();
    if value.is_null() {
        outcome.check(check_type(node, value, place));
        outcome.extend(check_enum(node, value, place));
        return outcome;
    }
    if node.kind.is_some() || node.int_or_string || node.format.is_some() {
        let error = check_type(node, value, place);
        outcome.matches += usize::from(error.is_none());
        outcome.check(error);
    }
    outcome.merge(check_junctors(node, value, place));
    match value {
        Value::String(text) => {
            outcome.check(check_text(node, text, place));
            if node.format.is_some() {
                outcome.check(check_format(node, text, place));
            }
        }
        Value::Number(number) => {
            outcome.extend(numbers::check(node, number, place));
            outcome.matches += 2;
        }
        Value::Array(items) => outcome.merge(check_items(node, items, old, place)),
        _ => {}
    }
    outcome.check(check_enum(node, value, place));
    if let Value::Object(members) = value {
        outcome.merge(check_members(node, members, old, place));
    }
    outcome.matches += 1;
    outcome
}

/// The reference's name of a value's type.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn has_type(kind: Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Integer, Value::Number(number)) => {
            number.is_i64() || number.as_f64().is_some_and(numbers::is_whole)
        }
        (Kind::Number, Value::Number(_)) => true,
        (kind, value) => kind.name() == type_name(value),
    }
}

fn check_type(node: &Node, value: &Value, place: &Place) -> Option<Error> {
    let expected = match (node.int_or_string, node.kind) {
        (true, _) => "integer,string",
        (false, Some(kind)) => kind.name(),
        (false, None) => "",
    };
    if value.is_null() {
        let refused = !expected.is_empty() && !node.nullable;
        return refused.then(|| place.wrong_type(expected, "null"));
    }
    let fits = if node.int_or_string {
        has_type(Kind::Integer, value) || value.is_string()
    } else {
        node.kind.is_some_and(|kind| has_type(kind, value))
    };
    if let Some(format) = &node.format {
        // With a format, the reference's library says nothing about the type of text and lists.
        let is_sequence = value.is_string() || value.is_array();
        let is_numeric =
            node.int_or_string || matches!(node.kind, Some(Kind::Integer | Kind::Number));
        if !is_sequence && !fits {
            let found = match value {
                Value::Number(number) if number.is_i64() => "int64",
                Value::Number(_) => "float64",
                _ => "",
            };
            return Some(place.wrong_type(&format.name, found));
        }
        if is_sequence && !is_numeric {
            return None;
        }
    }
    (!fits).then(|| place.wrong_type(expected, type_name(value)))
}

/// Whether a value is an allowed one. The reference's library turns numbers into those of the kind that
/// is allowed before it compares them, which cuts off fractions.
fn is_one_of(allowed: &Value, value: &Value) -> bool {
    match (allowed, value) {
        (_, Value::Null) => false,
        (Value::Number(allowed), Value::Number(number)) if allowed.is_i64() => {
            let whole = number.as_i64().or_else(|| number.as_f64().map(numbers::cut));
            allowed.as_i64() == whole
        }
        _ => equal(allowed, value),
    }
}

fn check_enum(node: &Node, value: &Value, place: &Place) -> Option<Error> {
    let allowed = &node.limits.enumerated;
    if allowed.is_empty() || allowed.iter().any(|each| is_one_of(each, value)) {
        return None;
    }
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let texts: Vec<String> = allowed.iter().map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Some(Error::not_supported(&place.field(), shown(value), &texts))
}

fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn check_text(node: &Node, text: &str, place: &Place) -> Option<Error> {
    let limits = &node.limits;
    if let Some(max) = limits.max_length.filter(|max| length(text) > *max) {
        return Some(Error::too_long(&place.field(), usize::try_from(max).unwrap_or(0)));
    }
    if let Some(min) = limits.min_length.filter(|min| length(text) < *min) {
        return Some(place.invalid(text.into(), &format!("should be at least {min} chars long")));
    }
    let pattern = limits.pattern.as_ref().filter(|pattern| !pattern.is_match(text))?;
    Some(place.invalid(text.into(), &format!("should match '{}'", pattern.text)))
}

fn check_format(node: &Node, text: &str, place: &Place) -> Option<Error> {
    let format = node.format.as_ref().filter(|format| !format.holds(text))?;
    Some(place.wrong_type(&format.name, text))
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn check_items(node: &Node, items: &[Value], old: Old<'_>, place: &Place) -> Outcome {
    let mut outcome = Outcome::default();
    if let Some(schema) = &node.items {
        let keys = match &node.list {
            ListKind::Map(keys) => Some(keys.as_slice()),
            ListKind::Atomic | ListKind::Set => None,
        };
        for (index, item) in items.iter().enumerate() {
            outcome.merge(check(schema, item, old.item(item, keys), &place.item(index)));
        }
    }
    let size = items.len();
    if let Some(min) = node.limits.min_items.filter(|min| count(size) < *min) {
        let what = format!("should have at least {min} items");
        outcome.extend(Some(place.invalid(size.into(), &what)));
    }
    if let Some(max) = node.limits.max_items.filter(|max| count(size) > *max) {
        let max = usize::try_from(max).unwrap_or(0);
        outcome.extend(Some(Error::too_many(&place.field(), size, max)));
    }
    outcome.matches += 2;
    outcome
}

fn check_members(
    node: &Node,
    members: &Map<String, Value>,
    old: Old<'_>,
    place: &Place,
) -> Outcome {
    let mut outcome = Outcome::default();
    let size = members.len();
    if let Some(min) = node.limits.min_properties.filter(|min| count(size) < *min) {
        let what = format!("should have at least {min} properties");
        outcome.extend(Some(place.invalid(size.into(), &what)));
    }
    if let Some(max) = node.limits.max_properties.filter(|max| count(size) > *max) {
        let max = usize::try_from(max).unwrap_or(0);
        outcome.extend(Some(Error::too_many(&place.field(), size, max)));
    }
    for (name, member) in sorted(members) {
        if node.is_declared(name) {
            continue;
        }
        match &node.additional {
            Some(Additional::Allowed(false)) => {
                let detail = format!("{}.{name} in body is a forbidden property", place.path);
                outcome.extend(Some(Error::invalid(&place.field(), name, detail)));
            }
            Some(Additional::Schema(schema)) => {
                let old = old.member(name);
                outcome.merge(check(schema, member, old, &place.member(name)));
            }
            _ => {}
        }
    }
    for (name, schema) in &node.properties {
        let Some(member) = members.get(name) else { continue };
        let is_type = place.is_root && matches!(name.as_str(), "apiVersion" | "kind");
        let old = if is_type { Old::Unknown } else { old.member(name) };
        outcome.merge(check(schema, member, old, &place.member(name)));
    }
    for name in node.limits.required.iter().filter(|name| !members.contains_key(*name)) {
        outcome.extend(Some(Error::required(&place.member(name).field(), "")));
    }
    outcome.matches += 1;
    outcome
}

/// `anyOf`, `oneOf`, `allOf` and `not`, in this order. Of alternatives that all fail, the errors of
/// the one that fits best are told.
fn check_junctors(node: &Node, value: &Value, place: &Place) -> Outcome {
    let limits = &node.limits;
    let mut outcome = Outcome::default();
    let run = |nodes: &[Node]| -> Vec<Outcome> {
        nodes.iter().map(|node| checks(node, value, Old::Unknown, place)).collect()
    };
    let subject = go_quote(&place.path);
    let fail = |outcome: &mut Outcome, what: String| {
        outcome.extend(Some(Error::invalid(&"<nil>", "", format!("{subject} {what}"))));
    };
    if !limits.any_of.is_empty() {
        let outcomes = run(&limits.any_of);
        match outcomes.iter().position(Outcome::is_valid) {
            Some(first) => outcome.matches += outcomes[first].matches,
            None => {
                fail(&mut outcome, "must validate at least one schema (anyOf)".to_owned());
                outcome.merge(Outcome::best(outcomes));
            }
        }
    }
    if !limits.one_of.is_empty() {
        let outcomes = run(&limits.one_of);
        let what = "must validate one and only one schema (oneOf).";
        match outcomes.iter().filter(|outcome| outcome.is_valid()).count() {
            1 => {
                outcome.matches +=
                    outcomes.iter().find(|each| each.is_valid()).map_or(0, |each| each.matches);
            }
            0 => {
                fail(&mut outcome, format!("{what} Found none valid"));
                outcome.merge(Outcome::best(outcomes));
            }
            valid => fail(&mut outcome, format!("{what} Found {valid} valid alternatives")),
        }
    }
    if !limits.all_of.is_empty() {
        let outcomes = run(&limits.all_of);
        let valid = outcomes.iter().filter(|outcome| outcome.is_valid()).count();
        let all = outcomes.len();
        outcomes.into_iter().for_each(|each| outcome.merge(each));
        if valid != all {
            let none = if valid == 0 { ". None validated" } else { "" };
            fail(&mut outcome, format!("must validate all the schemas (allOf){none}"));
        }
    }
    if let Some(node) = &limits.not
        && checks(node, value, Old::Unknown, place).is_valid()
    {
        fail(&mut outcome, "must not validate the schema (not)".to_owned());
    }
    outcome.matches += 2;
    outcome
}
