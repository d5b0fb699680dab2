//! Label selectors: the grammar and its errors, and matching.

use std::collections::{BTreeMap, BTreeSet};

use validation::field::{Error, ErrorList, Path, Shown};
use validation::format;

use super::lexer::{Token, tokens};

/// What labels an object must have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    In(BTreeSet<String>),
    /// Holds also for objects that lack the key.
    NotIn(BTreeSet<String>),
    GreaterThan(i64),
    LessThan(i64),
}

/// The operator between a key and its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    GreaterThan,
    LessThan,
}

impl LabelSelector {
    /// Parses a selector such as `a=b,c in (d,e),!f`.
    ///
    /// # Errors
    ///
    /// The reference's text.
    pub fn parse(selector: &str) -> Result<Self, String> {
        Parser { tokens: tokens(selector), at: 0 }.selector()
    }

    /// Whether every object matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether an object with these labels matches.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.requirements.iter().all(|requirement| {
            requirement.test.holds(labels.get(&requirement.key).map(String::as_str))
        })
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::In(values) => value.is_some_and(|value| values.contains(value)),
            Self::NotIn(values) => value.is_none_or(|value| !values.contains(value)),
            Self::GreaterThan(bound) => number().is_some_and(|number| number > *bound),
            Self::LessThan(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn look(&self) -> Token<'a> {
        self.tokens.get(self.at).copied().unwrap_or(Token::End)
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.look();
        self.at += 1;
        token
    }

    fn selector(mut self) -> Result<LabelSelector, String> {
        let mut requirements = Vec::new();
        loop {
            match self.look().as_name() {
                Token::Identifier(_) | Token::Not => {
                    let requirement = self
                        .requirement()
                        .map_err(|error| format!("unable to parse requirement: {error}"))?;
                    requirements.push(requirement);
                    match self.take().as_name() {
                        Token::End => return Ok(LabelSelector { requirements }),
                        Token::Comma => self.expect_another()?,
                        other => {
                            return Err(found(other, "expected: ',' or 'end of string'"));
                        }
                    }
                }
                Token::End => return Ok(LabelSelector { requirements }),
                other => {
                    return Err(found(other, "expected: !, identifier, or 'end of string'"));
                }
            }
        }
    }

    /// After a comma comes another requirement.
    fn expect_another(&self) -> Result<(), String> {
        match self.look().as_name() {
            Token::Identifier(_) | Token::Not => Ok(()),
            other => Err(found(other, "expected: identifier after ','")),
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.take().as_name();
        let negated = token == Token::Not;
        if negated {
            token = self.take().as_name();
        }
        let Token::Identifier(key) = token else {
            return Err(found(token, "expected: identifier"));
        };
        check_key(key)?;
        let ends = matches!(self.look(), Token::End | Token::Comma);
        if negated || ends {
            let test = if negated { Test::Absent } else { Test::Exists };
            return Ok(Requirement { key: key.to_owned(), test });
        }
        let (operator, values) = self.operator_and_values()?;
        let test = test(key, operator, values)?;
        Ok(Requirement { key: key.to_owned(), test })
    }

    fn operator_and_values(&mut self) -> Result<(Operator, BTreeSet<String>), String> {
        let token = self.take();
        let operator = match token {
            Token::In | Token::Equals | Token::DoubleEquals => Operator::In,
            Token::NotIn | Token::NotEquals => Operator::NotIn,
            Token::GreaterThan => Operator::GreaterThan,
            Token::LessThan => Operator::LessThan,
            other => return Err(found(other, "expected: in, notin, =, ==, !=, gt, lt")),
        };
        let values = match token {
            Token::In | Token::NotIn => self.value_list()?,
            _ => BTreeSet::from([self.single_value()?]),
        };
        Ok((operator, values))
    }

    fn single_value(&mut self) -> Result<String, String> {
        match self.look().as_name() {
            Token::End | Token::Comma => Ok(String::new()),
            _ => match self.take().as_name() {
                Token::Identifier(value) => Ok(value.to_owned()),
                other => Err(found(other, "expected: identifier")),
            },
        }
    }

    fn value_list(&mut self) -> Result<BTreeSet<String>, String> {
        let token = self.take().as_name();
        if token != Token::Open {
            return Err(format!("found '{}' expected: '('", token.text()));
        }
        let first = self.look().as_name();
        match first {
            Token::Identifier(_) | Token::Comma => {
                let values = self.values()?;
                match self.take() {
                    Token::Close => Ok(values),
                    _ => Err(found(first, "expected: ')'")),
                }
            }
            Token::Close => {
                self.take();
                // Nothing between the parentheses is the empty value.
                Ok(BTreeSet::from([String::new()]))
            }
            other => Err(found(other, "expected: ',', ')' or identifier")),
        }
    }

    /// Values between commas; nothing before, between or after commas is the empty value.
    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let mut values = BTreeSet::new();
        loop {
            match self.take().as_name() {
                Token::Identifier(value) => {
                    values.insert(value.to_owned());
                    match self.look().as_name() {
                        Token::Comma => {}
                        Token::Close => return Ok(values),
                        other => return Err(found(other, "expected: ',' or ')'")),
                    }
                }
                Token::Comma => {
                    if values.is_empty() {
                        values.insert(String::new());
                    }
                    match self.look() {
                        Token::Close => {
                            values.insert(String::new());
                            return Ok(values);
                        }
                        Token::Comma => {
                            self.take();
                            values.insert(String::new());
                        }
                        _ => {}
                    }
                }
                other => return Err(found(other, "expected: ',', or identifier")),
            }
        }
    }
}

