//! From flags to what they mean.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use auth::authorize::AuthorizationMode;
use clap::ArgMatches;
use kinds::admission::TolerationSeconds;
use kinds::services::{Network, NodePorts, RangeError};
use storage::BackendKind;
use validation::text::go_quote;

use super::reader::Reader;
use super::{AdmissionPlugins, Config, Controllers, FeatureGates, RuntimeConfig, identity_flags};
use crate::envtest::Persona;
use crate::handlers::Admission;

/// The issuer of service account tokens if no flag names one.
const ISSUER: &str = "https://kubernetes.default.svc";

/// The most that `--goaway-chance` may be.
const GOAWAY_CHANCE_MAX: f64 = 0.02;

/// Reads the flags.
///
/// # Errors
///
/// Everything that is wrong, a line each.
pub(super) fn interpret(matches: &ArgMatches, persona: Persona) -> Result<Config, Vec<String>> {
    let mut reader = Reader::new(matches, persona);
    let config = config(&mut reader);
    if config.priority_and_fairness && config.server_concurrency() == 0 && reader.errors.is_empty()
    {
        reader.refuse(
            "invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; \
             they must add up to something positive",
        );
    }
    if reader.errors.is_empty() { Ok(config) } else { Err(reader.errors) }
}

fn config(reader: &mut Reader<'_>) -> Config {
    let data_dir = data_dir(reader);
    let issuers = or(reader.array("service-account-issuer"), ISSUER);
    let audiences = reader.list("api-audiences").into_iter().map(str::to_owned).collect();
    let modes = authorization_modes(reader);
    let admission = admission(reader);
    let service_networks = service_networks(reader);
    let bare = !admission.plugins.has("ServiceAccount");
    Config {
        storage_backend: storage_backend(reader),
        compaction_interval: reader.duration("etcd-compaction-interval"),
        count_objects_period: reader.duration("etcd-count-metric-poll-period"),
        bind_address: reader.address("bind-address").unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        secure_port: secure_port(reader),
        tls: tls(reader),
        advertise_address: reader.address("advertise-address"),
        external_hostname: reader.optional("external-hostname"),
        service_address: service_networks.first().map(|network| network.first()),
        service_networks,
        service_node_ports: service_node_ports(reader),
        request_timeout: reader.duration("request-timeout"),
        min_request_timeout: Duration::from_secs(reader.count("min-request-timeout")),
        max_requests_inflight: reader.count("max-requests-inflight"),
        max_mutating_requests_inflight: reader.count("max-mutating-requests-inflight"),
        priority_and_fairness: reader.boolean("enable-priority-and-fairness"),
        feature_gates: feature_gates(reader),
        runtime_config: runtime_config(reader),
        goaway_chance: goaway_chance(reader),
        profiling: reader.boolean("profiling"),
        // The reference turns it off where everybody may do everything.
        anonymous_auth: reader.boolean("anonymous-auth")
            && !modes.contains(&AuthorizationMode::AlwaysAllow),
        anonymous_auth_given: !reader.given("anonymous-auth").is_empty(),
        issuers: identity_flags::issuers(reader),
        issuer_key_files: identity_flags::key_files(reader),
        front_proxy: identity_flags::front_proxy(reader),
        client_ca_file: reader.path("client-ca-file"),
        token_auth_file: reader.path("token-auth-file"),
        service_account_key_files: paths(reader.array("service-account-key-file")),
        service_account_signing_key_file: reader.path("service-account-signing-key-file"),
        api_audiences: or(audiences, issuers.first().map_or(ISSUER, String::as_str)),
        service_account_issuers: issuers,
        authorization_modes: modes,
        controllers: controllers(reader, bare),
        restricts_nodes: admission.plugins.has("NodeRestriction"),
        admission,
        authorization_config: identity_flags::authorization_config(reader),
        verbosity: reader.count("v"),
        ends_with_parent: reader.persona.ends_with_parent(),
        without_effect: reader.without_effect(),
        cert_dir: reader.path("cert-dir").unwrap_or_else(|| data_dir.join("pki")),
        kubeconfig_out: reader
            .path("kubeconfig-out")
            .unwrap_or_else(|| data_dir.join("kubeconfig")),
        data_dir,
    }
}

/// A test that starts the server by another's name expects nothing in its own folder.
fn data_dir(reader: &Reader<'_>) -> PathBuf {
    let certificates = reader.path("cert-dir").filter(|_| {
        reader.persona == Persona::KubeApiserver && reader.given("data-dir").is_empty()
    });
    certificates.unwrap_or_else(|| PathBuf::from(reader.text("data-dir")))
}

fn or(list: Vec<String>, default: &str) -> Vec<String> {
    if list.is_empty() { vec![default.to_owned()] } else { list }
}

fn paths(list: Vec<String>) -> Vec<PathBuf> {
    list.into_iter().map(PathBuf::from).collect()
}

