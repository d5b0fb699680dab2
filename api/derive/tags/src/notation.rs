//! Reading types as messages show them: `*T`, `[]T`, `[3]T`, `map[K]V` and names.

use crate::model::{Int, Type, TypeId};

impl Type {
    /// The type of that notation. `named` finds named types; names it does not know are opaque
    /// types. `None` if the notation is wrong.
    #[must_use]
    pub fn from_notation(text: &str, named: &dyn Fn(&str) -> Option<TypeId>) -> Option<Self> {
        let inner = |text: &str| Self::from_notation(text, named).map(Box::new);
        if let Some(target) = text.strip_prefix('*') {
            return inner(target).map(Self::Pointer);
        }
        if let Some(item) = text.strip_prefix("[]") {
            return inner(item).map(Self::List);
        }
        if let Some(rest) = text.strip_prefix("map[") {
            let (key, value) = rest.split_once(']')?;
            return Some(Self::Map(inner(key)?, inner(value)?));
        }
        if let Some(rest) = text.strip_prefix('[') {
            let (length, item) = rest.split_once(']')?;
            return Some(Self::Array(length.parse().ok()?, inner(item)?));
        }
        Some(match text {
            "" => return None,
            "string" => Self::String,
            "bool" => Self::Bool,
            "float64" => Self::Float,
            "int" => Self::Int(Int::Int),
            "int32" => Self::Int(Int::Int32),
            "int64" => Self::Int(Int::Int64),
            "uint32" => Self::Int(Int::Uint32),
            "uint64" => Self::Int(Int::Uint64),
            name => named(name).map_or_else(|| Self::Opaque(name.to_owned()), Self::Named),
        })
    }
}
