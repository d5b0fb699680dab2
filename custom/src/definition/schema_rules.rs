//! What a schema must not say, beyond being structural, and whether its rules compile (spec:
//! apimachinery 9.2).

use std::cmp::Reverse;

use serde_json::{Value, json};
use validation::field::{Error, ErrorList, Path, Shown};

use super::{field_path, list_types};
use crate::rules::{self, Checked};
use crate::schema::{Kind, Node};
use crate::value::Members;

/// The highest estimated cost of a rule, and of all rules of a schema.
const RULE_COST_MAX: u64 = 10_000_000;
const SCHEMA_COST_MAX: u64 = 100_000_000;
/// How many rules are named when all together cost too much.
const EXPENSIVE_MAX: usize = 4;
const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const META: [&str; 3] = ["metadata", "kind", "apiVersion"];
const REASONS: [&str; 4] =
    ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// What is wrong with a schema. Its rules are only looked at if the schema could be compiled.
pub(super) fn validate(schema: &Value, root: Option<&Node>, path: &Path) -> ErrorList {
    let mut walker = Walker::default();
    let scope = Scope {
        is_root: true,
        no_defaults: None,
        in_meta: false,
        uncorrelatable: None,
        node: root,
        cardinality: Some(1),
    };
    let found = walker.walk(schema, path, &scope);
    let mut errors = found.schema;
    errors.extend(found.rules);
    walker.total(&mut errors, path);
    errors
}

/// What is known of the place of a schema.
#[derive(Clone)]
struct Scope<'n> {
    is_root: bool,
    /// Why there must be no defaults here.
    no_defaults: Option<String>,
    in_meta: bool,
    /// The outermost place below which old and new values cannot be matched.
    uncorrelatable: Option<Path>,
    /// The compiled schema; none where rules are not looked at.
    node: Option<&'n Node>,
    /// How many values of this schema an object can have at the most; none if there is no bound.
    cardinality: Option<u64>,
}

impl<'n> Scope<'n> {
    /// The scope of a schema inside `allOf` and its like.
    fn nested(&self) -> Self {
        Self { is_root: false, node: None, ..self.clone() }
    }

    fn below(&self, node: Option<&'n Node>) -> Self {
        let cardinality = self.node.and_then(|node| {
            self.cardinality.zip(elements_max(node)).map(|(count, max)| count.saturating_mul(max))
        });
        Self { is_root: false, node, cardinality, ..self.clone() }
    }

    fn uncorrelated(mut self, path: &Path) -> Self {
        self.uncorrelatable.get_or_insert_with(|| path.clone());
        self
    }
}

/// By how much a schema multiplies the values below it.
fn elements_max(node: &Node) -> Option<u64> {
    let bound = |bound: Option<i64>| bound.map(|bound| u64::try_from(bound).unwrap_or(0));
    match node.kind {
        Some(Kind::Object) if node.additional.is_some() => bound(node.limits.max_properties),
        Some(Kind::Array) => bound(node.limits.max_items),
        _ => Some(1),
    }
}

#[derive(Default)]
struct Found {
    schema: ErrorList,
    rules: ErrorList,
}

impl Found {
    fn merge(&mut self, other: Self) {
        self.schema.extend(other.schema);
        self.rules.extend(other.rules);
    }
}

/// What all rules cost together.
#[derive(Default)]
struct Walker {
    total: u64,
    expensive: Vec<(u64, Path)>,
}

impl Walker {
    fn walk(&mut self, schema: &Value, path: &Path, scope: &Scope<'_>) -> Found {
        let mut found = Found::default();
        if !schema.is_object() {
            return found;
        }
        unsupported(&mut found.schema, schema, path, scope);
        if schema.flag("uniqueItems") {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes \
                          quadratic";
            found.schema.push(Error::forbidden(&path.child("uniqueItems"), detail));
        }
        self.members(&mut found, schema, path, scope);
        for (junctor, nested) in junctors(schema) {
            found.merge(self.walk(nested, &path.child_path(&junctor), &scope.nested()));
        }
        let items = schema.member("items");
        if items.is_object() {
            let mut below = scope.below(scope.node.and_then(|node| node.items.as_deref()));
            if schema.text("x-kubernetes-list-type") != "map" {
                below = below.uncorrelated(path);
            }
            found.merge(self.walk(items, &path.child("items"), &below));
        }
        list_types::validate(&mut found.schema, schema, path);
        self.rules(&mut found, schema, path, scope);
        found
    }

