//! One tag at one place.

use crate::model::{Constant, Field, Int, Kind, Model, Type};
use crate::rule::{Constraint, ListKind, Rule, RuleError};
use crate::syntax::{Literal, Tag};
use crate::table::{Scope, info};

use super::lists;

/// Where tags that are none of the table may stand.
const CUSTOM_SCOPES: &[Scope] =
    &[Scope::Field, Scope::Type, Scope::ListValue, Scope::MapKey, Scope::MapValue];

/// The field a tag stands on: its struct's name, itself, and all fields of the struct.
type Owner<'a> = (&'a str, &'a Field<Tag>, &'a [Field<Tag>]);

/// A place where tags stand or are applied.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) model: &'a Model<Tag>,
    pub(super) has_function: &'a dyn Fn(&str) -> bool,
    pub(super) scope: Scope,
    pub(super) value_type: &'a Type,
    pub(super) owner: Option<Owner<'a>>,
}

impl<'a> Site<'a> {
    /// Understands all tags of a place; the error comes with the tag's index.
    pub(super) fn rules(&self, tags: &[Tag]) -> Result<Vec<Rule>, (usize, String)> {
        let mut rules: Vec<(usize, Rule)> = Vec::with_capacity(tags.len());
        for (index, tag) in in_order(tags) {
            let fail = |text| (index, text);
            let rule = self.rule(tag).map_err(fail)?;
            let before = rules.iter().map(|(_, rule)| rule.without_level());
            lists::check_pair(&rule, before)
                .map_err(|text| fail(format!("tag \"{}\": {text}", tag.full_name())))?;
            rules.push((index, rule));
        }
        rules.sort_by_key(|(index, _)| *index);
        Ok(rules.into_iter().map(|(_, rule)| rule).collect())
    }

    pub(super) fn constant(&self, constant: &Constant<Tag>) -> Result<Constant<Rule>, String> {
        let site = Self { scope: Scope::Constant, ..*self };
        let rules = constant.rules.iter().map(|tag| site.rule(tag)).collect::<Result<_, _>>()?;
        Ok(Constant { value: constant.value.clone(), rules })
    }

    fn rule(&self, tag: &Tag) -> Result<Rule, String> {
        let prefixed = |text: String| format!("tag \"{}\": {text}", tag.full_name());
        let scopes = match info(&tag.name) {
            Some(info) => info.scopes,
            None if tag.is_custom() => CUSTOM_SCOPES,
            None => return Err(prefixed(RuleError::Unknown.to_string())),
        };
        if !scopes.contains(&self.scope) {
            let (name, scope) = (tag.full_name(), self.scope.plural());
            return Err(format!("tag \"{name}\" cannot be specified on {scope}"));
        }
        self.applies(tag).map_err(prefixed)?;
        let mut inner = |payload: &Tag| {
            self.payload_site(tag).and_then(|site| site.rule(payload)).map_err(RuleError::Other)
        };
        let rule = Rule::read(tag, &mut inner).map_err(|error| prefixed(error.to_string()))?;
        self.check(&rule).map_err(prefixed)?;
        Ok(rule)
    }

    /// What the tag inside a wrapper is applied to.
    fn payload_site(&self, wrapper: &Tag) -> Result<Self, String> {
        let kind = self.model.target_kind(self.value_type);
        Ok(match (wrapper.name.as_str(), kind) {
            ("eachVal" | "item", Kind::List(item)) => self.at(Scope::ListValue, item),
            ("eachVal", Kind::Map(_, value)) => self.at(Scope::MapValue, value),
            ("eachKey", Kind::Map(key, _)) => self.at(Scope::MapKey, key),
            ("subfield", Kind::Struct(fields)) => {
                let name = wrapper.arguments.first().map(|argument| match &argument.value {
                    Literal::Text(name) => name.as_str(),
                    Literal::Int(_) | Literal::Bool(_) => "",
                });
                let name = name.unwrap_or_default();
                let field = fields.iter().find(|field| field.name == name);
                let field = field.ok_or_else(|| format!("no field for json name {name:?}"))?;
                self.at(Scope::Field, &field.value_type)
            }
            _ => *self,
        })
    }

    fn at(&self, scope: Scope, value_type: &'a Type) -> Self {
        Self { scope, value_type, owner: None, ..*self }
    }