fn secure_port(reader: &mut Reader<'_>) -> u16 {
    let port = reader.integer("secure-port");
    u16::try_from(port).unwrap_or_else(|_| {
        reader.refuse(format!("--secure-port {port} must be between 0 and 65535, inclusive"));
        0
    })
}

/// The networks of services, of which the first has the server's address.
fn service_networks(reader: &mut Reader<'_>) -> Vec<Network> {
    const FLAG: &str = "service-cluster-ip-range";
    let mut networks = Vec::new();
    for text in reader.text(FLAG).split(',').map(str::trim).filter(|text| !text.is_empty()) {
        match text.parse::<Network>() {
            Ok(network) => networks.push(network),
            Err(why) => reader.wrong(FLAG, text, &why.to_string()),
        }
    }
    let why = match networks[..] {
        [first, second] if first.family() == second.family() => {
            format!("--{FLAG}[0] and --{FLAG}[1] must be of different IP family")
        }
        [_, _, _, ..] => format!("--{FLAG} must not contain more than two entries"),
        _ => return networks,
    };
    reader.refuse(why);
    networks
}

fn service_node_ports(reader: &mut Reader<'_>) -> NodePorts {
    const FLAG: &str = "service-node-port-range";
    let text = reader.text(FLAG);
    text.parse().unwrap_or_else(|why: RangeError| {
        reader.wrong(FLAG, text, &why.to_string());
        NodePorts::default()
    })
}

fn tls(reader: &mut Reader<'_>) -> Option<(PathBuf, PathBuf)> {
    match (reader.path("tls-cert-file"), reader.path("tls-private-key-file")) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => {
            reader.refuse("--tls-cert-file and --tls-private-key-file go together");
            None
        }
    }
}

fn storage_backend(reader: &mut Reader<'_>) -> BackendKind {
    match reader.text("storage-backend") {
        // The reference's, for which ours on disk stands in.
        "etcd3" => BackendKind::Sled,
        name => BackendKind::from_name(name).unwrap_or_else(|| {
            reader.wrong("storage-backend", name, "must be sled or memory");
            BackendKind::Memory
        }),
    }
}

fn feature_gates(reader: &mut Reader<'_>) -> FeatureGates {
    let given = reader.given("feature-gates");
    let parsed = FeatureGates::parse(given.iter().copied());
    parsed.unwrap_or_else(|why| {
        reader.refuse(why);
        FeatureGates::default()
    })
}

fn runtime_config(reader: &mut Reader<'_>) -> RuntimeConfig {
    RuntimeConfig::parse(reader.list("runtime-config")).unwrap_or_else(|errors| {
        errors.into_iter().for_each(|error| reader.refuse(error));
        RuntimeConfig::default()
    })
}

fn admission(reader: &mut Reader<'_>) -> Admission {
    let tolerations = TolerationSeconds {
        not_ready: reader.integer("default-not-ready-toleration-seconds"),
        unreachable: reader.integer("default-unreachable-toleration-seconds"),
    };
    Admission { plugins: admission_plugins(reader), tolerations }
}

fn admission_plugins(reader: &mut Reader<'_>) -> AdmissionPlugins {
    let [enabled, disabled] =
        ["enable-admission-plugins", "disable-admission-plugins"].map(|flag| reader.list(flag));
    AdmissionPlugins::parse(&enabled, &disabled).unwrap_or_else(|errors| {
        errors.into_iter().for_each(|error| reader.refuse(error));
        AdmissionPlugins::default()
    })
}

fn controllers(reader: &mut Reader<'_>, bare: bool) -> Controllers {
    Controllers::parse(&reader.list("controllers"), bare).unwrap_or_else(|errors| {
        errors.into_iter().for_each(|error| reader.refuse(error));
        Controllers::usual(bare)
    })
}

fn goaway_chance(reader: &mut Reader<'_>) -> f64 {
    let chance = reader.float("goaway-chance");
    if !(0.0..=GOAWAY_CHANCE_MAX).contains(&chance) {
        reader.refuse("--goaway-chance can not be less than 0 or greater than 0.02");
    }
    chance
}

fn authorization_modes(reader: &mut Reader<'_>) -> Vec<AuthorizationMode> {
    let names = reader.list("authorization-mode");
    if names.is_empty() {
        reader.refuse("at least one authorization-mode must be passed");
    }
    let mut modes = Vec::new();
    let mut repeated = false;
    for name in &names {
        match name.parse::<AuthorizationMode>() {
            Ok(mode) => {
                repeated |= modes.contains(&mode);
                modes.push(mode);
            }
            Err(_) if matches!(*name, "ABAC" | "Webhook") => {
                reader.refuse(format!("authorization-mode {name} is not supported by this server"));
            }
            Err(unknown) => reader.refuse(unknown.to_string()),
        }
    }
    if repeated {
        let names: Vec<_> = names.iter().map(|name| go_quote(name)).collect();
        let names = names.join(" ");
        reader.refuse(format!("authorization-mode [{names}] has mode specified more than once"));
    }
    modes
}
