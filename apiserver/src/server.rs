//! The composition root: the only place that builds everything.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use api::time::{Clock, SystemClock};
use storage::{Backend, Change, Key};
use tokio_util::sync::CancellationToken;
use validation::flowcontrol::{Context, Gates};

use crate::access::{Access, TokenKeys};
use crate::catalog::{Catalog, Served};
use crate::connection::{Authorities, Listener, Shutdown, Tls};
use crate::controllers;
use crate::dynamic::DynamicAdmission;
use crate::flow_control::FlowControl;
use crate::handlers::allocation::ServiceNetwork;
use crate::handlers::{Admission, QuotaLocks};
use crate::metrics::{About, Counting, Metrics, ValidationObserver};
use crate::nonresource::{AboutServer, Health, build_info};
use crate::object_counts::ObjectCounts;
use crate::options::Config;
use crate::pki::{self, Pki};
use crate::resources::Resources;
use crate::serve::Service;

const INSTALLATION_KEY: &str = "/registry/apiserver/installation";

/// Everything that answers requests.
pub struct Server {
    /// The kinds that are served, their objects and documents.
    pub catalog: Arc<Catalog>,
    /// Who senders are and what they may do.
    pub access: Access,
    /// What service accounts' tokens are signed with.
    pub keys: TokenKeys,
    /// What is looked at before it is stored.
    pub admission: Admission,
    /// Who else looks at it: webhooks and policies.
    pub dynamic: DynamicAdmission,
    /// Where services get their addresses and ports from.
    pub services: ServiceNetwork,
    /// Who may charge quotas.
    pub quota_locks: QuotaLocks,
    /// When they may do it.
    pub flow_control: FlowControl,
    /// How many objects there are.
    pub object_counts: Arc<ObjectCounts>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Which rules are enforced.
    pub gates: Gates,
    /// Who counts what is found out about the rules.
    pub rules_observer: ValidationObserver,
    /// How long a request may take.
    pub request_timeout: Duration,
    /// How long a watch lasts at the least.
    pub min_request_timeout: Duration,
    /// Whether it is well.
    pub health: Health,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
    backend: Arc<dyn Backend>,
}

impl Server {
    /// What is served now.
    #[must_use]
    pub fn served(&self) -> Arc<Served> {
        self.catalog.now()
    }

    /// How the store is.
    #[must_use]
    pub fn storage_status(&self) -> storage::Status {
        self.backend.status()
    }

    /// What decides about validation, and who is told about it.
    #[must_use]
    pub fn validation(&self) -> Context<'_> {
        Context { gates: self.gates, observer: &self.rules_observer }
    }

    /// Forgets what was overwritten or deleted, each interval, for ever.
    pub fn keep_compacting(&self, interval: Duration) -> impl Future<Output = ()> + Send + use<> {
        storage::compact_each(interval, &self.backend)
    }
}

/// A server that is ready to serve.
pub struct Ready {
    server: Arc<Server>,
    listener: Listener,
    shutdown: Shutdown,
    /// Where it can be reached.
    pub url: String,
}

