//! The accept loop.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use rustls_pki_types::UnixTime;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::tls::Clients;
use super::{ClientCertificate, ConnectionInfo, DRAIN_STEP, limits};

/// What serves the requests of a connection.
pub trait Connection: Clone + Send + Sync + 'static {
    /// Answers one request.
    fn serve(
        &self,
        request: Request<Incoming>,
        connection: Arc<ConnectionInfo>,
    ) -> impl Future<Output = Response<Body>> + Send;
}

/// A bound socket and what it serves with.
pub struct Listener {
    socket: TcpListener,
    tls: Arc<ArcSwap<(Arc<ServerConfig>, Arc<Clients>)>>,
}

impl Listener {
    /// Binds an address.
    ///
    /// # Errors
    ///
    /// That of the operating system, such as a port that is taken.
    pub async fn bind(
        address: SocketAddr,
        (config, clients): (ServerConfig, Arc<Clients>),
    ) -> std::io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        let tls = Arc::new(ArcSwap::from_pointee((Arc::new(config), clients)));
        Ok(Self { socket, tls })
    }

    /// The bound address.
    ///
    /// # Errors
    ///
    /// That of the operating system.
    pub fn local_address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Accepts connections until told to stop; then lets them end, for a moment.
    pub async fn run(self, service: impl Connection, stop: CancellationToken) {
        let places = Arc::new(Semaphore::new(limits::CONNECTIONS_MAX));
        let connections = TaskTracker::new();
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
            let accepted = tokio::select! {
                accepted = self.socket.accept() => accepted,
                () = stop.cancelled() => break,
            };
            let (stream, peer) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, most likely: others will end.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(DRAIN_STEP).await;
                    continue;
                }
            };
            let tls = self.tls.load_full();
            let (service, stop) = (service.clone(), stop.clone());
            connections.spawn(async move {
                serve_connection(stream, peer, &tls, service, stop).await;
                drop(place);
            });
        }
        drop(self.socket);
        connections.close();
        // Whoever does not end in time is dropped with the runtime.
        drop(tokio::time::timeout(limits::DRAIN_MAX, connections.wait()).await);
    }
}

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: &(Arc<ServerConfig>, Arc<Clients>),
    service: impl Connection,
    stop: CancellationToken,
) {
    // Answers are small and written at once; waiting for more only delays them.
    drop(stream.set_nodelay(true));
    let acceptor = TlsAcceptor::from(Arc::clone(&tls.0));
    let Ok(Ok(stream)) = tokio::time::timeout(limits::HANDSHAKE_MAX, acceptor.accept(stream)).await
    else {
        return;
    };
    let certificate = stream.get_ref().1.peer_certificates().and_then(|chain| {
        let der = chain.first()?.clone().into_owned();
        Some(ClientCertificate { der, verified: tls.1.verify(chain, UnixTime::now()) })
    });
    let connection = Arc::new(ConnectionInfo::new(peer, certificate));
    let shared = Arc::clone(&connection);
    let answer = service_fn(move |request| {
        let (service, connection) = (service.clone(), Arc::clone(&shared));
        async move { Ok::<_, Infallible>(service.serve(request, connection).await) }
    });

    let builder = builder();
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), answer);
    tokio::pin!(serving);
    let mut ending = false;
    loop {
        tokio::select! {
            // How a connection ends is the client's business.
            _ended = &mut serving => break,
            () = stop.cancelled(), if !ending => {
                serving.as_mut().graceful_shutdown();
                ending = true;
            }
            () = wants_to_close(&connection), if !ending => {
                serving.as_mut().graceful_shutdown();
                ending = true;
            }
        }
    }
}

/// Waits until a request asked for the connection to end.
async fn wants_to_close(connection: &ConnectionInfo) {
    while !connection.is_to_close() {
        connection.closing.notified().await;
    }
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_MAX)
        .max_buf_size(limits::HEAD_BYTES_MAX)
        .title_case_headers(false);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits::STREAMS_MAX)
        .max_header_list_size(u32::try_from(limits::HEAD_BYTES_MAX).unwrap_or(u32::MAX))
        .keep_alive_interval(limits::PING_INTERVAL)
        .keep_alive_timeout(limits::PING_TIMEOUT);
    builder
}
