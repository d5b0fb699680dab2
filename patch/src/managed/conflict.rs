//! Conflicts of an apply with other managers.

use std::collections::BTreeMap;
use std::fmt;

use super::entries::{Identity, Operation};
use crate::fieldset::{FieldSet, Path};
use validation::text::go_quote as quoted;

/// A field that is applied with another value than the one its manager gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) identity: Identity,
    pub(super) path: Path,
}

/// All conflicts of an apply; there is at least one. Its text is the message of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflicts(Vec<Conflict>);

/// One entry of `details.causes`, with the reason `FieldManagerConflict`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// `conflict with "manager"`, and how it manages the field.
    pub message: String,
    /// The field, such as `.spec.matchingPrecedence`.
    pub field: String,
}

impl Conflicts {
    pub(super) fn new(conflicts: Vec<Conflict>) -> Self {
        Self(conflicts)
    }

    /// The causes, manager by manager.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause> {
        self.0
            .iter()
            .map(|conflict| Cause {
                message: format!("conflict with {}", Shown(&conflict.identity)),
                field: conflict.path.to_string(),
            })
            .collect()
    }

    /// The conflicts about other fields than these; `None` if there are none.
    pub(super) fn outside(&self, fields: &FieldSet) -> Option<Self> {
        let outside: Vec<Conflict> =
            self.0.iter().filter(|conflict| !fields.contains(&conflict.path.0)).cloned().collect();
        (!outside.is_empty()).then_some(Self(outside))
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [conflict] = self.0.as_slice() {
            let (manager, path) = (Shown(&conflict.identity), &conflict.path);
            return write!(f, "Apply failed with 1 conflict: conflict with {manager}: {path}");
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        let mut by_manager: BTreeMap<&Identity, Vec<&Path>> = BTreeMap::new();
        for conflict in &self.0 {
            by_manager.entry(&conflict.identity).or_default().push(&conflict.path);
        }
        for (index, (identity, paths)) in by_manager.into_iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}conflicts with {}:", Shown(identity))?;
            paths.into_iter().try_for_each(|path| write!(f, "\n- {path}"))?;
        }
        Ok(())
    }
}

impl std::error::Error for Conflicts {}

/// A manager as conflicts name it.
struct Shown<'i>(&'i Identity);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Identity { manager, operation, group_version, subresource } = self.0;
        f.write_str(&quoted(manager))?;
        if !subresource.is_empty() {
            write!(f, " with subresource {}", quoted(subresource))?;
        }
        match operation {
            Operation::Apply => Ok(()),
            Operation::Update => write!(f, " using {group_version}"),
        }
    }
}
