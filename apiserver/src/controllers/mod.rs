//! What the server does by itself.

mod config_consumer;
mod config_producer;
mod store_upkeep;
mod writer;

use std::sync::Arc;

use crate::options::Config;
use crate::server::Server;

/// Starts everything; returns once the objects are there that every server has.
///
/// # Errors
///
/// One line about what keeps the server from being ready.
pub(crate) async fn start(server: &Arc<Server>, config: &Config) -> Result<(), String> {
    config_producer::start(server).await?;
    if config.priority_and_fairness {
        config_consumer::start(server).await?;
        keep_adjusting(server);
    } else {
        server.health.set_consumer_synced();
    }
    store_upkeep::start(server, config.compaction_interval);
    Ok(())
}

/// Lends and borrows seats between levels until the server stops.
fn keep_adjusting(server: &Arc<Server>) {
    let server = Arc::clone(server);
    tokio::spawn(async move {
        tokio::select! {
            () = server.flow_control.keep_adjusting() => {}
            () = server.stop.cancelled() => {}
        }
    });
}
