//! Expressions in CEL, as Kubernetes has them: read by crate `cel`, whose grammar and macros are the
//! standard's; checked, estimated and evaluated here, because the reference knows the types of what
//! expressions look at, refuses what may cost too much, and stops what does.
//!
//! What is not known here is refused when an expression is compiled, never ignored.
//!
//! Nothing here knows of schemas or definitions: a [`Type`] says what variables are.

mod check;
mod compare;
mod cost;
mod depth;
mod eval;
mod expr;
mod functions;
mod list;
mod macros;
mod signature;
mod sizes;
mod source;
#[cfg(test)]
mod tests;
mod types;
mod value;

use check::Checker;
pub use cost::UNKNOWN;
pub use eval::EvalError;
pub(crate) use types::escaped;
pub use types::{FieldType, ListType, MapType, ObjectType, Type};
pub use value::Value;

/// The most characters that an expression may have.
const CHARACTERS_MAX: usize = 100_000;

/// A variable of expressions.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What values it has.
    pub value_type: Type,
}

/// Why an expression does not compile: `compilation failed: ERROR: <input>:1:5: undefined field 'z'` and
/// the place in the expression, once for each problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CompileError(String);

/// An expression that was found right.
#[derive(Debug)]
pub struct Program {
    expression: expr::Expr,
    /// What values it gives.
    pub result_type: Type,
    /// The most that an evaluation may cost, as far as the sizes of values are known.
    pub cost_max: u64,
    used: Vec<bool>,
}

impl Program {
    /// Reads and checks an expression.
    ///
    /// # Errors
    ///
    /// [`CompileError`] with everything that is wrong.
    pub fn compile(text: &str, variables: &[Variable]) -> Result<Self, CompileError> {
        let characters = text.chars().count();
        if characters > CHARACTERS_MAX {
            let problem = format!(
                "expression code point size exceeds limit: size: {characters}, limit \
                 {CHARACTERS_MAX}"
            );
            return Err(CompileError(format!(
                "compilation failed: {}",
                source::located(text, 0, &problem)
            )));
        }
        source::apart(|| Self::compile_here(text, variables)).unwrap_or_else(|| {
            let problem = source::located(text, 0, "Syntax error: unreadable expression");
            Err(CompileError(format!("compilation failed: {problem}")))
        })
    }

    fn compile_here(text: &str, variables: &[Variable]) -> Result<Self, CompileError> {
        let (parsed, places) = source::parse(text)
            .map_err(|problems| CompileError(format!("compilation failed: {problems}")))?;
        let mut checker = Checker::new(&places, variables);
        let checked = checker.check(&parsed);
        let problems =
            checker.problems(text).map(|problems| format!("compilation failed: {problems}"));
        let broken =
            checker.broken().map(|problem| format!("program instantiation failed: {problem}"));
        match (checked, problems.or(broken)) {
            (Some(checked), None) => Ok(Self {
                expression: checked.expr,
                result_type: checked.ty,
                cost_max: checked.cost,
                used: checker.into_used(),
            }),
            (_, problems) => Err(CompileError(problems.unwrap_or_default())),
        }
    }

    /// Whether the variable of that index is named in the expression.
    #[must_use]
    pub fn uses(&self, variable: usize) -> bool {
        self.used.get(variable).copied().unwrap_or(false)
    }

    /// Evaluates the expression; the variables stand in the order in which they were declared. Gives
    /// what it cost, too.
    ///
    /// # Errors
    ///
    /// [`EvalError`] if the expression has no value, or costs more than it may.
    pub fn evaluate<'v>(
        &'v self,
        variables: Vec<Value<'v>>,
        cost_max: u64,
    ) -> (Result<Value<'v>, EvalError>, u64) {
        eval::evaluate(&self.expression, variables, cost_max)
    }
}
