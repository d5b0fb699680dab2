//! Signals that stop the server.

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// A token that is cancelled by SIGTERM or SIGINT.
///
/// # Errors
///
/// That of the operating system.
pub fn stop_on_signal() -> std::io::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        tokio::select! {
            _received = terminate.recv() => {}
            _received = interrupt.recv() => {}
        }
        stopping.cancel();
    });
    Ok(stop)
}
