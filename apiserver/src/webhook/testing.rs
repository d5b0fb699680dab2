//! A webhook for tests.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::ServerConfig;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::Services;

/// A cluster without services.
pub(crate) struct NoServices;

impl Services for NoServices {
    fn address(&self, _: &str, name: &str, _: u16) -> Result<String, String> {
        Err(format!("service {name:?} not found"))
    }
}

/// A webhook that answers, for as long as it is kept.
pub(crate) struct Answering {
    port: u16,
    certificate_pem: String,
    task: JoinHandle<()>,
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Answering {
    /// Answers documents with documents.
    pub(crate) async fn start(answer: impl Fn(Value) -> Value + Send + Sync + 'static) -> Self {
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let chain: Vec<CertificateDer<'static>> = vec![made.cert.der().clone()];
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, answer) = (acceptor.clone(), Arc::clone(&answer));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(move |request| respond(request, Arc::clone(&answer)));
                    drop(
                        http1::Builder::new().serve_connection(TokioIo::new(stream), service).await,
                    );
                });
            }
        });
        Self { port, certificate_pem: made.cert.pem(), task }
    }

    /// How a configuration names it.
    pub(crate) fn client_config(&self) -> Value {
        json!({
            "url": format!("https://127.0.0.1:{}/convert", self.port),
            "caBundle": STANDARD.encode(&self.certificate_pem),
        })
    }
}

async fn respond(
    request: Request<Incoming>,
    answer: Arc<impl Fn(Value) -> Value>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let body = request.into_body().collect().await?.to_bytes();
    let asked = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Response::new(Full::new(answer(asked).to_string().into())))
}
