//! What the flags mean, once all of them were checked.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ArgMatches;

use super::feature_gates::{FeatureGates, parse_bool};
use super::{duration, flags};

/// How the server is to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// Where objects are stored.
    pub storage_backend: StorageBackend,
    /// How long old revisions stay readable.
    pub compaction_interval: Duration,
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
    pub runtime_config: Vec<(String, bool)>,
    /// The chance that a request ends its HTTP/2 connection.
    pub goaway_chance: f64,
    /// Whether paths below `/debug` are served.
    pub profiling: bool,
    /// Whether requests without credentials are taken.
    pub anonymous_auth: bool,
    /// The certificates that sign client certificates, instead of the made one.
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
    /// Where to write the kubeconfig.
    pub kubeconfig_out: PathBuf,
    /// How much to log.
    pub verbosity: u8,
    /// Flags that were given and do nothing.
    pub without_effect: Vec<&'static str>,
}

/// Where objects are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageBackend {
    /// On disk.
    Sled,
    /// In memory, gone at exit.
    Memory,
}

/// Who decides what a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthorizationMode {
    /// Everybody may do everything.
    AlwaysAllow,
    /// Nobody may do anything.
    AlwaysDeny,
    /// Roles and bindings.
    Rbac,
    /// Accepted; has no opinion, since there are no kubelets.
    Node,
}

/// Reads flags and collects what is wrong with them.
struct Reader<'a> {
    matches: &'a ArgMatches,
    errors: Vec<String>,
}

impl Config {
    /// Reads the flags.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, a line each.
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, Vec<String>> {
        let mut reader = Reader { matches, errors: Vec::new() };
        let config = reader.config();
        if reader.errors.is_empty() { Ok(config) } else { Err(reader.errors) }
    }

    /// How many seats there are in all.
    #[must_use]
    pub fn server_concurrency(&self) -> u32 {
        self.max_requests_inflight + self.max_mutating_requests_inflight
    }
}

