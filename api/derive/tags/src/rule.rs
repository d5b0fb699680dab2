//! What a tag means: its arguments and payload understood.

use crate::format::Format;
use crate::read::Reader;
use crate::syntax::{Literal, Payload, Tag};
use crate::table::info;

/// A rule. What each one asks for stands in the table of tags.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the tags of the table")]
pub enum Rule {
    Alpha(Box<Self>),
    Beta(Box<Self>),
    CustomUnique,
    CustomValidation,
    DependentForbidden(String),
    DependentRequired(String),
    EachKey(Box<Self>),
    EachVal(Box<Self>),
    Enum,
    EnumExclude,
    Forbidden,
    Format(Format),
    IfDisabled(String, Box<Self>),
    IfEnabled(String, Box<Self>),
    IfMode {
        modality: String,
        mode: String,
        rule: Box<Self>,
    },
    Immutable,
    IsSubresource(String),
    Item {
        keys: Vec<(String, Literal)>,
        rule: Box<Self>,
    },
    ListMapKey(String),
    ListType(ListKind),
    MaxBytes(usize),
    MaxItems(usize),
    MaxLength(usize),
    MaxProperties(usize),
    Maximum(i128),
    MinItems(usize),
    MinLength(usize),
    MinProperties(usize),
    Minimum(i128),
    ModeDiscriminator {
        modality: String,
    },
    Monotonic,
    Neq(Literal),
    OpaqueType,
    Optional,
    Required,
    Subfield(String, Box<Self>),
    SupportsSubresource(String),
    UnionDiscriminator {
        union: String,
    },
    UnionMember {
        union: String,
        member_name: Option<String>,
    },
    Unique(ListKind),
    Update(Constraint),
    ZeroOrOneOfMember {
        union: String,
    },
    /// A tag that is none of the table; code knows what it asks for.
    Custom(Tag),
}

/// What tells a list's items apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// Nothing; the list is one value.
    Atomic,
    /// The whole item.
    Set,
    /// The item's keys.
    Map,
}

/// What an update must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// Set what was not set.
    NoSet,
    /// Clear what was set.
    NoUnset,
    /// Change what was set.
    NoModify,
    /// Add an item.
    NoAddItem,
    /// Remove an item.
    NoRemoveItem,
}

impl Constraint {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoSet => "NoSet",
            Self::NoUnset => "NoUnset",
            Self::NoModify => "NoModify",
            Self::NoAddItem => "NoAddItem",
            Self::NoRemoveItem => "NoRemoveItem",
        }
    }
}

/// Why a tag means nothing. The texts are the reference's where it has one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// There is no such tag.
    #[error("unknown validation tag; see docs/validation-tags.md")]
    Unknown,
    /// The payload is missing.
    #[error("missing required tag value of type {0}")]
    MissingPayload(&'static str),
    /// The payload is of the wrong kind.
    #[error("tag value has wrong type: got {got}, want {want}")]
    WrongPayload {
        /// What there is.
        got: &'static str,
        /// What there should be.
        want: &'static str,
    },
    /// An argument the tag does not take.
    #[error("unrecognized named argument {0:?}")]
    NamedArgument(String),
    /// An argument the tag does not take.
    #[error("unrecognized positional argument {0:?}")]
    PositionalArgument(String),
    /// An argument is missing.
    #[error("missing required argument")]
    MissingArgument,
    /// Anything else; in words.
    #[error("{0}")]
    Other(String),
}

impl Rule {
    /// Understands a tag without the tag inside it: payloads that are tags are understood by
    /// `inner`, which may check them for where they apply.
    ///
    /// # Errors
    ///
    /// Why the tag means nothing; `inner`'s error as it is.
    pub fn read(
        tag: &Tag,
        inner: &mut dyn FnMut(&Tag) -> Result<Self, RuleError>,
    ) -> Result<Self, RuleError> {
        if tag.is_custom() {
            return match &tag.payload {
                Payload::Tag(_) => Err(RuleError::WrongPayload { got: "tag", want: "value" }),
                Payload::None | Payload::Literal(_) => Ok(Self::Custom(tag.clone())),
            };
        }
        let info = info(&tag.name).ok_or(RuleError::Unknown)?;
        Reader { tag }.read(info, inner)
    }

