//! Semantic versions, such as `1.2.3-rc.1`.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Evaluated, mismatch, sign_of};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;

/// A version; what is said of its build does not count when versions are compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Semver {
    major: u64,
    minor: u64,
    patch: u64,
    stage: Stage,
}

/// A version that is yet to come is less than the version itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Before(Vec<Identifier>),
    Released,
}

/// Numbers are less than words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(String),
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_leading_zeros(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

/// Reads digits.
fn digits(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let problem = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {text:?}: {problem}")
    })
}

/// Reads the number that the version has at `place`, such as `minor`.
fn component(text: &str, place: &str) -> Result<u64, String> {
    if !is_number(text) {
        return Err(format!("Invalid character(s) found in {place} number {text:?}"));
    }
    if has_leading_zeros(text) {
        let (first, rest) = place.split_at(1);
        let place = first.to_ascii_uppercase() + rest;
        return Err(format!("{place} number must not contain leading zeroes {text:?}"));
    }
    digits(text)
}

impl Identifier {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Prerelease is empty".to_owned());
        }
        if !is_word(text) {
            return Err(format!("Invalid character(s) found in prerelease {text:?}"));
        }
        if !is_number(text) {
            return Ok(Self::Word(text.to_owned()));
        }
        if has_leading_zeros(text) {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {text:?}"
            ));
        }
        digits(text).map(Self::Number)
    }
}

fn check_build(build: &str) -> Result<(), String> {
    for part in build.split('.') {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_word(part) {
            return Err(format!("Invalid character(s) found in build meta data {part:?}"));
        }
    }
    Ok(())
}

/// The text before and after the first such character.
fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

impl Semver {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, rest] = parts.as_slice() else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let (major, minor) = (component(major, "major")?, component(minor, "minor")?);
        let (rest, build) = cut(rest, '+');
        let (patch, before) = cut(rest, '-');
        let patch = component(patch, "patch")?;
        let stage = match before {
            Some(before) => {
                Stage::Before(before.split('.').map(Identifier::parse).collect::<Result<_, _>>()?)
            }
            None => Stage::Released,
        };
        build.map_or(Ok(()), check_build)?;
        Ok(Self { major, minor, patch, stage })
    }

    /// Reads `v1` and `01.2` as well.
    fn parse_loosely(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|part| part.contains(['+', '-'])) {
                return Err("short version cannot contain PreRelease/Build meta data".to_owned());
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }
}

fn without_leading_zeros(text: &str) -> String {
    let shorter = text.trim_start_matches('0');
    if text.len() > 1 && !shorter.starts_with(|character: char| character.is_ascii_digit()) {
        return format!("0{shorter}");
    }
    if text.len() > 1 { shorter.to_owned() } else { text.to_owned() }
}

/// Reads the text, loosely if that is asked for.
fn read(args: &[Value<'_>]) -> Result<Result<Semver, String>, EvalError> {
    match args {
        [Value::Text(text)] | [Value::Text(text), Value::Bool(false)] => Ok(Semver::parse(text)),
        [Value::Text(text), Value::Bool(true)] => Ok(Semver::parse_loosely(text)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

pub(super) fn semver<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let version = read(args)?.map_err(EvalError::message)?;
    Ok(Value::Semver(Arc::new(version)))
}

pub(super) fn is_semver<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    Ok(Value::Bool(read(args)?.is_ok()))
}

fn number<'v>(args: &[Value<'v>], of: fn(&Semver) -> u64) -> Evaluated<'v> {
    match args {
        [Value::Semver(version)] => Ok(Value::Int(of(version).cast_signed())),
        _ => mismatch(),
    }
}

pub(super) fn major<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    number(args, |version| version.major)
}

pub(super) fn minor<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    number(args, |version| version.minor)
}

pub(super) fn patch<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    number(args, |version| version.patch)
}

fn order(args: &[Value<'_>]) -> Result<Ordering, EvalError> {
    match args {
        [Value::Semver(left), Value::Semver(right)] => Ok(left.cmp(right)),
        _ => Err(EvalError::NoSuchOverload),
    }
}

pub(super) fn is_less<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    order(args).map(|order| Value::Bool(order.is_lt()))
}

pub(super) fn is_greater<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    order(args).map(|order| Value::Bool(order.is_gt()))
}

pub(super) fn compare<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    order(args).map(sign_of)
}
