//! From what was read to what can be evaluated: names are resolved, types checked, and what an
//! evaluation may cost is estimated, all in one walk.

use ::cel::IdedExpr;
use ::cel::common::ast::{
    CallExpr, EntryExpr, Expr as Parsed, ListExpr, LiteralValue, MapExpr, SelectExpr, SourceInfo,
    operators,
};

use std::borrow::Cow;

use super::Variable;
use super::cost::{self, Model, UNKNOWN};
use super::expr::{Access, Checked, Expr, both, conditional, constant};
use super::functions;
use super::signature::{self, Native, Overload};
use super::sizes::{sized, sizes_of};
use super::source;
use super::types::{self, ObjectType, Type};
use super::value::{CompiledPattern, Value};

pub(super) struct Checker<'p> {
    places: &'p SourceInfo,
    pub(super) scope: Vec<(String, Type)>,
    used: Vec<bool>,
    problems: Vec<(u32, String)>,
    /// Items of lists may have different types: they are the values of a `format`.
    mixed: bool,
    /// Why the expression can have no value, though its types are right.
    broken: Option<String>,
}

impl<'p> Checker<'p> {
    pub(super) fn new(places: &'p SourceInfo, variables: &[Variable]) -> Self {
        let scope = variables.iter().map(|each| (each.name.clone(), each.value_type.clone()));
        let used = vec![false; variables.len()];
        Self {
            places,
            scope: scope.collect(),
            used,
            problems: Vec::new(),
            mixed: false,
            broken: None,
        }
    }

    /// Everything that is wrong, in the order of the expression.
    pub(super) fn problems(&mut self, text: &str) -> Option<String> {
        self.problems.sort_by_key(|(place, _)| *place);
        let problems = self.problems.iter();
        let problems = problems.map(|(place, problem)| {
            source::located(text, usize::try_from(*place).unwrap_or(0), problem)
        });
        let problems: Vec<String> = problems.collect();
        (!problems.is_empty()).then(|| problems.join("\n"))
    }

    /// Why the expression can have no value.
    pub(super) fn broken(&mut self) -> Option<String> {
        self.broken.take()
    }

    pub(super) fn into_used(self) -> Vec<bool> {
        self.used
    }

    /// Notes a problem.
    pub(super) fn fail<T>(&mut self, id: u64, problem: impl Into<String>) -> Option<T> {
        let place = self.places.offset_for(id).map_or(0, |(start, _)| start);
        self.problems.push((place, problem.into()));
        None
    }

    pub(super) fn check(&mut self, parsed: &IdedExpr) -> Option<Checked> {
        match &parsed.expr {
            Parsed::Literal(literal) => Some(constant(literal)),
            Parsed::Ident(name) => self.name(parsed.id, name),
            Parsed::Select(select) => self.select(parsed.id, select),
            Parsed::Call(call) => self.call(parsed.id, call),
            Parsed::List(list) => self.list(list),
            Parsed::Map(map) => self.map(map),
            Parsed::Comprehension(fold) => self.comprehension(parsed.id, fold),
            Parsed::Struct(object) => {
                let problem =
                    format!("undeclared reference to '{}' (in container '')", object.type_name);
                self.fail(parsed.id, problem)
            }
            Parsed::Unspecified => self.fail(parsed.id, "unsupported expression"),
        }
    }

    fn name(&mut self, id: u64, name: &str) -> Option<Checked> {
        if let Some(index) = self.scope.iter().rposition(|(known, _)| known == name) {
            if let Some(used) = self.used.get_mut(index) {
                *used = true;
            }
            let ty = self.scope[index].1.clone();
            return Some(Checked { expr: Expr::Variable(index), ty, cost: 1 });
        }
        let types = [
            "bool",
            "int",
            "uint",
            "double",
            "string",
            "bytes",
            "list",
            "map",
            "null_type",
            "type",
        ];
        match types.into_iter().find(|known| *known == name) {
            Some(known) => {
                let expr = Expr::Constant(Value::Type(known));
                Some(Checked { expr, ty: Type::Type, cost: 1 })
            }
            None => self.fail(id, format!("undeclared reference to '{name}' (in container '')")),
        }
    }

    fn select(&mut self, id: u64, select: &SelectExpr) -> Option<Checked> {
        let operand = self.check(&select.operand)?;
        let access = if select.test { Access::Has } else { Access::Get };
        self.member(id, operand, &select.field, access)
    }

