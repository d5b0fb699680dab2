//! Checks that many kinds share.

use std::net::IpAddr;

use serde_json::Value;
use validation::field::{Error, ErrorList, ErrorType, Path, Shown};
use validation::format::{self, Unit};

use crate::value::Members;

pub(super) const NOT_NEGATIVE: &str = "must be greater than or equal to 0";
pub(super) const IMMUTABLE: &str = "field is immutable";
const PORT_RANGE: &str = "must be between 1 and 65535, inclusive";
const PORT_NAME_CHARACTERS_MAX: usize = 15;
const CONFIG_KEY_CHARACTERS_MAX: usize = 253;

/// The protocols of ports.
pub(super) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// Reports each message about a text.
pub(super) fn each_message(errors: &mut ErrorList, path: &Path, text: &str, messages: Vec<String>) {
    errors.extend(messages.into_iter().map(|message| Error::invalid(path, text, message)));
}

/// Members that must not be negative if they are there.
pub(super) fn not_negative(errors: &mut ErrorList, object: &Value, path: &Path, members: &[&str]) {
    for member in members {
        if let Some(number) = object.int(member).filter(|number| *number < 0) {
            errors.push(Error::invalid(&path.child(member), number, NOT_NEGATIVE));
        }
    }
}

/// A member that must be one of those, and must be there.
pub(super) fn one_of(
    errors: &mut ErrorList,
    object: &Value,
    path: &Path,
    member: &str,
    supported: &[&str],
) {
    if object.is_blank(member) {
        errors.push(Error::required(&path.child(member), ""));
    } else {
        one_of_if_any(errors, object, path, member, supported);
    }
}

/// A member that must be one of those if it is there.
pub(super) fn one_of_if_any(
    errors: &mut ErrorList,
    object: &Value,
    path: &Path,
    member: &str,
    supported: &[&str],
) {
    if !object.has(member) {
        return;
    }
    let text = object.text(member);
    if !supported.contains(&text) {
        errors.push(Error::not_supported(&path.child(member), Shown::json(&text), supported));
    }
}

/// A member that must not be empty; whether it is.
pub(super) fn required(errors: &mut ErrorList, object: &Value, path: &Path, member: &str) -> bool {
    let there = !object.is_blank(member);
    if !there {
        errors.push(Error::required(&path.child(member), ""));
    }
    there
}

/// A member that must be a DNS-1123 label.
pub(super) fn required_label(errors: &mut ErrorList, object: &Value, path: &Path, member: &str) {
    if required(errors, object, path, member) {
        label(errors, &path.child(member), object.text(member));
    }
}

/// A text that must be a DNS-1123 label.
pub(super) fn label(errors: &mut ErrorList, path: &Path, text: &str) {
    each_message(errors, path, text, format::dns_label(text, Unit::Characters));
}

/// A text that must be a DNS-1123 subdomain.
pub(super) fn subdomain(errors: &mut ErrorList, path: &Path, text: &str) {
    each_message(errors, path, text, format::dns_subdomain(text, Unit::Characters));
}

/// A member that must not change.
pub(super) fn immutable(
    errors: &mut ErrorList,
    object: &Value,
    old: &Value,
    path: &Path,
    member: &str,
) {
    if object.member(member) != old.member(member) {
        let shown = Shown::json(object.member(member));
        let error = Error::invalid(&path.child(member), shown, IMMUTABLE);
        errors.push(error.with_origin("immutable"));
    }
}

/// What is named is not there.
pub(super) fn not_found(path: &Path, name: &str) -> Error {
    Error { error_type: ErrorType::NotFound, ..Error::duplicate(path, name) }
}

/// A number that must be one of a port.
pub(super) fn port_number(errors: &mut ErrorList, path: &Path, number: i64) {
    if !(1..=65535).contains(&number) {
        errors.push(Error::invalid(path, number, PORT_RANGE));
    }
}

/// A port by number or name.
pub(super) fn port(errors: &mut ErrorList, path: &Path, port: &Value) {
    match port {
        Value::String(name) => each_message(errors, path, name, port_name(name)),
        number => port_number(errors, path, number.as_i64().unwrap_or(0)),
    }
}

/// What is wrong with the name of a port.
pub(super) fn port_name(name: &str) -> Vec<String> {
    let known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let checks = [
        (name.len() > PORT_NAME_CHARACTERS_MAX, "must be no more than 15 characters"),
        (
            name.is_empty() || !name.bytes().all(known),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (
            !name.bytes().any(|byte| byte.is_ascii_lowercase()),
            "must contain at least one letter (a-z)",
        ),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, text)| text.to_owned()).collect()
}

