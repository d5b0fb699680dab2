//! Clients that do wrong: each gets an answer or a closed connection, and the server goes on.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::io::{BufReader, Write as _};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::http::{Connection, Response, Timeouts, read_response};
use e2e::server::{Backend, Launch, Server};
use tempfile::TempDir;

fn server_binary() -> PathBuf {
    binary::server().unwrap_or_else(|why| panic!("{why}"))
}

const FLOW_SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/// After this the server has to have answered or hung up.
const PATIENCE_SECONDS: u64 = 45;

/// A server that is checked again when the test has done its worst.
struct Victim {
    server: Server,
    _folder: TempDir,
}

impl Victim {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let launch = Launch::new(&server_binary(), folder.path(), Backend::Memory);
        let server = launch.start().unwrap_or_else(|why| panic!("{why}"));
        Self { server, _folder: folder }
    }

    fn connect(&self) -> Connection {
        let timeouts = Timeouts::of_seconds(PATIENCE_SECONDS);
        self.server.target().address.connect(timeouts).unwrap()
    }

    fn tcp(&self) -> TcpStream {
        self.server.target().address.tcp(Duration::from_secs(PATIENCE_SECONDS)).unwrap()
    }

    fn post(&self, text: impl Into<String>) -> Response {
        let call = Call::of("POST", FLOW_SCHEMAS)
            .with_header("Content-Type", "application/json")
            .with_body(Body::Text(text.into()));
        self.server.target().call(&call).unwrap()
    }

    /// Sends bytes over TLS and returns all that comes until the connection is closed.
    fn exchange(&self, bytes: &[u8]) -> Vec<u8> {
        let mut connection = self.connect();
        // The server may hang up before it has read all.
        let _sent = connection.write_all(bytes).and_then(|()| connection.flush());
        until_closed(connection)
    }

    fn still_answers(mut self) {
        let response = self.server.target().call(&Call::of("GET", FLOW_SCHEMAS)).unwrap();
        assert_eq!(response.head.status, 200);
        assert_eq!(self.server.wait(Duration::ZERO), None, "it has ended");
        let log = self.server.log_tail();
        assert!(!log.contains("panicked"), "{log}");
    }
}

/// Reads until the other side closes; fails where it never does.
fn until_closed(mut from: impl std::io::Read) -> Vec<u8> {
    let mut all = Vec::new();
    if let Err(why) = from.read_to_end(&mut all) {
        let waited =
            matches!(why.kind(), std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock);
        assert!(!waited, "neither answered nor closed after {PATIENCE_SECONDS} s");
    }
    all
}

fn code(response: &Response) -> u64 {
    let status: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!(status["kind"], "Status");
    status["code"].as_u64().unwrap()
}

#[test]
fn a_body_of_ten_megabytes_is_too_large() {
    let victim = Victim::start();
    let body = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "a".repeat(10 << 20));
    let response = victim.post(body);
    assert_eq!((response.head.status, code(&response)), (413, 413));
    victim.still_answers();
}

#[test]
fn json_that_is_cut_off_is_a_bad_request() {
    let victim = Victim::start();
    for text in [r#"{"metadata":{"name":"a"#, "{", "[", "\"", "{\"a\":", "nul", "\u{0}"] {
        let response = victim.post(text);
        assert_eq!((response.head.status, code(&response)), (400, 400), "{text:?}");
    }
    victim.still_answers();
}

