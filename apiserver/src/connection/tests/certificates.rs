use super::*;

async fn seen(server: &Running, connector: &TlsConnector) -> String {
    let mut stream = shake_hands(connector, server.socket().await).await;
    send_get(&mut stream, "/").await;
    let text = read_until(&mut stream, "ed").await;
    text.rsplit(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_certificate_of_our_authority_is_verified() {
    let made = make();
    let server = Running::start(made.tls()).await;
    assert_eq!(seen(&server, &made.connector("http/1.1", Some(&made.client))).await, "verified");
}

#[tokio::test]
async fn other_certificates_are_seen_and_not_verified() {
    let (made, other) = (make(), make());
    let server = Running::start(made.tls()).await;
    for stranger in [&other.client, &other.server, &made.server] {
        let connector = made.connector("http/1.1", Some(stranger));
        assert_eq!(seen(&server, &connector).await, "unverified");
    }
}

#[tokio::test]
async fn without_client_authorities_no_certificate_is_verified() {
    let made = make();
    let tls = Tls::try_new(
        &file("server.crt", &made.server.certificate),
        &file("server.key", &made.server.key),
        Authorities::default(),
    );
    let server = Running::start(tls.unwrap()).await;
    assert_eq!(seen(&server, &made.connector("http/1.1", Some(&made.client))).await, "unverified");
}

#[tokio::test]
async fn certificates_of_front_proxies_have_an_authority_of_their_own() {
    let (made, proxies) = (make(), make());
    let tls = Tls::try_new(
        &file("server.crt", &made.server.certificate),
        &file("server.key", &made.server.key),
        Authorities {
            clients: Some(&file("ca.crt", &made.authority)),
            front_proxies: Some(&file("proxies.crt", &proxies.authority)),
        },
    );
    let server = Running::start(tls.unwrap()).await;
    for (pair, expected) in [(&made.client, "verified"), (&proxies.client, "proxied")] {
        assert_eq!(seen(&server, &made.connector("http/1.1", Some(pair))).await, expected);
    }
}

#[tokio::test]
async fn reloaded_certificates_serve_the_next_connection() {
    let (made, other) = (make(), make());
    let listener = Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)), made.tls()).await.unwrap();
    let reloader = listener.reloader();
    let server = Running::run(listener);
    let mut before = made.connect(&server, "http/1.1").await;
    reloader.replace(other.tls());
    assert_eq!(seen(&server, &other.connector("http/1.1", Some(&other.client))).await, "verified");
    send_get(&mut before, "/").await;
    assert!(read_until(&mut before, "anonymous").await.starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name() {
    let (made, other) = (make(), make());
    let certificate = file("server.crt", &made.server.certificate);
    let key = file("server.key", &made.server.key);
    let authority = file("ca.crt", &made.authority);
    let empty = file("empty", "");
    fn clients(file: &PemFile) -> Authorities<'_> {
        Authorities { clients: Some(file), front_proxies: None }
    }
    for (result, begins) in [
        (Tls::try_new(&empty, &key, clients(&authority)), "empty: holds no certificate"),
        (Tls::try_new(&certificate, &empty, clients(&authority)), "empty: holds no private key: "),
        (Tls::try_new(&certificate, &key, clients(&empty)), "empty: holds no certificate"),
        (
            Tls::try_new(
                &certificate,
                &file("other.key", &other.server.key),
                Authorities::default(),
            ),
            "server.crt: cannot serve with this certificate: ",
        ),
    ] {
        let error = result.err().unwrap().to_string();
        assert!(error.starts_with(begins) && error.lines().count() == 1, "{error}");
    }
}
