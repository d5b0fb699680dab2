//! One GET over HTTPS. Keys are fetched every few minutes: nothing is kept open between them.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, HOST, USER_AGENT};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;

use super::limits;

/// A document that cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpsError {
    #[error("no URL of an https server")]
    Url,
    #[error("no certificate authority can be read")]
    NoAuthorities,
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Tls(#[from] rustls::Error),
    #[error("{0}")]
    Http(#[from] hyper::Error),
    #[error("{0}")]
    Request(#[from] http::Error),
    #[error("{0}")]
    Status(StatusCode),
    #[error("reading the answer: {0}")]
    Body(Box<dyn std::error::Error + Send + Sync>),
    #[error("no answer within {} s", limits::FETCH_MAX.as_secs())]
    Late,
}

/// Fetches documents from servers that certain authorities vouch for.
pub(super) struct HttpsClient(TlsConnector);

impl HttpsClient {
    /// Trusts these authorities, in PEM; those of the machine if none are given.
    pub(super) async fn new(authorities: Option<&str>) -> Result<Self, HttpsError> {
        let roots = match authorities {
            Some(pem) => roots(CertificateDer::pem_slice_iter(pem.as_bytes()).flatten()),
            None => {
                let native = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs);
                roots(native.await.map_err(std::io::Error::other)?.certs)
            }
        };
        if roots.is_empty() {
            return Err(HttpsError::NoAuthorities);
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    /// Fetches a document, within [`limits`]. Redirects are not followed.
    pub(super) async fn get(&self, url: &str) -> Result<Bytes, HttpsError> {
        let fetched = tokio::time::timeout(limits::FETCH_MAX, self.get_at_leisure(url));
        fetched.await.map_err(|_| HttpsError::Late)?
    }

    async fn get_at_leisure(&self, url: &str) -> Result<Bytes, HttpsError> {
        let uri: Uri = url.parse().map_err(|_| HttpsError::Url)?;
        let authority = uri.authority().ok_or(HttpsError::Url)?;
        if uri.scheme_str() != Some("https") {
            return Err(HttpsError::Url);
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host.to_owned()).map_err(|_| HttpsError::Url)?;
        let socket = TcpStream::connect((host, authority.port_u16().unwrap_or(443))).await?;
        let stream = self.0.connect(name, socket).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let _driven = AbortOnDropHandle::new(tokio::spawn(connection));
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::get(path)
            .header(HOST, authority.as_str())
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("apiserver/", env!("CARGO_PKG_VERSION")))
            .body(Empty::<Bytes>::new())?;
        let response = sender.send_request(request).await?;
        if response.status() != StatusCode::OK {
            return Err(HttpsError::Status(response.status()));
        }
        let body = Limited::new(response.into_body(), limits::DOCUMENT_BYTES_MAX);
        Ok(body.collect().await.map_err(HttpsError::Body)?.to_bytes())
    }
}

fn roots<'a>(certificates: impl IntoIterator<Item = CertificateDer<'a>>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates.into_iter().map(CertificateDer::into_owned));
    roots
}
