//! Time limits, in virtual time: the clock jumps to whatever is awaited when nothing else is left.

use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::time::Instant;

use super::*;
use crate::connection::limits::{HANDSHAKE_MAX, HEAD_MAX, PING_INTERVAL, PING_TIMEOUT};
use crate::connection::serve::serve;

/// Serves one end of a pipe.
fn serve_pipe(made: &Made) -> (DuplexStream, Shutdown, JoinHandle<()>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (tls, shutdown) = (made.tls(), Shutdown::default());
    let told = shutdown.clone();
    let peer = SocketAddr::from(([192, 0, 2, 1], 1));
    let served = tokio::spawn(async move { serve(theirs, peer, &tls, Echo::new(), &told).await });
    (ours, shutdown, served)
}

/// What the connection took to end, in whole seconds.
async fn seconds(since: Instant, served: JoinHandle<()>) -> Duration {
    served.await.unwrap();
    Duration::from_secs(since.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn a_handshake_that_never_comes_is_given_up() {
    let made = make();
    let start = Instant::now();
    let (_stream, _shutdown, served) = serve_pipe(&made);
    assert_eq!(seconds(start, served).await, HANDSHAKE_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_asks_for_nothing_is_closed() {
    let made = make();
    for protocol in ["http/1.1", "h2"] {
        let start = Instant::now();
        let (stream, _shutdown, served) = serve_pipe(&made);
        let _stream = shake_hands(&made.connector(protocol, None), stream).await;
        assert_eq!(seconds(start, served).await, HEAD_MAX, "{protocol}");
    }
}

#[tokio::test(start_paused = true)]
async fn half_a_head_is_closed() {
    let made = make();
    let (stream, _shutdown, served) = serve_pipe(&made);
    let mut stream = shake_hands(&made.connector("http/1.1", None), stream).await;
    send_get(&mut stream, "/").await;
    read_until(&mut stream, "HTTP/1 anonymous").await;
    let start = Instant::now();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
    assert_eq!(seconds(start, served).await, HEAD_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_dead_http_2_connection_is_found_out() {
    let made = make();
    let (stream, _shutdown, served) = serve_pipe(&made);
    let stream = shake_hands(&made.connector("h2", None), stream).await;
    let (client, mut connection) = h2::client::handshake(stream).await.unwrap();
    let answered = async {
        let mut client = client.ready().await.unwrap();
        let (answered, _) = client.send_request(h2_get("/"), true).unwrap();
        read_body(answered).await;
        client
    };
    let _client = tokio::select! {
        client = answered => client,
        ended = &mut connection => panic!("{ended:?}"),
    };
    // From here on nobody drives the connection, so nobody answers pings; the pipe stays open.
    let start = Instant::now();
    assert_eq!(seconds(start, served).await, PING_INTERVAL + PING_TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn a_running_request_is_not_cut_off() {
    let made = make();
    let (stream, shutdown, served) = serve_pipe(&made);
    let mut stream = shake_hands(&made.connector("http/1.1", None), stream).await;
    send_get(&mut stream, "/wait").await;
    tokio::time::sleep(HEAD_MAX * 10).await;
    assert!(!served.is_finished());
    shutdown.immediate.cancel();
    served.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_ends_at_once_when_the_server_stops() {
    let made = make();
    for (protocol, begun) in [("http/1.1", true), ("http/1.1", false), ("h2", false)] {
        let (stream, shutdown, served) = serve_pipe(&made);
        let mut stream = shake_hands(&made.connector(protocol, None), stream).await;
        if begun {
            send_get(&mut stream, "/").await;
            read_until(&mut stream, "HTTP/1 anonymous").await;
        }
        let start = Instant::now();
        shutdown.graceful.cancel();
        assert_eq!(seconds(start, served).await, Duration::ZERO, "{protocol}");
    }
}