    /// Whether a tag applies to values of this type at all; asked before its payload is read.
    fn applies(&self, tag: &Tag) -> Result<(), String> {
        let kind = self.model.target_kind(self.value_type);
        let wants = match tag.name.as_str() {
            _ if matches!(kind, Kind::Unknown) => return Ok(()),
            "minimum" | "maximum" if !matches!(kind, Kind::Int(_)) => "integer types",
            "minLength" | "maxLength" | "maxBytes" | "format" | "enum"
                if !matches!(kind, Kind::String) =>
            {
                "string types"
            }
            "minItems" | "maxItems" if !matches!(kind, Kind::List(_)) => "list types",
            "minProperties" | "maxProperties" if !matches!(kind, Kind::Map(..)) => "map types",
            "listType" | "listMapKey" | "unique" if !matches!(kind, Kind::List(_)) => {
                return Err(format!("can only be used on list types ({})", kind.name()));
            }
            "eachVal" if !matches!(kind, Kind::List(_) | Kind::Map(..)) => {
                return Err(format!("can only be used on list or map types ({})", kind.name()));
            }
            "eachKey" if !matches!(kind, Kind::Map(..)) => {
                return Err(format!("can only be used on map types ({})", kind.name()));
            }
            "subfield" if !matches!(kind, Kind::Struct(_)) => {
                return Err(format!("can only be used on struct types: {}", kind.name()));
            }
            "subfield" if tag.chain().skip(1).any(|tag| tag.name == "subfield") => {
                return Err("nested +k8s:subfield tags are unsupported; apply validations \
                            directly to the nested type instead"
                    .to_owned());
            }
            "monotonic" if !matches!(kind, Kind::Int(_)) => {
                let name = self.describe();
                return Err(format!("must be an integer type (got {name})"));
            }
            _ => return Ok(()),
        };
        Err(format!("can only be used on {wants} ({})", self.describe()))
    }

    fn describe(&self) -> String {
        match self.model.kind(self.value_type) {
            Kind::Pointer(target) => self.model.describe(target),
            _ => self.model.describe(self.value_type),
        }
    }

