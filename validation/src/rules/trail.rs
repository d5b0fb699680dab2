//! The way from the root to a value, spelled out only when there is an error to report.

use crate::field::Path;

#[derive(Debug, Clone, Copy)]
pub(super) enum Trail<'a> {
    Root,
    Child(&'a Self, &'a str),
    Index(&'a Self, usize),
    Key(&'a Self, &'a str),
}

impl Trail<'_> {
    pub(super) fn path(&self) -> Path {
        match self {
            Self::Root => Path::nil(),
            Self::Child(parent, name) => parent.path().child(name),
            Self::Index(parent, index) => parent.path().index(*index),
            Self::Key(parent, key) => parent.path().key(key),
        }
    }
}