/// Builds a server and starts everything but serving.
///
/// # Errors
///
/// One line for people.
pub async fn start(config: &Config, shutdown: Shutdown) -> Result<Ready, String> {
    let clock = SystemClock;
    let now = clock.timestamp().unix_seconds();
    // The tables of all kinds and the keys of all certificates take a while; disks, too.
    let runtime_config = config.runtime_config.clone();
    let resources = aside(move || Ok(Resources::built_in(&runtime_config)));
    let backend = open_storage(config).await?;
    let pki = {
        let config = config.clone();
        aside(move || {
            let hostname = pki::hostname();
            Pki::prepare(&config, hostname.as_deref(), now).map_err(|error| error.to_string())
        })
    };
    let (pki, resources, ()) = tokio::try_join!(pki, resources, note_installation(&backend, now))?;
    let listener = listen(config, &pki).await?;
    let address = listener.local_address().map_err(|error| error.to_string())?;
    let url = format!("https://{}", pki::reachable(address));

    let keys = TokenKeys::new(config, &pki)?;
    let about_server = AboutServer::new(&keys, &url, pki::reachable(address));
    let catalog = Catalog::open(&backend, resources, about_server).await;
    let catalog = Arc::new(catalog.map_err(|error| error.to_string())?);
    let object_counts = Arc::new(ObjectCounts::new(&catalog, config.count_objects_period));
    let counting = Counting::new();
    let flow_control = FlowControl::new(config, Arc::clone(&object_counts) as _, &counting, &clock);
    let (in_flight, controller) = (flow_control.in_flight(), flow_control.controller());
    let metrics =
        counting.into_metrics(about(config, now), Arc::clone(in_flight), controller.cloned());
    let server = Arc::new(Server {
        admission: config.admission.clone(),
        dynamic: DynamicAdmission::default(),
        services: ServiceNetwork::new(config.service_networks.clone(), config.service_node_ports),
        quota_locks: QuotaLocks::default(),
        access: Access::new(config, &keys, &catalog)?,
        catalog,
        flow_control,
        object_counts,
        rules_observer: metrics.validation_observer(),
        metrics: Arc::new(metrics),
        keys,
        clock: Arc::new(clock),
        gates: Gates {
            declarative_beta: config.feature_gates.enabled("DeclarativeValidationBeta"),
        },
        request_timeout: config.request_timeout,
        min_request_timeout: config.min_request_timeout,
        health: Health::new(config.priority_and_fairness),
        stop: shutdown.graceful.clone(),
        backend,
    });
    let known = controllers::Known {
        port: address.port(),
        client_authorities: &pki.client_authorities.text,
        root_certificate: &pki.server_authority,
    };
    controllers::start(&server, config, &known).await?;
    let token = server.keys.kubeconfig_token(config, &server.catalog.peek().stores, now)?;
    let kubeconfig = pki.kubeconfig(url.clone(), vec![(pki::SERVICE_ACCOUNT_CONTEXT, token)]);
    kubeconfig.write(&config.kubeconfig_out).map_err(|error| error.to_string())?;
    Ok(Ready { server, listener, shutdown, url })
}

impl Ready {
    /// Serves until the server is told to stop.
    pub async fn run(self) {
        self.listener.run(Service(self.server), self.shutdown).await;
    }
}

/// Begins something that would hold up everything else.
fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> impl Future<Output = Result<T, String>> {
    let begun = tokio::task::spawn_blocking(work);
    async { begun.await.map_err(|error| error.to_string())? }
}

/// What the server says about itself in its metrics.
fn about(config: &Config, now: i64) -> About {
    let gate = "ConstrainedImpersonation";
    About {
        start_seconds: now,
        build: build_info(),
        feature_gates: config.feature_gates.iter().collect(),
        impersonation: match config.feature_gates.enabled(gate) {
            true => "constrainedimpersonation",
            false => "impersonation",
        },
    }
}

async fn open_storage(config: &Config) -> Result<Arc<dyn Backend>, String> {
    let (kind, directory) = (config.storage_backend, config.data_dir.join("objects"));
    let options = storage::Options::default();
    aside(move || storage::open(kind, &directory, options).map_err(|error| error.to_string())).await
}

/// Notes in a new store when and by whom it was made. So that no state that clients can ask for
/// is empty: as on the reference, a watch from the very first revision is too old.
async fn note_installation(backend: &Arc<dyn Backend>, now: i64) -> Result<(), String> {
    let key = Key::new(INSTALLATION_KEY);
    if backend.status().keys > 0 {
        return Ok(());
    }
    let note = serde_json::json!({ "version": env!("CARGO_PKG_VERSION"), "unixSeconds": now });
    let value = note.to_string().into();
    backend.commit(Change::Create { key, value }).await.map_err(|error| error.to_string())?;
    Ok(())
}

async fn listen(config: &Config, pki: &Pki) -> Result<Listener, String> {
    let authorities = Authorities {
        clients: Some(&pki.client_authorities),
        front_proxies: pki.front_proxy_authorities.as_ref(),
    };
    let tls = Tls::try_new(&pki.certificate, &pki.key, authorities);
    let tls = tls.map_err(|error| error.to_string())?;
    let address = SocketAddr::new(config.bind_address, config.secure_port);
    Listener::bind(address, tls)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))
}
