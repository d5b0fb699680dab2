//! Types of fields that validation does not support.

use crate::model::{Field, Kind, Model, Type};
use crate::syntax::Tag;

pub(super) fn check(model: &Model<Tag>, path: &str, field: &Field<Tag>) -> Result<(), String> {
    let value_type = &field.value_type;
    if let Some(reason) = unsupported(model, value_type) {
        return Err(format!("field {path} ({}): {reason}", model.describe(value_type)));
    }
    let opaque = |tag: &Tag| tag.chain().any(|tag| tag.name == "opaqueType");
    if let Type::Opaque(name) = value_type
        && name.contains('.')
        && !field.rules.iter().any(opaque)
    {
        return Err(format!(
            "{path}: type {name} is in a non-included package; either add this package to \
             validation-gen's --readonly-pkg flag, or add +k8s:opaqueType to the field to skip \
             validation"
        ));
    }
    if let Kind::Map(_, value) = model.kind(value_type)
        && matches!(model.kind(value), Kind::List(_))
        && !field.rules.is_empty()
    {
        return Err(format!("field {path}: validation for map of slices is not supported"));
    }
    Ok(())
}

fn unsupported(model: &Model<Tag>, value_type: &Type) -> Option<&'static str> {
    if matches!(value_type, Type::Array(..)) {
        return Some("fixed-size arrays are not supported");
    }
    match model.kind(value_type) {
        Kind::Pointer(target) => match model.kind(target) {
            Kind::Pointer(_) => Some("pointers to pointers are not supported"),
            Kind::List(_) => Some("pointers to lists are not supported"),
            Kind::Map(..) => Some("pointers to maps are not supported"),
            _ => None,
        },
        Kind::List(item) => match model.kind(item) {
            Kind::List(_) => Some("lists of lists are not supported"),
            Kind::Map(..) => Some("lists of maps are not supported"),
            _ => None,
        },
        Kind::Map(key, value) => match (model.kind(key), model.kind(value)) {
            (Kind::String | Kind::Unknown, Kind::Pointer(_)) => {
                Some("maps of pointers are not supported")
            }
            (Kind::String | Kind::Unknown, Kind::Map(..)) => Some("maps of maps are not supported"),
            (Kind::String | Kind::Unknown, _) => None,
            _ => Some("maps with non-string keys are not supported"),
        },
        _ => None,
    }
}
