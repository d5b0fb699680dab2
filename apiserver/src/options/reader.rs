//! Reads single flags, and collects what is wrong with them.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ArgMatches;
use validation::text::go_quote;

use super::flags::{self, Kind};
use super::{duration, values};
use crate::envtest::Persona;
use crate::request::query::parse_int;

/// The flags as they were given. What is wrong is noted and read as something harmless, so that
/// everything is said at once.
pub(super) struct Reader<'a> {
    matches: &'a ArgMatches,
    pub(super) persona: Persona,
    pub(super) errors: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(matches: &'a ArgMatches, persona: Persona) -> Self {
        Self { matches, persona, errors: Vec::new() }
    }

    /// The values as they were given, without the default.
    pub(super) fn given(&self, name: &str) -> Vec<&'a str> {
        self.matches.get_many::<String>(name).into_iter().flatten().map(String::as_str).collect()
    }

    fn default(&self, name: &str) -> &'static str {
        self.persona.default(name).unwrap_or_else(|| flags::default(name))
    }

    /// The last value, or the default.
    pub(super) fn text(&self, name: &str) -> &'a str {
        self.given(name).last().copied().unwrap_or_else(|| self.default(name))
    }

    pub(super) fn optional(&self, name: &str) -> Option<String> {
        Some(self.text(name).to_owned()).filter(|text| !text.is_empty())
    }

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.optional(name).map(PathBuf::from)
    }

    /// Every value of every occurrence, split at commas.
    pub(super) fn list(&self, name: &str) -> Vec<&'a str> {
        let given = self.given(name);
        let given = if given.is_empty() { vec![self.default(name)] } else { given };
        let items = given.into_iter().flat_map(|value| value.split(',')).map(str::trim);
        items.filter(|item| !item.is_empty()).collect()
    }

    /// The value of every occurrence.
    pub(super) fn array(&self, name: &str) -> Vec<String> {
        let given = self.given(name).into_iter().filter(|value| !value.is_empty());
        given.map(str::to_owned).collect()
    }

    /// Notes that a value is not one of its flag.
    pub(super) fn wrong(&mut self, name: &str, value: &str, why: &str) {
        let flag = if name == "v" { "-v, --v".to_owned() } else { format!("--{name}") };
        self.errors
            .push(format!("invalid argument {} for \"{flag}\" flag: {why}", go_quote(value)));
    }

    /// Notes a value that is one of its flag but out of bounds.
    pub(super) fn refuse(&mut self, why: impl Into<String>) {
        self.errors.push(why.into());
    }

    fn parsed<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = self.text(name);
        parse(text).map_err(|why| self.wrong(name, text, &why)).ok()
    }

    pub(super) fn boolean(&mut self, name: &str) -> bool {
        self.parsed(name, values::boolean).unwrap_or_default()
    }

    pub(super) fn integer(&mut self, name: &str) -> i64 {
        self.parsed(name, parse_int).unwrap_or_default()
    }

    pub(super) fn float(&mut self, name: &str) -> f64 {
        self.parsed(name, values::float).unwrap_or_default()
    }

    /// An address; none if the flag is empty.
    pub(super) fn address(&mut self, name: &str) -> Option<IpAddr> {
        if self.text(name).is_empty() { None } else { self.parsed(name, values::address) }
    }

    /// An integer from 0 on.
    pub(super) fn count<N: TryFrom<i64> + Default>(&mut self, name: &str) -> N {
        let number = self.integer(name);
        if number < 0 {
            self.refuse(format!("--{name} can not be negative value"));
            return N::default();
        }
        N::try_from(number).unwrap_or_else(|_| {
            self.refuse(format!("--{name} {number} is too large"));
            N::default()
        })
    }

    /// A duration from 0 on.
    pub(super) fn duration(&mut self, name: &str) -> Duration {
        let Some(parsed) = self.parsed(name, duration::parse) else { return Duration::ZERO };
        if parsed.negative {
            self.refuse(format!("--{name} can not be negative value"));
        }
        parsed.length
    }

    /// The flags without effect that were given. Their values have to be values all the same.
    pub(super) fn without_effect(&mut self) -> Vec<&'static str> {
        let given = flags::accepted().filter(|(name, _)| !self.given(name).is_empty());
        let given: Vec<_> = given.collect();
        for (name, kind) in &given {
            self.check(name, *kind);
        }
        given.into_iter().map(|(name, _)| name).collect()
    }

    fn check(&mut self, name: &str, kind: Kind) {
        for value in self.given(name) {
            let checked = match kind {
                Kind::Bool => values::boolean(value).map(drop),
                Kind::Integer => parse_int(value).map(drop),
                Kind::Float => values::float(value).map(drop),
                Kind::Duration => duration::parse(value).map(drop),
                Kind::Address => values::address(value).map(drop),
                Kind::Text | Kind::List | Kind::Array => Ok(()),
            };
            if let Err(why) = checked {
                self.wrong(name, value, &why);
            }
        }
    }
}
