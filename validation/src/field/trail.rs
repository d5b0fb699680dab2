//! Where in an object a field is, for those who look at many fields and find nothing wrong.

use std::fmt;

/// A path such as `spec.rules[0].subjects` as the way from the object to the field. Making one costs
/// nothing: it borrows its parent, and is spelled out only when there is an error to report. A
/// [`Path`](super::Path) says the same and owns its text.
#[derive(Debug, Clone, Copy)]
pub struct Trail<'a> {
    parent: Option<&'a Self>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    /// The object itself.
    Root,
    Member(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Trail<'a> {
    /// The way to a member of the object.
    #[must_use]
    pub const fn new(member: &'a str) -> Self {
        Self { parent: None, step: Step::Member(member) }
    }

    /// The object itself, which prints as `<nil>`.
    #[must_use]
    pub const fn nil() -> Self {
        Self { parent: None, step: Step::Root }
    }

    /// A member.
    #[must_use]
    pub const fn child(&'a self, member: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Member(member) }
    }

    /// A list item.
    #[must_use]
    pub const fn index(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// A map's value.
    #[must_use]
    pub const fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    fn is_nil(&self) -> bool {
        matches!(self.step, Step::Root)
    }

    /// Writes the path; nothing for the object itself.
    fn spell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.spell(f)?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Member(name) => {
                let dot = if self.parent.is_none_or(Trail::is_nil) { "" } else { "." };
                f.write_str(dot)?;
                f.write_str(name)
            }
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(key) => write!(f, "[{key}]"),
        }
    }
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_nil() { f.write_str("<nil>") } else { self.spell(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_spelled_with_dots_and_brackets() {
        let spec = Trail::new("spec");
        let rules = spec.child("rules");
        let rule = rules.index(2);
        let labels = rule.child("labels");
        assert_eq!(labels.key("a.b/c").to_string(), "spec.rules[2].labels[a.b/c]");
    }

    #[test]
    fn only_a_trail_of_no_member_is_nil() {
        let root = Trail::nil();
        assert_eq!(root.to_string(), "<nil>");
        assert_eq!(root.child("spec").to_string(), "spec");
        assert_eq!(root.index(0).to_string(), "[0]");
    }
}
