//! The flags: one table, from which the parser and `--help` are made.

use clap::{Arg, ArgAction, Command};

/// How a flag's value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `--flag`, `--flag=true`, `--flag=false`
    Bool,
    /// `--flag=text`; the last one counts.
    Text,
    /// `--flag=a,b --flag=c`
    List,
}

struct Flag {
    section: &'static str,
    name: &'static str,
    kind: Kind,
    default: &'static str,
    help: &'static str,
}

const fn flag(
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
const AUTHENTICATION: &str = "Authentication";
const AUTHORIZATION: &str = "Authorization";
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
        Kind::Text,
        "5m0s",
        "How long old revisions stay readable",
    ),
    flag(SERVING, "bind-address", Kind::Text, "127.0.0.1", "The address to listen on"),
    flag(SERVING, "secure-port", Kind::Text, "6443", "The port to listen on; 0 takes any free one"),
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
    flag(GENERIC, "advertise-address", Kind::Text, "", "The address that discovery tells clients"),
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
        "request-timeout",
        Kind::Text,
        "1m0s",
        "How long a request may take, long-running ones aside",
    ),
    flag(
        GENERIC,
        "min-request-timeout",
        Kind::Text,
        "1800",
        "How many seconds a watch lasts at the least, unless it says itself",
    ),
    flag(
        GENERIC,
        "max-requests-inflight",
        Kind::Text,
        "400",
        "Seats for requests; see the next flag",
    ),
    flag(
        GENERIC,
        "max-mutating-requests-inflight",
        Kind::Text,
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
        Kind::Text,
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
        "The certificates that sign client certificates, instead of the made one",
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
        Kind::List,
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
        Kind::List,
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
        OUTPUT,
        "kubeconfig-out",
        Kind::Text,
        "",
        "Where to write the kubeconfig; <data-dir>/kubeconfig when left out",
    ),
    flag(OUTPUT, "v", Kind::Text, "0", "How much to log, from 0 to 10"),
];

/// Flags of the reference that are taken and do nothing here: name and kind.
const ACCEPTED_FLAGS: &str = include_str!("accepted.txt");

fn accepted() -> impl Iterator<Item = (&'static str, Kind)> {
    ACCEPTED_FLAGS.lines().filter_map(|line| line.split_once(' ')).filter_map(|(name, kind)| {
        let ours = FLAGS.iter().any(|flag| flag.name == name);
        let kind = match kind {
            "bool" => Kind::Bool,
            "list" => Kind::List,
            _ => Kind::Text,
        };
        (!ours).then_some((name, kind))
    })
}

/// The parser.
pub(super) fn command() -> Command {
    let mut command = Command::new("apiserver")
        .about("A small Kubernetes API server for FlowSchemas and PriorityLevelConfigurations")
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .arg(
            Arg::new("version")
                .long("version")
                .action(ArgAction::SetTrue)
                .help_heading(OUTPUT)
                .help("Print the version and exit"),
        );
    for flag in FLAGS {
        let help = match flag.default {
            "" => flag.help.to_owned(),
            default => format!("{} [{default}]", flag.help),
        };
        command = command.arg(argument(flag.name, flag.kind).help_heading(flag.section).help(help));
    }
    for (name, kind) in accepted() {
        command = command.arg(argument(name, kind).help_heading(ACCEPTED).help(""));
    }
    command
}

fn argument(name: &'static str, kind: Kind) -> Arg {
    let arg = Arg::new(name).long(name);
    let arg = if name == "v" { arg.short('v') } else { arg };
    match kind {
        Kind::Bool => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("bool")
            .action(ArgAction::Append),
        Kind::Text => arg.value_name("value").allow_hyphen_values(true).action(ArgAction::Append),
        Kind::List => arg.value_name("value,…").allow_hyphen_values(true).action(ArgAction::Append),
    }
}

/// The default of a flag.
pub(super) fn default(name: &str) -> &'static str {
    FLAGS.iter().find(|flag| flag.name == name).map_or("", |flag| flag.default)
}

/// The names of the flags that are taken and do nothing.
pub(super) fn without_effect() -> impl Iterator<Item = &'static str> {
    accepted().map(|(name, _)| name)
}
