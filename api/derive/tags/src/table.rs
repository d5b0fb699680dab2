//! The table of tags (spec: validation 13).

use std::fmt;

/// How settled a tag is. Types of a stable version take stable tags only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// May change or go.
    Alpha,
    /// Will stay, details may change.
    Beta,
    /// Will stay as it is.
    Stable,
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alpha => "Alpha",
            Self::Beta => "Beta",
            Self::Stable => "Stable",
        })
    }
}

/// What a tag is written on, or applied to by a tag around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A field of a struct.
    Field,
    /// A named type.
    Type,
    /// The items of a list.
    ListValue,
    /// The keys of a map.
    MapKey,
    /// The values of a map.
    MapValue,
    /// One value of an enumeration.
    Constant,
}

impl Scope {
    /// As messages name the scope.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Field => "struct fields",
            Self::Type => "type definitions",
            Self::ListValue => "list values",
            Self::MapKey => "map keys",
            Self::MapValue => "map values",
            Self::Constant => "constant values",
        }
    }
}

/// What stands behind a tag's equals sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadKind {
    /// Nothing.
    None,
    /// A whole number.
    Int,
    /// A word.
    Text,
    /// A number, a text or a truth value.
    Any,
    /// Another tag.
    Tag,
}

impl PayloadKind {
    /// As messages name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Int => "int",
            Self::Text => "string",
            Self::Any => "value",
            Self::Tag => "tag",
        }
    }
}

/// Which arguments a tag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// None.
    None,
    /// One without a name, which must be there.
    One,
    /// These, by name, each optional.
    Named(&'static [&'static str]),
    /// One without a name, or these by name.
    OneOrNamed(&'static [&'static str]),
    /// The keys of a list's items, by name.
    Keys,
}

/// One kind of tag.
#[derive(Debug, Clone, Copy)]
pub struct TagInfo {
    /// The name without `k8s:`.
    pub name: &'static str,
    /// How settled it is.
    pub stability: Stability,
    /// Where it may stand.
    pub scopes: &'static [Scope],
    /// What it takes in parentheses.
    pub arguments: Arguments,
    /// What it takes behind the equals sign.
    pub payload: PayloadKind,
    /// The error's type, detail and origin; empty if the tag itself makes none.
    pub error: &'static str,
    /// Whether a failure stops the field's other checks.
    pub short_circuits: bool,
    /// What it asks for.
    pub meaning: &'static str,
}

/// The row of that name.
#[must_use]
pub fn info(name: &str) -> Option<&'static TagInfo> {
    TAGS.iter().find(|info| info.name == name)
}

use Arguments::{Keys, Named, One, OneOrNamed};
use Scope::{Constant, Field, ListValue, MapKey, MapValue, Type};
use Stability::{Alpha, Beta, Stable};

const VALUES: &[Scope] = &[Field, Type, ListValue, MapKey, MapValue];

/// A row in which only what differs from the usual is said.
const fn tag(name: &'static str, scopes: &'static [Scope], meaning: &'static str) -> TagInfo {
    TagInfo {
        name,
        stability: Stable,
        scopes,
        arguments: Arguments::None,
        payload: PayloadKind::None,
        error: "",
        short_circuits: false,
        meaning,
    }
}

impl TagInfo {
    const fn settled(self, stability: Stability) -> Self {
        Self { stability, ..self }
    }

    const fn takes(self, payload: PayloadKind) -> Self {
        Self { payload, ..self }
    }

    const fn arguments(self, arguments: Arguments) -> Self {
        Self { arguments, ..self }
    }

    const fn error(self, error: &'static str) -> Self {
        Self { error, ..self }
    }

    const fn stops(self) -> Self {
        Self { short_circuits: true, ..self }
    }
}

