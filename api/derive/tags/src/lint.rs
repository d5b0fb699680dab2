//! Rules about tags that hold for stable types (spec: validation 15, lint).

use crate::model::{Definition, Kind, Model, TypeId};
use crate::syntax::Tag;
use crate::table::{Stability, info};

/// How settled a package of types is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageLevel(Stability);

impl PackageLevel {
    /// The level that a package's name asks for, such as `v1beta1`.
    #[must_use]
    pub fn of(package: &str) -> Self {
        let version = package.rsplit(['.', '/']).next().unwrap_or(package);
        Self(match version {
            _ if version.contains("alpha") => Stability::Alpha,
            _ if version.contains("beta") => Stability::Beta,
            _ => Stability::Stable,
        })
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of the type.
    pub type_name: String,
    /// The JSON name of the field; `None` for the type itself.
    pub field: Option<String>,
    /// The reference's text.
    pub text: String,
}

/// Checks a model's tags. Types whose definition is not known have no fields to look at.
#[must_use]
pub fn lint(model: &Model<Tag>, level: PackageLevel) -> Vec<Finding> {
    let mut findings = Vec::new();
    for named in &model.types {
        let mut found = |field: Option<&str>, texts: Vec<String>| {
            findings.extend(texts.into_iter().map(|text| Finding {
                type_name: named.name.clone(),
                field: field.map(str::to_owned),
                text,
            }));
        };
        found(None, named.rules.iter().flat_map(|tag| check_chain(tag, level)).collect());
        let Definition::Struct(fields) = &named.definition else { continue };
        for field in fields {
            let mut texts: Vec<String> =
                field.rules.iter().flat_map(|tag| check_chain(tag, level)).collect();
            let kind = model.kind(&field.value_type);
            let asks = |tag: &Tag| {
                tag.chain()
                    .any(|tag| matches!(tag.name.as_str(), "optional" | "required" | "forbidden"))
            };
            let exempt = matches!(kind, Kind::Struct(_))
                || (matches!(kind, Kind::Unknown) && field.rules.is_empty());
            if !exempt && !field.rules.iter().any(asks) && is_validated(model, field) {
                texts.push(
                    "field with validation must have +k8s:optional, +k8s:required or \
                     +k8s:forbidden"
                        .to_owned(),
                );
            }
            found(Some(&field.name), texts);
        }
    }
    findings
}

fn is_validated(model: &Model<Tag>, field: &crate::model::Field<Tag>) -> bool {
    !field.rules.is_empty() || mentions(model, &field.value_type, &mut Vec::new())
}

/// Whether values of the type are validated by rules of named types inside it.
fn mentions(model: &Model<Tag>, value_type: &crate::model::Type, seen: &mut Vec<TypeId>) -> bool {
    use crate::model::Type;
    match value_type {
        Type::Pointer(inner) | Type::List(inner) | Type::Array(_, inner) => {
            mentions(model, inner, seen)
        }
        Type::Map(key, value) => mentions(model, key, seen) || mentions(model, value, seen),
        Type::Named(id) => {
            if seen.contains(id) {
                return false;
            }
            seen.push(*id);
            let Some(named) = model.get(*id) else { return false };
            !named.rules.is_empty()
                || match &named.definition {
                    Definition::Struct(fields) => fields.iter().any(|field| {
                        !field.rules.is_empty() || mentions(model, &field.value_type, seen)
                    }),
                    Definition::Alias(target) => mentions(model, target, seen),
                    Definition::Unknown => false,
                }
        }
        Type::String | Type::Bool | Type::Int(_) | Type::Float | Type::Opaque(_) => false,
    }
}

fn check_chain(tag: &Tag, PackageLevel(level): PackageLevel) -> Vec<String> {
    let mut texts = Vec::new();
    let misplaced = tag.chain().skip(1).filter(|tag| matches!(tag.name.as_str(), "alpha" | "beta"));
    texts.extend(misplaced.map(|tag| format!("tag \"k8s:{}\" can't be used in between", tag.name)));
    let mut chain = tag.chain().peekable();
    let mut needed = level;
    match tag.name.as_str() {
        "alpha" => {
            chain.next();
            needed = Stability::Alpha;
        }
        "beta" => {
            chain.next();
            needed = needed.min(Stability::Beta);
        }
        _ => {}
    }
    if chain.peek().is_some_and(|tag| matches!(tag.name.as_str(), "ifEnabled" | "ifDisabled")) {
        needed = needed.min(Stability::Beta);
    }
    let unsettled = chain.filter_map(|tag| info(&tag.name)).filter(|info| info.stability < needed);
    texts.extend(unsettled.map(|info| {
        let (name, stability) = (info.name, info.stability);
        format!(
            "tag \"k8s:{name}\" with stability level \"{stability}\" cannot be used in {needed} \
             validation"
        )
    }));
    texts
}
