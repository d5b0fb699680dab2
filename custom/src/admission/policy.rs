//! What a ValidatingAdmissionPolicy says of a request.

use std::sync::Arc;

use serde_json::Value as Json;

use super::subject::Scope;
use super::{Budget, Conditions, Expression, POLICY_COST_MAX, Subject, Wanted};
use crate::cel::{Type, Value};

/// The longest message that an expression may make.
const MESSAGE_BYTES_MAX: usize = 5 * 1024;

/// The `spec` of a policy, compiled.
#[derive(Debug)]
pub struct Policy {
    /// Whether there are parameters to be named.
    has_params: bool,
    /// Whether what cannot be evaluated is refused.
    fails: bool,
    conditions: Conditions,
    variables: Vec<(String, Expression)>,
    validations: Vec<Validation>,
}

#[derive(Debug)]
struct Validation {
    expression: Expression,
    message: String,
    message_expression: Option<Expression>,
    reason: String,
}

/// Where in a policy an expression stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `matchConditions`
    Condition,
    /// `variables`
    Variable,
    /// `validations`
    Validation,
    /// `messageExpression` of one of the `validations`
    Message,
}

/// Why a request is not as a policy wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// In words.
    pub message: String,
    /// The reason that the policy names; empty if it is for the server to choose.
    pub reason: String,
}

impl Policy {
    /// Compiles a policy. What does not compile fails when it is evaluated.
    #[must_use]
    pub fn compile(spec: &Json) -> Self {
        let has_params = spec["paramKind"].is_object();
        let mut types: Vec<(String, Type)> = Vec::new();
        let mut variables = Vec::new();
        for variable in items(&spec["variables"]) {
            let name = text(variable, "name");
            let scope = Scope::with_computed(has_params, &types);
            let expression =
                Expression::compile(text(variable, "expression"), &scope, Wanted::Anything);
            let result = expression.program.as_ref().ok();
            let result = result.map_or(Type::Dyn(u64::MAX), |program| program.result_type.clone());
            types.push((name.to_owned(), result));
            variables.push((name.to_owned(), expression));
        }
        let scope = Scope::with_computed(has_params, &types);
        let validation = |validation: &Json| Validation::compile(validation, &scope);
        Self {
            has_params,
            fails: spec["failurePolicy"] != "Ignore",
            conditions: Conditions::compile(&spec["matchConditions"], has_params),
            variables,
            validations: items(&spec["validations"]).map(validation).collect(),
        }
    }

    /// Whether what cannot be evaluated is refused.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.fails
    }

    /// What does not compile: in which list, at which index, and why.
    #[must_use]
    pub fn problems(&self) -> Vec<(Part, usize, &str)> {
        let conditions = self.conditions.problems();
        let mut problems: Vec<_> =
            conditions.map(|(index, problem)| (Part::Condition, index, problem)).collect();
        for (index, (_, expression)) in self.variables.iter().enumerate() {
            problems.extend(expression.problem().map(|why| (Part::Variable, index, why)));
        }
        for (index, validation) in self.validations.iter().enumerate() {
            let problem = validation.expression.problem();
            problems.extend(problem.map(|why| (Part::Validation, index, why)));
            let message = validation.message_expression.as_ref();
            let problem = message.and_then(Expression::problem);
            problems.extend(problem.map(|why| (Part::Message, index, why)));
        }
        problems
    }

    /// What the policy has against a request. The subject has parameters if the policy knows some.
    #[must_use]
    pub fn decide(&self, subject: &Subject<'_>) -> Vec<Decision> {
        match self.conditions.hold(subject) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(failure) => return self.failed(failure).into_iter().collect(),
        }
        let mut budget = Budget(POLICY_COST_MAX);
        let mut values = subject.values();
        debug_assert_eq!(values.len(), if self.has_params { 5 } else { 4 });
        let mut computed = Vec::new();
        for (name, expression) in &self.variables {
            let mut seen = values.clone();
            seen.push(Value::Map(Arc::new(computed.clone())));
            // One that has no value fails whoever names it, and nobody else.
            if let Ok(value) = expression.evaluate(seen, &mut budget) {
                computed.push((Value::Text(name.as_str().into()), value));
            }
        }
        values.push(Value::Map(Arc::new(computed)));
        let decide = |validation: &Validation| match validation
            .expression
            .evaluate(values.clone(), &mut budget)
        {
            Ok(Value::Bool(true)) => None,
            Ok(_) => Some(validation.refusal(&values, &mut budget)),
            Err(failure) => self.failed(failure),
        };
        self.validations.iter().filter_map(decide).collect()
    }

    fn failed(&self, message: String) -> Option<Decision> {
        self.fails.then(|| Decision { message, reason: String::new() })
    }
}

