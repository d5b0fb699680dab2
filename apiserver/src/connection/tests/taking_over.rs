//! Connections that go on with another protocol than HTTP.

use super::*;
use crate::connection::limits::DRAIN_MAX;

/// Asks for the upgrade, takes the answer, and is heard.
async fn take_over(server: &Running, stream: &mut TlsStream<TcpStream>) {
    let request = "GET /upgrade HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\n\
                   Upgrade: x\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = read_until(stream, "\r\n\r\n!").await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    stream.write_all(b"?").await.unwrap();
    server.is_waiting().await;
}

#[tokio::test]
async fn a_connection_that_was_taken_over_keeps_its_place() {
    let made = make();
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)), made.tls()).await.unwrap();
    let places = Arc::clone(&listener.places);
    let server = Running::run(listener);
    let mut first = made.connect(&server, "http/1.1").await;
    let taken = places.available_permits();
    take_over(&server, &mut first).await;
    assert_eq!(places.available_permits(), taken);
}

#[tokio::test]
async fn a_connection_that_was_taken_over_ends_with_the_server() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let mut stream = made.connect(&server, "http/1.1").await;
    take_over(&server, &mut stream).await;
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    server.shutdown.graceful.cancel();
    server.ended.await.unwrap();
    assert!(start.elapsed() >= DRAIN_MAX);
    tokio::time::resume();
    assert_eq!(read_to_end(&mut stream).await, "");
}
