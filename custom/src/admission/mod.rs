//! Expressions that look at requests: the match conditions of webhooks, and admission policies
//! (spec: apimachinery 2.15).
//!
//! `authorizer` is not known here: an expression that names it does not compile.

mod policy;
mod subject;

use serde_json::Value as Json;

use crate::cel::{EvalError, Program, Type, Value};

pub use policy::{Decision, Part, Policy};
use subject::Scope;
pub use subject::Subject;

/// What one evaluation may cost, and all of one policy, or of one list of conditions.
const CALL_COST_MAX: u64 = 1_000_000;
const POLICY_COST_MAX: u64 = 10_000_000;
const CONDITIONS_COST_MAX: u64 = 2_500_000;

/// What an expression must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Bool,
    Text,
    Anything,
}

/// An expression, and what it was compiled to.
#[derive(Debug)]
struct Expression {
    text: String,
    program: Result<Program, String>,
}

/// What is left to be spent.
#[derive(Debug)]
struct Budget(u64);

impl Expression {
    fn compile(text: &str, scope: &Scope, wanted: Wanted) -> Self {
        let program = Program::compile(text, scope.variables());
        let program = program.map_err(|error| error.to_string()).and_then(|program| {
            match (wanted, &program.result_type) {
                (Wanted::Anything, _)
                | (Wanted::Bool, Type::Bool | Type::Dyn(_))
                | (Wanted::Text, Type::Text(_) | Type::Dyn(_)) => Ok(program),
                (Wanted::Bool, _) => Err("must evaluate to bool".to_owned()),
                (Wanted::Text, _) => Err("must evaluate to string".to_owned()),
            }
        });
        Self { text: text.to_owned(), program }
    }

    fn problem(&self) -> Option<&str> {
        self.program.as_ref().err().map(String::as_str)
    }

    /// The value, or what to say of it that there is none.
    fn evaluate<'v>(
        &'v self,
        values: Vec<Value<'v>>,
        budget: &mut Budget,
    ) -> Result<Value<'v>, String> {
        let program = self.program.as_ref().map_err(Clone::clone)?;
        let (value, cost) = program.evaluate(values, CALL_COST_MAX.min(budget.0));
        budget.0 = budget.0.saturating_sub(cost);
        value.map_err(|error| {
            if error == EvalError::TooCostly && budget.0 == 0 {
                return "validation failed due to running out of cost budget, no further \
                        validation rules will be run"
                    .to_owned();
            }
            format!("expression '{}' resulted in error: {error}", self.text)
        })
    }
}

/// `matchConditions`: a request is looked at only if all of them hold.
#[derive(Debug)]
pub struct Conditions(Vec<Expression>);

impl Conditions {
    /// The conditions of a list, which may be absent. `params` says whether there are parameters to be
    /// named.
    #[must_use]
    pub fn compile(list: &Json, params: bool) -> Self {
        let scope = Scope::new(params);
        let list = list.as_array().into_iter().flatten();
        let text = |condition: &Json| {
            let text = condition["expression"].as_str().unwrap_or_default();
            Expression::compile(text, &scope, Wanted::Bool)
        };
        Self(list.map(text).collect())
    }

    /// Whether everything holds because nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is wrong with conditions, by their index.
    pub fn problems(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.0.iter().enumerate();
        all.filter_map(|(index, condition)| Some((index, condition.problem()?)))
    }

    /// Whether all conditions hold. One that does not decides, whatever is wrong with others.
    ///
    /// # Errors
    ///
    /// What to say of those that have no value.
    pub fn hold(&self, subject: &Subject<'_>) -> Result<bool, String> {
        let mut budget = Budget(CONDITIONS_COST_MAX);
        let mut failures = Vec::new();
        for condition in &self.0 {
            match condition.evaluate(subject.values(), &mut budget) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => return Ok(false),
                Err(failure) => failures.push(failure),
            }
        }
        match &failures[..] {
            [] => Ok(true),
            [one] => Err(one.clone()),
            several => Err(format!("[{}]", several.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conditions(expressions: &[&str]) -> Conditions {
        let list: Vec<Json> =
            expressions.iter().map(|text| json!({ "name": "c", "expression": text })).collect();
        Conditions::compile(&Json::from(list), false)
    }

    fn hold(expressions: &[&str]) -> Result<bool, String> {
        let object = json!({ "metadata": { "name": "a", "labels": { "x": "y" } }, "n": 3 });
        let request = json!({ "operation": "CREATE", "userInfo": { "username": "alice",
            "groups": ["dev"] }, "dryRun": false, "resource": { "group": "", "version": "v1",
            "resource": "pods" } });
        let namespace = json!({ "metadata": { "name": "default", "labels": { "team": "a" } } });
        let subject = Subject::new(Some(&object), None, &request, Some(&namespace));
        conditions(expressions).hold(&subject.unwrap())
    }

    #[test]
    fn conditions_see_the_object_the_request_and_the_namespace() {
        for expression in [
            "object.metadata.name == 'a' && object.n > 2",
            "oldObject == null",
            "request.operation == 'CREATE' && request.userInfo.username.startsWith('ali')",
            "'dev' in request.userInfo.groups && !request.dryRun",
            "request.resource.resource == 'pods'",
            "namespaceObject.metadata.labels['team'] == 'a'",
            "!has(object.spec)",
        ] {
            assert_eq!(hold(&[expression]), Ok(true), "{expression}");
        }
    }

    #[test]
    fn a_condition_that_does_not_hold_decides() {
        assert_eq!(hold(&[]), Ok(true));
        assert_eq!(hold(&["object.nothing == 1", "object.n == 2"]), Ok(false));
        let one = "expression 'object.nothing == 1' resulted in error: no such key: nothing";
        assert_eq!(hold(&["object.nothing == 1", "true"]), Err(one.to_owned()));
        let both = hold(&["object.nothing == 1", "object.nothing == 1"]);
        assert_eq!(both, Err(format!("[{one}, {one}]")));
    }

    #[test]
    fn what_is_not_known_or_no_truth_does_not_compile() {
        let conditions = conditions(&["true", "1", "request.foo == 1", "authorizer.x()", "params"]);
        let problems: Vec<_> = conditions.problems().collect();
        assert_eq!(problems[0], (1, "must evaluate to bool"));
        assert!(
            problems[1].1.starts_with("compilation failed: ERROR: <input>:1:8: undefined field")
        );
        assert_eq!(problems.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn what_costs_too_much_is_stopped() {
        let long = "lists.range(2000).all(a, lists.range(2000).all(b, a + b >= 0))";
        let why = hold(&[long]).unwrap_err();
        assert!(why.ends_with("operation cancelled: actual cost limit exceeded"), "{why}");
        let why = hold(&[long, long, long]).unwrap_err();
        assert!(why.contains("running out of cost budget"), "{why}");
    }
}
