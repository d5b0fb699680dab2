//! The ranges that addresses and ports are taken from.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Of a range, so much at its beginning is kept for those who ask for something certain: a
/// sixteenth, within these bounds.
const KEPT_ADDRESSES: (u128, u128) = (16, 256);
const KEPT_PORTS: (u32, u32) = (16, 128);

/// The text is no range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// It is no network with at least two addresses.
    #[error("not a network such as 10.0.0.0/24")]
    Network,
    /// It is no range of ports.
    #[error("not a range of ports such as 30000-32767")]
    Ports,
}

/// A network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    length: u32,
}

impl FromStr for Network {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let (address, length) = text.split_once('/').ok_or(RangeError::Network)?;
        let address: IpAddr = address.parse().map_err(|_| RangeError::Network)?;
        let length: u32 = length.parse().map_err(|_| RangeError::Network)?;
        let network = Self { base: address, length };
        if length >= network.width() {
            return Err(RangeError::Network);
        }
        let base = network.made(network.number() & !network.mask());
        Ok(Self { base, length })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.length)
    }
}

impl Network {
    /// `IPv4` or `IPv6`, as services name it.
    #[must_use]
    pub fn family(self) -> &'static str {
        if self.base.is_ipv4() { "IPv4" } else { "IPv6" }
    }

    /// The first address that somebody can have; it is the server's own.
    #[must_use]
    pub fn first(self) -> IpAddr {
        self.made(self.number() + 1)
    }

    /// Whether an address is in the network, be it one that nobody can have.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.base.is_ipv4()
            && number_of(address) & !self.mask() == self.number()
    }

    /// Whether somebody can have an address: not the first, which is the network's, and of IPv4
    /// not the last, which is everybody's.
    #[must_use]
    pub fn offers(self, address: IpAddr) -> bool {
        let (low, high) = self.bounds();
        self.contains(address) && (low..=high).contains(&number_of(address))
    }

    /// An address that is free; `random` says where to begin to look.
    pub fn choose(self, random: u64, is_taken: impl Fn(IpAddr) -> bool) -> Option<IpAddr> {
        let (low, high) = self.bounds();
        let size = high.checked_sub(low)?.saturating_add(1);
        let kept = if size < KEPT_ADDRESSES.0 {
            0
        } else {
            (size / 16).clamp(KEPT_ADDRESSES.0, KEPT_ADDRESSES.1).min(size - 1)
        };
        let (begin, count) = (low + kept, size - kept);
        let start = u128::from(random) % count;
        let upper = (start..count).chain(0..start).map(|at| begin + at);
        upper.chain(low..begin).map(|number| self.made(number)).find(|address| !is_taken(*address))
    }

    fn bounds(self) -> (u128, u128) {
        let last = self.number() | self.mask();
        (self.number() + 1, if self.base.is_ipv4() { last - 1 } else { last })
    }

    fn width(self) -> u32 {
        if self.base.is_ipv4() { 32 } else { 128 }
    }

    /// The bits that differ within the network.
    fn mask(self) -> u128 {
        let rest = self.width().saturating_sub(self.length);
        1_u128.checked_shl(rest).map_or(u128::MAX, |power| power - 1)
    }

    fn number(self) -> u128 {
        number_of(self.base)
    }

    fn made(self, number: u128) -> IpAddr {
        if self.base.is_ipv4() {
            IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(number).unwrap_or(u32::MAX)))
        } else {
            IpAddr::V6(Ipv6Addr::from_bits(number))
        }
    }
}

fn number_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The ports of nodes that services can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePorts {
    first: u16,
    last: u16,
}

impl Default for NodePorts {
    fn default() -> Self {
        Self { first: 30_000, last: 32_767 }
    }
}

impl FromStr for NodePorts {
    type Err = RangeError;

    /// `30000-32767`, or `30000+2767` for the same.
    fn from_str(text: &str) -> Result<Self, RangeError> {
        let number = |text: &str| text.trim().parse::<u16>().map_err(|_| RangeError::Ports);
        let (first, last) = if let Some((first, last)) = text.split_once('-') {
            (number(first)?, number(last)?)
        } else if let Some((first, more)) = text.split_once('+') {
            let (first, more) = (number(first)?, number(more)?);
            (first, first.checked_add(more).ok_or(RangeError::Ports)?)
        } else {
            (number(text)?, number(text)?)
        };
        if first == 0 || first > last { Err(RangeError::Ports) } else { Ok(Self { first, last }) }
    }
}

