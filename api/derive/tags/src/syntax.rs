//! A tag as it is written: a name, arguments and a payload, none of them understood yet.

use std::fmt;

/// Ends the prefix of a name.
pub(crate) const PREFIX_END: char = ':';

/// A tag such as `+k8s:beta(since: "1.37")=+k8s:maxLength=3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name without `k8s:`, such as `maxLength`; with the owner's prefix for tags that are not
    /// of the table, such as `example:even`.
    pub name: String,
    /// What stands in the parentheses.
    pub arguments: Vec<Argument>,
    /// What stands behind the equals sign.
    pub payload: Payload,
}

/// An argument of a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The name; `None` for the one argument that needs none.
    pub name: Option<String>,
    /// The value.
    pub value: Literal,
}

/// A value inside a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// Text in quotes, or a word without them.
    Text(String),
    /// A whole number, as written.
    Int(String),
    /// `true` or `false`.
    Bool(bool),
}

/// What a tag says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    None,
    /// A value.
    Literal(Literal),
    /// Another tag, which this one applies somewhere or under a condition.
    Tag(Box<Tag>),
}

/// Why a text is not a tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Tags start with `+k8s:`, or the prefix of an owner.
    #[error("a validation tag starts with \"+k8s:\"")]
    Prefix,
    /// There is no name.
    #[error("a tag needs a name")]
    Name,
    /// A quotation mark or parenthesis is missing.
    #[error("{0:?} is not closed")]
    NotClosed(char),
    /// Something follows that does not belong there.
    #[error("unexpected text {0:?}")]
    Trailing(String),
}

impl Tag {
    /// Whether it is somebody's own tag: none of the table, but one that code comes with.
    #[must_use]
    pub fn is_custom(&self) -> bool {
        self.name.contains(PREFIX_END)
    }

    /// The name with its prefix, such as `k8s:maxLength` or `example:even`.
    #[must_use]
    pub fn full_name(&self) -> String {
        if self.is_custom() { self.name.clone() } else { format!("k8s:{}", self.name) }
    }

    /// The tag that all wrappers lead to, this one first.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |tag| match &tag.payload {
            Payload::Tag(inner) => Some(inner),
            Payload::None | Payload::Literal(_) => None,
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Int(digits) => f.write_str(digits),
            Self::Bool(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name}: {}", self.value),
            None => write!(f, "{}", self.value),
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", self.full_name())?;
        if let [first, rest @ ..] = &self.arguments[..] {
            write!(f, "({first}")?;
            rest.iter().try_for_each(|argument| write!(f, ", {argument}"))?;
            f.write_str(")")?;
        }
        match &self.payload {
            Payload::None => Ok(()),
            Payload::Literal(literal) => write!(f, "={literal}"),
            Payload::Tag(tag) => write!(f, "={tag}"),
        }
    }
}
