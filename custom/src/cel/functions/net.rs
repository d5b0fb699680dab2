//! IP addresses and ranges of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{Evaluated, mismatch};
use crate::cel::eval::EvalError;
use crate::cel::value::Value;

/// Reads an address; those of IPv4 inside IPv6, and those with a zone, are not taken.
fn parse_ip(text: &str) -> Result<IpAddr, EvalError> {
    let address: IpAddr = text.parse().map_err(|_| {
        EvalError::message(format!("IP Address {text:?} parse error during conversion from string: ParseAddr({text:?}): unable to parse IP"))
    })?;
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_some() => {
            Err(EvalError::message("IPv4-mapped IPv6 address is not allowed"))
        }
        address => Ok(address),
    }
}

fn parse_cidr(text: &str) -> Result<(IpAddr, u8), EvalError> {
    let unreadable = || {
        EvalError::message(format!(
            "network address parse error during conversion from string: netip.ParsePrefix({text:?}): no '/'"
        ))
    };
    let (address, bits) = text.split_once('/').ok_or_else(unreadable)?;
    let address = parse_ip(address)?;
    let is_plain = bits.len() == 1 || !bits.starts_with(['0', '+']);
    let bits = bits.parse::<u8>().ok().filter(|bits| is_plain && *bits <= width(address));
    bits.map(|bits| (address, bits)).ok_or_else(unreadable)
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The address with all bits after the first so many cleared.
fn mask(address: IpAddr, bits: u8) -> IpAddr {
    let bits = u32::from(bits);
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - bits.min(32)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from_bits(address.to_bits() & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
    }
}

pub(super) fn ip<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => parse_ip(text).map(Value::Ip),
        [Value::Cidr(address, _)] => Ok(Value::Ip(*address)),
        _ => mismatch(),
    }
}

pub(super) fn cidr_ip<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    ip(args)
}

pub(super) fn is_ip<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::Bool(parse_ip(text).is_ok())),
        _ => mismatch(),
    }
}

pub(super) fn is_canonical<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::Bool(parse_ip(text)?.to_string() == **text)),
        _ => mismatch(),
    }
}

pub(super) fn family<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Ip(address)] => Ok(Value::Int(if address.is_ipv4() { 4 } else { 6 })),
        _ => mismatch(),
    }
}

fn is<'v>(args: &[Value<'v>], holds: fn(&IpAddr) -> bool) -> Evaluated<'v> {
    match args {
        [Value::Ip(address)] => Ok(Value::Bool(holds(address))),
        _ => mismatch(),
    }
}

pub(super) fn is_unspecified<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    is(args, IpAddr::is_unspecified)
}

pub(super) fn is_loopback<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    is(args, IpAddr::is_loopback)
}

pub(super) fn is_link_local_multicast<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    is(args, |address| match address {
        IpAddr::V4(address) => address.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    })
}

fn link_local_unicast(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

pub(super) fn is_link_local_unicast<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    is(args, link_local_unicast)
}

pub(super) fn is_global_unicast<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    is(args, |address| {
        let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
        !is_broadcast
            && !address.is_unspecified()
            && !address.is_loopback()
            && !address.is_multicast()
            && !link_local_unicast(address)
    })
}

pub(super) fn cidr<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => parse_cidr(text).map(|(address, bits)| Value::Cidr(address, bits)),
        _ => mismatch(),
    }
}

pub(super) fn is_cidr<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Text(text)] => Ok(Value::Bool(parse_cidr(text).is_ok())),
        _ => mismatch(),
    }
}

fn contains(range: (IpAddr, u8), address: IpAddr) -> bool {
    range.0.is_ipv4() == address.is_ipv4() && mask(address, range.1) == mask(range.0, range.1)
}

pub(super) fn contains_ip<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let (range, address) = match args {
        [Value::Cidr(address, bits), Value::Ip(other)] => ((*address, *bits), *other),
        [Value::Cidr(address, bits), Value::Text(text)] => ((*address, *bits), parse_ip(text)?),
        _ => return mismatch(),
    };
    Ok(Value::Bool(contains(range, address)))
}

pub(super) fn contains_cidr<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    let (range, (address, bits)) = match args {
        [Value::Cidr(address, bits), Value::Cidr(other, others)] => {
            ((*address, *bits), (*other, *others))
        }
        [Value::Cidr(address, bits), Value::Text(text)] => ((*address, *bits), parse_cidr(text)?),
        _ => return mismatch(),
    };
    Ok(Value::Bool(bits >= range.1 && contains(range, address)))
}

pub(super) fn masked<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Cidr(address, bits)] => Ok(Value::Cidr(mask(*address, *bits), *bits)),
        _ => mismatch(),
    }
}

pub(super) fn prefix_length<'v>(args: &[Value<'v>]) -> Evaluated<'v> {
    match args {
        [Value::Cidr(_, bits)] => Ok(Value::Int(i64::from(*bits))),
        _ => mismatch(),
    }
}
