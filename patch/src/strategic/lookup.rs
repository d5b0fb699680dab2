//! What the schema says about the members of a map that is being merged.

use api::schema::{PatchMerge, Shape, TypeDef};

use crate::PatchError;

/// The type of a map that is being merged.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lookup<'s> {
    Struct(&'s TypeDef),
    /// Not a struct; its name in errors.
    Other(&'static str),
}

/// How a list is merged.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListLookup<'s> {
    /// The type of the items.
    pub(super) item: Lookup<'s>,
    /// `None`: the list is replaced.
    pub(super) merge: Option<&'s PatchMerge>,
}

impl ListLookup<'_> {
    /// The JSON name by which items are told apart; `None` in lists of scalars.
    pub(super) fn merge_key(&self) -> Option<&str> {
        match self.merge {
            Some(PatchMerge::ByKey(key)) => Some(key),
            Some(PatchMerge::Primitives) | None => None,
        }
    }
}

impl<'s> Lookup<'s> {
    /// The type's own name.
    pub(super) fn name(self) -> &'s str {
        match self {
            Self::Struct(type_def) => &type_def.name,
            Self::Other(name) => name,
        }
    }

    /// The type of a member that is a map.
    pub(super) fn map_member(self, name: &str) -> Result<Self, PatchError> {
        self.shape(name).map(Self::of)
    }

    /// How a member that is a list is merged.
    pub(super) fn list_member(self, name: &str) -> Result<ListLookup<'s>, PatchError> {
        let Shape::List(list) = self.shape(name)? else {
            return Err(PatchError::Internal(format!(
                "expected slice or array type, but got: {}",
                self.kind()
            )));
        };
        Ok(ListLookup { item: Self::of(&list.item), merge: list.patch_merge.as_ref() })
    }

    fn shape(self, name: &str) -> Result<&'s Shape, PatchError> {
        let Self::Struct(type_def) = self else {
            return Err(PatchError::Internal(format!(
                "merging an object in json but data type is not struct, instead is: {}",
                self.kind()
            )));
        };
        type_def.field(name).map(|field| &field.shape).ok_or_else(|| {
            PatchError::Internal(format!(
                "unable to find api field in struct {} for the json field \"{name}\"",
                type_def.name
            ))
        })
    }

    fn of(shape: &'s Shape) -> Self {
        match shape {
            Shape::Struct(type_def) => Self::Struct(type_def),
            Shape::Map(_) => Self::Other("map"),
            Shape::List(_) => Self::Other("slice"),
            _ => Self::Other("string"),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Struct(_) => "struct",
            Self::Other(kind) => kind,
        }
    }
}
