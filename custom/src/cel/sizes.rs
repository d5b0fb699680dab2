//! What is known of the sizes of arguments and results.

use ::cel::common::ast::operators;

use super::cost::{self, Model, UNKNOWN};
use super::types::Type;

/// The sizes of arguments, as the function that is called looks at them.
pub(super) fn sizes_of(model: Model, types: &[&Type]) -> Vec<u64> {
    let size = |index: usize| types.get(index).map_or(0, |ty| ty.size_max());
    let item = types.first().map_or(0, |ty| ty.item_size_max());
    match model {
        Model::Items => vec![size(0), item],
        Model::Join => vec![size(0), size(1), item],
        _ => types.iter().map(|ty| ty.size_max()).collect(),
    }
}

/// What is known of the size of a call's result.
pub(super) fn sized(ty: Type, model: Model, name: &str, sizes: &[u64]) -> Type {
    let size = |index: usize| sizes.get(index).copied().unwrap_or(UNKNOWN);
    let sum = size(0).saturating_add(size(1));
    let grows = matches!(name, "replace" | "format");
    match (ty, model) {
        (Type::Text(_), Model::Concat) => Type::Text(sum),
        (Type::Bytes(_), Model::Concat) => Type::Bytes(sum),
        (Type::Text(_), Model::Read | Model::ReadTwice | Model::Regex) if !grows => {
            Type::Text(size(0))
        }
        (Type::List(list), Model::ReadTwice | Model::Regex) => {
            Type::list(Type::Text(size(0)), size(0).min(list.max))
        }
        (Type::Text(_), Model::Join) => Type::Text(cost::joined(sizes)),
        (Type::Text(max), Model::ReadTwice) if name == "replace" => {
            // Only a replacement that is no longer than what it replaces keeps the size.
            Type::Text(if size(2) <= size(1) { size(0) } else { max })
        }
        (Type::List(list), Model::Items | Model::Squared) => Type::list(list.item.clone(), size(0)),
        (Type::List(list), Model::One) if name == operators::ADD => {
            Type::list(list.item.clone(), sum)
        }
        (ty, _) => ty,
    }
}
