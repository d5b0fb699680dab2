//! Where in an object a field is.

use std::fmt;

/// A path such as `spec.rules[0].subjects`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path(String);

impl Path {
    /// A path of one member.
    #[must_use]
    pub fn new(member: &str) -> Self {
        Self(member.to_owned())
    }

    /// The path of no member at all, which prints as `<nil>`.
    #[must_use]
    pub fn nil() -> Self {
        Self::default()
    }

    /// A member.
    #[must_use]
    pub fn child(&self, member: &str) -> Self {
        if self.0.is_empty() { Self::new(member) } else { self.followed_by(&[".", member]) }
    }

    /// A list item.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.key(&index.to_string())
    }

    /// A map's value.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.followed_by(&["[", key, "]"])
    }

    /// Paths are made for every field that is looked at, so they are put together in one piece.
    fn followed_by(&self, parts: &[&str]) -> Self {
        let bytes = parts.iter().map(|part| part.len()).sum::<usize>();
        let mut path = String::with_capacity(self.0.len() + bytes);
        path.push_str(&self.0);
        path.extend(parts.iter().copied());
        Self(path)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "<nil>" } else { &self.0 })
    }
}
