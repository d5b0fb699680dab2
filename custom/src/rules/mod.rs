//! `x-kubernetes-validations`: rules in CEL at the places of a schema (spec: apimachinery 9.3).

mod run;
#[cfg(test)]
mod tests;
mod types;

use std::collections::BTreeMap;

use crate::cel::{Program, Type, Variable};
use crate::schema::{Node, RuleText, SchemaError};

/// The rules of a schema, compiled.
#[derive(Debug)]
pub(crate) struct Rules {
    root: Place,
}

/// The rules at one place of a schema, and those below it.
#[derive(Debug)]
struct Place {
    value_type: Type,
    rules: Vec<Rule>,
    items: Option<Box<Self>>,
    properties: BTreeMap<String, Self>,
    additional: Option<Box<Self>>,
}

#[derive(Debug)]
struct Rule {
    text: RuleText,
    program: Program,
    message: Option<Program>,
}

/// What was found out about a rule when its definition was looked at.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// What one evaluation may cost at the most.
    pub(crate) cost: u64,
    /// How often it may be evaluated for one object at the most, if nothing else bounds that.
    pub(crate) cardinality_max: u64,
    pub(crate) uses_old_self: bool,
    pub(crate) problem: Option<String>,
    /// What the expression of its message may cost, or what is wrong with it.
    pub(crate) message: Option<Result<u64, String>>,
}

const OLD_SELF: usize = 1;

/// The variables of a rule.
fn variables(value_type: &Type, optional_old_self: bool) -> [Variable; 2] {
    let old = if optional_old_self {
        Type::Optional(value_type.clone().into())
    } else {
        value_type.clone()
    };
    let variable = |name: &str, value_type| Variable { name: name.to_owned(), value_type };
    [variable("self", value_type.clone()), variable("oldSelf", old)]
}

fn compile_rule(text: &RuleText, value_type: &Type) -> Result<Program, String> {
    let program = Program::compile(&text.rule, &variables(value_type, text.optional_old_self))
        .map_err(|error| error.to_string())?;
    match program.result_type {
        Type::Bool => Ok(program),
        _ => Err("cel expression must evaluate to a bool".to_owned()),
    }
}

fn compile_message(text: &RuleText, value_type: &Type) -> Option<Result<Program, String>> {
    if text.message_expression.trim().is_empty() {
        return None;
    }
    let program = Program::compile(&text.message_expression, &variables(value_type, false));
    let program = program.map_err(|error| format!("messageExpression {error}"));
    Some(program.and_then(|program| match program.result_type {
        Type::Text(_) => Ok(program),
        _ => Err("messageExpression must evaluate to a string".to_owned()),
    }))
}

/// Checks the rules of one schema of a definition.
pub(crate) fn check(node: &Node, is_object: bool) -> Result<Vec<Checked>, String> {
    let Some((value_type, bytes_min)) = types::of(node, is_object) else {
        return Err("internal error: failed to construct type information for \
                    x-kubernetes-validations rules: unable to convert structural schema to CEL \
                    declarations"
            .to_owned());
    };
    let cardinality_max = types::REQUEST_BYTES_MAX / (bytes_min + 1);
    let checked = |text: &RuleText| {
        let message = compile_message(text, &value_type);
        let message = message.map(|program| program.map(|program| program.cost_max));
        match compile_rule(text, &value_type) {
            Ok(program) => Checked {
                cost: program.cost_max,
                cardinality_max,
                uses_old_self: program.uses(OLD_SELF),
                problem: None,
                message,
            },
            Err(problem) => Checked { problem: Some(problem), message, ..Checked::default() },
        }
    };
    Ok(node.rules.iter().map(checked).collect())
}

/// The type of a schema's values, in tests of expressions.
#[cfg(test)]
pub(crate) fn type_of(node: &Node) -> Option<Type> {
    types::of(node, false).map(|(value_type, _)| value_type)
}

impl Rules {
    /// Compiles the rules of a schema; `None` if it has none.
    pub(crate) fn compile(root: &Node) -> Result<Option<Self>, SchemaError> {
        Ok(Place::compile(root, true)?.map(|root| Self { root }))
    }
}

impl Place {
    fn compile(node: &Node, is_object: bool) -> Result<Option<Self>, SchemaError> {
        if !has_rules(node) {
            return Ok(None);
        }
        let Some((value_type, _)) = types::of(node, is_object) else { return Ok(None) };
        let below = |node: &Node| Self::compile(node, node.embedded);
        let boxed = |node: Option<&Node>| -> Result<Option<Box<Self>>, SchemaError> {
            Ok(node.map(below).transpose()?.flatten().map(Box::new))
        };
        let mut properties = BTreeMap::new();
        for (name, property) in &node.properties {
            if let Some(place) = below(property)? {
                properties.insert(name.clone(), place);
            }
        }
        let rules = node.rules.iter().filter(|text| !text.rule.trim().is_empty());
        let rules = rules.map(|text| Rule::compile(text, &value_type));
        Ok(Some(Self {
            rules: rules.collect::<Result<_, _>>()?,
            items: boxed(node.items.as_deref())?,
            properties,
            additional: boxed(node.additional_schema())?,
            value_type,
        }))
    }
}

impl Rule {
    fn compile(text: &RuleText, value_type: &Type) -> Result<Self, SchemaError> {
        let failed = |reason| SchemaError::Rule { rule: text.rule.clone(), reason };
        Ok(Self {
            program: compile_rule(text, value_type).map_err(failed)?,
            // A message that cannot be made is not made; the rule says so itself.
            message: compile_message(text, value_type).and_then(Result::ok),
            text: text.clone(),
        })
    }
}

/// Whether there are rules in a schema or below it.
fn has_rules(node: &Node) -> bool {
    !node.rules.is_empty()
        || node.items.as_deref().is_some_and(has_rules)
        || node.additional_schema().is_some_and(has_rules)
        || node.properties.values().any(has_rules)
}
