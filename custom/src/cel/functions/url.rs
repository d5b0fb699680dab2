//! Addresses on the web.

use std::sync::Arc;

use super::{Evaluated, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::{Url, Value};

/// Reads an absolute URL, or an absolute path.
fn parse(text: &str) -> Option<Url> {
    if text.chars().any(|character| character.is_control() || character == ' ') {
        return None;
    }
    let (scheme, rest) = if text.starts_with('/') {
        ("", text)
    } else {
        let (scheme, rest) = text.split_once(':')?;
        let starts_well = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
        let is_known = |each: char| each.is_ascii_alphanumeric() || "+-.".contains(each);
        (starts_well && scheme.chars().all(is_known)).then_some((scheme, rest))?
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None if rest.starts_with('/') => ("", rest),
        None => return None,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let after = host.rsplit_once(']').map_or(host, |(_, after)| after);
    let port = after.rsplit_once(':').map_or("", |(_, port)| port);
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    let [scheme, path, query] = [scheme.to_ascii_lowercase(), path.to_owned(), query.to_owned()];
    is_port.then(|| Url { scheme, host: host.to_owned(), path, query })
}

pub(super) fn url<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Text(text)] = args else { return mismatch() };
    let parsed = parse(text).map(|url| Value::Url(Arc::new(url)));
    parsed.ok_or_else(|| {
        EvalError::message(format!(
            "URL parse error during conversion from string: parse {text:?}: invalid URI for request"
        ))
    })
}

pub(super) fn is_url<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::Bool(parse(text).is_some())),
        _ => mismatch(),
    }
}

fn part<'v>(args: &[Value<'v>], of: fn(&Url) -> &str) -> Evaluated<'v> {
    match args {
        [Value::Url(url)] => Ok(Value::text(of(url))),
        _ => mismatch(),
    }
}

pub(super) fn scheme<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |url| &url.scheme)
}

pub(super) fn host<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |url| &url.host)
}

/// The host without its port, and the port; addresses in brackets lose them.
fn split(host: &str) -> (&str, &str) {
    if let Some(rest) = host.strip_prefix('[') {
        let (name, after) = rest.split_once(']').unwrap_or((rest, ""));
        return (name, after.strip_prefix(':').unwrap_or_default());
    }
    host.rsplit_once(':').unwrap_or((host, ""))
}

pub(super) fn host_name<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |url| split(&url.host).0)
}

pub(super) fn port<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |url| split(&url.host).1)
}

pub(super) fn path<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    part(args, |url| &url.path)
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = |digits: &[u8]| {
            std::str::from_utf8(digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok())
        };
        match (first, after.get(..2).and_then(hex)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            (b'+', _) => bytes.push(b' '),
            (other, _) => bytes.push(*other),
        }
        rest = after;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn query<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let [Value::Url(url)] = args else { return mismatch() };
    let mut entries: Vec<(String, Vec<Value<'v>>)> = Vec::new();
    for pair in url.query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (unescaped(key), Value::text(&unescaped(value)));
        match entries.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => entries.push((key, vec![value])),
        }
    }
    let entries = entries.into_iter().map(|(key, values)| (Value::text(&key), Value::list(values)));
    Ok(Value::Map(Arc::new(entries.collect())))
}
