//! Connections: accepted, encrypted, served, and ended in time.
//!
//! [`Listener`] owns the socket and the accept loop, `serve` one connection from its handshake to
//! its end, [`Tls`] what the server shows and whom it trusts. Nothing here knows what a request
//! means: whoever serves gets it with what is known of the other end ([`ConnectionInfo`]).

mod listener;
mod plain_http;
mod serve;
pub mod signals;
#[cfg(test)]
mod tests;
mod tls;

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;

use parking_lot::Mutex;
use rustls_pki_types::CertificateDer;
use tokio_util::sync::CancellationToken;

pub use listener::{Listener, Reloader};
pub use serve::Connection;
pub use tls::{Authorities, Tls, TlsError};

/// What limits connections. Nobody can hold more than this.
pub mod limits {
    use std::time::Duration;

    /// Connections at a time.
    pub const CONNECTIONS_MAX: usize = 10_000;
    /// How long a TLS handshake may take.
    pub const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
    /// How long the head of a request may take, the wait for it included.
    pub const HEAD_MAX: Duration = Duration::from_secs(32);
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
    /// How long the server accepts nothing after it could not, for want of file descriptors.
    pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
}

/// How the server is told to stop. Clones are told together.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// No new requests; those that run may end, for [`limits::DRAIN_MAX`].
    pub graceful: CancellationToken,
    /// Everything ends at once.
    pub immediate: CancellationToken,
}

/// What is known of the other end.
#[derive(Debug)]
pub struct ConnectionInfo {
    /// The other end's address.
    pub peer: SocketAddr,
    /// The certificate it showed, if any.
    pub certificate: Option<ClientCertificate>,
    closing: CancellationToken,
    next: Mutex<Option<Next>>,
}

/// What goes on with a connection on which HTTP has ended.
struct Next(Pin<Box<dyn Future<Output = ()> + Send>>);

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

/// A certificate that a client showed and whose key it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate.
    pub der: CertificateDer<'static>,
    /// Whether the client CA signed it, for clients, and it was valid at the handshake.
    pub verified: bool,
    /// Whether the front proxies' CA did, in the same way.
    pub front_proxy: bool,
}

impl ConnectionInfo {
    /// A connection from an address.
    #[must_use]
    pub fn new(peer: SocketAddr, certificate: Option<ClientCertificate>) -> Self {
        Self { peer, certificate, closing: CancellationToken::new(), next: Mutex::default() }
    }

    /// Asks for the connection to end once its running requests are answered: `GOAWAY` in HTTP/2,
    /// `Connection: close` in HTTP/1.
    pub fn close(&self) {
        self.closing.cancel();
    }

    /// Says what goes on once the running request was answered with another protocol than HTTP.
    /// It keeps the connection's place, and ends with everything else when the server stops.
    pub fn continue_with(&self, next: impl Future<Output = ()> + Send + 'static) {
        *self.next.lock() = Some(Next(Box::pin(next)));
    }

    /// What [`Self::continue_with`] said; nothing for a connection that only speaks HTTP.
    async fn go_on(&self) {
        let next = self.next.lock().take();
        if let Some(Next(next)) = next {
            next.await;
        }
    }
}