    /// The tag's name, by which the rules of a place are ordered.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Alpha(..) => "alpha",
            Self::Beta(..) => "beta",
            Self::CustomUnique => "customUnique",
            Self::CustomValidation => "customValidation",
            Self::DependentForbidden(..) => "dependentForbidden",
            Self::DependentRequired(..) => "dependentRequired",
            Self::EachKey(..) => "eachKey",
            Self::EachVal(..) => "eachVal",
            Self::Enum => "enum",
            Self::EnumExclude => "enumExclude",
            Self::Forbidden => "forbidden",
            Self::Format(..) => "format",
            Self::IfDisabled(..) => "ifDisabled",
            Self::IfEnabled(..) => "ifEnabled",
            Self::IfMode { .. } => "ifMode",
            Self::Immutable => "immutable",
            Self::IsSubresource(..) => "isSubresource",
            Self::Item { .. } => "item",
            Self::ListMapKey(..) => "listMapKey",
            Self::ListType(..) => "listType",
            Self::MaxBytes(..) => "maxBytes",
            Self::MaxItems(..) => "maxItems",
            Self::MaxLength(..) => "maxLength",
            Self::MaxProperties(..) => "maxProperties",
            Self::Maximum(..) => "maximum",
            Self::MinItems(..) => "minItems",
            Self::MinLength(..) => "minLength",
            Self::MinProperties(..) => "minProperties",
            Self::Minimum(..) => "minimum",
            Self::ModeDiscriminator { .. } => "modeDiscriminator",
            Self::Monotonic => "monotonic",
            Self::Neq(..) => "neq",
            Self::OpaqueType => "opaqueType",
            Self::Optional => "optional",
            Self::Required => "required",
            Self::Subfield(..) => "subfield",
            Self::SupportsSubresource(..) => "supportsSubresource",
            Self::UnionDiscriminator { .. } => "unionDiscriminator",
            Self::UnionMember { .. } => "unionMember",
            Self::Unique(..) => "unique",
            Self::Update(..) => "update",
            Self::ZeroOrOneOfMember { .. } => "zeroOrOneOfMember",
            Self::Custom(tag) => &tag.name,
        }
    }

    /// Whether a failure stops the other checks of the same field (spec: validation 12.3).
    #[must_use]
    pub fn short_circuits(&self) -> bool {
        match self {
            Self::Required
            | Self::Optional
            | Self::Forbidden
            | Self::Immutable
            | Self::Update(_)
            | Self::MaxItems(_)
            | Self::MaxProperties(_) => true,
            Self::Alpha(rule)
            | Self::Beta(rule)
            | Self::EachVal(rule)
            | Self::IfEnabled(_, rule)
            | Self::IfDisabled(_, rule)
            | Self::Item { rule, .. }
            | Self::Subfield(_, rule) => rule.short_circuits(),
            _ => false,
        }
    }

    /// The rule inside a wrapper.
    #[must_use]
    pub fn inner(&self) -> Option<&Self> {
        match self {
            Self::Alpha(rule)
            | Self::Beta(rule)
            | Self::EachVal(rule)
            | Self::EachKey(rule)
            | Self::IfEnabled(_, rule)
            | Self::IfDisabled(_, rule)
            | Self::IfMode { rule, .. }
            | Self::Item { rule, .. }
            | Self::Subfield(_, rule) => Some(rule),
            _ => None,
        }
    }

    /// The rule without what only says when it applies: levels and options.
    #[must_use]
    pub fn unconditional(&self) -> &Self {
        match self {
            Self::Alpha(rule)
            | Self::Beta(rule)
            | Self::IfEnabled(_, rule)
            | Self::IfDisabled(_, rule) => rule.unconditional(),
            other => other,
        }
    }

    /// The rule without `alpha` and `beta` around it.
    #[must_use]
    pub fn without_level(&self) -> &Self {
        match self {
            Self::Alpha(rule) | Self::Beta(rule) => rule,
            other => other,
        }
    }
}
