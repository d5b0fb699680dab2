//! A webhook with a certificate of the server's own authority.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

type Stream = BufReader<StreamOwned<ServerConnection, TcpStream>>;

/// Answers reviews for as long as it is kept.
pub(crate) struct Webhook {
    port: u16,
    authority: String,
    stopped: Arc<AtomicBool>,
    task: Option<JoinHandle<()>>,
}

impl Webhook {
    /// Answers documents with documents. What gets none is left waiting.
    pub(crate) fn start(
        pki: &Path,
        answer: impl Fn(&Value) -> Option<Value> + Send + 'static,
    ) -> Self {
        let read = |name: &str| std::fs::read(pki.join(name)).unwrap();
        let config = Arc::new(tls(&read("apiserver.crt"), &read("apiserver.key")));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let task = std::thread::spawn(move || {
            let mut unanswered = Vec::new();
            for stream in listener.incoming() {
                if stop.load(Ordering::Acquire) {
                    return;
                }
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
                // A client that goes away early is no failure of the webhook.
                let Ok(asked) = asked(&mut stream) else { continue };
                match answer(&asked) {
                    Some(answer) => drop(respond(stream, &answer)),
                    None => unanswered.push(stream),
                }
            }
        });
        Self { port, authority: STANDARD.encode(read("ca.crt")), stopped, task: Some(task) }
    }

    /// How configurations name it.
    pub(crate) fn client_config(&self, path: &str) -> Value {
        let url = format!("https://127.0.0.1:{}{path}", self.port);
        json!({ "url": url, "caBundle": self.authority })
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Release);
        // Wakes it up, so that it sees that.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        drop(self.task.take().map(JoinHandle::join));
    }
}

fn tls(chain: &[u8], key: &[u8]) -> ServerConfig {
    let chain = CertificateDer::pem_slice_iter(chain).collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(key).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap()
}

/// The document that is sent; the path that it is sent to is added to it.
fn asked(stream: &mut Stream) -> std::io::Result<Value> {
    let (mut length, mut path) = (0, String::new());
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(target) = line.strip_prefix("POST ") {
            path = target.split(['?', ' ']).next().unwrap_or_default().to_owned();
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let mut document: Value = serde_json::from_slice(&body)?;
    document["path"] = json!(path);
    Ok(document)
}

fn respond(stream: Stream, answer: &Value) -> std::io::Result<()> {
    let text = answer.to_string();
    let mut stream = stream.into_inner();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())?;
    stream.flush()
}
