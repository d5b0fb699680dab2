//! Evaluating expressions, as long as they do not cost too much.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cost::{self, Model};
use super::expr::{Access, Expr, Fold, Quantifier};
use super::value::Value;

/// The most bytes that a text may have that is computed, and the most items of a list.
const RESULT_SIZE_MAX: usize = 10_000_000;

/// Refuses to compute what would be too large to hold.
pub(super) fn bounded(size: usize) -> Result<(), EvalError> {
    if size > RESULT_SIZE_MAX { Err(EvalError::TooCostly) } else { Ok(()) }
}

/// Why an expression has no value, in the reference's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// It cost more than it may.
    #[error("operation cancelled: actual cost limit exceeded")]
    TooCostly,
    /// A function does not take these values.
    #[error("no such overload")]
    NoSuchOverload,
    /// Something else, such as `no such key: x`.
    #[error("{0}")]
    Other(String),
}

impl EvalError {
    pub(super) fn message(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}

/// The value of an expression, and what it cost.
pub(super) fn evaluate<'v>(
    expression: &'v Expr,
    variables: Vec<Value<'v>>,
    cost_max: u64,
) -> (Result<Value<'v>, EvalError>, u64) {
    let mut evaluator = Evaluator { stack: variables, spent: 0, max: cost_max };
    let value = evaluator.value(expression);
    (value, evaluator.spent)
}

/// What a call costs, by the values it is given.
fn called(model: Model, values: &[Value<'_>]) -> u64 {
    match (model, values) {
        (Model::Range, [Value::Int(count)]) => u64::try_from(*count).unwrap_or(0),
        (Model::Join, [list, ..]) => list.size(),
        (Model::Items, [list, ..]) => list.size(),
        _ => {
            let sizes: Vec<u64> = values.iter().map(Value::size).collect();
            cost::of_call(model, &sizes)
        }
    }
}

type Evaluated<'v> = Result<Value<'v>, EvalError>;

struct Evaluator<'v> {
    stack: Vec<Value<'v>>,
    spent: u64,
    max: u64,
}