    /// Whether a rule, now understood, fits the type and the fields around it.
    fn check(&self, rule: &Rule) -> Result<(), String> {
        let kind = self.model.kind(self.value_type);
        match rule {
            Rule::Minimum(bound) | Rule::Maximum(bound) => self.check_bound(*bound),
            Rule::Required | Rule::Optional | Rule::Forbidden => {
                let name = match rule {
                    Rule::Required => "required",
                    Rule::Optional => "optional",
                    _ => "forbidden",
                };
                kind.can_be_unset()
                    .then_some(())
                    .ok_or_else(|| format!("non-pointer structs cannot use the \"k8s:{name}\" tag"))
            }
            Rule::ListType(ListKind::Map) | Rule::Unique(ListKind::Map) => {
                let Kind::List(item) = kind else { return Ok(()) };
                match self.model.target_kind(item) {
                    Kind::Struct(_) | Kind::Unknown => Ok(()),
                    _ => Err("only lists of structs can be list-maps".to_owned()),
                }
            }
            Rule::ListMapKey(name) => self.check_key(name),
            Rule::Update(constraint) => self.check_constraint(*constraint),
            Rule::Neq(value) => self.check_neq(value),
            Rule::UnionMember { .. } | Rule::ZeroOrOneOfMember { .. } => match kind {
                Kind::Struct(_) if self.scope == Scope::Field => Err(format!(
                    "can only be used on nilable and primitive types ({})",
                    kind.name()
                )),
                _ => Ok(()),
            },
            Rule::UnionDiscriminator { .. } => match self.model.target_kind(self.value_type) {
                Kind::String | Kind::Unknown => Ok(()),
                _ => Err(format!("can only be used on string types ({})", self.describe())),
            },
            Rule::ModeDiscriminator { .. } => match kind {
                Kind::String | Kind::Bool | Kind::Unknown => Ok(()),
                Kind::Pointer(_) => Err("can only be used on non-pointer types".to_owned()),
                _ => Err(format!("can only be used on string or bool types ({})", self.describe())),
            },
            Rule::DependentRequired(name) | Rule::DependentForbidden(name) => {
                self.check_sibling(name)
            }
            Rule::CustomValidation => self.check_function(),
            Rule::Custom(tag) if !(self.has_function)(&tag.name) => {
                Err("there is no code for it; tell the engine of its CustomTag".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn check_bound(&self, bound: i128) -> Result<(), String> {
        let Kind::Int(int) = self.model.target_kind(self.value_type) else { return Ok(()) };
        let (smallest, largest) = int.range();
        if (smallest..=largest).contains(&bound) {
            return Ok(());
        }
        if matches!(int, Int::Uint32 | Int::Uint64) && bound < 0 {
            return Err(format!(
                "failed to parse tag payload: parsing \"{bound}\" as uint: strconv.ParseUint: \
                 parsing \"{bound}\": invalid syntax"
            ));
        }
        Err(format!(
            "failed to parse tag payload: value {bound} does not fit in {} (range [{smallest}, \
             {largest}])",
            int.name()
        ))
    }

    fn check_key(&self, name: &str) -> Result<(), String> {
        let Kind::List(item) = self.model.kind(self.value_type) else { return Ok(()) };
        let Some(fields) = self.model.fields(item) else { return Ok(()) };
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            return Err(format!("no field for JSON name {name:?}"));
        };
        match self.model.target_kind(&field.value_type) {
            Kind::String | Kind::Bool | Kind::Int(_) | Kind::Float | Kind::Unknown => Ok(()),
            _ => Err(format!(
                "only primitive types and pointers to primitive types can be list-map keys, not {}",
                self.model.describe(&field.value_type)
            )),
        }
    }

    fn check_constraint(&self, constraint: Constraint) -> Result<(), String> {
        let kind = self.model.kind(self.value_type);
        let many = matches!(kind, Kind::List(_) | Kind::Map(..));
        let name = constraint.name();
        match constraint {
            Constraint::NoSet | Constraint::NoUnset if !kind.can_be_unset() => Err(format!(
                "+k8s:update={name} cannot be used on non-pointer struct fields (they cannot be \
                 unset)"
            )),
            Constraint::NoModify if many => Err(format!(
                "+k8s:update={name} is not supported on list or map fields, use \
                 +k8s:eachVal=+k8s:update=NoModify for per-item immutability"
            )),
            Constraint::NoAddItem | Constraint::NoRemoveItem
                if !many && !matches!(kind, Kind::Unknown) =>
            {
                Err(format!("+k8s:update={name} can only be used on list or map fields"))
            }
            _ if self.scope != Scope::Field && constraint != Constraint::NoModify => {
                Err(format!("+k8s:update={name} cannot be used on single values"))
            }
            _ => Ok(()),
        }
    }

    fn check_neq(&self, value: &Literal) -> Result<(), String> {
        let (payload, fits) = match (value, self.model.target_kind(self.value_type)) {
            (_, Kind::Unknown) => return Ok(()),
            (_, Kind::List(_) | Kind::Map(..) | Kind::Struct(_) | Kind::Opaque) => {
                return Err(format!(
                    "can only be used on comparable types (e.g. string, int, bool), but got {}",
                    self.describe()
                ));
            }
            (Literal::Text(_), kind) => ("string", matches!(kind, Kind::String)),
            (Literal::Int(_), kind) => ("int", matches!(kind, Kind::Int(_) | Kind::Float)),
            (Literal::Bool(_), kind) => ("bool", matches!(kind, Kind::Bool)),
        };
        if fits {
            return Ok(());
        }
        let field = self.describe();
        let article = if field.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        Err(format!("type mismatch: field is {article} {field}, but payload is of type {payload}"))
    }

    fn check_sibling(&self, name: &str) -> Result<(), String> {
        let Some((_, field, fields)) = self.owner else { return Ok(()) };
        if field.name == name {
            return Err(format!(
                "trigger and dependent field must be different (both are {name:?})"
            ));
        }
        let known = fields.iter().any(|field| field.name == name);
        known.then_some(()).ok_or_else(|| format!("no sibling field with JSON name {name:?}"))
    }

    fn check_function(&self) -> Result<(), String> {
        let (package, name) = match (self.owner, self.value_type) {
            (Some((owner, field, _)), _) => {
                let (package, owner) = owner.rsplit_once('.').unwrap_or(("", owner));
                (package, format!("{owner}_{}", field.go_name()))
            }
            (None, Type::Named(id)) => {
                let owner = self.model.get(*id).map_or("", |named| named.name.as_str());
                let (package, owner) = owner.rsplit_once('.').unwrap_or(("", owner));
                (package, owner.to_owned())
            }
            _ => return Ok(()),
        };
        if (self.has_function)(&name) {
            return Ok(());
        }
        let package = if package.is_empty() { String::new() } else { format!("{package}.") };
        Err(format!(
            "+k8s:customValidation: expected hand-written function {package}ValidateCustom_{name} \
             was not found"
        ))
    }
}

/// Tags in the order in which they are understood: by name, equal names as written.
fn in_order(tags: &[Tag]) -> Vec<(usize, &Tag)> {
    let mut tags: Vec<(usize, &Tag)> = tags.iter().enumerate().collect();
    tags.sort_by(|(_, a), (_, b)| a.name.cmp(&b.name));
    tags
}
