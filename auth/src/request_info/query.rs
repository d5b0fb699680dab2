//! The little of a list's query that decides its verb and its name.
//!
//! The whole of the query is decoded elsewhere, with errors; here a query that would not decode
//! only loses its name.

use crate::percent::query_pairs;

/// What a query says about a request for a collection.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListQuery {
    pub(super) watch: bool,
    /// The name that the field selector requires, if it could be an object's.
    pub(super) required_name: Option<String>,
}

impl ListQuery {
    pub(super) fn read(query: &str) -> Self {
        Self { watch: is_watch(query), required_name: required_name(query) }
    }
}

/// The first value of a parameter.
pub(super) fn first(query: &str, key: &str) -> Option<String> {
    query_pairs(query).find(|(found, _)| found == key).map(|(_, value)| value.into_owned())
}

fn is_watch(query: &str) -> bool {
    first(query, "watch").is_some_and(|value| !is_false(&value))
}

fn is_false(value: &str) -> bool {
    value == "0" || value.eq_ignore_ascii_case("false")
}

fn required_name(query: &str) -> Option<String> {
    let is_number = |key| first(query, key).is_none_or(|value| value.parse::<i64>().is_ok());
    if !is_number("limit") || !is_number("timeoutSeconds") {
        return None;
    }
    let requirements = field_requirements(&first(query, "fieldSelector")?)?;
    let (_, name) = requirements.into_iter().find(|(field, _)| field == "metadata.name")?;
    is_path_segment(&name).then_some(name)
}

fn is_path_segment(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '%'])
}

/// The fields that a selector requires to equal a value, sorted as the reference sorts them; `None`
/// if it is no selector.
fn field_requirements(selector: &str) -> Option<Vec<(String, String)>> {
    let mut terms = split_terms(selector);
    terms.sort_unstable();
    let mut requirements = Vec::new();
    for term in terms.into_iter().filter(|term| !term.is_empty()) {
        let (field, operator, value) = split_term(term)?;
        let value = unescape(value)?;
        if operator != "!=" {
            requirements.push((field.to_owned(), value));
        }
    }
    Some(requirements)
}

/// Splits at the commas that no backslash escapes.
fn split_terms(selector: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (index, byte) in selector.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b',' => {
                terms.push(&selector[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(&selector[start..]);
    terms
}

fn split_term(term: &str) -> Option<(&str, &str, &str)> {
    let at = term.char_indices().map(|(index, _)| index).find_map(|index| {
        let operator = ["!=", "==", "="].into_iter().find(|op| term[index..].starts_with(op))?;
        Some((index, operator))
    });
    let (index, operator) = at?;
    Some((&term[..index], operator, &term[index + operator.len()..]))
}

/// Takes the backslashes out of a value; `None` if a special character lacks its own.
fn unescape(value: &str) -> Option<String> {
    let mut out = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.push(characters.next().filter(|next| matches!(next, '\\' | ',' | '='))?),
            ',' | '=' => return None,
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_in(selector: &str) -> Option<String> {
        required_name(&format!("fieldSelector={}", selector.replace('=', "%3D")))
    }

    #[test]
    fn equality_on_the_name_gives_the_name() {
        assert_eq!(name_in("metadata.name=a").as_deref(), Some("a"));
        assert_eq!(name_in("spec.x=y,metadata.name==a").as_deref(), Some("a"));
        assert_eq!(name_in("metadata.name=b,,metadata.name=a").as_deref(), Some("a"));
        assert_eq!(name_in(r"metadata.name=a\,b").as_deref(), Some("a,b"));
    }

    #[test]
    fn other_selectors_give_none() {
        for selector in [
            "",
            "metadata.name!=a",
            "metadata.namespace=a",
            "metadata.name=",
            "a",
            "metadata.name=a=b",
            "metadata.name=a,broken",
            r"metadata.name=a\x",
            r"metadata.name=a\",
            "metadata.name=..",
            "metadata.name=a/b",
            "metadata.name=a%25b",
        ] {
            assert_eq!(name_in(selector), None, "{selector}");
        }
    }

    #[test]
    fn a_query_that_does_not_decode_keeps_the_verb_and_loses_the_name() {
        let list = ListQuery::read("watch=true&limit=bad&fieldSelector=metadata.name%3Da");
        assert_eq!(list, ListQuery { watch: true, required_name: None });
        let list = ListQuery::read("timeoutSeconds=&fieldSelector=metadata.name%3Da");
        assert_eq!(list, ListQuery::default());
    }

    #[test]
    fn only_false_and_zero_are_no_watch() {
        for (query, expected) in [
            ("watch", true),
            ("watch=", true),
            ("watch=no", true),
            ("watch=FALSE", false),
            ("watch=0", false),
            ("watch=0&watch=1", false),
            ("", false),
        ] {
            assert_eq!(is_watch(query), expected, "{query}");
        }
    }
}
