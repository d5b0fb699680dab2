//! What the server does by itself.

mod config_consumer;
mod config_producer;
mod config_view;
mod definitions;
mod dynamic_admission;
mod follow;
mod furnish;
mod garbage;
mod namespaces;
mod node_graph;
mod policy;
mod quota;
mod role_aggregation;
mod storage_protection;
mod system_objects;
mod watched;
mod writer;

use std::sync::Arc;

use crate::options::{Config, Controller};
use crate::server::Server;

/// Starts everything; returns once the objects are there that every server has.
///
/// # Errors
///
/// One line about what keeps the server from being ready.
pub(crate) async fn start(
    server: &Arc<Server>,
    config: &Config,
    known: &Known<'_>,
) -> Result<(), String> {
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
        system_objects::start(server, config, known),
        policy::start(server),
    )?;
    definitions::start(server).await?;
    dynamic_admission::start(server)?;
    start_switchable(server, config, known).await?;
    node_graph::start(server);
    if let Some(reload) = server.access.reload.clone() {
        let issuers = Arc::clone(&server.access.issuers);
        until_stopped(server, async move { issuers.keep_reloading(reload).await });
    }
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

/// What is known only once the server listens.
pub(crate) struct Known<'a> {
    /// The port it listens on.
    pub(crate) port: u16,
    /// Who signs client certificates, in PEM.
    pub(crate) client_authorities: &'a str,
    /// What clients have to trust, in PEM.
    pub(crate) root_certificate: &'a str,
}

/// Those that `--controllers` names.
async fn start_switchable(
    server: &Arc<Server>,
    config: &Config,
    known: &Known<'_>,
) -> Result<(), String> {
    let runs = |controller| config.controllers.has(controller);
    if runs(Controller::Namespace) {
        namespaces::start(server)?;
    }
    if runs(Controller::ServiceAccount) {
        furnish::keep_service_accounts(server)?;
    }
    if runs(Controller::RootCertificate) {
        furnish::publish_root_certificate(server, known.root_certificate)?;
    }
    if runs(Controller::RoleAggregation) {
        role_aggregation::start(server).await?;
    }
    if runs(Controller::GarbageCollector) {
        garbage::start(server);
    }
    if runs(Controller::ResourceQuota) {
        quota::start(server)?;
    }
    if runs(Controller::ClaimProtection) {
        storage_protection::release_claims(server)?;
    }
    if runs(Controller::VolumeProtection) {
        storage_protection::release_volumes(server)?;
    }
    Ok(())
}

/// Does something until the server stops.
fn until_stopped(server: &Server, work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(server.stop.clone().run_until_cancelled_owned(work));
}
