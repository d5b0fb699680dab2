//! Connections as clients see them: over sockets, and over pipes in virtual time.

mod certificates;
mod http;
mod limits;
mod stopping;
mod taking_over;

use std::net::SocketAddr;
use std::sync::Arc;

use ::http::header::{self, HeaderValue};
use ::http::{Request, Response, StatusCode, Version};
use axum::body::Body;
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::{Authorities, Connection, ConnectionInfo, Listener, Shutdown, Tls};
use crate::pki::{Authority, Pair, PemFile, Subject};

const NOW: i64 = 1_780_000_000;

/// Says how the request came; `/wait` never answers, `/close` asks for the connection to end, and
/// `/upgrade` makes it one on which the other end says one byte and all go on.
#[derive(Clone)]
struct Echo {
    waiting: Arc<Semaphore>,
}

impl Echo {
    fn new() -> Self {
        Self { waiting: Arc::new(Semaphore::new(0)) }
    }

    fn upgrade(
        &self,
        request: &mut Request<Incoming>,
        connection: &ConnectionInfo,
    ) -> Response<Body> {
        let (upgrade, heard) = (hyper::upgrade::on(request), Arc::clone(&self.waiting));
        connection.continue_with(async move {
            let mut stream = TokioIo::new(upgrade.await.unwrap());
            stream.write_all(b"!").await.unwrap();
            stream.read_u8().await.unwrap();
            heard.add_permits(1);
            std::future::pending::<()>().await;
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        response.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("x"));
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        response
    }
}

impl Connection for Echo {
    async fn serve(
        &self,
        mut request: Request<Incoming>,
        connection: Arc<ConnectionInfo>,
    ) -> Response<Body> {
        match request.uri().path() {
            "/wait" => {
                self.waiting.add_permits(1);
                std::future::pending::<()>().await;
            }
            "/close" => connection.close(),
            "/upgrade" => return self.upgrade(&mut request, &connection),
            _ => {}
        }
        let version = match request.version() {
            Version::HTTP_2 => "HTTP/2",
            _ => "HTTP/1",
        };
        let certificate = match &connection.certificate {
            Some(certificate) if certificate.verified => "verified",
            Some(certificate) if certificate.front_proxy => "proxied",
            Some(_) => "unverified",
            None => "anonymous",
        };
        Response::new(Body::from(format!("{version} {certificate}")))
    }
}

/// An authority with a serving certificate and a client certificate.
struct Made {
    authority: String,
    server: Pair,
    client: Pair,
}

fn make() -> Made {
    let directory = tempfile::tempdir().unwrap();
    let now = jiff::Timestamp::now().as_second().max(NOW);
    let authority = Authority::load_or_make(directory.path()).unwrap();
    let issue = |name: &str, subject: &Subject<'_>| {
        authority.load_or_issue(directory.path(), name, subject, now).unwrap()
    };
    let server = Subject::Server { names: vec!["localhost".to_owned()], addresses: Vec::new() };
    let server = issue("server", &server);
    let client = issue("client", &Subject::Client { user: "alice", groups: &["dev"] });
    Made { authority: authority.certificate, server, client }
}

fn file(name: &str, text: &str) -> PemFile {
    PemFile { path: name.into(), text: text.to_owned() }
}

impl Made {
    fn tls(&self) -> Tls {
        Tls::try_new(
            &file("server.crt", &self.server.certificate),
            &file("server.key", &self.server.key),
            Authorities { clients: Some(&file("ca.crt", &self.authority)), front_proxies: None },
        )
        .unwrap()
    }

    /// A client that trusts this authority, speaks a protocol and may show a certificate.
    fn connector(&self, protocol: &str, certificate: Option<&Pair>) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.authority.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let mut config = match certificate {
            Some(pair) => {
                let der = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
                builder.with_client_auth_cert(vec![der], key).unwrap()
            }
            None => builder.with_no_client_auth(),
        };
        if !protocol.is_empty() {
            config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        }
        TlsConnector::from(Arc::new(config))
    }

    async fn connect(&self, server: &Running, protocol: &str) -> TlsStream<TcpStream> {
        shake_hands(&self.connector(protocol, None), server.socket().await).await
    }
}

async fn shake_hands<IO>(connector: &TlsConnector, stream: IO) -> TlsStream<IO>
where
    IO: AsyncRead + AsyncWrite + Unpin,
{
    connector.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap()
}

/// A server on a free port.
struct Running {
    address: SocketAddr,
    shutdown: Shutdown,
    waiting: Arc<Semaphore>,
    ended: JoinHandle<()>,
}

impl Running {
    async fn start(tls: Tls) -> Self {
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        Self::run(Listener::bind(anywhere, tls).await.unwrap())
    }

    fn run(listener: Listener) -> Self {
        let address = listener.local_address().unwrap();
        let shutdown = Shutdown::default();
        let echo = Echo::new();
        let waiting = Arc::clone(&echo.waiting);
        let ended = tokio::spawn(listener.run(echo, shutdown.clone()));
        Self { address, shutdown, waiting, ended }
    }

    /// Waits until a request for `/wait` has arrived.
    async fn is_waiting(&self) {
        self.waiting.acquire().await.unwrap().forget();
    }

    async fn socket(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

/// Sends a GET without a body; the connection stays.
async fn send_get(stream: &mut (impl AsyncWrite + Unpin), path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
}

/// Reads up to a text, which the answer ends with.
async fn read_until(stream: &mut (impl AsyncRead + Unpin), end: &str) -> String {
    let mut text = Vec::new();
    while !text.ends_with(end.as_bytes()) {
        text.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(text).unwrap()
}

/// Reads until the server closes; how it does is of no interest.
async fn read_to_end(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes).await);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer to HTTP/2 requests.
async fn read_body(response: h2::client::ResponseFuture) -> String {
    let mut body = response.await.unwrap().into_body();
    let mut bytes = Vec::new();
    while let Some(chunk) = body.data().await {
        bytes.extend_from_slice(&chunk.unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

fn h2_get(path: &str) -> Request<()> {
    Request::get(format!("https://localhost{path}")).body(()).unwrap()
}
