//! The flags: one table, from which the parser and `--help` are made.

use clap::{Arg, ArgAction, Command};

use super::identity_flags::IDENTITY_FLAGS;

/// How a flag's value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `--flag`, `--flag=true`, `--flag=false`
    Bool,
    /// `--flag=text`; the last one counts, as for the next four.
    Text,
    /// `--flag=12`
    Integer,
    /// `--flag=0.5`
    Float,
    /// `--flag=1m30s`
    Duration,
    /// `--flag=192.0.2.1`
    Address,
    /// `--flag=a,b --flag=c`
    List,
    /// `--flag=a --flag=b,which-is-one`
    Array,
}

impl Kind {
    /// What the accepted flags' table calls it.
    fn named(name: &str) -> Self {
        match name {
            "bool" => Self::Bool,
            "int" => Self::Integer,
            "float" => Self::Float,
            "duration" => Self::Duration,
            "ip" => Self::Address,
            "list" => Self::List,
            "array" => Self::Array,
            _ => Self::Text,
        }
    }

    /// What `--help` calls a value.
    fn value_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Text => "string",
            Self::Integer => "int",
            Self::Float => "float",
            Self::Duration => "duration",
            Self::Address => "ip",
            Self::List => "strings",
            Self::Array => "string…",
        }
    }
}

pub(super) struct Flag {
    section: &'static str,
    name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
}

pub(super) const fn flag(
    section: &'static str,
    name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
) -> Flag {
    Flag { section, name, kind, default, help }
}

const GENERIC: &str = "Generic";
const SERVING: &str = "Secure serving";
pub(super) const AUTHENTICATION: &str = "Authentication";
pub(super) const AUTHORIZATION: &str = "Authorization";
const ADMISSION: &str = "Admission";
const CONTROLLERS: &str = "Controllers";
const STORAGE: &str = "Storage";
const OUTPUT: &str = "Logs and output";
const ACCEPTED: &str = "Accepted for compatibility, without effect";

/// The flags that do something. Empty defaults are worked out or mean nothing.
static FLAGS: &[Flag] = &[
    flag(
        STORAGE,
        "data-dir",
        Kind::Text,
        "data",
        "Where everything is kept: objects, certificates, keys",
    ),
    flag(
        STORAGE,
        "storage-backend",
        Kind::Text,
        "sled",
        "Where objects are stored: sled (on disk) or memory (gone at exit); etcd3 is taken for sled",
    ),
    flag(
        STORAGE,
        "etcd-compaction-interval",
        Kind::Duration,
        "5m0s",
        "How long old revisions stay readable",
    ),
    flag(
        STORAGE,
        "etcd-count-metric-poll-period",
        Kind::Duration,
        "1m0s",
        "How often stored objects are counted, for metrics and the seats of lists; 0 for never",
    ),
    flag(SERVING, "bind-address", Kind::Address, "127.0.0.1", "The address to listen on"),
    flag(
        SERVING,
        "secure-port",
        Kind::Integer,
        "6443",
        "The port to listen on; 0 takes any free one",
    ),
    flag(
        SERVING,
        "cert-dir",
        Kind::Text,
        "",
        "Where made certificates and keys are kept; <data-dir>/pki when left out",
    ),
    flag(
        SERVING,
        "tls-cert-file",
        Kind::Text,
        "",
        "The certificate to serve with, instead of a made one",
    ),
    flag(
        SERVING,
        "tls-private-key-file",
        Kind::Text,
        "",
        "The key of the certificate to serve with",
    ),
    flag(
        GENERIC,
        "advertise-address",
        Kind::Address,
        "",
        "The address that discovery tells clients",
    ),
    flag(
        GENERIC,
        "external-hostname",
        Kind::Text,
        "",
        "A host name that the made certificate is valid for",
    ),
    flag(
        GENERIC,
        "service-cluster-ip-range",
        Kind::Text,
        "10.0.0.0/24",
        "The addresses of services; the first is the server's own",
    ),
    flag(
        GENERIC,
        "service-node-port-range",
        Kind::Text,
        "30000-32767",
        "The ports of nodes that services can have",
    ),
    flag(
        GENERIC,
        "request-timeout",
        Kind::Duration,
        "1m0s",
        "How long a request may take, long-running ones aside",
    ),
    flag(
        GENERIC,
        "min-request-timeout",
        Kind::Integer,
        "1800",
        "How many seconds a watch lasts at the least, unless it says itself",
    ),
    flag(
        GENERIC,
        "max-requests-inflight",
        Kind::Integer,
        "400",
        "Seats for requests; see the next flag",
    ),
    flag(
        GENERIC,
        "max-mutating-requests-inflight",
        Kind::Integer,
        "200",
        "More seats. With API Priority and Fairness the sum counts; without it, these are for requests that write",
    ),
    flag(
        GENERIC,
        "enable-priority-and-fairness",
        Kind::Bool,
        "true",
        "Queue and limit requests by API Priority and Fairness",
    ),
    flag(GENERIC, "feature-gates", Kind::List, "", "Feature gates to set, as name=true|false"),
    flag(
        GENERIC,
        "runtime-config",
        Kind::List,
        "",
        "API versions to serve or not, as group/version=true|false",
    ),
    flag(
        GENERIC,
        "goaway-chance",
        Kind::Float,
        "0",
        "The chance that a request makes its HTTP/2 connection end, up to 0.02",
    ),
    flag(GENERIC, "profiling", Kind::Bool, "true", "Serve the paths below /debug"),
    flag(
        AUTHENTICATION,
        "anonymous-auth",
        Kind::Bool,
        "true",
        "Take requests without credentials as system:anonymous",
    ),
    flag(
        AUTHENTICATION,
        "client-ca-file",
        Kind::Text,
        "",
        "Certificates that sign client certificates, besides the made one",
    ),
    flag(
        AUTHENTICATION,
        "token-auth-file",
        Kind::Text,
        "",
        "A file of bearer tokens: token,user,uid,\"group1,group2\"",
    ),
    flag(
        AUTHENTICATION,
        "service-account-key-file",
        Kind::Array,
        "",
        "Keys that service account tokens are checked with",
    ),
    flag(
        AUTHENTICATION,
        "service-account-signing-key-file",
        Kind::Text,
        "",
        "The key that service account tokens are signed with, instead of a made one",
    ),
    flag(
        AUTHENTICATION,
        "service-account-issuer",
        Kind::Array,
        "",
        "The issuer of service account tokens; https://kubernetes.default.svc when left out",
    ),
    flag(
        AUTHENTICATION,
        "api-audiences",
        Kind::List,
        "",
        "The audiences of tokens; the issuer when left out",
    ),
    flag(
        AUTHORIZATION,
        "authorization-mode",
        Kind::List,
        "RBAC",
        "Who decides what a user may do, in order: RBAC, Node, AlwaysAllow, AlwaysDeny",
    ),
    flag(
        ADMISSION,
        "enable-admission-plugins",
        Kind::List,
        "",
        "Admission plugins to use besides the usual ones",
    ),
    flag(
        ADMISSION,
        "disable-admission-plugins",
        Kind::List,
        "",
        "Admission plugins to leave out, though they are usual",
    ),
    flag(
        ADMISSION,
        "default-not-ready-toleration-seconds",
        Kind::Integer,
        "300",
        "How many seconds pods stay on a node that is not ready, unless they say themselves",
    ),
    flag(
        ADMISSION,
        "default-unreachable-toleration-seconds",
        Kind::Integer,
        "300",
        "How many seconds pods stay on a node that is out of reach, unless they say themselves",
    ),
    flag(
        CONTROLLERS,
        "controllers",
        Kind::List,
        "",
        "What to run: * for all, name for one, -name for all but one, of namespace, serviceaccount, root-ca-certificate-publisher, resourcequota, pvc-protection, pv-protection and garbage-collector. When left out all but the last run; without the admission plugin ServiceAccount, only namespace",
    ),
    flag(
        OUTPUT,
        "kubeconfig-out",
        Kind::Text,
        "",
        "Where to write the kubeconfig; <data-dir>/kubeconfig when left out",
    ),
    flag(OUTPUT, "v", Kind::Integer, "0", "How much to log, from 0 to 10"),
];

