//! The accept loop.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::serve::{Connection, serve};
use super::{Shutdown, Tls, limits, plain_http};

/// A bound socket and what it serves with.
pub struct Listener {
    socket: TcpListener,
    tls: Arc<ArcSwap<Tls>>,
    pub(super) places: Arc<Semaphore>,
}

/// Changes what a [`Listener`] serves with.
#[derive(Clone)]
pub struct Reloader(Arc<ArcSwap<Tls>>);

impl Reloader {
    /// Serves connections that are accepted from now on with other certificates.
    pub fn replace(&self, tls: Tls) {
        self.0.store(Arc::new(tls));
    }
}

impl Listener {
    /// Binds an address.
    ///
    /// # Errors
    ///
    /// That of the operating system, such as a port that is taken.
    pub async fn bind(address: SocketAddr, tls: Tls) -> io::Result<Self> {
        Ok(Self {
            socket: TcpListener::bind(address).await?,
            tls: Arc::new(ArcSwap::from_pointee(tls)),
            places: Arc::new(Semaphore::new(limits::CONNECTIONS_MAX)),
        })
    }

    /// The bound address.
    ///
    /// # Errors
    ///
    /// That of the operating system.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// What changes the certificates while the server runs.
    #[must_use]
    pub fn reloader(&self) -> Reloader {
        Reloader(Arc::clone(&self.tls))
    }

    /// Serves at most so many connections at a time, instead of [`limits::CONNECTIONS_MAX`].
    #[cfg(test)]
    pub(super) fn with_connections_max(mut self, connections_max: usize) -> Self {
        self.places = Arc::new(Semaphore::new(connections_max));
        self
    }

    /// Accepts connections until told to stop; then lets them end, for a moment.
    pub async fn run(self, service: impl Connection, shutdown: Shutdown) {
        let connections = TaskTracker::new();
        while let Some(accepted) = shutdown.graceful.run_until_cancelled(self.accept()).await {
            let (mut stream, peer, place) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(limits::ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let (tls, service, shutdown) =
                (self.tls.load_full(), service.clone(), shutdown.clone());
            connections.spawn(async move {
                let answered = plain_http::answered(&mut stream);
                if shutdown.graceful.run_until_cancelled(answered).await == Some(false) {
                    serve(stream, peer, &tls, service, &shutdown).await;
                }
                drop(place);
            });
        }
        drop(self.socket);
        connections.close();
        drain(&connections, &shutdown).await;
    }

    /// The next connection, once there is a place for it.
    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = self.socket.accept().await?;
        // Answers are small and written at once; waiting for more only delays them.
        stream.set_nodelay(true)?;
        Ok((stream, peer, place))
    }
}

/// Waits for connections to end, and ends those that do not.
async fn drain(connections: &TaskTracker, shutdown: &Shutdown) {
    let ended = tokio::time::timeout(limits::DRAIN_MAX, connections.wait());
    if !matches!(shutdown.immediate.run_until_cancelled(ended).await, Some(Ok(()))) {
        tracing::info!(connections = connections.len(), "ending connections that are still busy");
        shutdown.immediate.cancel();
        connections.wait().await;
    }
}
