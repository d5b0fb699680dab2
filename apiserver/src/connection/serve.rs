//! One connection, from its handshake to its end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use http::header::{CONNECTION, HeaderValue};
use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::{ConnectionInfo, Shutdown, Tls, limits};

/// What serves the requests of a connection.
pub trait Connection: Clone + Send + Sync + 'static {
    /// Answers one request.
    fn serve(
        &self,
        request: Request<Incoming>,
        connection: Arc<ConnectionInfo>,
    ) -> impl Future<Output = Response<Body>> + Send;

    /// Hears of a TLS handshake that failed.
    fn handshake_failed(&self) {}
}

/// Serves a connection until it ends.
pub(super) async fn serve<IO>(
    stream: IO,
    peer: SocketAddr,
    tls: &Tls,
    service: impl Connection,
    shutdown: &Shutdown,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let handshake = tokio::time::timeout(limits::HANDSHAKE_MAX, tls.accept(stream));
    let stream = match shutdown.graceful.run_until_cancelled(handshake).await {
        Some(Ok(Ok(stream))) => stream,
        Some(Ok(Err(error))) => {
            service.handshake_failed();
            return tracing::debug!(%peer, %error, "TLS handshake failed");
        }
        Some(Err(_)) => {
            service.handshake_failed();
            return tracing::debug!(%peer, "TLS handshake took too long");
        }
        None => return,
    };
    let connection = Arc::new(ConnectionInfo::new(peer, tls.client_certificate(&stream)));
    let serving = async {
        requests(stream, Arc::clone(&connection), service, &shutdown.graceful).await;
        connection.go_on().await;
    };
    let _ended = shutdown.immediate.run_until_cancelled(serving).await;
}

async fn requests<IO>(
    stream: TlsStream<IO>,
    connection: Arc<ConnectionInfo>,
    service: impl Connection,
    stop: &CancellationToken,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let builder = builder(stream.get_ref().1.alpn_protocol());
    let (requested, shared) = (CancellationToken::new(), Arc::clone(&connection));
    let spoken = requested.clone();
    let service = service_fn(move |request| {
        requested.cancel();
        let (service, connection) = (service.clone(), Arc::clone(&shared));
        async move { Ok::<_, Infallible>(answer(&service, request, connection).await) }
    });
    let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let silence = silence(&spoken);
    tokio::pin!(silence);
    let mut ending = false;
    loop {
        let end = async {
            tokio::select! {
                () = stop.cancelled() => {}
                () = connection.closing.cancelled() => {}
            }
        };
        tokio::select! {
            // How a connection ends is the client's business.
            _ended = &mut serving => return,
            () = &mut silence => return,
            () = end, if !ending => {
                serving.as_mut().graceful_shutdown();
                ending = true;
            }
        }
    }
}

async fn answer(
    service: &impl Connection,
    request: Request<Incoming>,
    connection: Arc<ConnectionInfo>,
) -> Response<Body> {
    let is_http_2 = request.version() == Version::HTTP_2;
    let mut response = service.serve(request, Arc::clone(&connection)).await;
    if connection.closing.is_cancelled() && !is_http_2 {
        // hyper writes the answer before it hears that the connection is to end.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Ends when there was no request in time. hyper limits the wait for HTTP/1 requests, but neither
/// that for HTTP/2's preface nor that for its first request.
async fn silence(spoken: &CancellationToken) {
    if tokio::time::timeout(limits::HEAD_MAX, spoken.cancelled()).await.is_ok() {
        std::future::pending::<()>().await;
    }
}

/// Speaks what the handshake agreed upon, HTTP/1 if nothing; the first bytes are not asked, since
/// nothing limits how long they take.
fn builder(protocol: Option<&[u8]>) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_MAX)
        .max_buf_size(limits::HEAD_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits::STREAMS_MAX)
        .max_header_list_size(u32::try_from(limits::HEAD_BYTES_MAX).unwrap_or(u32::MAX))
        .keep_alive_interval(limits::PING_INTERVAL)
        .keep_alive_timeout(limits::PING_TIMEOUT);
    match protocol {
        Some(b"h2") => builder.http2_only(),
        _ => builder.http1_only(),
    }
}
