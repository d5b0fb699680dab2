//! Values of flags: what the reference's flag library takes, and what it says of the rest.

use std::net::IpAddr;

use validation::text::go_quote;

/// `true`, `false` and their short forms.
pub(super) fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        other => Err(format!("strconv.ParseBool: parsing {}: invalid syntax", go_quote(other))),
    }
}

pub(super) fn float(text: &str) -> Result<f64, String> {
    let quoted = go_quote(text);
    text.parse().map_err(|_| format!("strconv.ParseFloat: parsing {quoted}: invalid syntax"))
}

pub(super) fn address(text: &str) -> Result<IpAddr, String> {
    text.trim().parse().map_err(|_| format!("failed to parse IP: {}", go_quote(text)))
}
