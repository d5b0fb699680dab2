//! Field selectors: the grammar and its errors, and matching.

use std::borrow::Cow;

/// What fields an object must have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldSelector {
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    field: String,
    equal: bool,
    value: String,
}

impl FieldSelector {
    /// Parses a selector such as `metadata.name=a,metadata.namespace!=b`.
    ///
    /// # Errors
    ///
    /// The reference's text.
    pub fn parse(selector: &str) -> Result<Self, String> {
        let mut parts = split_terms(selector);
        parts.sort_unstable();
        let terms = parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (field, equal, value) = split_term(part).ok_or_else(|| {
                    format!("invalid selector: '{selector}'; can't understand '{part}'")
                })?;
                Ok(Term { field: field.to_owned(), equal, value: unescape(value)? })
            })
            .collect::<Result<_, String>>()?;
        Ok(Self { terms })
    }

    /// Whether every object matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The fields that the selector names.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(|term| term.field.as_str())
    }

    /// Whether an object matches, whose fields are looked up by `value_of`; a field that is not
    /// there is empty.
    pub fn matches<'a>(&self, value_of: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
        self.terms
            .iter()
            .all(|term| (value_of(&term.field).unwrap_or_default() == term.value) == term.equal)
    }

    /// The value that the selector requires a field to equal, if it does.
    #[must_use]
    pub fn required(&self, field: &str) -> Option<&str> {
        self.terms
            .iter()
            .find(|term| term.equal && term.field == field)
            .map(|term| term.value.as_str())
    }
}

/// Splits at commas that no backslash stands before.
fn split_terms(selector: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, character) in selector.char_indices() {
        if character == ',' && !escaped {
            terms.push(&selector[start..at]);
            start = at + 1;
        }
        escaped = character == '\\' && !escaped;
    }
    terms.push(&selector[start..]);
    terms
}

/// Splits at the first operator: field, whether `=`, value.
fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    term.char_indices().find_map(|(at, _)| {
        let rest = &term[at..];
        [("!=", false), ("==", true), ("=", true)].into_iter().find_map(|(operator, equal)| {
            rest.strip_prefix(operator).map(|value| (&term[..at], equal, value))
        })
    })
}

/// `\\`, `\,` and `\=` stand for the character itself.
fn unescape(value: &str) -> Result<String, String> {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => text.push(escaped),
                Some(other) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                return Err(format!(
                    "invalid field selector: unescaped character in value: {character}"
                ));
            }
            other => text.push(other),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_operators_are_understood() {
        let selector = FieldSelector::parse("a=1,b==2,c!=3").unwrap();
        let fields = |field: &str| match field {
            "a" => Some(Cow::Borrowed("1")),
            "b" => Some(Cow::Borrowed("2")),
            _ => None,
        };
        assert!(selector.matches(fields));
        assert_eq!(selector.required("b"), Some("2"));
        assert_eq!(selector.required("c"), None);
    }

    #[test]
    fn a_backslash_takes_the_meaning_from_commas_and_equals_signs() {
        let selector = FieldSelector::parse(r"a=x\,y\=z").unwrap();
        assert_eq!(selector.required("a"), Some("x,y=z"));
    }

    #[test]
    fn a_term_without_operator_is_not_understood() {
        assert_eq!(
            FieldSelector::parse("bad").unwrap_err(),
            "invalid selector: 'bad'; can't understand 'bad'"
        );
    }
}
