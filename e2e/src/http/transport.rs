//! Sockets, with TLS or without, that never wait for ever.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};

use crate::clock::Deadline;
use crate::error::Error;

/// How long [`Connection::send_watching`] waits for an answer after each piece.
const GLANCE: Duration = Duration::from_millis(1);

/// The pieces in which it sends.
const PIECE_BYTES: usize = 32 << 10;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    tls: bool,
    host: String,
    port: u16,
}

impl Address {
    /// Reads `http://host:port` or `https://host:port`; what follows is ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Address`]
    pub fn parse(url: &str) -> Result<Self, Error> {
        let wrong = || Error::Address(url.to_owned());
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let tls = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(wrong()),
        };
        let (host, rest) = rest.split_once(':').ok_or_else(wrong)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let port = rest[..digits].parse().map_err(|_| wrong())?;
        if host.is_empty() { Err(wrong()) } else { Ok(Self { tls, host: host.to_owned(), port }) }
    }

    /// `host:port`
    #[must_use]
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// `https://host:port`
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.authority())
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A TCP connection without TLS, whatever the scheme says.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]
    pub fn tcp(&self, timeout: Duration) -> Result<TcpStream, Error> {
        let failed = Error::io("connecting");
        let mut addresses = self.authority().to_socket_addrs().map_err(&failed)?;
        let address = addresses
            .next()
            .ok_or_else(|| failed(io::Error::from(io::ErrorKind::AddrNotAvailable)))?;
        let socket = TcpStream::connect_timeout(&address, timeout).map_err(&failed)?;
        socket.set_nodelay(true).map_err(&failed)?;
        socket.set_read_timeout(Some(timeout)).map_err(&failed)?;
        socket.set_write_timeout(Some(timeout)).map_err(&failed)?;
        Ok(socket)
    }

    /// A connection, with TLS where the scheme says so.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] or [`Error::Tls`]
    pub fn connect(&self, timeouts: Timeouts) -> Result<Connection, Error> {
        let socket = self.tcp(timeouts.each)?;
        let name = ServerName::try_from(self.host.clone())
            .map_err(|_| Error::Address(self.host.clone()))?;
        let kind = if self.tls {
            let client = ClientConnection::new(Arc::clone(&*TLS), name)?;
            Kind::Tls(Box::new(StreamOwned::new(client, socket)))
        } else {
            Kind::Plain(socket)
        };
        Ok(Connection { kind, each: timeouts.each, whole: timeouts.whole.map(Deadline::after) })
    }
}

/// How long a connection waits.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For each read or write.
    pub each: Duration,
    /// For all reads together; `None` for streams that somebody else ends.
    pub whole: Option<Duration>,
}

impl Timeouts {
    /// The same for one read and for all.
    #[must_use]
    pub fn of_seconds(seconds: u64) -> Self {
        let wait = Duration::from_secs(seconds);
        Self { each: wait, whole: Some(wait) }
    }
}

/// A connection to a server.
pub struct Connection {
    kind: Kind,
    each: Duration,
    whole: Option<Deadline>,
}

enum Kind {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Connection {
    /// The socket below.
    #[must_use]
    pub fn socket(&self) -> &TcpStream {
        match &self.kind {
            Kind::Plain(socket) => socket,
            Kind::Tls(stream) => &stream.sock,
        }
    }

    /// Sends a large message and looks for an answer in between: a server that has had enough
    /// answers and hangs up, and the answer is lost to those who go on sending. Returns what has
    /// come of an answer so far.
    ///
    /// # Errors
    ///
    /// That of the socket, where there is no answer either.
    pub fn send_watching(&mut self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.socket().set_write_timeout(Some(GLANCE))?;
            let piece = &rest[..rest.len().min(PIECE_BYTES)];
            let sent = self.write(piece);
            let answer = self.glance()?;
            if !answer.is_empty() {
                return Ok(answer);
            }
            match sent {
                Ok(sent) => rest = &rest[sent..],
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => {}
                Err(why) => return Err(why),
            }
            if self.whole.is_some_and(Deadline::passed) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        self.socket().set_write_timeout(Some(self.each))?;
        self.flush()?;
        Ok(Vec::new())
    }

    /// What has come already.
    fn glance(&mut self) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; PIECE_BYTES];
        self.socket().set_read_timeout(Some(GLANCE))?;
        let read = self.receive(&mut buffer);
        self.socket().set_read_timeout(Some(self.each))?;
        match read {
            Ok(length) => {
                buffer.truncate(length);
                Ok(buffer)
            }
            Err(why) if why.kind() == io::ErrorKind::TimedOut => Ok(Vec::new()),
            Err(why) => Err(why),
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.kind {
            Kind::Plain(socket) => socket.read(buffer),
            Kind::Tls(stream) => stream.read(buffer),
        };
        match read {
            // A server that goes without saying goodbye is still gone.
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => {
                Err(io::ErrorKind::TimedOut.into())
            }
            read => read,
        }
    }

    /// Starts the time for all reads anew, for the next request on a kept connection.
    pub fn renew(&mut self, whole: Duration) {
        self.whole = Some(Deadline::after(whole));
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(whole) = self.whole {
            let wait = self.each.min(whole.left());
            if wait.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.socket().set_read_timeout(Some(wait))?;
        }
        self.receive(buffer)
    }
}

impl Write for Connection {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Plain(socket) => socket.write(buffer),
            Kind::Tls(stream) => stream.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Plain(socket) => socket.flush(),
            Kind::Tls(stream) => stream.flush(),
        }
    }
}

static TLS: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Arc::new(AnyCertificate(Arc::clone(&provider)));
    #[expect(clippy::expect_used, reason = "the provider has suites for the default versions")]
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("default versions");
    let config =
        builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    Arc::new(config)
});

/// Accepts every certificate: the servers under test make their own at their first start.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_from_urls() {
        let address = Address::parse("https://127.0.0.1:6443/ and more").unwrap();
        assert_eq!(address.url(), "https://127.0.0.1:6443");
        assert_eq!(address.port(), 6443);
        for wrong in ["127.0.0.1:1", "ftp://h:1", "http://h", "https://:1", "https://h:99999"] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