    fn members(&mut self, found: &mut Found, schema: &Value, path: &Path, scope: &Scope<'_>) {
        let properties = schema.sorted("properties");
        let additional = schema.member("additionalProperties");
        if !additional.is_null() {
            let path = path.child("additionalProperties");
            if !properties.is_empty() && additional != &Value::Bool(true) {
                let detail = "additionalProperties and properties are mutual exclusive";
                found.schema.push(Error::forbidden(&path, detail));
            }
            let mut below = scope.below(scope.node.and_then(Node::additional_schema));
            if scope.in_meta {
                let reason = "inside additionalProperties applying to object metadata";
                below.no_defaults = Some(reason.to_owned());
            }
            found.merge(self.walk(additional, &path, &below));
        }
        for (name, property) in properties {
            let mut below = scope.below(scope.node.and_then(|node| node.properties.get(name)));
            let has_meta = scope.is_root || schema.flag("x-kubernetes-embedded-resource");
            if has_meta && META.contains(&name.as_str()) {
                below.in_meta = true;
                if scope.is_root {
                    below.no_defaults = Some(format!("in top-level {name}"));
                }
            }
            found.merge(self.walk(property, &path.child("properties").key(name), &below));
        }
    }

    fn rules(&mut self, found: &mut Found, schema: &Value, path: &Path, scope: &Scope<'_>) {
        let rules = schema.items("x-kubernetes-validations");
        let path = path.child("x-kubernetes-validations");
        for (index, rule) in rules.iter().enumerate() {
            rule_form(&mut found.schema, rule, schema, &path.index(index));
        }
        let Some(node) = scope.node else { return };
        if rules.is_empty() || !found.schema.is_empty() {
            return;
        }
        match rules::check(node, scope.is_root || node.embedded) {
            Err(problem) => found.rules.push(Error::internal(&path, problem)),
            Ok(checked) => {
                for (index, (rule, checked)) in rules.iter().zip(checked).enumerate() {
                    self.rule(&mut found.rules, rule, &checked, &path.index(index), scope);
                }
            }
        }
    }

    fn rule(
        &mut self,
        errors: &mut ErrorList,
        rule: &Value,
        checked: &Checked,
        path: &Path,
        scope: &Scope<'_>,
    ) {
        let rule_path = path.child("rule");
        let cost =
            checked.cost.saturating_mul(scope.cardinality.unwrap_or(checked.cardinality_max));
        self.observe(errors, cost, "estimated rule cost", &rule_path);
        if let Some(problem) = &checked.problem {
            errors.push(Error::invalid(&rule_path, shown(rule), problem.clone()));
        }
        let message_path = path.child("messageExpression");
        match &checked.message {
            None => {}
            Some(Err(problem)) => {
                errors.push(Error::invalid(&message_path, shown(rule), problem.clone()));
            }
            Some(Ok(cost)) => {
                self.observe(errors, *cost, "estimated messageExpression cost", &message_path);
            }
        }
        if checked.uses_old_self {
            if let Some(uncorrelatable) = &scope.uncorrelatable {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within \
                     {uncorrelatable}"
                );
                errors.push(Error::invalid(&rule_path, rule.text("rule"), detail));
            }
        } else if rule.has("optionalOldSelf") {
            let detail = "may not be set if oldSelf is not used in rule";
            let path = path.child("optionalOldSelf");
            errors.push(Error::invalid(&path, rule.flag("optionalOldSelf"), detail));
        }
    }

    fn observe(&mut self, errors: &mut ErrorList, cost: u64, name: &str, path: &Path) {
        if cost > RULE_COST_MAX {
            errors.push(Error::forbidden(path, over_budget(name, cost, RULE_COST_MAX)));
        }
        self.total = self.total.saturating_add(cost);
        if cost >= SCHEMA_COST_MAX / 100 {
            self.expensive.push((cost, path.clone()));
        }
    }

    fn total(mut self, errors: &mut ErrorList, path: &Path) {
        if self.total <= SCHEMA_COST_MAX {
            return;
        }
        self.expensive.sort_by_key(|(cost, _)| Reverse(*cost));
        for (_, path) in self.expensive.iter().take(EXPENSIVE_MAX) {
            let detail = "contributed to estimated rule cost total exceeding cost limit for entire \
                          OpenAPIv3 schema";
            errors.push(Error::forbidden(path, detail));
        }
        let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        errors.push(Error::forbidden(path, over_budget(name, self.total, SCHEMA_COST_MAX)));
    }
}

