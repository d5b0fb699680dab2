//! Watches over WebSockets, as a browser's page or a script has them.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use e2e::binary;
use e2e::case::{Body, Call};
use e2e::http::{Connection, Timeouts};
use e2e::server::{Backend, Launch, Server, Signal};
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::handshake::HandshakeError;
use tungstenite::handshake::client::{Request, Response};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Error, Message, WebSocket};

const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const PATIENCE_SECONDS: u64 = 30;

struct Running {
    server: Server,
    _folder: TempDir,
}

impl Running {
    fn start() -> Self {
        let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(&binary, folder.path(), Backend::Memory);
        let server = launch.start().unwrap_or_else(|why| panic!("{why}"));
        Self { server, _folder: folder }
    }

    /// A handshake of the administrator's for a watch.
    fn request(&self, query: &str) -> Request {
        let authority = self.server.target().address.authority();
        let url = format!("wss://{authority}{LEVELS}?watch=1&{query}");
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert("authorization", "Bearer admintoken".parse().unwrap());
        headers.insert("origin", "https://page.example".parse().unwrap());
        request
    }

    fn open(&self, request: Request) -> Result<(WebSocket<Connection>, Response), Error> {
        let timeouts = Timeouts::of_seconds(PATIENCE_SECONDS);
        let connection = self.server.target().address.connect(timeouts).unwrap();
        tungstenite::client(request, connection).map_err(|error| match error {
            HandshakeError::Failure(error) => error,
            HandshakeError::Interrupted(_) => panic!("no answer to the handshake"),
        })
    }

    /// The status and the body with which a handshake is refused.
    fn refusal(&self, request: Request) -> (u16, String) {
        match self.open(request) {
            Err(Error::Http(response)) => {
                let body = response.body().clone().unwrap_or_default();
                (response.status().as_u16(), String::from_utf8(body).unwrap())
            }
            other => panic!("{:?}", other.map(|(_, response)| response)),
        }
    }

    fn create(&self, name: &str) {
        let limited = json!({ "limitResponse": { "type": "Reject" } });
        let spec = json!({ "type": "Limited", "limited": limited });
        let level = json!({ "metadata": { "name": name }, "spec": spec });
        let call = Call::of("POST", LEVELS).with_body(Body::Json(level));
        assert_eq!(self.server.target().call(&call).unwrap().head.status, 201);
    }
}

fn event(message: &Message) -> Value {
    assert!(message.is_text(), "{message:?}");
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

/// The code of the server's goodbye, behind whatever else it says.
fn closing_code(socket: &mut WebSocket<Connection>) -> Option<CloseCode> {
    loop {
        if let Message::Close(frame) = socket.read().unwrap() {
            return frame.map(|frame| frame.code);
        }
    }
}

#[test]
fn a_watch_sends_each_event_as_a_text_message() {
    let running = Running::start();
    let first = running.request("fieldSelector=metadata.name%3Dexempt&timeoutSeconds=1");
    let (mut socket, response) = running.open(first).unwrap();
    assert!(!response.headers().contains_key("sec-websocket-protocol"));
    let added = event(&socket.read().unwrap());
    assert_eq!(
        (&added["type"], &added["object"]["metadata"]["name"]),
        (&json!("ADDED"), &json!("exempt"))
    );
    // Then nothing happens, until the time is over.
    assert_eq!(closing_code(&mut socket), Some(CloseCode::Normal));
    assert!(matches!(socket.read(), Err(Error::ConnectionClosed)));

    let from = added["object"]["metadata"]["resourceVersion"].as_str().unwrap();
    let later = format!("fieldSelector=metadata.name%3Dweb-socket&resourceVersion={from}");
    let (mut socket, _) = running.open(running.request(&later)).unwrap();
    running.create("web-socket");
    assert_eq!(event(&socket.read().unwrap())["object"]["metadata"]["name"], "web-socket");
    socket.send(Message::Ping("x".into())).unwrap();
    assert_eq!(socket.read().unwrap(), Message::Pong("x".into()));
    socket.close(None).unwrap();
    assert_eq!(closing_code(&mut socket), None);
}

#[test]
fn a_watch_in_protobuf_sends_binary_messages_without_lengths() {
    let running = Running::start();
    let mut request = running.request("fieldSelector=metadata.name%3Dexempt");
    let accept = "application/vnd.kubernetes.protobuf".parse().unwrap();
    request.headers_mut().insert("accept", accept);
    let (mut socket, _) = running.open(request).unwrap();
    let Message::Binary(bytes) = socket.read().unwrap() else { panic!("not binary") };
    // The type of the event is its first field.
    assert!(bytes.starts_with(b"\x0a\x05ADDED"), "{bytes:?}");
    assert!(bytes.windows(4).any(|window| window == b"k8s\0"));
}

#[test]
fn a_page_shows_its_token_as_a_protocol_and_gets_the_other_one() {
    let running = Running::start();
    let token = URL_SAFE_NO_PAD.encode("admintoken");
    let mut request = running.request("fieldSelector=metadata.name%3Dexempt");
    request.headers_mut().remove("authorization");
    assert_eq!(running.refusal(request).0, 403);
    let mut request = running.request("fieldSelector=metadata.name%3Dexempt");
    request.headers_mut().remove("authorization");
    let protocols = format!("base64url.bearer.authorization.k8s.io.{token}, base64.binary.k8s.io");
    request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
    let (mut socket, response) = running.open(request).unwrap();
    assert_eq!(response.headers()["sec-websocket-protocol"], "base64.binary.k8s.io");
    assert_eq!(event(&socket.read().unwrap())["type"], "ADDED");
}

#[test]
fn what_makes_no_watch_is_said_before_it_becomes_a_web_socket() {
    let running = Running::start();
    let with = |name: &'static str, value: &str| {
        let mut request = running.request("");
        request.headers_mut().insert(name, value.parse().unwrap());
        running.refusal(request)
    };
    assert_eq!(with("origin", "null"), (403, String::new()));
    assert_eq!(with("sec-websocket-protocol", "a, b"), (400, String::new()));
    assert_eq!(
        with("sec-websocket-version", "12"),
        (400, "missing or bad WebSocket Version".to_owned())
    );
    assert_eq!(with("accept", "application/yaml").0, 406);
    let (status, body) = running.refusal(running.request("resourceVersion=x"));
    assert_eq!(status, 500);
    assert!(body.contains("resourceVersion: Invalid value"), "{body}");
}

#[test]
fn a_server_that_stops_says_goodbye() {
    let mut running = Running::start();
    let (mut socket, _) = running.open(running.request("")).unwrap();
    assert_eq!(event(&socket.read().unwrap())["type"], "ADDED");
    running.server.signal(Signal::TERM);
    assert_eq!(closing_code(&mut socket), Some(CloseCode::Normal));
    let ended = running.server.wait(Duration::from_secs(5));
    assert_eq!(ended.unwrap().code(), Some(0));
}