fn found(token: Token<'_>, expected: &str) -> String {
    format!("found '{}', {expected}", token.text())
}

/// The key has no path of its own; the reference prints its missing path as `<nil>`.
fn check_key(key: &str) -> Result<(), String> {
    let errors: ErrorList = format::qualified_name(key)
        .into_iter()
        .map(|detail| Error::invalid(&Path::new("<nil>"), key, detail))
        .collect();
    errors.aggregate().map_or(Ok(()), Err)
}

fn test(key: &str, operator: Operator, values: BTreeSet<String>) -> Result<Test, String> {
    let path = Path::new("values");
    let mut errors = ErrorList::default();
    let mut bound = 0;
    match operator {
        Operator::In | Operator::NotIn if values.is_empty() => errors.push(Error::invalid(
            &path,
            Shown::json(&[(); 0]),
            "for 'in', 'notin' operators, values set can't be empty",
        )),
        Operator::In | Operator::NotIn => {}
        Operator::GreaterThan | Operator::LessThan => {
            for (index, value) in values.iter().enumerate() {
                match value.parse::<i64>() {
                    Ok(number) => bound = number,
                    Err(_) => errors.push(Error::invalid(
                        &path.index(index),
                        value.as_str(),
                        "for 'Gt', 'Lt' operators, the value must be an integer",
                    )),
                }
            }
        }
    }
    for (index, value) in values.iter().enumerate() {
        for detail in format::label_value(value) {
            errors.push(Error::invalid(&path.index(index).key(key), value.as_str(), detail));
        }
    }
    if let Some(text) = errors.aggregate() {
        return Err(text);
    }
    Ok(match operator {
        Operator::In => Test::In(values),
        Operator::NotIn => Test::NotIn(values),
        Operator::GreaterThan => Test::GreaterThan(bound),
        Operator::LessThan => Test::LessThan(bound),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        let labels = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        LabelSelector::parse(selector).unwrap().matches(&labels)
    }

    #[test]
    fn negative_requirements_hold_for_objects_without_the_key() {
        for selector in ["a!=b", "a notin (b)", "!a", "a notin (b),c!=d"] {
            assert!(selects(selector, &[]), "{selector}");
        }
        assert!(!selects("a!=b", &[("a", "b")]));
    }

    #[test]
    fn bounds_compare_numbers_and_fail_for_other_values() {
        assert!(selects("n>1", &[("n", "10")]));
        assert!(!selects("n<10", &[("n", "10")]));
        assert!(!selects("n>1", &[("n", "x")]));
    }

    #[test]
    fn nothing_between_commas_is_the_empty_value() {
        assert!(selects("a in (,b)", &[("a", "")]));
        assert!(selects("a in (b,)", &[("a", "")]));
        assert!(selects("a in ()", &[("a", "")]));
        assert!(selects("a=", &[("a", "")]));
    }

    #[test]
    fn keywords_are_names_where_a_name_is_expected() {
        assert!(selects("in in (notin)", &[("in", "notin")]));
    }

    #[test]
    fn errors_are_the_references() {
        for (selector, error) in [
            ("=b", "found '=', expected: !, identifier, or 'end of string'"),
            ("a===b", "unable to parse requirement: found '=', expected: identifier"),
            ("n in 1", "unable to parse requirement: found '1' expected: '('"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("10=c1!= ==", "found '!=', expected: ',' or 'end of string'"),
            (
                "1!(''",
                "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt",
            ),
            (
                "n>abc",
                "unable to parse requirement: values[0]: Invalid value: \"abc\": for 'Gt', 'Lt' \
                 operators, the value must be an integer",
            ),
        ] {
            assert_eq!(LabelSelector::parse(selector).unwrap_err(), error, "{selector}");
        }
    }
}