    fn member(
        &mut self,
        id: u64,
        operand: Checked,
        field: &str,
        access: Access,
    ) -> Option<Checked> {
        let (of, was_optional) = match &operand.ty {
            Type::Optional(inner) => ((**inner).clone(), true),
            other => (other.clone(), false),
        };
        let found = match &of {
            Type::Object(object) => {
                let name = field_name(object, field);
                object.fields.get(&*name).map(|field| field.value_type.clone())
            }
            Type::Map(map) => Some(map.value.clone()),
            Type::Dyn(_) => Some(Type::anything()),
            other => {
                let problem = format!("type '{other}' does not support field selection");
                return self.fail(id, problem);
            }
        };
        let Some(found) = found else {
            return self.fail(id, format!("undefined field '{field}'"));
        };
        let ty = match access {
            Access::Has => Type::Bool,
            Access::Optional => Type::Optional(found.into()),
            Access::Get if was_optional => Type::Optional(found.into()),
            Access::Get => found,
        };
        let cost = operand.cost.saturating_add(u64::from(access != Access::Has));
        let name = match &of {
            Type::Object(object) => field_name(object, field),
            _ => field.into(),
        };
        let expr = Expr::Field(Box::new(operand.expr), Value::text(&name), access);
        Some(Checked { expr, ty, cost })
    }

    fn list(&mut self, list: &ListExpr) -> Option<Checked> {
        let mixed = std::mem::take(&mut self.mixed);
        let mut items = Vec::new();
        let mut item_type = mixed.then(Type::anything);
        let mut cost = cost::LIST;
        for (index, parsed) in list.elements.iter().enumerate() {
            let is_optional = list.optional_indices.contains(&index);
            let item = self.check(parsed)?;
            let ty = if is_optional { self.unwrapped(parsed.id, &item.ty)? } else { item.ty };
            item_type = Some(self.same(parsed.id, item_type, ty)?);
            cost = cost.saturating_add(item.cost);
            items.push((item.expr, is_optional));
        }
        let max = u64::try_from(items.len()).unwrap_or(UNKNOWN);
        let ty = Type::list(item_type.unwrap_or_else(Type::anything), max);
        Some(Checked { expr: Expr::List(items), ty, cost })
    }

