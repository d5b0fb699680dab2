//! Checking objects against rules.

use serde_json::Value as Json;
use validation::field::{Error, ErrorList, Path, Shown};

use super::{OLD_SELF, Place, Rule, Rules};
use crate::cel::{EvalError, Value};
use crate::schema::{ListKind, Node, Old, is_unchanged, shown};

/// What one evaluation, and all for one object, may cost.
const RULE_COST_MAX: u64 = 1_000_000;
const OBJECT_COST_MAX: u64 = 10_000_000;
/// The longest message that an expression may make.
const MESSAGE_BYTES_MAX: usize = 5 * 1024;

impl Rules {
    /// What rules say of an object, and of the change from the one that it replaces.
    pub(crate) fn validate(&self, node: &Node, object: &Json, old: Option<&Json>) -> ErrorList {
        let mut run = Run { errors: ErrorList::default(), left: Some(OBJECT_COST_MAX) };
        let old = old.map_or(Old::Unknown, Old::Known);
        run.place(&self.root, node, object, Before { old, unchanged: false }, &Path::nil());
        run.errors
    }
}

/// What a value was before.
#[derive(Clone, Copy)]
struct Before<'v> {
    old: Old<'v>,
    /// The nearest value around it of which it is known what it was, has not changed.
    unchanged: bool,
}

impl<'v> Before<'v> {
    fn below(self, node: &Node, value: &Json, old: Old<'v>) -> Self {
        Self { old, unchanged: self.is_unchanged(node, value) }
    }

    /// Whether what is wrong with a value was wrong before.
    fn is_unchanged(self, node: &Node, value: &Json) -> bool {
        self.old.value().map_or(self.unchanged, |old| is_unchanged(node, value, old))
    }
}

struct Run {
    errors: ErrorList,
    /// What further evaluations may cost; none if no more are to be made.
    left: Option<u64>,
}

impl Run {
    fn place(&mut self, place: &Place, node: &Node, value: &Json, before: Before<'_>, path: &Path) {
        if value.is_null() || self.left.is_none() {
            return;
        }
        for rule in &place.rules {
            self.rule(rule, place, node, value, before, path);
            if self.left.is_none() {
                return;
            }
        }
        match value {
            Json::Array(items) => {
                let (Some(place), Some(schema)) = (&place.items, &node.items) else { return };
                let keys = match &node.list {
                    ListKind::Map(keys) => Some(keys.as_slice()),
                    ListKind::Atomic | ListKind::Set => None,
                };
                for (index, item) in items.iter().enumerate() {
                    let before = before.below(node, value, before.old.item(item, keys));
                    self.place(place, schema, item, before, &path.index(index));
                }
            }
            Json::Object(members) => {
                let of = |name: &str| before.below(node, value, before.old.member(name));
                if let (Some(place), Some(schema)) = (&place.additional, node.additional_schema()) {
                    for (name, member) in members {
                        self.place(place, schema, member, of(name), &path.key(name));
                    }
                }
                for (name, place) in &place.properties {
                    let (Some(member), Some(schema)) =
                        (members.get(name), node.properties.get(name))
                    else {
                        continue;
                    };
                    self.place(place, schema, member, of(name), &path.child(name));
                }
            }
            _ => {}
        }
    }

    fn rule(
        &mut self,
        rule: &Rule,
        place: &Place,
        node: &Node,
        value: &Json,
        before: Before<'_>,
        path: &Path,
    ) {
        let uses_old_self = rule.program.uses(OLD_SELF);
        let old = before.old.value().filter(|old| !old.is_null());
        if uses_old_self && old.is_none() && !rule.text.optional_old_self {
            return;
        }
        let kind = node.kind.map_or("", |kind| kind.name());
        let fail = |detail: String| Error::invalid(path, kind, detail);
        let variables = match variables(place, rule, value, old) {
            Ok(variables) => variables,
            Err(error) => {
                self.errors.push(fail(format!("{error} evaluating rule: {}", name(rule))));
                return;
            }
        };
        let (outcome, cost) = rule.program.evaluate(variables.clone(), RULE_COST_MAX);
        if !self.pay(cost) {
            let detail = "validation failed due to running out of cost budget, no further \
                          validation rules will be run";
            self.errors.push(fail(detail.to_owned()));
            return;
        }
        let detail = match outcome {
            Ok(Value::Bool(true)) => return,
            Ok(_) => None,
            Err(error) => Some(failure(&error, rule)),
        };
        if let Some((detail, is_last)) = detail {
            self.errors.push(fail(detail));
            if is_last {
                self.left = None;
            }
            return;
        }
        let message = self.message(rule, variables);
        // Only what has not changed, and does not depend on a change, is let through.
        if uses_old_self || !before.is_unchanged(node, value) {
            self.errors.push(refusal(rule, value, message, path));
        }
    }

