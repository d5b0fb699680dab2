//! Connections: accepted, encrypted, served, and ended in time.

mod listener;
pub mod signals;
mod tls;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustls_pki_types::CertificateDer;

pub use listener::{Connection, Listener};
pub use tls::{TlsError, server_config};

/// What limits connections. Nobody can hold more than this.
pub mod limits {
    use std::time::Duration;

    /// Connections at a time.
    pub const CONNECTIONS_MAX: usize = 10_000;
    /// How long a TLS handshake may take.
    pub const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
    /// How long the head of a request may take.
    pub const HEAD_MAX: Duration = Duration::from_secs(30);
    /// Bytes of the heads of requests that are buffered.
    pub const HEAD_BYTES_MAX: usize = 256 * 1024;
    /// Streams at a time in an HTTP/2 connection.
    pub const STREAMS_MAX: u32 = 250;
    /// How often a silent HTTP/2 connection is asked whether it is still there.
    pub const PING_INTERVAL: Duration = Duration::from_secs(30);
    /// How long the answer may take.
    pub const PING_TIMEOUT: Duration = Duration::from_secs(15);
    /// How long connections may go on when the server stops.
    pub const DRAIN_MAX: Duration = Duration::from_secs(1);
}

/// What is known of the other end.
#[derive(Debug)]
pub struct ConnectionInfo {
    /// The other end's address.
    pub peer: SocketAddr,
    /// The certificate it showed, if any.
    pub certificate: Option<ClientCertificate>,
    close: AtomicBool,
    closing: tokio::sync::Notify,
}

/// A certificate that a client showed and whose key it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate.
    pub der: CertificateDer<'static>,
    /// Whether the client CA signed it and it is valid now.
    pub verified: bool,
}

impl ConnectionInfo {
    fn new(peer: SocketAddr, certificate: Option<ClientCertificate>) -> Self {
        Self {
            peer,
            certificate,
            close: AtomicBool::new(false),
            closing: tokio::sync::Notify::new(),
        }
    }

    /// Asks for the connection to end once its running requests are answered.
    pub fn close(&self) {
        self.close.store(true, Ordering::Relaxed);
        self.closing.notify_one();
    }

    fn is_to_close(&self) -> bool {
        self.close.load(Ordering::Relaxed)
    }
}

/// How long a stopped server waits before it looks again whether everything has ended.
const DRAIN_STEP: Duration = Duration::from_millis(5);
