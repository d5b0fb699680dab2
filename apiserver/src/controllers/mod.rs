//! What the server does by itself.

mod config_consumer;
mod config_producer;
mod config_view;
mod definitions;
mod namespaces;
mod policy;
mod system_objects;
mod writer;

use std::sync::Arc;

use crate::options::Config;
use crate::server::Server;

/// Starts everything; returns once the objects are there that every server has.
///
/// # Errors
///
/// One line about what keeps the server from being ready.
pub(crate) async fn start(server: &Arc<Server>, config: &Config, port: u16) -> Result<(), String> {
    let counted = Arc::clone(server);
    until_stopped(server, async move {
        counted.object_counts.keep_counting(&counted.metrics).await;
    });
    let noted = Arc::clone(server);
    until_stopped(server, async move {
        noted.flow_control.keep_noting_watermarks(&noted.metrics).await;
    });
    // What is written together is made to last together.
    tokio::try_join!(
        config_producer::start(server),
        system_objects::start(server, config, port),
        policy::start(server),
    )?;
    definitions::start(server).await?;
    namespaces::start(server)?;
    if config.priority_and_fairness {
        config_consumer::start(server).await?;
        let adjusted = Arc::clone(server);
        until_stopped(server, async move { adjusted.flow_control.keep_adjusting().await });
    } else {
        server.health.set_consumer_synced();
    }
    if !config.compaction_interval.is_zero() {
        until_stopped(server, server.keep_compacting(config.compaction_interval));
    }
    Ok(())
}

/// Does something until the server stops.
fn until_stopped(server: &Server, work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(server.stop.clone().run_until_cancelled_owned(work));
}
