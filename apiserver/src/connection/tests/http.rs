use super::*;

#[tokio::test]
async fn http_1_requests_are_answered_one_after_the_other() {
    let made = make();
    let server = Running::start(made.tls()).await;
    for protocol in ["http/1.1", ""] {
        let mut stream = made.connect(&server, protocol).await;
        for _ in 0..2 {
            send_get(&mut stream, "/").await;
            let answer = read_until(&mut stream, "HTTP/1 anonymous").await;
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
            assert!(answer.contains("\r\ndate: ") && !answer.contains("\r\nserver: "), "{answer}");
        }
    }
}

#[tokio::test]
async fn http_2_requests_share_a_connection() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let stream = made.connect(&server, "h2").await;
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    let driver = tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let (waiting, _) = client.send_request(h2_get("/wait"), true).unwrap();
    let (answered, _) = client.send_request(h2_get("/"), true).unwrap();
    assert_eq!(read_body(answered).await, "HTTP/2 anonymous");
    assert_eq!(client.current_max_send_streams(), 250);
    drop(waiting);
    driver.abort();
}

#[tokio::test]
async fn a_request_may_end_its_connection() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let mut stream = made.connect(&server, "http/1.1").await;
    send_get(&mut stream, "/close").await;
    let answer = read_to_end(&mut stream).await;
    assert!(answer.contains("\r\nconnection: close\r\n"), "{answer}");
    assert!(answer.ends_with("HTTP/1 anonymous"), "{answer}");

    let stream = made.connect(&server, "h2").await;
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    let driver = tokio::spawn(connection);
    let mut client = client.ready().await.unwrap();
    let (answered, _) = client.send_request(h2_get("/close"), true).unwrap();
    assert_eq!(read_body(answered).await, "HTTP/2 anonymous");
    // GOAWAY without an error: the connection ends although the client would go on.
    driver.await.unwrap().unwrap();
}

#[tokio::test]
async fn plain_http_is_told_to_use_https() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let mut stream = server.socket().await;
    send_get(&mut stream, "/").await;
    assert_eq!(
        read_to_end(&mut stream).await,
        "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
    );
}

#[tokio::test]
async fn garbage_closes_the_connection_and_nothing_else() {
    let made = make();
    let server = Running::start(made.tls()).await;
    for garbage in [&b"\x00\x01\x02\x03\x04\x05\x06\x07"[..], b"SSH-2.0-client\r\n", &[22, 3, 1]] {
        let mut stream = server.socket().await;
        stream.write_all(garbage).await.unwrap();
        stream.shutdown().await.unwrap();
        read_to_end(&mut stream).await;
    }
    let mut stream = made.connect(&server, "http/1.1").await;
    stream.write_all(b"\x00\x01 garbage inside TLS\r\n\r\n").await.unwrap();
    assert!(read_to_end(&mut stream).await.starts_with("HTTP/1.1 400 Bad Request\r\n"));
    let mut stream = made.connect(&server, "http/1.1").await;
    send_get(&mut stream, "/").await;
    read_until(&mut stream, "HTTP/1 anonymous").await;
}

#[tokio::test]
async fn a_head_that_is_too_long_is_refused() {
    let made = make();
    let server = Running::start(made.tls()).await;
    let (mut reader, mut writer) = tokio::io::split(made.connect(&server, "http/1.1").await);
    let head = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(300 * 1024));
    // The server may close before it has read all of it.
    let sent = tokio::spawn(async move { drop(writer.write_all(head.as_bytes()).await) });
    let answer = read_to_end(&mut reader).await;
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    sent.await.unwrap();
}
