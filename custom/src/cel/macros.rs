//! Macros: what is said of all items of a list, and what binds names.
//!
//! The parser writes the standard macros out as folds over an accumulator. They are recognised here
//! and kept as what they are: then lists are gathered without being copied for each item.

use ::cel::IdedExpr;
use ::cel::common::ast::{CallExpr, ComprehensionExpr, Expr as Parsed, LiteralValue, operators};

use super::check::Checker;
use super::cost::{self, UNKNOWN};
use super::expr::{Checked, Expr, Fold, Quantifier};
use super::types::Type;

/// What is bound and looked at for each item.
struct Each<'e> {
    range: &'e IdedExpr,
    names: Vec<&'e str>,
}

impl Checker<'_> {
    /// A fold that the parser made of a standard macro.
    pub(super) fn comprehension(&mut self, id: u64, fold: &ComprehensionExpr) -> Option<Checked> {
        let each = Each { range: &fold.iter_range, names: vec![&fold.iter_var] };
        match (&fold.accu_init.expr, &fold.loop_step.expr) {
            (Parsed::Literal(LiteralValue::Boolean(_)), Parsed::Call(step)) => {
                let quantifier = if step.func_name == operators::LOGICAL_AND {
                    Quantifier::All
                } else {
                    Quantifier::Exists
                };
                self.quantify(id, &each, quantifier, step.args.get(1)?)
            }
            (Parsed::Literal(LiteralValue::Int(_)), Parsed::Call(step)) => {
                self.quantify(id, &each, Quantifier::One, step.args.first()?)
            }
            (Parsed::List(_), Parsed::Call(step)) if step.func_name == operators::CONDITIONAL => {
                let item = step.args.get(1).and_then(appended)?;
                self.gather(&each, step.args.first(), item)
            }
            (Parsed::List(_), _) => {
                let item = appended(&fold.loop_step)?;
                self.gather(&each, None, item)
            }
            _ => self.fail(id, "unsupported expression"),
        }
    }

    /// A macro that the parser does not know; `None` if it is none.
    pub(super) fn macro_call(&mut self, id: u64, call: &CallExpr) -> Option<Option<Checked>> {
        let target = call.target.as_deref()?;
        let names = |count: usize| -> Option<Vec<&str>> {
            let names = call.args.iter().take(count).map(|arg| match &arg.expr {
                Parsed::Ident(name) => Some(name.as_str()),
                _ => None,
            });
            names.collect()
        };
        let args = call.args.as_slice();
        Some(match (call.func_name.as_str(), args) {
            ("all" | "exists" | "exists_one" | "existsOne", [_, _, body]) => {
                let quantifier = match call.func_name.as_str() {
                    "all" => Quantifier::All,
                    "exists" => Quantifier::Exists,
                    _ => Quantifier::One,
                };
                let each = Each { range: target, names: names(2)? };
                self.quantify(id, &each, quantifier, body)
            }
            ("transformList", [_, _, item]) => {
                self.gather(&Each { range: target, names: names(2)? }, None, item)
            }
            ("transformList", [_, _, filter, item]) => {
                self.gather(&Each { range: target, names: names(2)? }, Some(filter), item)
            }
            ("sortBy", [_, key]) => self.sort(id, &Each { range: target, names: names(1)? }, key),
            ("optMap" | "optFlatMap", [_, body]) => {
                let name = names(1)?.first().copied()?;
                self.if_present(id, target, name, body, call.func_name == "optFlatMap")
            }
            _ => return None,
        })
    }

    /// Checks the range, binds the names, and leaves them bound; gives how many items there may be.
    fn range(&mut self, each: &Each<'_>) -> Option<(Checked, u64)> {
        let range = self.check(each.range)?;
        let (first, second) = match &range.ty {
            Type::List(list) => (Type::Int, list.item.clone()),
            Type::Map(map) => (map.key.clone(), map.value.clone()),
            Type::Dyn(_) => (Type::anything(), Type::anything()),
            other => {
                let problem = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, \
                     map, or dynamic)"
                );
                return self.fail(each.range.id, problem);
            }
        };
        let size = range.ty.size_max();
        match each.names.as_slice() {
            [one] => {
                let is_list = matches!(range.ty, Type::List(_));
                self.scope.push(((*one).to_owned(), if is_list { second } else { first }));
            }
            names => {
                let types = [first, second];
                self.scope.extend(names.iter().map(|name| (*name).to_owned()).zip(types));
            }
        }
        Some((range, size))
    }

    fn quantify(
        &mut self,
        id: u64,
        each: &Each<'_>,
        quantifier: Quantifier,
        body: &IdedExpr,
    ) -> Option<Checked> {
        let depth = self.scope.len();
        let ranged = self.range(each);
        let checked = ranged.and_then(|ranged| Some((ranged, self.check(body)?)));
        self.scope.truncate(depth);
        let ((range, size), checked) = checked?;
        if !matches!(checked.ty, Type::Bool | Type::Dyn(_)) {
            let (name, applied) = match quantifier {
                Quantifier::All => (operators::LOGICAL_AND, format!("(bool, {})", checked.ty)),
                Quantifier::Exists => (operators::LOGICAL_OR, format!("(bool, {})", checked.ty)),
                Quantifier::One => (operators::CONDITIONAL, format!("({}, int, int)", checked.ty)),
            };
            let problem = format!("found no matching overload for '{name}' applied to '{applied}'");
            return self.fail(id, problem);
        }
        let (around, result) = match quantifier {
            Quantifier::All => (3, 1),
            Quantifier::Exists => (4, 1),
            Quantifier::One => (2, 2),
        };
        let cost = folded(range.cost, size, checked.cost.saturating_add(around), result);
        let two = each.names.len() == 2;
        let fold = Fold { range: range.expr, two, body: checked.expr };
        Some(Checked { expr: Expr::Quantify(quantifier, Box::new(fold)), ty: Type::Bool, cost })
    }

    fn gather(
        &mut self,
        each: &Each<'_>,
        filter: Option<&IdedExpr>,
        item: &IdedExpr,
    ) -> Option<Checked> {
        let depth = self.scope.len();
        let ranged = self.range(each);
        let checked = ranged.and_then(|ranged| {
            let filter = match filter {
                None => None,
                Some(filter) => Some(self.condition(filter)?),
            };
            Some((ranged, filter, self.check(item)?))
        });
        self.scope.truncate(depth);
        let ((range, size), filter, item) = checked?;
        let filter_cost = filter.as_ref().map_or(0, |filter| filter.cost);
        // Appending: the list so far, a list of the item, and both together.
        let step = item.cost.saturating_add(filter_cost).saturating_add(cost::LIST + 2);
        let cost = folded(range.cost, size, step, 1).saturating_add(cost::LIST);
        let ty = Type::list(item.ty, size);
        let fold = Fold { range: range.expr, two: each.names.len() == 2, body: item.expr };
        let filter = filter.map(|filter| Box::new(filter.expr));
        Some(Checked { expr: Expr::Gather(Box::new(fold), filter), ty, cost })
    }

    fn condition(&mut self, parsed: &IdedExpr) -> Option<Checked> {
        let checked = self.check(parsed)?;
        if matches!(checked.ty, Type::Bool | Type::Dyn(_)) {
            return Some(checked);
        }
        let problem = format!(
            "found no matching overload for '_?_:_' applied to '({}, list, list)'",
            checked.ty
        );
        self.fail(parsed.id, problem)
    }

    fn sort(&mut self, id: u64, each: &Each<'_>, key: &IdedExpr) -> Option<Checked> {
        let depth = self.scope.len();
        let ranged = self.range(each);
        let checked = ranged.and_then(|ranged| Some((ranged, self.check(key)?)));
        self.scope.truncate(depth);
        let ((range, size), key) = checked?;
        let (
            Type::List(_),
            Type::Dyn(_)
            | Type::Bool
            | Type::Int
            | Type::Uint
            | Type::Double
            | Type::Text(_)
            | Type::Bytes(_)
            | Type::Duration
            | Type::Timestamp,
        ) = (&range.ty, &key.ty)
        else {
            let problem = format!(
                "found no matching overload for 'sortBy' applied to '{}.({})'",
                range.ty, key.ty
            );
            return self.fail(id, problem);
        };
        // Keys are made once, and compared with each other.
        let step = key.cost.saturating_add(cost::LIST + 2).saturating_add(size);
        let cost = folded(range.cost, size, step, 1).saturating_add(cost::LIST);
        let fold = Fold { range: range.expr, two: false, body: key.expr };
        Some(Checked { expr: Expr::Sort(Box::new(fold)), ty: range.ty, cost })
    }

    fn if_present(
        &mut self,
        id: u64,
        target: &IdedExpr,
        name: &str,
        body: &IdedExpr,
        flat: bool,
    ) -> Option<Checked> {
        let target = self.check(target)?;
        let inner = match &target.ty {
            Type::Optional(inner) => (**inner).clone(),
            Type::Dyn(_) => Type::anything(),
            other => {
                let problem =
                    format!("found no matching overload for 'hasValue' applied to '{other}.()'");
                return self.fail(id, problem);
            }
        };
        self.scope.push((name.to_owned(), inner));
        let checked = self.check(body);
        self.scope.pop();
        let checked = checked?;
        let ty = match (&checked.ty, flat) {
            (Type::Optional(_), true) => checked.ty,
            (Type::Dyn(_), true) => Type::Optional(Type::anything().into()),
            (_, false) => Type::Optional(checked.ty.into()),
            (other, true) => {
                let problem = format!(
                    "found no matching overload for '_?_:_' applied to '(bool, {other}, \
                     optional_type({other}))'"
                );
                return self.fail(body.id, problem);
            }
        };
        let cost = target
            .cost
            .saturating_mul(2)
            .saturating_add(checked.cost)
            .saturating_add(cost::LIST + 5);
        let expr = Expr::IfPresent(Box::new((target.expr, checked.expr)), flat);
        Some(Checked { expr, ty, cost })
    }
}

/// The item in `list + [item]`.
fn appended(step: &IdedExpr) -> Option<&IdedExpr> {
    let Parsed::Call(add) = &step.expr else { return None };
    let Parsed::List(list) = &add.args.get(1)?.expr else { return None };
    list.elements.first()
}

/// What a fold costs: the range, and a step for each item.
fn folded(range: u64, size: u64, step: u64, result: u64) -> u64 {
    let steps = if size == UNKNOWN { UNKNOWN } else { size.saturating_mul(step) };
    range.saturating_add(steps).saturating_add(result)
}