fn over_budget(name: &str, cost: u64, max: u64) -> String {
    let factor = cost as f64 / max as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{name} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, \
         maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}

/// A rule as the reference's program sees it.
fn shown(rule: &Value) -> Shown {
    Shown::json(&json!({
        "Rule": rule.text("rule"),
        "Message": rule.text("message"),
        "MessageExpression": rule.text("messageExpression"),
        "Reason": rule.member("reason"),
        "FieldPath": rule.text("fieldPath"),
        "OptionalOldSelf": rule.member("optionalOldSelf"),
    }))
}

/// The schemas inside `not`, `allOf`, `oneOf` and `anyOf`, with the steps to them.
fn junctors(schema: &Value) -> Vec<(Vec<Step>, &Value)> {
    let mut nested = vec![(vec![Step::Child("not")], schema.member("not"))];
    for junctor in ["allOf", "oneOf", "anyOf"] {
        for (index, schema) in schema.items(junctor).iter().enumerate() {
            nested.push((vec![Step::Child(junctor), Step::Index(index)], schema));
        }
    }
    nested
}

enum Step {
    Child(&'static str),
    Index(usize),
}

trait ChildPath {
    fn child_path(&self, steps: &[Step]) -> Self;
}

impl ChildPath for Path {
    fn child_path(&self, steps: &[Step]) -> Self {
        steps.iter().fold(self.clone(), |path, step| match step {
            Step::Child(name) => path.child(name),
            Step::Index(index) => path.index(*index),
        })
    }
}

fn unsupported(errors: &mut ErrorList, schema: &Value, path: &Path, scope: &Scope<'_>) {
    let kind = schema.text("type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        errors.push(Error::not_supported(&path.child("type"), kind, &TYPES));
    }
    if let Some(reason) = scope.no_defaults.as_ref().filter(|_| schema.has("default")) {
        errors.push(Error::forbidden(&path.child("default"), format!("must not be set {reason}")));
    }
    for name in
        ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]
    {
        let is_set = match schema.member(name) {
            Value::Null => false,
            Value::String(text) => !text.is_empty() || name == "$ref",
            Value::Object(members) => !members.is_empty() || name == "dependencies",
            _ => true,
        };
        if is_set {
            errors.push(Error::forbidden(&path.child(name), format!("{name} is not supported")));
        }
    }
    if kind == "null" {
        let detail = "type cannot be set to null, use nullable as an alternative";
        errors.push(Error::forbidden(&path.child("type"), detail));
    }
    if schema.member("items").is_array() {
        let detail = "items must be a schema object and not an array";
        errors.push(Error::forbidden(&path.child("items"), detail));
    }
    if scope.in_meta && schema.flag("x-kubernetes-embedded-resource") {
        let path = path.child("x-kubernetes-embedded-resource");
        errors.push(Error::forbidden(&path, "must not be used inside of resource meta"));
    }
}

fn has_line_break(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// Whether a rule is written as one, before it is compiled.
fn rule_form(errors: &mut ErrorList, rule: &Value, schema: &Value, path: &Path) {
    let [text, message, expression] =
        ["rule", "message", "messageExpression"].map(|member| rule.text(member));
    let message_path = path.child("message");
    if text.trim().is_empty() {
        errors.push(Error::required(&path.child("rule"), "rule is not specified"));
    } else if !message.is_empty() && message.trim().is_empty() {
        let detail = "must be non-empty if specified";
        errors.push(Error::invalid(&message_path, message, detail));
    } else if has_line_break(message.trim()) {
        let detail = "must not contain line breaks";
        errors.push(Error::invalid(&message_path, message, detail));
    } else if has_line_break(text.trim()) && message.trim().is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.push(Error::required(&message_path, detail));
    }
    if !expression.is_empty() && expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        errors.push(Error::required(&path.child("messageExpression"), detail));
    }
    let reason = rule.text("reason");
    if rule.has("reason") && !REASONS.contains(&reason) {
        let shown = Shown::json(&reason);
        errors.push(Error::not_supported(&path.child("reason"), shown, &REASONS));
    }
    let field = rule.text("fieldPath");
    let field_error = |detail| Error::invalid(&path.child("fieldPath"), field, detail);
    if field.is_empty() {
        return;
    }
    if field.trim().is_empty() {
        errors.push(field_error("must be non-empty if specified"));
    }
    if has_line_break(field) {
        errors.push(field_error("must not contain line breaks"));
    }
    if field_path::resolve(field, schema, true).is_err() {
        errors.push(field_error("must be a valid path"));
    }
}
