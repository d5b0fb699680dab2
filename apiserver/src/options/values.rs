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

/// The first address of a network that somebody can have.
pub(super) fn first_address(network: &str) -> Result<IpAddr, String> {
    let wrong = || "not a network such as 10.0.0.0/24".to_owned();
    let (ip, length) = network.split_once('/').ok_or_else(wrong)?;
    let (ip, length): (IpAddr, u32) =
        (ip.parse().map_err(|_| wrong())?, length.parse().map_err(|_| wrong())?);
    let width: u32 = if ip.is_ipv4() { 32 } else { 128 };
    let rest = width.checked_sub(length).filter(|rest| *rest >= 1).ok_or_else(wrong)?;
    Ok(match ip {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(rest).unwrap_or(0);
            IpAddr::V4(((u32::from(ip) & mask) + 1).into())
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(rest).unwrap_or(0);
            IpAddr::V6(((u128::from(ip) & mask) + 1).into())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_address_of_a_network_does_not_depend_on_the_address_in_it() {
        for (network, first) in [
            ("10.0.0.0/24", "10.0.0.1"),
            ("10.96.77.5/12", "10.96.0.1"),
            ("0.0.0.0/0", "0.0.0.1"),
            ("10.0.0.6/31", "10.0.0.7"),
            ("fd00:10::/108", "fd00:10::1"),
            ("::/0", "::1"),
        ] {
            assert_eq!(first_address(network).unwrap().to_string(), first, "{network}");
        }
        for wrong in ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/32", "x/24", "::/129"] {
            assert!(first_address(wrong).is_err(), "{wrong}");
        }
    }
}