/// What is wrong with a key of a ConfigMap or Secret.
pub(super) fn config_key(key: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if key.len() > CONFIG_KEY_CHARACTERS_MAX {
        messages.push(format!("must be no more than {CONFIG_KEY_CHARACTERS_MAX} characters"));
    }
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    if key.is_empty() || !key.bytes().all(known) {
        messages.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. \
             'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
             '[-._a-zA-Z0-9]+')"
                .to_owned(),
        );
    }
    match key {
        "." | ".." => messages.push(format!("must not be '{key}'")),
        _ if key.starts_with("..") => messages.push("must not start with '..'".to_owned()),
        _ => {}
    }
    messages
}

/// An address.
pub(super) fn address(errors: &mut ErrorList, path: &Path, text: &str) {
    if text.parse::<IpAddr>().is_err() {
        let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        errors.push(Error::invalid(path, text, detail));
    }
}

/// A number or a percentage, neither of them negative.
pub(super) fn int_or_percent(errors: &mut ErrorList, path: &Path, value: &Value) {
    match value {
        Value::String(text) if percent(value).is_none() => {
            let detail = "a valid percent string must be a numeric string followed by an ending \
                '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
            errors.push(Error::invalid(path, Shown::json(text), detail));
        }
        Value::Number(number) if number.as_i64().is_some_and(|number| number < 0) => {
            errors.push(Error::invalid(path, Shown::json(number), NOT_NEGATIVE));
        }
        _ => {}
    }
}

/// A percentage of at most 100.
pub(super) fn at_most_all(errors: &mut ErrorList, path: &Path, value: &Value) {
    if percent(value).is_some_and(|percent| percent > 100) {
        errors.push(Error::invalid(path, Shown::json(value), "must not be greater than 100%"));
    }
}

/// Whether a number or percentage is there and not zero.
pub(super) fn is_some_amount(value: &Value) -> bool {
    percent(value).or_else(|| value.as_i64()).unwrap_or(0) != 0
}

fn percent(value: &Value) -> Option<i64> {
    let digits = value.as_str()?.strip_suffix('%')?;
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(i64::MAX))
}

/// Labels: keys and values.
pub(super) fn labels(errors: &mut ErrorList, object: &Value, path: &Path, member: &str) {
    let path = path.child(member);
    for (key, value) in object.entries(member) {
        each_message(errors, &path, key, format::qualified_name(key));
        let value = value.as_str().unwrap_or_default();
        each_message(errors, &path, value, format::label_value(value));
    }
}

/// Annotations: keys.
pub(super) fn annotations(errors: &mut ErrorList, object: &Value, path: &Path, member: &str) {
    let path = path.child(member);
    for (key, _) in object.entries(member) {
        each_message(errors, &path, key, format::qualified_name(&key.to_lowercase()));
    }
}

/// A map or list as messages show it: nothing at all if it is empty.
pub(super) fn shown_map(value: &Value) -> Shown {
    match value.as_object() {
        Some(members) if !members.is_empty() => Shown::json(value),
        _ => Shown::null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ports_are_short_and_have_a_letter() {
        assert!(port_name("http-2").is_empty());
        assert_eq!(port_name("80"), ["must contain at least one letter (a-z)"]);
        assert_eq!(port_name("a--b"), ["must not contain consecutive hyphens"]);
        assert_eq!(port_name("-a").len(), 1);
        assert_eq!(port_name("abcdefghijklmnop"), ["must be no more than 15 characters"]);
    }

    #[test]
    fn keys_are_no_paths() {
        assert!(config_key("a.b-C_1").is_empty());
        assert_eq!(config_key(".."), ["must not be '..'"]);
        assert_eq!(config_key("..a"), ["must not start with '..'"]);
        assert!(config_key("a/b")[0].starts_with("a valid config key"));
    }

    #[test]
    fn amounts_are_numbers_or_percentages() {
        let check = |value: Value| {
            let mut errors = ErrorList::default();
            int_or_percent(&mut errors, &Path::new("a"), &value);
            at_most_all(&mut errors, &Path::new("a"), &value);
            errors.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(check("25%".into()).is_empty() && check(3.into()).is_empty());
        assert_eq!(
            check("101%".into()),
            ["a: Invalid value: \"101%\": must not be greater than 100%"]
        );
        assert_eq!(
            check((-1).into()),
            ["a: Invalid value: -1: must be greater than or equal to 0"]
        );
        assert!(
            check("x".into())[0].starts_with("a: Invalid value: \"x\": a valid percent string")
        );
    }
}
