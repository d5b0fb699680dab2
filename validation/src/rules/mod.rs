//! Rules declared on types: the engine (spec: validation 12, 13).
//!
//! A [`Validator`] is made once per type, from a type's table or from a model of types known only
//! at run time, and then validates objects in canonical form.

mod apply;
mod custom;
mod describe;
mod engine;
mod formats;
mod plan;
mod structs;
mod type_def;
mod unions;
mod update;
mod value;

use std::collections::BTreeMap;

use api::schema::TypeDef;
use serde_json::Value;
use validation_tags::model::{Model, Type, TypeId};
use validation_tags::{CheckError, Rule, Tag};

use crate::field::{Error, ErrorList, Trail};

pub use custom::{CustomRule, CustomRules, CustomTag};
pub use describe::{DescribedRule, describe};

use engine::{Engine, Place};
use plan::{Identity, Plan};
use value::Given;

/// What is validated: an object, what it was before, through which subresource it is written, and
/// which options are on.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The object, in canonical form with defaults filled in.
    pub object: &'a Value,
    /// The stored object, in an update.
    pub old: Option<&'a Value>,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The options that `ifEnabled` and `ifDisabled` ask for.
    pub options: &'a BTreeMap<String, bool>,
}

/// The rules of one type, ready to run.
#[derive(Debug)]
pub struct Validator {
    plan: Plan,
    root: TypeId,
    custom: CustomRules,
    subresources: Vec<String>,
}

impl Validator {
    /// The rules of a type's table.
    ///
    /// # Errors
    ///
    /// The first tag that must not stand where it stands. The derive refuses most of them, but it
    /// sees one struct at a time.
    pub fn new(type_def: &TypeDef, custom: CustomRules) -> Result<Self, CheckError> {
        Self::of_model(&type_def::model(type_def), TypeId(0), custom)
    }

    /// The rules of a type of a model.
    ///
    /// # Errors
    ///
    /// As [`Self::new`].
    pub fn of_model(
        model: &Model<Tag>,
        root: TypeId,
        custom: CustomRules,
    ) -> Result<Self, CheckError> {
        let model = validation_tags::check(model, &|name| custom.has(name))?;
        let subresources = model.get(root).map(|named| subresources(&named.rules));
        let subresources = subresources.unwrap_or_default();
        Ok(Self { plan: Plan::new(model), root, custom, subresources })
    }

    /// The subresources through which the type is validated, as paths; `/` is the object itself.
    #[must_use]
    pub fn subresources(&self) -> &[String] {
        &self.subresources
    }

    /// Validates an object. All errors are returned, whatever their level.
    #[must_use]
    pub fn validate(&self, request: Request<'_>) -> ErrorList {
        let Some((named, plan)) = self.plan.get(self.root) else { return ErrorList::default() };
        if !plan.is_validated {
            return ErrorList::default();
        }
        let mut names = self.subresources.iter().filter_map(|path| path.strip_prefix('/'));
        if !names.any(|name| name == request.subresource) {
            let (name, subresource) = (&named.name, request.subresource);
            let detail = format!("no validation found for *{name}, subresource: /{subresource}");
            return [Error::internal(&Trail::nil(), detail)].into_iter().collect();
        }
        let engine = Engine {
            plan: &self.plan,
            custom: &self.custom,
            options: request.options,
            is_update: request.old.is_some(),
        };
        let place = Place {
            path: &Trail::nil(),
            value_type: &Type::Named(self.root),
            new: Some(Given::new(request.object)),
            old: request.old.map(Given::new),
            identity: &Identity::None,
            function: None,
        };
        engine.check_type(self.root, &place).into_iter().collect()
    }
}

fn subresources(rules: &[Rule]) -> Vec<String> {
    let mut paths = vec!["/".to_owned()];
    for rule in rules {
        match rule.without_level() {
            Rule::IsSubresource(path) => paths[0].clone_from(path),
            Rule::SupportsSubresource(path) => paths.push(path.clone()),
            _ => {}
        }
    }
    paths
}

#[cfg(test)]
mod derived_tests;
#[cfg(test)]
mod tests;
