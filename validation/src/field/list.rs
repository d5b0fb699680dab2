//! Errors in the order in which they were found.

use std::collections::BTreeSet;
use std::fmt;

use api::status::Cause;

use super::Error;

/// A list of errors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorList(Vec<Error>);

impl ErrorList {
    /// Adds an error.
    pub fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    /// Adds an error for each of a format's messages about a text.
    pub fn push_invalid(&mut self, path: &impl fmt::Display, text: &str, messages: Vec<String>) {
        if !messages.is_empty() {
            self.extend(messages.into_iter().map(|message| Error::invalid(path, text, message)));
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The errors.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.0.iter()
    }

    /// The first of each group of errors that read the same.
    #[must_use]
    pub fn without_repetitions(self) -> Self {
        let mut seen = BTreeSet::new();
        Self(self.0.into_iter().filter(|error| seen.insert(error.to_string())).collect())
    }

    /// Every error that reads like one before it.
    #[must_use]
    pub fn repetitions(&self) -> Vec<&Error> {
        let mut seen = BTreeSet::new();
        self.0.iter().filter(|error| !seen.insert(error.to_string())).collect()
    }

    /// All errors in one text; `None` if there are none. What reads the same is listed once.
    #[must_use]
    pub fn aggregate(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        let texts = self.0.iter().map(ToString::to_string);
        let mut texts: Vec<String> = texts.filter(|text| seen.insert(text.clone())).collect();
        match texts.len() {
            0 => None,
            1 => texts.pop(),
            _ => Some(format!("[{}]", texts.join(", "))),
        }
    }

    /// The errors as the causes of a Status.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause> {
        let cause = |error: &Error| Cause {
            reason: error.error_type.reason().to_owned(),
            message: error.body(),
            field: error.field.clone(),
        };
        self.0.iter().map(cause).collect()
    }
}

impl Extend<Error> for ErrorList {
    fn extend<I: IntoIterator<Item = Error>>(&mut self, errors: I) {
        self.0.extend(errors);
    }
}

impl FromIterator<Error> for ErrorList {
    fn from_iter<I: IntoIterator<Item = Error>>(errors: I) -> Self {
        Self(errors.into_iter().collect())
    }
}

impl IntoIterator for ErrorList {
    type Item = Error;
    type IntoIter = std::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ErrorList {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Path;
    use super::*;

    #[test]
    fn several_errors_stand_in_brackets_and_repetitions_once() {
        let a = Error::required(&Path::new("a"), "");
        let b = Error::required(&Path::new("b"), "");
        let list: ErrorList = [a.clone(), b, a].into_iter().collect();
        assert_eq!(list.aggregate().unwrap(), "[a: Required value, b: Required value]");
        assert_eq!(list.causes().len(), 3);
        assert_eq!(list.repetitions().len(), 1);
        assert_eq!(list.without_repetitions().causes().len(), 2);
    }
}