impl Validation {
    fn compile(validation: &Json, scope: &Scope) -> Self {
        let message_expression = text(validation, "messageExpression");
        let is_blank = message_expression.trim().is_empty();
        Self {
            expression: Expression::compile(text(validation, "expression"), scope, Wanted::Bool),
            message: text(validation, "message").trim().to_owned(),
            message_expression: (!is_blank)
                .then(|| Expression::compile(message_expression, scope, Wanted::Text)),
            reason: text(validation, "reason").to_owned(),
        }
    }

    fn refusal(&self, values: &[Value<'_>], budget: &mut Budget) -> Decision {
        let made = self.message_expression.as_ref().and_then(|expression| {
            let Ok(Value::Text(text)) = expression.evaluate(values.to_vec(), budget) else {
                return None;
            };
            let text = text.trim();
            let is_good =
                !text.is_empty() && text.len() <= MESSAGE_BYTES_MAX && !text.contains('\n');
            is_good.then(|| text.to_owned())
        });
        let message = made.unwrap_or_else(|| match self.message.as_str() {
            "" => format!("failed expression: {}", self.expression.text.trim()),
            message => message.to_owned(),
        });
        Decision { message, reason: self.reason.clone() }
    }
}

fn items(list: &Json) -> impl Iterator<Item = &Json> {
    list.as_array().into_iter().flatten()
}

fn text<'j>(object: &'j Json, member: &str) -> &'j str {
    object[member].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decide(spec: &Json, object: &Json, params: Option<&Json>) -> Vec<String> {
        let policy = Policy::compile(spec);
        assert_eq!(policy.problems(), []);
        let request = json!({ "operation": "CREATE" });
        let mut subject = Subject::new(Some(object), None, &request, None).unwrap();
        if spec["paramKind"].is_object() {
            subject = subject.with_params(params).unwrap();
        }
        policy.decide(&subject).into_iter().map(|decision| decision.message).collect()
    }

    #[test]
    fn what_does_not_hold_is_said_in_the_words_of_the_policy() {
        let spec = json!({ "validations": [
            { "expression": "object.n < 3" },
            { "expression": "object.n < 2", "message": " too many " },
            { "expression": "object.n < 2", "message": "unused",
                "messageExpression": "'not ' + string(object.n)" },
            { "expression": "object.n < 2", "message": "kept", "messageExpression": "'a\\nb'" },
            { "expression": "object.m < 2" },
        ] });
        let missing = "expression 'object.m < 2' resulted in error: no such key: m";
        assert_eq!(
            decide(&spec, &json!({ "n": 4 }), None),
            ["failed expression: object.n < 3", "too many", "not 4", "kept", missing]
        );
        assert!(decide(&spec, &json!({ "n": 1, "m": 1 }), None).is_empty());
        let mut lenient = spec;
        lenient["failurePolicy"] = json!("Ignore");
        assert_eq!(decide(&lenient, &json!({ "n": 1 }), None), Vec::<String>::new());
    }

    #[test]
    fn variables_see_those_before_them_and_parameters() {
        let spec = json!({ "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
            "variables": [
                { "name": "max", "expression": "int(params.data.max)" },
                { "name": "twice", "expression": "variables.max * 2" },
                { "name": "unused", "expression": "object.nothing" },
            ],
            "validations": [{ "expression": "object.n <= variables.twice" }] });
        let params = json!({ "data": { "max": "2" } });
        assert!(decide(&spec, &json!({ "n": 4 }), Some(&params)).is_empty());
        assert_eq!(decide(&spec, &json!({ "n": 5 }), Some(&params)).len(), 1);
        assert_eq!(decide(&spec, &json!({ "n": 1 }), None).len(), 1, "there is no data of null");
    }

    #[test]
    fn conditions_decide_what_is_looked_at() {
        let spec = |condition: &str| {
            json!({ "matchConditions": [{ "name": "c", "expression": condition }],
                "validations": [{ "expression": "false" }] })
        };
        let object = json!({ "n": 4 });
        assert!(decide(&spec("object.n == 3"), &object, None).is_empty());
        assert_eq!(decide(&spec("object.n == 4"), &object, None).len(), 1);
        let failure = "expression 'object.m == 4' resulted in error: no such key: m";
        assert_eq!(decide(&spec("object.m == 4"), &object, None), [failure]);
    }

    #[test]
    fn what_does_not_compile_is_known_by_its_place() {
        let policy = Policy::compile(&json!({
            "variables": [{ "name": "a", "expression": "1 +" }],
            "validations": [
                { "expression": "variables.a == 1 && variables.b == 2" },
                { "expression": "'text'", "messageExpression": "1" },
            ],
        }));
        let problems = policy.problems();
        let places: Vec<_> = problems.iter().map(|(part, index, _)| (*part, *index)).collect();
        assert_eq!(
            places,
            [(Part::Variable, 0), (Part::Validation, 0), (Part::Validation, 1), (Part::Message, 1),]
        );
        assert!(problems[1].2.contains("undefined field 'b'"), "{}", problems[1].2);
        assert_eq!(problems[3].2, "must evaluate to string");
    }
}
