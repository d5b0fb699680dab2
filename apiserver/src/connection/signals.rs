//! Signals that stop the server.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::Shutdown;

/// Stops the server at SIGTERM or SIGINT: the first ends it gracefully, the second at once.
///
/// # Errors
///
/// That of the operating system.
pub fn shutdown_on_signal() -> io::Result<Shutdown> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let shutdown = Shutdown::default();
    let told = shutdown.clone();
    tokio::spawn(async move {
        received(&mut terminate, &mut interrupt).await;
        told.graceful.cancel();
        received(&mut terminate, &mut interrupt).await;
        told.immediate.cancel();
    });
    Ok(shutdown)
}

async fn received(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _one = terminate.recv() => {}
        _one = interrupt.recv() => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(signal: &str) {
        let process = std::process::id().to_string();
        let sent = std::process::Command::new("kill").args([signal, &process]).status();
        assert!(sent.unwrap().success());
    }

    #[tokio::test]
    async fn the_first_signal_is_graceful_and_the_second_is_not() {
        let shutdown = shutdown_on_signal().unwrap();
        assert!(!shutdown.graceful.is_cancelled());
        send("-TERM");
        shutdown.graceful.cancelled().await;
        assert!(!shutdown.immediate.is_cancelled());
        send("-INT");
        shutdown.immediate.cancelled().await;
    }
}
