//! The query of a URL, read as the reference reads it.

use auth::percent::query_pairs;

/// A query's names and values, decoded, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Reads a raw query; pairs that do not decode are left out.
    #[must_use]
    pub fn parse(raw: &str) -> Self {
        let pairs = query_pairs(raw).map(|(name, value)| (name.into_owned(), value.into_owned()));
        Self { pairs: pairs.collect() }
    }

    /// The first value of that name.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of that name; empty if there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.first(name).unwrap_or_default()
    }

    /// All values of that name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A flag: absent is `None`; `false` and `0` are false; anything else, also nothing, is true.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.first(name).map(|value| !(value.eq_ignore_ascii_case("false") || value == "0"))
    }

    /// A whole number; absent and empty are `None`.
    ///
    /// # Errors
    ///
    /// The reference's text for what is not a number.
    pub fn number(&self, name: &str) -> Result<Option<i64>, String> {
        match self.first(name) {
            None | Some("") => Ok(None),
            Some(text) => parse_int(text).map(Some),
        }
    }
}

/// Parses a signed number of 64 bits.
///
/// # Errors
///
/// The reference's text.
pub fn parse_int(text: &str) -> Result<i64, String> {
    text.parse::<i64>().map_err(|error| number_error("ParseInt", text, &error))
}

/// Parses an unsigned number of 64 bits.
///
/// # Errors
///
/// The reference's text.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    let parsed = if text.starts_with('+') { "+".parse::<u64>() } else { text.parse::<u64>() };
    parsed.map_err(|error| number_error("ParseUint", text, &error))
}

fn number_error(function: &str, text: &str, error: &std::num::ParseIntError) -> String {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let what = match error.kind() {
        PosOverflow | NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    format!("strconv.{function}: parsing {}: {what}", validation::text::go_quote(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_decoded() {
        let query = Query::parse("labelSelector=a%3Db+c&x&labelSelector=2");
        assert_eq!(query.all("labelSelector").collect::<Vec<_>>(), ["a=b c", "2"]);
        assert_eq!(query.first("x"), Some(""));
    }

    #[test]
    fn flags_are_true_unless_they_say_no() {
        let query = Query::parse("a&b=False&c=0&d=zzz");
        assert_eq!(query.flag("a"), Some(true));
        assert_eq!(query.flag("b"), Some(false));
        assert_eq!(query.flag("c"), Some(false));
        assert_eq!(query.flag("d"), Some(true));
        assert_eq!(query.flag("e"), None);
    }

    #[test]
    fn what_is_not_a_number_is_named() {
        assert_eq!(
            Query::parse("limit=x").number("limit").unwrap_err(),
            "strconv.ParseInt: parsing \"x\": invalid syntax"
        );
        assert_eq!(
            parse_uint("99999999999999999999").unwrap_err(),
            "strconv.ParseUint: parsing \"99999999999999999999\": value out of range"
        );
    }
}