impl Reader<'_> {
    fn config(&mut self) -> Config {
        let data_dir = PathBuf::from(self.text("data-dir"));
        let cert_dir = self.path("cert-dir").unwrap_or_else(|| data_dir.join("pki"));
        let kubeconfig_out =
            self.path("kubeconfig-out").unwrap_or_else(|| data_dir.join("kubeconfig"));
        let mut service_account_issuers = self.list("service-account-issuer");
        if service_account_issuers.is_empty() {
            service_account_issuers.push("https://kubernetes.default.svc".to_owned());
        }
        let mut api_audiences = self.list("api-audiences");
        if api_audiences.is_empty() {
            api_audiences.push(service_account_issuers[0].clone());
        }
        let config = Config {
            storage_backend: self.storage_backend(),
            compaction_interval: self.duration("etcd-compaction-interval"),
            bind_address: self.address("bind-address").unwrap_or(IpAddr::from([127, 0, 0, 1])),
            secure_port: self.number("secure-port"),
            tls: self.tls(),
            advertise_address: self.address("advertise-address"),
            external_hostname: self.optional("external-hostname"),
            service_address: self.service_address(),
            request_timeout: self.duration("request-timeout"),
            min_request_timeout: Duration::from_secs(self.number("min-request-timeout")),
            max_requests_inflight: self.inflight("max-requests-inflight"),
            max_mutating_requests_inflight: self.inflight("max-mutating-requests-inflight"),
            priority_and_fairness: self.flag("enable-priority-and-fairness"),
            feature_gates: self.feature_gates(),
            runtime_config: self.runtime_config(),
            goaway_chance: self.goaway_chance(),
            profiling: self.flag("profiling"),
            anonymous_auth: self.flag("anonymous-auth"),
            client_ca_file: self.path("client-ca-file"),
            token_auth_file: self.path("token-auth-file"),
            service_account_key_files: self.paths("service-account-key-file"),
            service_account_signing_key_file: self.path("service-account-signing-key-file"),
            service_account_issuers,
            api_audiences,
            authorization_modes: self.authorization_modes(),
            verbosity: self.number("v"),
            without_effect: self.without_effect(),
            data_dir,
            cert_dir,
            kubeconfig_out,
        };
        if config.priority_and_fairness && config.server_concurrency() == 0 {
            self.errors.push(
                "invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; \
                 they must add up to something positive"
                    .to_owned(),
            );
        }
        config
    }

    fn values(&self, name: &str) -> Vec<&str> {
        self.matches.get_many::<String>(name).into_iter().flatten().map(String::as_str).collect()
    }

    fn text(&self, name: &str) -> String {
        self.values(name).last().map_or_else(|| flags::default(name), |value| *value).to_owned()
    }

    fn optional(&self, name: &str) -> Option<String> {
        Some(self.text(name)).filter(|text| !text.is_empty())
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.optional(name).map(PathBuf::from)
    }

    fn list(&self, name: &str) -> Vec<String> {
        let given = self.values(name);
        let given = if given.is_empty() { vec![flags::default(name)] } else { given };
        let items = given.into_iter().flat_map(|value| value.split(',')).map(str::trim);
        items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.list(name).into_iter().map(PathBuf::from).collect()
    }

    fn wrong(&mut self, name: &str, value: &str, why: &str) {
        self.errors.push(format!("invalid argument \"{value}\" for \"--{name}\" flag: {why}"));
    }

    fn flag(&mut self, name: &str) -> bool {
        let text = self.text(name);
        parse_bool(&text).unwrap_or_else(|why| {
            self.wrong(name, &text, &why);
            false
        })
    }

    fn number<N: std::str::FromStr + Default>(&mut self, name: &str) -> N {
        let text = self.text(name);
        text.parse().unwrap_or_else(|_| {
            self.wrong(name, &text, "not a number in its range");
            N::default()
        })
    }

    fn inflight(&mut self, name: &str) -> u32 {
        if self.text(name).starts_with('-') {
            self.errors.push(format!("--{name} can not be negative value"));
            return 0;
        }
        self.number(name)
    }

    fn duration(&mut self, name: &str) -> Duration {
        let text = self.text(name);
        match duration::parse(&text) {
            Ok(parsed) if parsed.negative => {
                self.errors.push(format!("--{name} can not be negative value"));
                Duration::ZERO
            }
            Ok(parsed) => parsed.length,
            Err(why) => {
                self.wrong(name, &text, &why);
                Duration::ZERO
            }
        }
    }

    fn address(&mut self, name: &str) -> Option<IpAddr> {
        let text = self.optional(name)?;
        match text.parse() {
            Ok(address) => Some(address),
            Err(_) => {
                self.wrong(name, &text, &format!("failed to parse IP: \"{text}\""));
                None
            }
        }
    }

    fn service_address(&mut self) -> Option<IpAddr> {
        let text = self.text("service-cluster-ip-range");
        let first = text.split(',').next().unwrap_or_default();
        let Some(network) = first.split('/').next().and_then(|ip| ip.parse::<IpAddr>().ok()) else {
            self.wrong("service-cluster-ip-range", &text, "not a range such as 10.0.0.0/24");
            return None;
        };
        Some(match network {
            IpAddr::V4(ip) => IpAddr::from((u32::from(ip).saturating_add(1)).to_be_bytes()),
            IpAddr::V6(ip) => IpAddr::from((u128::from(ip).saturating_add(1)).to_be_bytes()),
        })
    }

    fn tls(&mut self) -> Option<(PathBuf, PathBuf)> {
        match (self.path("tls-cert-file"), self.path("tls-private-key-file")) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => {
                let why = "--tls-cert-file and --tls-private-key-file go together";
                self.errors.push(why.to_owned());
                None
            }
        }
    }

    fn storage_backend(&mut self) -> StorageBackend {
        match self.text("storage-backend").as_str() {
            "sled" | "etcd3" => StorageBackend::Sled,
            "memory" => StorageBackend::Memory,
            other => {
                self.wrong("storage-backend", other, "must be sled or memory");
                StorageBackend::Memory
            }
        }
    }

    fn feature_gates(&mut self) -> FeatureGates {
        let parsed = FeatureGates::parse(self.values("feature-gates"));
        parsed.unwrap_or_else(|why| {
            self.errors.push(why);
            FeatureGates::default()
        })
    }

    fn runtime_config(&mut self) -> Vec<(String, bool)> {
        let mut set = Vec::new();
        for item in self.list("runtime-config") {
            let (name, value) = item.split_once('=').unwrap_or((&item, "true"));
            match parse_bool(value) {
                Ok(value) => set.push((name.to_owned(), value)),
                Err(why) => self.wrong("runtime-config", &item, &why),
            }
        }
        set
    }

    fn goaway_chance(&mut self) -> f64 {
        let chance: f64 = self.number("goaway-chance");
        if !(0.0..=0.02).contains(&chance) {
            let why = "--goaway-chance can not be less than 0 or greater than 0.02";
            self.errors.push(why.to_owned());
        }
        chance
    }

    fn authorization_modes(&mut self) -> Vec<AuthorizationMode> {
        let mut modes = Vec::new();
        for mode in self.list("authorization-mode") {
            modes.push(match mode.as_str() {
                "AlwaysAllow" => AuthorizationMode::AlwaysAllow,
                "AlwaysDeny" => AuthorizationMode::AlwaysDeny,
                "RBAC" => AuthorizationMode::Rbac,
                "Node" => AuthorizationMode::Node,
                other => {
                    let why = format!("authorization-mode \"{other}\" is not a valid mode");
                    self.errors.push(why);
                    continue;
                }
            });
        }
        modes
    }

    fn without_effect(&self) -> Vec<&'static str> {
        flags::without_effect().filter(|name| !self.values(name).is_empty()).collect()
    }
}
