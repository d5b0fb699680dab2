//! Under which names and addresses the server is reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::Subject;
use crate::options::Config;

/// What clients inside a cluster call the server.
const SERVICE_NAMES: [&str; 4] = [
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// This machine's name, where the system tells it.
#[must_use]
pub fn hostname() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Host and port by which clients on this machine reach a server that listens at an address.
#[must_use]
pub fn reachable(mut listening: SocketAddr) -> SocketAddr {
    match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => listening.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => listening.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    listening
}

/// Whom the made serving certificate is for.
pub(super) fn server(config: &Config, hostname: Option<&str>) -> Subject<'static> {
    let mut names = vec!["localhost".to_owned()];
    names.extend(SERVICE_NAMES.map(str::to_owned));
    let mut addresses = vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    let given = [config.service_address, config.advertise_address, Some(config.bind_address)];
    let given = given.into_iter().flatten().filter(|address| !address.is_unspecified());
    given.for_each(|address| add(&mut addresses, address));
    for name in [hostname, config.external_hostname.as_deref()].into_iter().flatten() {
        match name.parse() {
            Ok(address) => add(&mut addresses, address),
            Err(_) => add(&mut names, name.to_ascii_lowercase()),
        }
    }
    Subject::Server { names, addresses }
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_reached_on_the_loopback() {
        for (listening, reached) in [
            ("127.0.0.1:6443", "127.0.0.1:6443"),
            ("0.0.0.0:1", "127.0.0.1:1"),
            ("[::]:2", "[::1]:2"),
            ("192.0.2.7:3", "192.0.2.7:3"),
        ] {
            assert_eq!(reachable(listening.parse().unwrap()).to_string(), reached);
        }
    }
}
