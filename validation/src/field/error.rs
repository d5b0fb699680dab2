//! One error about one field.

use std::fmt;

use serde::Serialize;

use crate::text::{go_quote, json};

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorType {
    /// The value is not allowed.
    Invalid,
    /// The value has the wrong type.
    TypeInvalid,
    /// There is no value, but there must be one.
    Required,
    /// The value is not one of the listed ones.
    NotSupported,
    /// There is a value, but there must be none.
    Forbidden,
    /// The value is there already.
    Duplicate,
    /// What the value names does not exist.
    NotFound,
    /// The text is too long.
    TooLong,
    /// The text is too short.
    TooShort,
    /// The list has too many items.
    TooMany,
    /// The list has too few items.
    TooFew,
    /// Validation itself failed.
    Internal,
}

impl ErrorType {
    /// The reason in `details.causes`.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Required => "FieldValueRequired",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::TooLong => "FieldValueTooLong",
            Self::TooShort => "FieldValueTooShort",
            Self::TooMany => "FieldValueTooMany",
            Self::TooFew => "FieldValueTooFew",
            Self::Internal => "InternalError",
        }
    }

    /// The words that messages begin with.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::Required => "Required value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::Duplicate => "Duplicate value",
            Self::NotFound => "Not found",
            Self::TooLong => "Too long",
            Self::TooShort => "Too short",
            Self::TooMany => "Too many",
            Self::TooFew => "Too few",
            Self::Internal => "Internal error",
        }
    }

    fn shows_value(self) -> bool {
        match self {
            Self::Invalid
            | Self::TypeInvalid
            | Self::NotSupported
            | Self::Duplicate
            | Self::NotFound
            | Self::TooMany
            | Self::TooFew => true,
            Self::Required | Self::Forbidden | Self::TooLong | Self::TooShort | Self::Internal => {
                false
            }
        }
    }
}

/// A value as messages show it. How depends on the type it has in the reference's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// As JSON: named text types, structs, lists, maps and nothing at all.
    #[must_use]
    pub fn json(value: &impl Serialize) -> Self {
        Self(json(value))
    }

    /// `null`
    #[must_use]
    pub fn null() -> Self {
        Self("null".to_owned())
    }

    /// As this text, without quotes: numbers that are printed in a way of their own.
    #[must_use]
    pub fn plain(text: String) -> Self {
        Self(text)
    }

    /// Not at all: large values, which say less than the detail.
    #[must_use]
    pub fn omitted() -> Self {
        Self(String::new())
    }
}

impl From<&str> for Shown {
    /// Plain text: quoted.
    fn from(text: &str) -> Self {
        Self(go_quote(text))
    }
}

impl From<&String> for Shown {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

macro_rules! plain {
    ($($type:ty),*) => {$(
        impl From<$type> for Shown {
            fn from(value: $type) -> Self {
                Self(value.to_string())
            }
        }
    )*};
}

plain!(i32, i64, u64, usize, f64, bool);

/// Which rule made an error; used to tell whether two rules mean the same. Never on the wire.
pub type Origin = &'static str;

/// How settled the declarative rule is that made an error (spec: validation 16.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// Always enforced; also what is said of handwritten rules.
    #[default]
    Standard,
    /// Never enforced, only compared.
    Alpha,
    /// Enforced if `DeclarativeValidationBeta` is on.
    Beta,
}

/// An error about a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What kind of error it is.
    pub error_type: ErrorType,
    /// The field's path.
    pub field: String,
    /// The value, as messages show it.
    pub value: Shown,
    /// What is wrong, in words; may be empty.
    pub detail: String,
    /// Which rule made it; empty if it has no name.
    pub origin: Origin,
    /// A declarative rule makes the same error.
    pub covered: bool,
    /// How settled the declarative rule is that made it.
    pub level: Level,
    /// It kept further rules of the field from being looked at.
    pub short_circuit: bool,
}

impl Error {
    fn new(
        error_type: ErrorType,
        path: &impl fmt::Display,
        value: Shown,
        detail: impl Into<String>,
    ) -> Self {
        let detail = detail.into();
        Self {
            error_type,
            field: path.to_string(),
            value,
            detail,
            origin: "",
            covered: false,
            level: Level::Standard,
            short_circuit: false,
        }
    }

    /// The value is not allowed.
    pub fn invalid(
        path: &impl fmt::Display,
        value: impl Into<Shown>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(ErrorType::Invalid, path, value.into(), detail)
    }