impl fmt::Display for NodePorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl NodePorts {
    /// Whether a port is one of them.
    #[must_use]
    pub fn offers(self, port: i64) -> bool {
        (i64::from(self.first)..=i64::from(self.last)).contains(&port)
    }

    /// A port that is free; `random` says where to begin to look.
    pub fn choose(self, random: u64, is_taken: impl Fn(i64) -> bool) -> Option<i64> {
        let size = u32::from(self.last - self.first) + 1;
        let kept = if size < KEPT_PORTS.0 {
            0
        } else {
            (size / 32).clamp(KEPT_PORTS.0, KEPT_PORTS.1).min(size - 1)
        };
        let (begin, count) = (i64::from(self.first) + i64::from(kept), i64::from(size - kept));
        let start = i64::try_from(random % u64::from(size - kept)).unwrap_or(0);
        let upper = (start..count).chain(0..start).map(|at| begin + at);
        upper.chain(i64::from(self.first)..begin).find(|port| !is_taken(*port))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn network(text: &str) -> Network {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_is_what_its_address_and_length_say() {
        for (text, shown, first) in [
            ("10.0.0.0/24", "10.0.0.0/24", "10.0.0.1"),
            ("10.96.77.5/12", "10.96.0.0/12", "10.96.0.1"),
            ("0.0.0.0/0", "0.0.0.0/0", "0.0.0.1"),
            ("fd00:10::/108", "fd00:10::/108", "fd00:10::1"),
            ("::/0", "::/0", "::1"),
        ] {
            let network = network(text);
            assert_eq!(
                (network.to_string().as_str(), network.first().to_string().as_str()),
                (shown, first)
            );
            assert!(network.offers(network.first()) && !network.offers(network.base));
        }
        for wrong in ["", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/32", "x/24", "::/129"] {
            assert_eq!(wrong.parse::<Network>(), Err(RangeError::Network), "{wrong}");
        }
    }

    #[test]
    fn nobody_gets_the_networks_own_addresses_or_those_of_others() {
        let network = network("10.0.0.0/30");
        for (address, contained, offered) in [
            ("10.0.0.0", true, false),
            ("10.0.0.2", true, true),
            ("10.0.0.3", true, false),
            ("10.0.0.4", false, false),
            ("fd00::1", false, false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!((network.contains(address), network.offers(address)), (contained, offered));
        }
    }

    #[test]
    fn every_address_is_given_once_and_the_first_ones_last() {
        let network = network("10.0.0.0/24");
        let mut taken = BTreeSet::from([network.first()]);
        for random in 0..253 {
            let address =
                network.choose(random * 7_919, |address| taken.contains(&address)).unwrap();
            assert!(network.offers(address) && taken.insert(address));
            if random == 200 {
                assert!(!taken.contains(&"10.0.0.5".parse().unwrap()));
            }
        }
        assert_eq!(network.choose(3, |address| taken.contains(&address)), None);
        assert!(self::network("::/0").choose(u64::MAX, |_| false).is_some());
        assert_eq!(self::network("10.0.0.6/31").choose(1, |_| false), None);
    }

    #[test]
    fn ports_are_given_like_addresses() {
        let ports: NodePorts = "30000-30040".parse().unwrap();
        let mut taken = BTreeSet::new();
        for random in 0..41 {
            let port = ports.choose(random, |port| taken.contains(&port)).unwrap();
            assert!(ports.offers(port) && taken.insert(port));
        }
        assert_eq!(ports.choose(0, |port| taken.contains(&port)), None);
        assert_eq!("30000+2767".parse::<NodePorts>(), Ok(NodePorts::default()));
        for wrong in ["", "a-b", "2-1", "0-5", "65535+1"] {
            assert_eq!(wrong.parse::<NodePorts>(), Err(RangeError::Ports), "{wrong}");
        }
    }
}