/// Every tag, by name.
pub static TAGS: &[TagInfo] = &[
    tag("alpha", VALUES, "Reports what the payload finds, but never enforces it.")
        .settled(Beta)
        .arguments(Named(&["since"]))
        .takes(PayloadKind::Tag),
    tag("beta", VALUES, "Enforces the payload only if `DeclarativeValidationBeta` is on.")
        .settled(Beta)
        .arguments(Named(&["since"]))
        .takes(PayloadKind::Tag),
    tag("customUnique", VALUES, "Leaves the uniqueness of a list's items to code."),
    tag("customValidation", &[Field, Type], "Calls a function."),
    tag("dependentForbidden", &[Field], "If this field is set, the named one must not be.")
        .settled(Alpha)
        .arguments(One)
        .error("Forbidden, `may not be set when T is set`, dependentForbidden"),
    tag("dependentRequired", &[Field], "If this field is set, the named one must be too.")
        .settled(Alpha)
        .arguments(One)
        .error("Required, `must be set when T is set`, dependentRequired"),
    tag("eachKey", VALUES, "Applies the payload to every key of a map.").takes(PayloadKind::Tag),
    tag("eachVal", VALUES, "Applies the payload to every item of a list or value of a map.")
        .takes(PayloadKind::Tag),
    tag("enum", &[Type], "Takes only the type's constants.")
        .error("NotSupported, `supported values: …`"),
    tag("enumExclude", &[Constant], "Takes a constant out of the enumeration.").settled(Alpha),
    tag("forbidden", &[Field], "Must not be set.").settled(Beta).error("Forbidden").stops(),
    tag("format", VALUES, "Text of a named format.")
        .takes(PayloadKind::Text)
        .error("Invalid, as the format says, format=F"),
    tag(
        "ifDisabled",
        &[Field, Type, ListValue, MapKey, MapValue, Constant],
        "Applies the payload if the option is off.",
    )
    .arguments(One)
    .takes(PayloadKind::Tag)
    .error("Internal, `undefined validation option \"X\"`, if the option is unknown"),
    tag(
        "ifEnabled",
        &[Field, Type, ListValue, MapKey, MapValue, Constant],
        "Applies the payload if the option is on.",
    )
    .arguments(One)
    .takes(PayloadKind::Tag)
    .error("Internal, `undefined validation option \"X\"`, if the option is unknown"),
    tag(
        "ifMode",
        &[Field],
        "Applies the payload in that mode; in modes without one the field must not be set.",
    )
    .arguments(OneOrNamed(&["modality", "mode"]))
    .takes(PayloadKind::Tag)
    .error("Forbidden, in every mode that has no `ifMode` of the field"),
    tag("immutable", &[Field, Type, ListValue, MapValue], "Must not change.")
        .error("Invalid, `field is immutable`, immutable")
        .stops(),
    tag("isSubresource", &[Type], "The type is a subresource's, not a resource's.")
        .takes(PayloadKind::Text),
    tag("item", VALUES, "Applies the payload to the list item with those keys.")
        .arguments(Keys)
        .takes(PayloadKind::Tag),
    tag("listMapKey", VALUES, "A field that tells a list's items apart.").takes(PayloadKind::Text),
    tag("listType", VALUES, "What tells a list's items apart: `atomic`, `set` or `map`.")
        .takes(PayloadKind::Text)
        .error("Duplicate, for `set` and `map`"),
    tag("maxBytes", VALUES, "At most so many bytes.")
        .takes(PayloadKind::Int)
        .error("TooLong, `may not be more than N bytes`, maxBytes"),
    tag("maxItems", &[Field, Type, ListValue, MapValue], "At most so many items.")
        .takes(PayloadKind::Int)
        .error("TooMany, `must have at most N items`, maxItems")
        .stops(),
    tag("maxLength", VALUES, "At most so many characters.")
        .takes(PayloadKind::Int)
        .error("TooLong, `may not be more than N characters`, maxLength"),
    tag("maxProperties", &[Field, Type], "At most so many entries.")
        .takes(PayloadKind::Int)
        .error("TooMany, `must have at most N items`, maxProperties")
        .stops(),
    tag("maximum", VALUES, "At most N.")
        .takes(PayloadKind::Int)
        .error("Invalid, `must be less than or equal to N`, maximum"),
    tag("minItems", &[Field, Type, ListValue, MapValue], "At least so many items.")
        .takes(PayloadKind::Int)
        .error("TooFew, `must have at least N items`, minItems"),
    tag("minLength", VALUES, "At least so many characters.")
        .takes(PayloadKind::Int)
        .error("TooShort, `must be at least N characters`, minLength"),
    tag("minProperties", &[Field, Type], "At least so many entries.")
        .takes(PayloadKind::Int)
        .error("TooFew, `must have at least N items`, minProperties"),
    tag("minimum", VALUES, "At least N.")
        .takes(PayloadKind::Int)
        .error("Invalid, `must be greater than or equal to N`, minimum"),
    tag("modeDiscriminator", &[Field], "The field whose value is the mode of `ifMode`.")
        .arguments(Named(&["modality"])),
    tag("monotonic", &[Field, Type], "Must not decrease.")
        .settled(Alpha)
        .error("Invalid, `may not be decreased from N`, monotonic"),
    tag("neq", VALUES, "Any value but that.")
        .settled(Alpha)
        .takes(PayloadKind::Any)
        .error("Invalid, `must not be equal to V`, neq"),
    tag("opaqueType", VALUES, "The rules of the field's type are not applied."),
    tag("optional", &[Field], "If not set, nothing else is checked.").stops(),
    tag("required", &[Field], "Must be set.").error("Required").stops(),
    tag("subfield", VALUES, "Applies the payload to a field of the struct.")
        .arguments(One)
        .takes(PayloadKind::Tag),
    tag("supportsSubresource", &[Type], "The type is also written through that subresource.")
        .takes(PayloadKind::Text),
    tag("unionDiscriminator", &[Field, ListValue], "The field that names the union's member.")
        .settled(Beta)
        .arguments(Named(&["union"])),
    tag("unionMember", &[Field, ListValue], "One of these must be set, and only one.")
        .arguments(Named(&["union", "memberName"]))
        .error("Invalid, ``must specify exactly one of: `a`, `b` `` and the like, union"),
    tag("unique", VALUES, "What tells an atomic list's items apart: `set` or `map`.")
        .takes(PayloadKind::Text)
        .error("Duplicate"),
    tag(
        "update",
        &[Field, ListValue, MapValue],
        "What an update must not do: `NoSet`, `NoUnset`, `NoModify`, `NoAddItem`, `NoRemoveItem`.",
    )
    .takes(PayloadKind::Text)
    .error("Invalid or Forbidden, `field cannot be set once created` and the like, update")
    .stops(),
    tag("zeroOrOneOfMember", &[Field, ListValue], "At most one of these may be set.")
        .arguments(Named(&["union"]))
        .error("Invalid, ``must specify at most one of: `a`, `b` ``, zeroOrOneOf"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_by_name() {
        assert!(TAGS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn a_row_is_found_by_name() {
        assert_eq!(info("maxItems").unwrap().payload, PayloadKind::Int);
        assert!(info("maxitems").is_none());
    }
}
