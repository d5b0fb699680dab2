//! What the flags mean, once all of them were checked.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use auth::authorize::AuthorizationMode;
use kinds::services::{Network, NodePorts};
use storage::BackendKind;

use crate::handlers::Admission;

use super::{Controllers, FeatureGates, FrontProxyFlags, IssuerFlags, RuntimeConfig};

/// How the server is to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// Where objects are stored.
    pub storage_backend: BackendKind,
    /// How long old revisions stay readable.
    pub compaction_interval: Duration,
    /// How often stored objects are counted; never, if it is zero.
    pub count_objects_period: Duration,
    /// The address to listen on.
    pub bind_address: IpAddr,
    /// The port to listen on; 0 takes any free one.
    pub secure_port: u16,
    /// Where made certificates and keys are kept.
    pub cert_dir: PathBuf,
    /// Certificate and key to serve with, instead of made ones.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The address that discovery tells clients.
    pub advertise_address: Option<IpAddr>,
    /// A host name that the made certificate is valid for.
    pub external_hostname: Option<String>,
    /// The first address of services, which is the server's own.
    pub service_address: Option<IpAddr>,
    /// The networks that services have addresses of; the first is the usual one.
    pub service_networks: Vec<Network>,
    /// The ports of nodes that services can have.
    pub service_node_ports: NodePorts,
    /// How long a request may take.
    pub request_timeout: Duration,
    /// How long a watch lasts at the least.
    pub min_request_timeout: Duration,
    /// Seats for requests.
    pub max_requests_inflight: u32,
    /// Seats for requests that write.
    pub max_mutating_requests_inflight: u32,
    /// Whether API Priority and Fairness is on.
    pub priority_and_fairness: bool,
    /// Feature gates.
    pub feature_gates: FeatureGates,
    /// API versions to serve or not.
    pub runtime_config: RuntimeConfig,
    /// The chance that a request ends its HTTP/2 connection.
    pub goaway_chance: f64,
    /// Whether paths below `/debug` are served.
    pub profiling: bool,
    /// Whether requests without credentials are taken.
    pub anonymous_auth: bool,
    /// Whether a flag says so.
    pub anonymous_auth_given: bool,
    /// Where issuers of tokens come from.
    pub issuers: IssuerFlags,
    /// Files with the keys of issuers.
    pub issuer_key_files: Vec<(String, PathBuf)>,
    /// Proxies that name users in headers.
    pub front_proxy: Option<FrontProxyFlags>,
    /// Certificates that sign client certificates, besides the made one.
    pub client_ca_file: Option<PathBuf>,
    /// A file of bearer tokens.
    pub token_auth_file: Option<PathBuf>,
    /// Keys that service account tokens are checked with.
    pub service_account_key_files: Vec<PathBuf>,
    /// The key that service account tokens are signed with, instead of a made one.
    pub service_account_signing_key_file: Option<PathBuf>,
    /// The issuers of service account tokens; the first signs.
    pub service_account_issuers: Vec<String>,
    /// The audiences of tokens.
    pub api_audiences: Vec<String>,
    /// Who decides what a user may do, in order.
    pub authorization_modes: Vec<AuthorizationMode>,
    /// What is looked at before it is stored.
    pub admission: Admission,
    /// What the server does by itself.
    pub controllers: Controllers,
    /// Whether kubelets write about their own node only: the admission plugin NodeRestriction.
    pub restricts_nodes: bool,
    /// A file with the modes, instead.
    pub authorization_config: Option<PathBuf>,
    /// Where to write the kubeconfig.
    pub kubeconfig_out: PathBuf,
    /// Whether the server ends when the process that started it does.
    pub ends_with_parent: bool,
    /// How much to log.
    pub verbosity: u8,
    /// Flags that were given and do nothing.
    pub without_effect: Vec<&'static str>,
}

impl Config {
    /// How many seats there are in all.
    #[must_use]
    pub fn server_concurrency(&self) -> u32 {
        self.max_requests_inflight.saturating_add(self.max_mutating_requests_inflight)
    }
}