/// Flags of the reference that are taken and do nothing here: name and kind, a line each.
const ACCEPTED_FLAGS: &str = include_str!("accepted.txt");

/// The flags that are taken and do nothing.
pub(super) fn accepted() -> impl Iterator<Item = (&'static str, Kind)> {
    let lines = ACCEPTED_FLAGS.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(name, kind)| (name, Kind::named(kind)))
}

/// The flags that do something.
fn ours() -> impl Iterator<Item = &'static Flag> {
    FLAGS.iter().chain(IDENTITY_FLAGS)
}

/// The parser.
pub(super) fn command() -> Command {
    let ours = ours().map(|flag| {
        let help = match flag.default {
            "" => flag.help.to_owned(),
            default => format!("{} [{default}]", flag.help),
        };
        argument(flag.name, flag.kind).help_heading(flag.section).help(help)
    });
    let accepted = accepted().map(|(name, kind)| argument(name, kind).help_heading(ACCEPTED));
    Command::new("apiserver")
        .about("A small Kubernetes API server for FlowSchemas and PriorityLevelConfigurations")
        .override_usage("apiserver [flags]\n       apiserver <command>")
        .subcommands(crate::commands::parsers())
        .disable_help_flag(true)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .args(ours)
        .arg(
            Arg::new("help")
                .short('h')
                .long("help")
                .action(ArgAction::Help)
                .help_heading(OUTPUT)
                .help("Print this and exit"),
        )
        .arg(
            Arg::new("version")
                .long("version")
                .action(ArgAction::SetTrue)
                .help_heading(OUTPUT)
                .help("Print the version and exit"),
        )
        .args(accepted)
}

fn argument(name: &'static str, kind: Kind) -> Arg {
    let arg = Arg::new(name).long(name).value_name(kind.value_name()).action(ArgAction::Append);
    let arg = if name == "v" { arg.short('v') } else { arg };
    match kind {
        Kind::Bool => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        _ => arg.allow_hyphen_values(true),
    }
}

/// The default of a flag.
pub(super) fn default(name: &str) -> &'static str {
    ours().find(|flag| flag.name == name).map_or("", |flag| flag.default)
}
