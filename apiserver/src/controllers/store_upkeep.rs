//! Forgets old revisions.

use std::sync::Arc;
use std::time::Duration;

use crate::server::Server;

/// Compacts the store up to where it was one interval ago.
pub(super) fn start(server: &Arc<Server>, interval: Duration) {
    if interval.is_zero() {
        return;
    }
    let server = Arc::clone(server);
    tokio::spawn(async move {
        let mut before = server.storage_status().revision;
        loop {
            tokio::select! {
                () = tokio::time::sleep(interval) => {}
                () = server.stop.cancelled() => break,
            }
            let now = server.storage_status().revision;
            if let Err(error) = server.compact(before).await {
                tracing::error!(%error, "old revisions could not be removed");
            }
            before = now;
        }
    });
}
