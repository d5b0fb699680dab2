//! Whether tags may stand where they stand (spec: validation 15). Texts are the reference's.

mod lists;
mod shapes;
mod site;
mod structs;

use std::fmt;

use crate::model::{Constant, Definition, Field, Model, NamedType, Type};
use crate::rule::Rule;
use crate::syntax::Tag;
use crate::table::Scope;

use site::Site;

/// A tag that must not stand where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckError {
    /// The index of the type.
    pub type_index: usize,
    /// The JSON name of the field; `None` for the type itself.
    pub field: Option<String>,
    /// The index of the tag among those of the field or type; `None` if it is about them all.
    pub tag: Option<usize>,
    /// The reference's text.
    pub text: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CheckError {}

/// Checks every tag of a model and understands it. `has_function` tells whether there is a function
/// of that name for `customValidation`, or code for the tag of that name that is none of the table.
///
/// # Errors
///
/// The first tag that must not stand where it stands.
pub fn check(
    model: &Model<Tag>,
    has_function: &dyn Fn(&str) -> bool,
) -> Result<Model<Rule>, CheckError> {
    let checker = Checker { model, has_function };
    let types = model.types.iter().enumerate();
    let types = types.map(|(index, named)| checker.named_type(index, named));
    Ok(Model { types: types.collect::<Result<_, _>>()? })
}

struct Checker<'a> {
    model: &'a Model<Tag>,
    has_function: &'a dyn Fn(&str) -> bool,
}

impl Checker<'_> {
    fn named_type(
        &self,
        type_index: usize,
        named: &NamedType<Tag>,
    ) -> Result<NamedType<Rule>, CheckError> {
        let error = |tag, text| CheckError { type_index, field: None, tag, text };
        let itself = Type::Named(crate::model::TypeId(type_index));
        let site = Site {
            model: self.model,
            has_function: self.has_function,
            scope: Scope::Type,
            value_type: &itself,
            owner: None,
        };
        let rules = site
            .rules(&named.rules)
            .map_err(|(tag, text)| error(Some(tag), format!("{}: {text}", named.name)))?;
        let late = |text| {
            let name = &named.name;
            error(None, format!("deferred validation callback failed for type {name}: {text}"))
        };
        lists::check(self.model, &itself, &rules, Scope::Type).map_err(late)?;
        let constants = named.constants.iter();
        let constants = constants.map(|constant| site.constant(constant));
        let constants: Vec<Constant<Rule>> = constants
            .collect::<Result<_, _>>()
            .map_err(|text| error(None, format!("{}: {text}", named.name)))?;
        let definition = match &named.definition {
            Definition::Struct(fields) => {
                Definition::Struct(self.fields(type_index, &named.name, fields)?)
            }
            Definition::Alias(target) => Definition::Alias(target.clone()),
            Definition::Unknown => Definition::Unknown,
        };
        Ok(NamedType { name: named.name.clone(), rules, definition, constants })
    }

    fn fields(
        &self,
        type_index: usize,
        type_name: &str,
        fields: &[Field<Tag>],
    ) -> Result<Vec<Field<Rule>>, CheckError> {
        let mut checked = Vec::with_capacity(fields.len());
        for field in fields {
            let error =
                |tag, text| CheckError { type_index, field: Some(field.name.clone()), tag, text };
            let path = format!("{type_name}.{}", field.name);
            shapes::check(self.model, &path, field).map_err(|text| error(None, text))?;
            let site = Site {
                model: self.model,
                has_function: self.has_function,
                scope: Scope::Field,
                value_type: &field.value_type,
                owner: Some((type_name, field, fields)),
            };
            let rules = site
                .rules(&field.rules)
                .map_err(|(tag, text)| error(Some(tag), format!("field {path}: {text}")))?;
            let Field { name, value_type, default, omitted_when_unset, .. } = field.clone();
            checked.push(Field { name, value_type, rules, default, omitted_when_unset });
        }
        structs::check_discriminators(&checked).map_err(|(field, tag, text)| CheckError {
            type_index,
            text: format!("field {type_name}.{field}: {text}"),
            field: Some(field),
            tag: Some(tag),
        })?;
        for field in &checked {
            let late = |text: String| CheckError {
                type_index,
                field: Some(field.name.clone()),
                tag: None,
                text: format!(
                    "deferred validation callback failed for field {} of type {type_name}: {text}",
                    field.go_name()
                ),
            };
            lists::check(self.model, &field.value_type, &field.rules, Scope::Field)
                .map_err(late)?;
            structs::check_modes(self.model, field, &checked).map_err(late)?;
        }
        Ok(checked)
    }
}

#[cfg(test)]
mod tests;