    /// There must be a value.
    pub fn required(path: &impl fmt::Display, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Required, path, Shown::null(), detail)
    }

    /// There must be no value.
    pub fn forbidden(path: &impl fmt::Display, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Forbidden, path, Shown::null(), detail)
    }

    /// The value has the wrong type.
    pub fn type_invalid(
        path: &impl fmt::Display,
        value: impl Into<Shown>,
        detail: impl Into<String>,
    ) -> Self {
        Self::new(ErrorType::TypeInvalid, path, value.into(), detail)
    }

    /// The value is there already.
    pub fn duplicate(path: &impl fmt::Display, value: impl Into<Shown>) -> Self {
        Self::new(ErrorType::Duplicate, path, value.into(), "")
    }

    /// The value is not one of those.
    pub fn not_supported(
        path: &impl fmt::Display,
        value: impl Into<Shown>,
        supported: &[&str],
    ) -> Self {
        let quoted: Vec<String> = supported.iter().map(|value| go_quote(value)).collect();
        let detail = if quoted.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", quoted.join(", "))
        };
        Self::new(ErrorType::NotSupported, path, value.into(), detail)
    }

    /// The text has more than so many bytes.
    #[must_use]
    pub fn too_long(path: &impl fmt::Display, bytes_max: usize) -> Self {
        let detail = format!("may not be more than {}", counted(bytes_max, "byte"));
        Self::new(ErrorType::TooLong, path, Shown::null(), detail)
    }

    /// The text has more than so many characters.
    #[must_use]
    pub fn too_many_characters(path: &impl fmt::Display, characters_max: usize) -> Self {
        let detail = format!("may not be more than {}", counted(characters_max, "character"));
        Self::new(ErrorType::TooLong, path, Shown::null(), detail)
    }

    /// The text has fewer than so many characters.
    #[must_use]
    pub fn too_short(path: &impl fmt::Display, characters_min: usize) -> Self {
        let detail = format!("must be at least {}", counted(characters_min, "character"));
        Self::new(ErrorType::TooShort, path, Shown::null(), detail)
    }

    /// There are more than so many items.
    #[must_use]
    pub fn too_many(path: &impl fmt::Display, count: usize, items_max: usize) -> Self {
        let detail = format!("must have at most {}", counted(items_max, "item"));
        Self::new(ErrorType::TooMany, path, count.into(), detail)
    }

    /// There are fewer than so many items.
    #[must_use]
    pub fn too_few(path: &impl fmt::Display, count: usize, items_min: usize) -> Self {
        let detail = format!("must have at least {}", counted(items_min, "item"));
        Self::new(ErrorType::TooFew, path, count.into(), detail)
    }

    /// Validation itself failed.
    pub fn internal(path: &impl fmt::Display, detail: impl Into<String>) -> Self {
        Self::new(ErrorType::Internal, path, Shown::null(), detail)
    }

    /// The same, made by a rule of that name.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The same, as one that a declarative rule makes too.
    #[must_use]
    pub fn covered(mut self) -> Self {
        self.covered = true;
        self
    }

    /// The same, made by a rule of that level.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// The error without its field: the message of a cause.
    #[must_use]
    pub fn body(&self) -> String {
        let mut text = self.error_type.text().to_owned();
        if self.error_type.shows_value() && !self.value.0.is_empty() {
            text.extend([": ", &self.value.0]);
        }
        if !self.detail.is_empty() {
            text.extend([": ", &self.detail]);
        }
        text
    }
}

fn counted(count: usize, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Path;
    use super::*;

    #[test]
    fn an_error_without_detail_ends_with_its_type_or_value() {
        let spec = Path::new("spec");
        let path = spec.child("type");
        assert_eq!(Error::required(&path, "").to_string(), "spec.type: Required value");
        assert_eq!(Error::duplicate(&path, "a").to_string(), "spec.type: Duplicate value: \"a\"");
    }

    #[test]
    fn plain_text_is_quoted_and_named_text_is_json() {
        let path = Path::new("a");
        assert_eq!(Error::invalid(&path, "x<y", "").body(), "Invalid value: \"x<y\"");
        let named = Error::invalid(&path, Shown::json(&"x<y"), "");
        assert_eq!(named.body(), "Invalid value: \"x\\u003cy\"");
    }

    #[test]
    fn supported_values_are_listed_as_given() {
        let error = Error::not_supported(&Path::new("a"), "z", &["B", "A"]);
        assert_eq!(error.body(), "Unsupported value: \"z\": supported values: \"B\", \"A\"");
    }
}
