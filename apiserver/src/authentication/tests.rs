//! Issuers over real sockets, and the background in virtual time.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use auth::authenticate::jwt::{JwtIssuer, PrefixedClaim, SigningAlgorithm};
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::config::IssuerConfig;
use super::source::Source;
use super::*;
use crate::connection::{Authorities, Connection, ConnectionInfo, Listener, Shutdown, Tls};
use crate::pki::{Authority, PemFile, Subject};

/// An issuer on a free port.
#[derive(Clone)]
struct Provider {
    url: String,
    authority: String,
    /// What its discovery document calls it.
    name: Arc<ArcSwap<String>>,
    fetched: Arc<AtomicUsize>,
}

#[derive(Clone)]
struct Documents(Provider);

impl Connection for Documents {
    async fn serve(&self, request: Request<Incoming>, _: Arc<ConnectionInfo>) -> Response<Body> {
        let provider = &self.0;
        let document = match request.uri().path() {
            "/.well-known/openid-configuration" => json!({
                "issuer": **provider.name.load(),
                "jwks_uri": format!("{}/keys", provider.url),
            }),
            "/keys" => {
                provider.fetched.fetch_add(1, Ordering::SeqCst);
                json!({ "keys": [] })
            }
            "/large" => Value::String("x".repeat(limits::DOCUMENT_BYTES_MAX)),
            _ => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = http::StatusCode::FOUND;
                return response;
            }
        };
        Response::new(Body::from(document.to_string()))
    }
}

impl Provider {
    async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_make(directory.path()).unwrap();
        let subject =
            Subject::Server { names: vec!["localhost".to_owned()], addresses: Vec::new() };
        let now = jiff::Timestamp::now().as_second();
        let pair = authority.load_or_issue(directory.path(), "server", &subject, now).unwrap();
        let file = |text: String| PemFile { path: "server".into(), text };
        let (certificate, key) = (file(pair.certificate), file(pair.key));
        let tls = Tls::try_new(&certificate, &key, Authorities::default()).unwrap();
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = Listener::bind(anywhere, tls).await.unwrap();
        let url = format!("https://localhost:{}", listener.local_address().unwrap().port());
        let provider = Self {
            name: Arc::new(ArcSwap::from_pointee(url.clone())),
            url,
            authority: authority.certificate,
            fetched: Arc::default(),
        };
        tokio::spawn(listener.run(Documents(provider.clone()), Shutdown::default()));
        provider
    }

    fn config(&self) -> IssuerConfig {
        IssuerConfig {
            discovery_url: format!("{}/.well-known/openid-configuration", self.url),
            certificate_authority: Some(self.authority.clone()),
            issuer: JwtIssuer { url: self.url.clone(), ..Self::example() },
        }
    }

    fn example() -> JwtIssuer {
        JwtIssuer {
            url: String::new(),
            audiences: vec!["a".to_owned()],
            algorithms: SigningAlgorithm::ALL.to_vec(),
            required_claims: Vec::new(),
            username: PrefixedClaim { claim: "sub".to_owned(), prefix: String::new() },
            groups: None,
            uid_claim: None,
        }
    }

    fn fetched(&self) -> usize {
        self.fetched.load(Ordering::SeqCst)
    }
}

async fn failure(config: &IssuerConfig) -> String {
    Source::new(config, &[]).fetch().await.unwrap_err().to_string()
}

#[tokio::test]
async fn keys_are_found_by_discovery() {
    let provider = Provider::start().await;
    assert!(Source::new(&provider.config(), &[]).fetch().await.unwrap().is_empty());
    assert_eq!(provider.fetched(), 1);
}

#[tokio::test]
async fn issuers_that_cannot_be_trusted_give_no_keys() {
    let (provider, other) = (Provider::start().await, Provider::start().await);
    let config = provider.config();
    let strange =
        IssuerConfig { certificate_authority: Some(other.authority.clone()), ..config.clone() };
    assert!(failure(&strange).await.contains("invalid peer certificate"));
    let at = |path: &str| IssuerConfig {
        discovery_url: format!("{}{path}", provider.url),
        ..config.clone()
    };
    assert!(failure(&at("/elsewhere")).await.ends_with("302 Found"));
    assert!(failure(&at("/large")).await.contains("length limit exceeded"));
    assert!(failure(&at("/keys")).await.starts_with("oidc: failed to decode provider discovery"));
    provider.name.store(Arc::new("https://somebody-else".to_owned()));
    assert_eq!(
        failure(&config).await,
        format!(
            "oidc: issuer did not match the issuer returned by provider, expected \"{}\" got \
             \"https://somebody-else\"",
            provider.url
        )
    );
}

#[tokio::test]
async fn a_file_stands_in_for_the_issuer() {
    let provider = Provider::start().await;
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = directory.path().join("keys.json");
    let source = Source::new(&provider.config(), &[(provider.url.clone(), path.clone())]);
    assert!(source.fetch().await.unwrap_err().to_string().contains("keys.json: "));
    std::fs::write(&path, r#"{"keys":[]}"#).unwrap();
    assert!(source.fetch().await.unwrap().is_empty());
    assert_eq!(provider.fetched(), 0);
}

#[tokio::test]
async fn requests_wait_for_keys_but_do_not_have_them_fetched_at_will() {
    let provider = Provider::start().await;
    let issuers = Issuers::start(vec![provider.config()], Vec::new(), Vec::new());
    assert!(issuers.catch_up(&provider.url).await, "the first keys are waited for");
    let fetched = provider.fetched();
    for _ in 0..10 {
        assert!(!issuers.catch_up(&provider.url).await, "they were fetched just now");
    }
    assert_eq!(provider.fetched(), fetched);
    assert!(!issuers.catch_up("https://unknown").await);
}

#[tokio::test(start_paused = true)]
async fn a_request_does_not_wait_long_for_an_issuer_that_is_silent() {
    // Nobody accepts: the handshake never ends.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let authority = tempfile::tempdir().unwrap();
    let authority = Authority::load_or_make(authority.path()).unwrap().certificate;
    let url = format!("https://localhost:{port}");
    let config = IssuerConfig {
        issuer: JwtIssuer { url: url.clone(), ..Provider::example() },
        discovery_url: url.clone(),
        certificate_authority: Some(authority),
    };
    let issuers = Issuers::start(vec![config], Vec::new(), Vec::new());
    let begin = tokio::time::Instant::now();
    assert!(!issuers.catch_up(&url).await);
    assert!(begin.elapsed() <= limits::CATCH_UP_MAX * 2);
}