    fn map(&mut self, map: &MapExpr) -> Option<Checked> {
        let mut entries = Vec::new();
        let (mut keys, mut values): (Option<Type>, Option<Type>) = (None, None);
        let mut cost = cost::MAP;
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else {
                return self.fail(entry.id, "unsupported expression");
            };
            let (key, value) = (self.check(&entry.key)?, self.check(&entry.value)?);
            let is_key = matches!(
                key.ty,
                Type::Bool | Type::Int | Type::Uint | Type::Text(_) | Type::Dyn(_)
            );
            if !is_key {
                let problem = format!("unsupported map key type: {}", key.ty);
                return self.fail(entry.key.id, problem);
            }
            let ty =
                if entry.optional { self.unwrapped(entry.value.id, &value.ty)? } else { value.ty };
            keys = Some(self.same(entry.key.id, keys, key.ty)?);
            values = Some(self.same(entry.value.id, values, ty)?);
            cost = cost.saturating_add(key.cost).saturating_add(value.cost);
            entries.push((key.expr, value.expr, entry.optional));
        }
        let max = u64::try_from(entries.len()).unwrap_or(UNKNOWN);
        let [keys, values] = [keys, values].map(|ty| ty.unwrap_or_else(Type::anything));
        Some(Checked { expr: Expr::Map(entries), ty: Type::map(keys, values, max), cost })
    }

    fn unwrapped(&mut self, id: u64, ty: &Type) -> Option<Type> {
        match ty {
            Type::Optional(inner) => Some((**inner).clone()),
            Type::Dyn(_) => Some(Type::anything()),
            other => {
                self.fail(id, format!("expected type 'optional_type({other})' but found '{other}'"))
            }
        }
    }

    /// All items of a list have one type.
    fn same(&mut self, id: u64, before: Option<Type>, ty: Type) -> Option<Type> {
        let Some(before) = before else { return Some(ty) };
        if !before.accepts(&ty, &mut []) {
            return self.fail(id, format!("expected type '{before}' but found '{ty}'"));
        }
        Some(if ty.size_max() > before.size_max() { ty } else { before })
    }

    fn call(&mut self, id: u64, call: &CallExpr) -> Option<Checked> {
        if let Some(checked) = self.macro_call(id, call) {
            return checked;
        }
        if let (operators::OPT_SELECT, [operand, field]) =
            (call.func_name.as_str(), call.args.as_slice())
            && let Parsed::Literal(LiteralValue::String(field)) = &field.expr
        {
            let operand = self.check(operand)?;
            return self.member(id, operand, field.inner(), Access::Optional);
        }
        let (name, target) = self.callee(call);
        let is_member = target.is_some();
        let mut args = Vec::new();
        let mut failed = false;
        for arg in target.into_iter().chain(&call.args) {
            self.mixed = is_member && name == "format" && matches!(arg.expr, Parsed::List(_));
            match self.check(arg) {
                Some(arg) => args.push(arg),
                None => failed = true,
            }
        }
        if failed && signature::lookup(&name).is_none() {
            return self.undeclared(id, &name);
        }
        if failed { None } else { self.resolve(id, &name, is_member, args, call) }
    }

    fn undeclared<T>(&mut self, id: u64, name: &str) -> Option<T> {
        self.fail(id, format!("undeclared reference to '{name}' (in container '')"))
    }

    /// The name of what is called, and the value on which it is called: `ip.isCanonical` is a name.
    fn callee<'c>(&self, call: &'c CallExpr) -> (String, Option<&'c IdedExpr>) {
        if let Some(target) = call.target.as_deref()
            && let Parsed::Ident(space) = &target.expr
            && !self.scope.iter().any(|(known, _)| known == space)
        {
            let name = format!("{space}.{}", call.func_name);
            if signature::lookup(&name).is_some() {
                return (name, None);
            }
        }
        (call.func_name.clone(), call.target.as_deref())
    }

    fn resolve(
        &mut self,
        id: u64,
        name: &str,
        is_member: bool,
        args: Vec<Checked>,
        call: &CallExpr,
    ) -> Option<Checked> {
        let Some(overloads) = signature::lookup(name) else { return self.undeclared(id, name) };
        let types: Vec<&Type> = args.iter().map(|arg| &arg.ty).collect();
        let matching: Vec<(&Overload, Type)> = overloads
            .iter()
            .filter(|overload| overload.is_member == is_member)
            .filter_map(|overload| Some((overload, overload.result(&types)?)))
            .collect();
        let Some((first, result)) = matching.first() else {
            let shown: Vec<String> = types.iter().map(ToString::to_string).collect();
            let applied = match (is_member, shown.split_first()) {
                (true, Some((target, args))) => format!("{target}.({})", args.join(", ")),
                _ => format!("({})", shown.join(", ")),
            };
            let problem = format!("found no matching overload for '{name}' applied to '{applied}'");
            return self.fail(id, problem);
        };
        let differs = |(_, other): &(&Overload, Type)| !other.accepts(result, &mut []);
        let ty = if matching.iter().any(differs) { Type::anything() } else { result.clone() };
        let model = first.model;
        let sizes = sizes_of(model, &types);
        let own = matching
            .iter()
            .map(|(overload, _)| cost::of_call(overload.model, &sizes_of(overload.model, &types)))
            .max();
        let (native, ty) = (first.native, sized(ty, model, name, &sizes));
        let cost = args.iter().fold(own.unwrap_or(1), |sum, arg| sum.saturating_add(arg.cost));
        match (name, args.len()) {
            (operators::LOGICAL_AND, 2) => Some(both(args, Expr::And)),
            (operators::LOGICAL_OR, 2) => Some(both(args, Expr::Or)),
            (operators::CONDITIONAL, 3) => conditional(args, ty),
            _ => {
                let args: Vec<Expr> = args.into_iter().map(|arg| arg.expr).collect();
                self.check_constants(id, name, &args, call, native)?;
                let args = self.with_patterns(id, model, args)?;
                Some(Checked { expr: Expr::Call(native, args, model), ty, cost })
            }
        }
    }

    /// What is written out can be tried at once.
    fn check_constants(
        &mut self,
        id: u64,
        name: &str,
        args: &[Expr],
        call: &CallExpr,
        native: Native,
    ) -> Option<()> {
        let last = call.args.last().map_or(id, |arg| arg.id);
        match (name, args) {
            ("matches", [.., Expr::Constant(Value::Text(text))])
                if crate::pattern::Pattern::compile(text).is_err() =>
            {
                return self.fail(last, "invalid matches argument");
            }
            ("format", [Expr::Constant(Value::Text(text)), _]) => {
                if let Some(problem) = functions::clause_problem(text) {
                    return self.fail(id, problem);
                }
            }
            (
                "int" | "uint" | "double" | "bool" | "duration" | "timestamp",
                [Expr::Constant(value @ Value::Text(_))],
            ) => {
                if let Err(error) = native(std::slice::from_ref(value)) {
                    if matches!(name, "duration" | "timestamp") {
                        return self.fail(last, format!("invalid {name} argument"));
                    }
                    self.broken = Some(error.to_string());
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Regular expressions that are written out are compiled once.
    fn with_patterns(&mut self, id: u64, model: Model, mut args: Vec<Expr>) -> Option<Vec<Expr>> {
        if model == Model::Regex
            && let Some(Expr::Constant(constant)) = args.get_mut(1)
            && let Value::Text(text) = &*constant
        {
            match crate::pattern::Pattern::compile(text) {
                Ok(pattern) => *constant = Value::Pattern(CompiledPattern(pattern.into())),
                Err(error) => return self.fail(id, error.to_string()),
            }
        }
        Some(args)
    }
}

/// The name of a field: words that mean something may be written as they are.
fn field_name<'n>(object: &ObjectType, field: &'n str) -> Cow<'n, str> {
    if !object.fields.contains_key(field) && types::RESERVED.contains(&field) {
        return format!("__{field}__").into();
    }
    field.into()
}
