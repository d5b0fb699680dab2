use std::time::Duration;

use super::*;
use crate::connection::limits::DRAIN_MAX;

#[tokio::test]
async fn a_stopped_server_ends_idle_connections_and_closes_its_port() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let _silent = server.socket().await;
    let mut idle = made.connect(&server, "http/1.1").await;
    send_get(&mut idle, "/").await;
    read_until(&mut idle, "HTTP/1 anonymous").await;
    server.shutdown.graceful.cancel();
    server.ended.await.unwrap();
    assert_eq!(read_to_end(&mut idle).await, "");
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn a_busy_connection_gets_a_moment_and_no_more() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let mut busy = made.connect(&server, "http/1.1").await;
    send_get(&mut busy, "/wait").await;
    server.is_waiting().await;
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    server.shutdown.graceful.cancel();
    server.ended.await.unwrap();
    let took = start.elapsed();
    assert!(took >= DRAIN_MAX && took < DRAIN_MAX + Duration::from_millis(10), "{took:?}");
    tokio::time::resume();
    assert_eq!(read_to_end(&mut busy).await, "");
}

#[tokio::test]
async fn a_server_that_is_told_twice_waits_for_nobody() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let mut busy = made.connect(&server, "http/1.1").await;
    send_get(&mut busy, "/wait").await;
    server.is_waiting().await;
    tokio::time::pause();
    let start = tokio::time::Instant::now();
    server.shutdown.graceful.cancel();
    server.shutdown.immediate.cancel();
    server.ended.await.unwrap();
    assert!(start.elapsed() < DRAIN_MAX);
}

#[tokio::test]
async fn a_full_server_still_stops_and_takes_the_next_when_one_leaves() {
    let made = make();
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)), made.tls()).await.unwrap();
    let server = Running::run(listener.with_connections_max(1));
    let first = made.connect(&server, "http/1.1").await;
    let connector = made.connector("http/1.1", None);
    let second = tokio::spawn({
        let socket = server.socket().await;
        async move { shake_hands(&connector, socket).await }
    });
    tokio::task::yield_now().await;
    assert!(!second.is_finished());
    drop(first);
    let _second = second.await.unwrap();
    server.shutdown.graceful.cancel();
    server.ended.await.unwrap();
}
