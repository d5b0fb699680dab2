//! Extras that constrained modes accept: keys such as `example.com/scope` with values.

use std::collections::BTreeMap;

use validation::format::{Unit, dns_subdomain};
use validation::text::go_quote;

/// What a path may be made of, as the error shows it.
const PATH_PATTERN: &str = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+";
const PATH_PUNCTUATION: &str = "/-._~%!$&'()*+,;=:";

/// Says why the extras are refused, by the first that is.
pub(super) fn validate(extra: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    for (key, values) in extra {
        if key.is_empty() {
            return Err("impersonating the empty string key in extra is not allowed".to_owned());
        }
        validate_key(key).map_err(|error| {
            format!("impersonating an invalid key in extra is not allowed: {error}")
        })?;
        if *key != key.to_lowercase() {
            let key = go_quote(key);
            return Err(format!(
                "impersonating a non-lowercase key in extra is not allowed: {key}"
            ));
        }
        if values.is_empty() {
            return Err("impersonating empty values in extra is not allowed".to_owned());
        }
        if values.iter().any(String::is_empty) {
            return Err("impersonating the empty string value in extra is not allowed".to_owned());
        }
    }
    Ok(())
}

fn validate_key(key: &str) -> Result<(), String> {
    let (host, path) = match key.split_once('/') {
        Some((host, path)) if !host.is_empty() && !path.is_empty() => (host, path),
        _ => {
            let detail = "must be a domain-prefixed path (such as \"acme.io/foo\")";
            return Err(invalid(key, detail));
        }
    };
    let mut errors: Vec<String> =
        dns_subdomain(host, Unit::Characters).iter().map(|detail| invalid(host, detail)).collect();
    let is_path = |c: char| c.is_ascii_alphanumeric() || PATH_PUNCTUATION.contains(c);
    if !path.chars().all(is_path) {
        let detail = format!("Invalid path (regex used for validation is '{PATH_PATTERN}')");
        errors.push(invalid(path, &detail));
    }
    match errors.as_slice() {
        [] => Ok(()),
        [only] => Err(only.clone()),
        several => Err(format!("[{}]", several.join(", "))),
    }
}

fn invalid(value: &str, detail: &str) -> String {
    format!("extra.key: Invalid value: {}: {detail}", go_quote(value))
}
