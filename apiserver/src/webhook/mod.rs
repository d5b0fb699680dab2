//! Calling webhooks: one HTTPS request, to whom their configuration names and nobody else.

mod services;
mod target;
mod trust;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT};
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

pub use target::{ConfigError, Target};

/// How large an answer may be.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Knows where services are.
pub trait Services: Send + Sync {
    /// Host and port by which a port of a service can be reached.
    ///
    /// # Errors
    ///
    /// Why it cannot, in words.
    fn address(&self, namespace: &str, name: &str, port: u16) -> Result<String, String>;
}

/// Why a webhook gave no answer.
#[derive(Debug, thiserror::Error)]
#[error("Post {url:?}: {why}")]
pub struct CallError {
    url: String,
    why: String,
}

/// A webhook that can be called.
pub struct Webhook {
    target: Target,
    tls: TlsConnector,
    timeout: Duration,
}

/// How its server is spoken to.
fn tls(
    authorities: impl IntoIterator<Item = CertificateDer<'static>>,
) -> Result<ClientConfig, String> {
    let named: Vec<_> = authorities.into_iter().collect();
    let mut roots = RootCertStore::empty();
    for authority in &named {
        roots.add(authority.clone()).map_err(|error| error.to_string())?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    if named.is_empty() {
        return Ok(builder.with_root_certificates(roots).with_no_client_auth());
    }
    let authorities = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
        .build()
        .map_err(|error| error.to_string())?;
    let trust = Arc::new(trust::Trust { authorities, named });
    Ok(builder.dangerous().with_custom_certificate_verifier(trust).with_no_client_auth())
}

impl Webhook {
    /// That of a `clientConfig`, which may take so long to answer. Nobody is trusted but the
    /// authorities that it names.
    ///
    /// # Errors
    ///
    /// If the configuration cannot be used.
    pub fn new(client_config: &Value, timeout: Duration) -> Result<Self, ConfigError> {
        let target = Target::parse(client_config)?;
        let config = tls(target::authorities(client_config)?).map_err(ConfigError::Authorities)?;
        Ok(Self { target, tls: TlsConnector::from(Arc::new(config)), timeout })
    }

    /// Sends a JSON document and takes the answer.
    ///
    /// # Errors
    ///
    /// If it cannot be reached, does not answer in time, or with anything but 200.
    pub async fn call(&self, services: &dyn Services, document: Bytes) -> Result<Bytes, CallError> {
        let answer = tokio::time::timeout(self.timeout, self.send(services, document)).await;
        let answer = answer.unwrap_or_else(|_| Err("context deadline exceeded".to_owned()));
        answer.map_err(|why| CallError { url: self.url(), why })
    }

    fn url(&self) -> String {
        self.target.url(self.timeout.as_secs())
    }

    async fn send(&self, services: &dyn Services, document: Bytes) -> Result<Bytes, String> {
        let address = self.target.address(services)?;
        let stream = TcpStream::connect(&address)
            .await
            .map_err(|error| format!("dial tcp {address}: connect: {error}"))?;
        let name = self.target.server_name()?;
        let stream = self.tls.connect(name, stream).await.map_err(|error| error.to_string())?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        let exchange = async {
            let request = self.request(document)?;
            let response = sender.send_request(request).await.map_err(|e| e.to_string())?;
            let status = response.status();
            let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
            let body = body.map_err(|error| error.to_string())?.to_bytes();
            if status.as_u16() == 200 {
                Ok(body)
            } else {
                Err(format!("unexpected status {status}"))
            }
        };
        // However the connection ends, what came before may be the whole answer.
        let driven = async {
            drop(connection.await);
            std::future::pending().await
        };
        tokio::select! {
            answer = exchange => answer,
            never = driven => never,
        }
    }

    fn request(&self, document: Bytes) -> Result<Request<Full<Bytes>>, String> {
        Request::builder()
            .method(Method::POST)
            .uri(self.target.path_and_query(self.timeout.as_secs()))
            .header(HOST, self.target.authority())
            .header(USER_AGENT, "kube-apiserver-admission")
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, */*")
            .body(Full::new(document))
            .map_err(|error| error.to_string())
    }
}

impl std::fmt::Debug for Webhook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Webhook").field(&self.url()).finish()
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::testing::{Answering, NoServices};
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn a_webhook_is_asked_over_tls_and_answers() {
        let answering = Answering::start(|asked| json!({ "got": asked })).await;
        let webhook = Webhook::new(&answering.client_config(), TIMEOUT).unwrap();
        let answer = webhook.call(&NoServices, Bytes::from_static(b"{\"a\":1}")).await.unwrap();
        assert_eq!(answer.as_ref(), br#"{"got":{"a":1}}"#);
    }

    #[tokio::test]
    async fn nobody_is_trusted_but_the_authorities_that_are_named() {
        let answering = Answering::start(|asked| asked).await;
        let other = Answering::start(|asked| asked).await;
        let mut config = answering.client_config();
        config["caBundle"] = other.client_config()["caBundle"].clone();
        let webhook = Webhook::new(&config, TIMEOUT).unwrap();
        let error = webhook.call(&NoServices, Bytes::from_static(b"{}")).await.unwrap_err();
        assert!(error.to_string().contains("certificate"), "{error}");
    }

    #[tokio::test]
    async fn a_webhook_that_is_not_there_is_named_with_its_url() {
        let config = json!({ "url": "https://127.0.0.1:1/convert" });
        let webhook = Webhook::new(&config, TIMEOUT).unwrap();
        let error = webhook.call(&NoServices, Bytes::new()).await.unwrap_err().to_string();
        let start =
            "Post \"https://127.0.0.1:1/convert?timeout=10s\": dial tcp 127.0.0.1:1: connect";
        assert!(error.starts_with(start), "{error}");
    }
}