impl<'v> Evaluator<'v> {
    fn spend(&mut self, cost: u64) -> Result<(), EvalError> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > self.max { Err(EvalError::TooCostly) } else { Ok(()) }
    }

    fn value(&mut self, expression: &'v Expr) -> Evaluated<'v> {
        match expression {
            Expr::Constant(value) => Ok(value.clone()),
            Expr::Variable(index) => {
                self.spend(1)?;
                self.stack.get(*index).cloned().ok_or(EvalError::NoSuchOverload)
            }
            Expr::Field(operand, name, access) => self.field(operand, name, *access),
            Expr::Call(native, args, model) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.value(arg)?);
                }
                self.spend(called(*model, &values).max(1))?;
                native(&values)
            }
            Expr::And(pair) => self.both(&pair.0, &pair.1, false),
            Expr::Or(pair) => self.both(&pair.0, &pair.1, true),
            Expr::Conditional(parts) => match self.value(&parts.0)? {
                Value::Bool(true) => self.value(&parts.1),
                Value::Bool(false) => self.value(&parts.2),
                _ => Err(EvalError::NoSuchOverload),
            },
            Expr::List(items) => self.list(items),
            Expr::Map(entries) => self.map(entries),
            Expr::Quantify(quantifier, fold) => self.quantify(*quantifier, fold),
            Expr::Gather(fold, filter) => self.gather(fold, filter.as_deref()),
            Expr::Sort(fold) => self.sort(fold),
            Expr::IfPresent(parts, flat) => match self.value(&parts.0)? {
                Value::Optional(None) => Ok(Value::none()),
                Value::Optional(Some(value)) => {
                    let value = self.with(vec![(*value).clone()], &parts.1)?;
                    Ok(if *flat { value } else { Value::some(value) })
                }
                _ => Err(EvalError::NoSuchOverload),
            },
        }
    }

    /// The value of an expression for which further variables are bound.
    fn with(&mut self, bound: Vec<Value<'v>>, body: &'v Expr) -> Evaluated<'v> {
        let depth = self.stack.len();
        self.stack.extend(bound);
        let value = self.value(body);
        self.stack.truncate(depth);
        value
    }

    fn field(
        &mut self,
        operand: &'v Expr,
        name: &'v Value<'static>,
        access: Access,
    ) -> Evaluated<'v> {
        let operand = self.value(operand)?;
        self.spend(u64::from(access != Access::Has))?;
        let (operand, was_optional) = match operand {
            Value::Optional(None) => {
                let absent = access == Access::Has;
                return Ok(if absent { Value::Bool(false) } else { Value::none() });
            }
            Value::Optional(Some(inner)) => ((*inner).clone(), true),
            other => (other, false),
        };
        let found = operand.entry(name)?;
        match (access, found) {
            (Access::Has, found) => Ok(Value::Bool(found.is_some())),
            (Access::Optional, found) => Ok(Value::Optional(found.map(Arc::new))),
            (Access::Get, found) if was_optional => Ok(Value::Optional(found.map(Arc::new))),
            (Access::Get, Some(value)) => Ok(value),
            (Access::Get, None) => {
                let Value::Text(name) = name else { return Err(EvalError::NoSuchOverload) };
                Err(EvalError::message(format!("no such key: {name}")))
            }
        }
    }

    /// `&&` and `||`: what decides, decides, even if the other side has no value.
    fn both(&mut self, left: &'v Expr, right: &'v Expr, deciding: bool) -> Evaluated<'v> {
        let decides =
            |value: &Evaluated<'v>| matches!(value, Ok(Value::Bool(flag)) if *flag == deciding);
        let left = self.value(left);
        if decides(&left) || matches!(left, Err(EvalError::TooCostly)) {
            return left;
        }
        let right = self.value(right);
        if decides(&right) || matches!(right, Err(EvalError::TooCostly)) {
            return right;
        }
        match (left?, right?) {
            (Value::Bool(_), Value::Bool(_)) => Ok(Value::Bool(!deciding)),
            _ => Err(EvalError::NoSuchOverload),
        }
    }

    fn list(&mut self, items: &'v [(Expr, bool)]) -> Evaluated<'v> {
        self.spend(cost::LIST)?;
        let mut values = Vec::with_capacity(items.len());
        for (item, is_optional) in items {
            match (self.value(item)?, is_optional) {
                (value, false) => values.push(value),
                (Value::Optional(value), true) => {
                    values.extend(value.map(|value| (*value).clone()));
                }
                (_, true) => return Err(EvalError::NoSuchOverload),
            }
        }
        Ok(Value::list(values))
    }

    fn map(&mut self, entries: &'v [(Expr, Expr, bool)]) -> Evaluated<'v> {
        self.spend(cost::MAP)?;
        let mut values: Vec<(Value<'v>, Value<'v>)> = Vec::with_capacity(entries.len());
        for (key, value, is_optional) in entries {
            let key = self.value(key)?;
            let value = match (self.value(value)?, is_optional) {
                (value, false) => value,
                (Value::Optional(None), true) => continue,
                (Value::Optional(Some(value)), true) => (*value).clone(),
                (_, true) => return Err(EvalError::NoSuchOverload),
            };
            // Of a key that comes twice, the last value counts.
            match values.iter_mut().find(|(known, _)| known.equals(&key)) {
                Some((_, before)) => *before = value,
                None => values.push((key, value)),
            }
        }
        Ok(Value::Map(Arc::new(values)))
    }

    /// What is bound for each item.
    fn each(&mut self, fold: &'v Fold) -> Result<Vec<Vec<Value<'v>>>, EvalError> {
        let range = self.value(&fold.range)?;
        let items = range.elements()?;
        if !fold.two {
            return Ok(items.into_iter().map(|item| vec![item]).collect());
        }
        let is_map = matches!(range, Value::Map(_) | Value::JsonMap(..));
        let pair = |(index, item): (usize, Value<'v>)| {
            if !is_map {
                return Ok(vec![Value::Int(i64::try_from(index).unwrap_or(i64::MAX)), item]);
            }
            let value = range.entry(&item)?.ok_or(EvalError::NoSuchOverload)?;
            Ok(vec![item, value])
        };
        items.into_iter().enumerate().map(pair).collect()
    }

    fn quantify(&mut self, quantifier: Quantifier, fold: &'v Fold) -> Evaluated<'v> {
        let mut failure = None;
        let mut holding = 0_usize;
        for bound in self.each(fold)? {
            self.spend(2)?;
            let holds = match self.with(bound, &fold.body) {
                Ok(Value::Bool(holds)) => Ok(holds),
                Ok(_) => Err(EvalError::NoSuchOverload),
                Err(error) => Err(error),
            };
            match (quantifier, holds) {
                (_, Err(EvalError::TooCostly)) => return Err(EvalError::TooCostly),
                (Quantifier::All, Ok(false)) => return Ok(Value::Bool(false)),
                (Quantifier::Exists, Ok(true)) => return Ok(Value::Bool(true)),
                (Quantifier::One, Err(error)) => return Err(error),
                (_, Err(error)) => failure = Some(error),
                (_, Ok(holds)) => holding += usize::from(holds),
            }
        }
        match failure {
            Some(error) => Err(error),
            None => Ok(Value::Bool(match quantifier {
                Quantifier::All => true,
                Quantifier::Exists => false,
                Quantifier::One => holding == 1,
            })),
        }
    }

    fn gather(&mut self, fold: &'v Fold, filter: Option<&'v Expr>) -> Evaluated<'v> {
        self.spend(cost::LIST)?;
        let mut items = Vec::new();
        for bound in self.each(fold)? {
            if let Some(filter) = filter {
                self.spend(1)?;
                match self.with(bound.clone(), filter)? {
                    Value::Bool(true) => {}
                    Value::Bool(false) => continue,
                    _ => return Err(EvalError::NoSuchOverload),
                }
            }
            self.spend(cost::LIST + 2)?;
            items.push(self.with(bound, &fold.body)?);
        }
        Ok(Value::list(items))
    }

    fn sort(&mut self, fold: &'v Fold) -> Evaluated<'v> {
        self.spend(cost::LIST)?;
        let mut keyed = Vec::new();
        for bound in self.each(fold)? {
            self.spend(cost::LIST + 2)?;
            let item = bound.first().cloned().ok_or(EvalError::NoSuchOverload)?;
            keyed.push((self.with(bound, &fold.body)?, item));
        }
        sorted(keyed).map(Value::list)
    }
}

/// Values in the order of their keys, which must be of one kind.
pub(super) fn sorted<'v>(
    mut keyed: Vec<(Value<'v>, Value<'v>)>,
) -> Result<Vec<Value<'v>>, EvalError> {
    let comparable = keyed.windows(2).all(|pair| pair[0].0.order(&pair[1].0).is_some());
    if !comparable {
        return Err(EvalError::NoSuchOverload);
    }
    keyed.sort_by(|(left, _), (right, _)| left.order(right).unwrap_or(Ordering::Equal));
    Ok(keyed.into_iter().map(|(_, value)| value).collect())
}
