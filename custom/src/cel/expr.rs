//! What can be evaluated, and what is known of it.

use ::cel::common::ast::LiteralValue;

use super::cost::{Model, UNKNOWN};
use super::signature::Native;
use super::types::Type;
use super::value::Value;

/// An expression that can be evaluated. Variables are known by their place on the stack.
#[derive(Debug)]
pub(super) enum Expr {
    Constant(Value<'static>),
    Variable(usize),
    Field(Box<Self>, Value<'static>, Access),
    Call(Native, Vec<Self>, Model),
    And(Box<(Self, Self)>),
    Or(Box<(Self, Self)>),
    Conditional(Box<(Self, Self, Self)>),
    /// Items, and which of them are optional.
    List(Vec<(Self, bool)>),
    Map(Vec<(Self, Self, bool)>),
    Quantify(Quantifier, Box<Fold>),
    /// The items for which the filter holds, each turned into another.
    Gather(Box<Fold>, Option<Box<Self>>),
    /// The items in the order of their keys.
    Sort(Box<Fold>),
    /// The body, for the value of an optional; it gives an optional itself if it is flat.
    IfPresent(Box<(Self, Self)>, bool),
}

/// What is looked for in a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Get,
    Has,
    Optional,
}

/// Something for each item of a list.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Expr,
    /// Index and item, or key and value; otherwise only the item or key.
    pub(super) two: bool,
    pub(super) body: Expr,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    All,
    Exists,
    One,
}

/// An expression that was found right.
pub(super) struct Checked {
    pub(super) expr: Expr,
    pub(super) ty: Type,
    pub(super) cost: u64,
}

pub(super) fn both(args: Vec<Checked>, make: fn(Box<(Expr, Expr)>) -> Expr) -> Checked {
    let cost = args.iter().fold(0_u64, |sum, arg| sum.saturating_add(arg.cost));
    let mut args = args.into_iter().map(|arg| arg.expr);
    let nothing = || Expr::Constant(Value::Null);
    let pair = (args.next().unwrap_or_else(nothing), args.next().unwrap_or_else(nothing));
    Checked { expr: make(Box::new(pair)), ty: Type::Bool, cost }
}

pub(super) fn conditional(args: Vec<Checked>, ty: Type) -> Option<Checked> {
    let [condition, then, otherwise] = <[Checked; 3]>::try_from(args).ok()?;
    let cost = condition.cost.saturating_add(then.cost.max(otherwise.cost));
    let larger = if then.ty.size_max() >= otherwise.ty.size_max() { then.ty } else { otherwise.ty };
    let ty = if matches!(ty, Type::Dyn(_)) { ty } else { larger };
    let expr = Expr::Conditional(Box::new((condition.expr, then.expr, otherwise.expr)));
    Some(Checked { expr, ty, cost })
}

pub(super) fn constant(literal: &LiteralValue) -> Checked {
    let size = |length: usize| u64::try_from(length).unwrap_or(UNKNOWN);
    let (value, ty) = match literal {
        LiteralValue::Boolean(flag) => (Value::Bool(*flag.inner()), Type::Bool),
        LiteralValue::Int(number) => (Value::Int(*number.inner()), Type::Int),
        LiteralValue::UInt(number) => (Value::Uint(*number.inner()), Type::Uint),
        LiteralValue::Double(number) => (Value::Double(*number.inner()), Type::Double),
        LiteralValue::String(text) => {
            (Value::text(text.inner()), Type::Text(size(text.inner().len())))
        }
        LiteralValue::Bytes(bytes) => {
            (Value::Bytes(bytes.inner().into()), Type::Bytes(size(bytes.inner().len())))
        }
        LiteralValue::Null => (Value::Null, Type::Null),
    };
    Checked { expr: Expr::Constant(value), ty, cost: 0 }
}