#[test]
fn json_a_thousand_levels_deep_is_refused() {
    let victim = Victim::start();
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        for depth in [1_000, 100_000] {
            let inner = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            for text in
                [inner.clone(), format!(r#"{{"metadata":{{"name":"x","labels":{inner}}}}}"#)]
            {
                let status = victim.post(text).head.status;
                assert!((400..500).contains(&status), "{status} for {depth} levels");
            }
        }
    }
    let patch = format!("{}1{}", r#"{"a":"#.repeat(1_000), "}".repeat(1_000));
    let call = Call::of("PATCH", format!("{FLOW_SCHEMAS}/global-default"))
        .with_header("Content-Type", "application/merge-patch+json")
        .with_body(Body::Text(patch));
    let status = victim.server.target().call(&call).unwrap().head.status;
    assert!((400..500).contains(&status), "{status}");
    victim.still_answers();
}

#[test]
fn requests_that_are_none_are_answered_or_hung_up_on() {
    let victim = Victim::start();
    let long = "x".repeat(2 << 20);
    for text in [
        "\r\n\r\n\r\n".to_owned(),
        "nonsense\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n".to_owned(),
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_owned(),
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_owned(),
        "GET / HTTP/1.1\r\nno colon\r\n\r\n".to_owned(),
        format!("GET /{long} HTTP/1.1\r\nHost: a\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: a\r\nX: {long}\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(10_000)),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\ngarbage instead of frames".to_owned(),
    ] {
        let answer = victim.exchange(text.as_bytes());
        let shown = String::from_utf8_lossy(&answer[..answer.len().min(80)]).into_owned();
        let refused = answer.is_empty()
            || shown.starts_with("HTTP/1.1 4")
            || shown.starts_with("HTTP/1.1 5")
            || !shown.starts_with("HTTP");
        assert!(refused, "{:?} got {shown:?}", &text[..text.len().min(40)]);
    }
    victim.still_answers();
}

#[test]
fn headers_that_never_end_do_not_hold_a_connection_for_ever() {
    let victim = Victim::start();
    let mut slow: Vec<_> = (0..20).map(|_| victim.connect()).collect();
    for connection in &mut slow {
        connection.write_all(b"GET /readyz HTTP/1.1\r\nHost: a\r\nX-Slow: ").unwrap();
    }
    let response = victim.server.target().call(&Call::of("GET", FLOW_SCHEMAS)).unwrap();
    assert_eq!(response.head.status, 200, "slow clients keep others waiting");
    for connection in slow {
        let answer = until_closed(connection);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"));
    }
    victim.still_answers();
}

#[test]
fn a_client_that_has_said_all_still_gets_its_answer_or_is_hung_up_on() {
    let victim = Victim::start();
    let target = victim.server.target();
    let request = target.message(&Call::of("GET", FLOW_SCHEMAS)).unwrap();
    let mut connection = victim.connect();
    connection.write_all(&request.to_bytes(&target.address)).unwrap();
    connection.flush().unwrap();
    connection.socket().shutdown(Shutdown::Write).unwrap();
    let answer = until_closed(connection);
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 200"));
    victim.still_answers();
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_body_creates_nothing() {
    let victim = Victim::start();
    let target = victim.server.target();
    let body = r#"{"metadata":{"name":"half"},"spec":{"matchingPrecedence":900,"priorityLevelConfiguration":{"name":"exempt"}}}"#;
    let call = Call::of("POST", FLOW_SCHEMAS)
        .with_header("Content-Type", "application/json")
        .with_body(Body::Text(body.to_owned()));
    let bytes = target.message(&call).unwrap().to_bytes(&target.address);
    for sent in [bytes.len() - 1, bytes.len() - body.len(), 20] {
        let mut connection = victim.connect();
        connection.write_all(&bytes[..sent]).unwrap();
        connection.flush().unwrap();
        connection.socket().shutdown(Shutdown::Write).unwrap();
        let answer = until_closed(connection);
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"), "after {sent} bytes");
    }
    let get = Call::of("GET", format!("{FLOW_SCHEMAS}/half"));
    assert_eq!(target.call(&get).unwrap().head.status, 404);
    victim.still_answers();
}

#[test]
fn what_is_not_tls_is_hung_up_on() {
    let victim = Victim::start();
    for bytes in [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
        b"SSH-2.0-OpenSSH_9.0\r\n".to_vec(),
        vec![0; 4096],
        vec![0xff; 4096],
        vec![0x16, 0x03, 0x01, 0xff, 0xff, 0x01],
        (0..=255).cycle().take(100_000).collect(),
    ] {
        let mut socket = victim.tcp();
        // The server may hang up before it has read all.
        let _sent = socket.write_all(&bytes);
        let _shut = socket.shutdown(Shutdown::Write);
        let _answer = until_closed(socket);
    }
    victim.still_answers();
}

#[test]
fn connections_that_say_nothing_keep_nobody_waiting() {
    let victim = Victim::start();
    let _silent: Vec<_> = (0..200).map(|_| victim.tcp()).collect();
    victim.still_answers();
}

#[test]
fn a_connection_is_kept_for_the_next_request() {
    let victim = Victim::start();
    let target = victim.server.target();
    let bytes = target.message(&Call::of("GET", FLOW_SCHEMAS)).unwrap().to_bytes(&target.address);
    let mut connection = BufReader::new(victim.connect());
    for _ in 0..100 {
        connection.get_mut().write_all(&bytes).unwrap();
        connection.get_mut().flush().unwrap();
        assert_eq!(read_response(&mut connection, "GET").unwrap().head.status, 200);
    }
    victim.still_answers();
}