    /// Takes a cost from what is left; `false` if there is not so much.
    fn pay(&mut self, cost: u64) -> bool {
        self.left = self.left.and_then(|left| left.checked_sub(cost));
        self.left.is_some()
    }

    /// What a rule says when it does not hold.
    fn message<'v>(&mut self, rule: &'v Rule, variables: Vec<Value<'v>>) -> String {
        let made = rule.message.as_ref().and_then(|program| {
            let (made, cost) = program.evaluate(variables, RULE_COST_MAX);
            if !self.pay(cost) || matches!(made, Err(EvalError::TooCostly)) {
                self.left = None;
                let text = &rule.text.message_expression;
                return Some(format!(
                    "messageExpression evaluation failed due to running out of cost budget, no \
                     further validation rules will be run: {text}"
                ));
            }
            let Ok(Value::Text(text)) = made else { return None };
            let text = text.trim();
            let is_good =
                !text.is_empty() && text.len() <= MESSAGE_BYTES_MAX && !text.contains('\n');
            is_good.then(|| text.to_owned())
        });
        made.unwrap_or_else(|| match rule.text.message.trim() {
            "" => format!("failed rule: {}", rule.text.rule.trim()),
            message => message.to_owned(),
        })
    }
}

/// What a rule is called in messages: its own message, or else its text.
fn name(rule: &Rule) -> &str {
    match rule.text.message.trim() {
        "" => rule.text.rule.trim(),
        message => message,
    }
}

fn variables<'v>(
    place: &'v Place,
    rule: &Rule,
    value: &'v Json,
    old: Option<&'v Json>,
) -> Result<Vec<Value<'v>>, EvalError> {
    let of = |json| Value::of_json(json, &place.value_type);
    let old = old.map(of).transpose()?;
    let old = if rule.text.optional_old_self {
        Value::Optional(old.map(Into::into))
    } else {
        old.unwrap_or(Value::Null)
    };
    Ok(vec![of(value)?, old])
}

/// What to say of an evaluation that failed, and whether it is the last one.
fn failure(error: &EvalError, rule: &Rule) -> (String, bool) {
    let name = name(rule);
    match error {
        EvalError::NoSuchOverload => {
            let detail = format!(
                "'{error}': call arguments did not match a supported operator, function or macro \
                 signature for rule: {name}"
            );
            (detail, false)
        }
        EvalError::TooCostly => {
            let detail = format!(
                "'{error}': no further validation rules will be run due to call cost exceeds limit \
                 for rule: {name}"
            );
            (detail, true)
        }
        EvalError::Other(_) => (format!("{error} evaluating rule: {name}"), false),
    }
}

fn refusal(rule: &Rule, value: &Json, message: String, path: &Path) -> Error {
    let path = match &rule.text.field_path {
        Some(below) => path.child(below),
        None => path.clone(),
    };
    let value = match value {
        Json::Object(_) | Json::Array(_) => Shown::omitted(),
        scalar => shown(scalar),
    };
    match rule.text.reason.as_str() {
        "FieldValueForbidden" => Error::forbidden(&path, message),
        "FieldValueRequired" => Error::required(&path, message),
        "FieldValueDuplicate" => Error::duplicate(&path, value),
        _ => Error::invalid(&path, value, message),
    }
}
