//! A webhook that converts, with a certificate of the server's own authority.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use e2e::case::Call;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::support::{DEFINITIONS, Running, WIDGETS, definition, version, widget};

/// Answers conversion reviews for as long as it is kept.
struct Webhook {
    port: u16,
    authority: String,
    stopped: Arc<AtomicBool>,
    task: Option<JoinHandle<()>>,
}

impl Webhook {
    fn start(pki: &Path) -> Self {
        let read = |name: &str| std::fs::read(pki.join(name)).unwrap();
        let chain = CertificateDer::pem_slice_iter(&read("apiserver.crt"))
            .collect::<Result<Vec<_>, _>>()
            .unwrap();
        let key = PrivateKeyDer::from_pem_slice(&read("apiserver.key")).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let task = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Acquire) {
                    return;
                }
                let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                // A client that goes away early is no failure of the webhook.
                let _answered = answer(StreamOwned::new(connection, stream.unwrap()));
            }
        });
        Self { port, authority: STANDARD.encode(read("ca.crt")), stopped, task: Some(task) }
    }

    fn conversion(&self) -> Value {
        let url = format!("https://127.0.0.1:{}/convert", self.port);
        json!({ "strategy": "Webhook", "webhook": {
            "clientConfig": { "url": url, "caBundle": self.authority },
            "conversionReviewVersions": ["v1"],
        } })
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

fn answer(stream: StreamOwned<ServerConnection, TcpStream>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let text = converted(&serde_json::from_slice(&body).unwrap()).to_string();
    let mut stream = stream.into_inner();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", text.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// `v1` has a size, `v2` says it in words.
fn converted(review: &Value) -> Value {
    let request = &review["request"];
    let wanted = request["desiredAPIVersion"].as_str().unwrap();
    let objects = request["objects"].as_array().unwrap().iter().map(|object| {
        let mut object = object.clone();
        object["apiVersion"] = json!(wanted);
        object["spec"] = if wanted.ends_with("v2") {
            json!({ "words": format!("size {}", object["spec"]["size"]) })
        } else {
            let words = object["spec"]["words"].as_str().unwrap();
            json!({ "size": words.strip_prefix("size ").unwrap().parse::<i64>().unwrap() })
        };
        object
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "response": {
            "uid": request["uid"],
            "result": { "status": "Success" },
            "convertedObjects": objects.collect::<Vec<_>>(),
        },
    })
}

const NEWER: &str = "/apis/example.com/v2/namespaces/default/widgets";

fn define(running: &Running, conversion: &Value) {
    let mut newer = version("v2", &json!({ "words": { "type": "string" } }));
    newer["selectableFields"] = json!([{ "jsonPath": ".spec.words" }]);
    let older = version("v1", &json!({ "size": { "type": "integer" } }));
    let mut widgets = definition("widgets", "Widget", &[older, newer]);
    widgets["spec"]["conversion"] = conversion.clone();
    running.define(&widgets);
}

#[test]
fn objects_are_read_and_written_in_every_version() {
    let running = Running::new();
    let webhook = Webhook::start(&running.folder().join("data/pki"));
    define(&running, &webhook.conversion());
    running.done("POST", WIDGETS, widget("a"));
    let mut second = widget("b");
    second["apiVersion"] = json!("example.com/v2");
    second["spec"] = json!({ "words": "size 5" });
    let made = running.done("POST", NEWER, second);
    assert_eq!(made["spec"], json!({ "words": "size 5" }));

    let (_, list) = running.get(NEWER);
    let words = |list: &Value| {
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["spec"]["words"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(words(&list), ["size 1", "size 5"]);
    let (_, chosen) = running.get(&format!("{NEWER}?fieldSelector=spec.words%3Dsize%205"));
    assert_eq!(words(&chosen), ["size 5"]);
    let (_, older) = running.get(&format!("{WIDGETS}/b"));
    assert_eq!(
        (&older["apiVersion"], &older["spec"]["size"]),
        (&json!("example.com/v1"), &json!(5))
    );

    let patch = json!({ "spec": { "words": "size 7" } });
    let (status, patched) = running.merge(&format!("{NEWER}/a"), patch);
    assert_eq!(status, 200, "{patched}");
    assert_eq!(patched["metadata"]["generation"], 2);
    assert_eq!(running.get(&format!("{WIDGETS}/a")).1["spec"]["size"], 7);

    let call = Call::of("GET", format!("{NEWER}?watch=1&timeoutSeconds=1"));
    let (status, events) = running.send(&call);
    assert_eq!(status, 200);
    assert!(events.contains("size 7") && !events.contains("\"size\":"), "{events}");
    assert_eq!(running.call("DELETE", &format!("{NEWER}/a"), None).0, 200);
}

#[test]
fn a_webhook_that_does_not_answer_is_no_reason_to_guess() {
    let running = Running::new();
    let webhook = Webhook::start(&running.folder().join("data/pki"));
    let conversion = webhook.conversion();
    define(&running, &conversion);
    running.done("POST", WIDGETS, widget("a"));
    drop(webhook);
    let (status, refused) = running.get(NEWER);
    assert_eq!(status, 500);
    let message = refused["message"].as_str().unwrap();
    let start =
        "conversion webhook for example.com/v1, Kind=Widget failed: Post \"https://127.0.0.1:";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(running.get(WIDGETS).0, 200, "the stored version needs nobody");
    let path = format!("{DEFINITIONS}/widgets.example.com");
    assert_eq!(running.call("DELETE", &path, None).0, 200);
    running.until(&path, |status, _| status == 404);
}
