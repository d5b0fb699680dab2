use auth::authorize::AuthorizationMode;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;
use storage::BackendKind;

use super::*;

fn read(arguments: &[&str]) -> Result<Config, Exit> {
    let arguments = std::iter::once("apiserver").chain(arguments.iter().copied());
    let Command::Serve(config) = parse(arguments.map(OsString::from))? else {
        panic!("a subcommand")
    };
    Ok(*config)
}

fn failure(arguments: &[&str]) -> String {
    match read(arguments) {
        Err(Exit::Failure(text)) => text,
        other => panic!("{arguments:?}: {other:?}"),
    }
}

#[test]
fn without_flags_everything_has_a_default() {
    let config = read(&[]).unwrap();
    assert_eq!(config.secure_port, 6443);
    assert_eq!(config.bind_address, IpAddr::from([127, 0, 0, 1]));
    assert_eq!(config.server_concurrency(), 600);
    assert_eq!(config.request_timeout, Duration::from_secs(60));
    assert_eq!(config.min_request_timeout, Duration::from_secs(1800));
    assert_eq!(config.authorization_modes, [AuthorizationMode::Rbac]);
    assert!(config.priority_and_fairness && config.anonymous_auth && config.profiling);
    assert_eq!(config.service_address, Some(IpAddr::from([10, 0, 0, 1])));
    assert_eq!(config.service_account_issuers, ["https://kubernetes.default.svc"]);
    assert_eq!(config.api_audiences, ["https://kubernetes.default.svc"]);
    assert_eq!(config.storage_backend, BackendKind::Sled);
    assert_eq!(config.data_dir, PathBuf::from("data"));
    assert_eq!(config.cert_dir, PathBuf::from("data/pki"));
    assert_eq!(config.kubeconfig_out, PathBuf::from("data/kubeconfig"));
    assert_eq!(config.without_effect, [""; 0]);
}

#[test]
fn values_follow_a_space_or_an_equals_sign_and_the_last_one_counts() {
    for arguments in [
        &["--secure-port=0", "--request-timeout=1h30m", "-v=4"][..],
        &["--secure-port", "0", "--request-timeout", "1h30m", "-v", "4"],
        &["--secure-port=1", "--secure-port=0", "--request-timeout=90m", "-v4"],
        &["--secure-port=0", "--request-timeout=5400s", "--v=4"],
        &["--secure-port=0", "--request-timeout=1h30m0s", "--v", "4"],
    ] {
        let config = read(arguments).unwrap();
        assert_eq!(config.secure_port, 0, "{arguments:?}");
        assert_eq!(config.request_timeout, Duration::from_secs(5400), "{arguments:?}");
        assert_eq!(config.verbosity, 4, "{arguments:?}");
    }
}

#[test]
fn booleans_need_no_value_and_take_one_after_an_equals_sign_only() {
    for (argument, value) in [
        ("--anonymous-auth", true),
        ("--anonymous-auth=true", true),
        ("--anonymous-auth=1", true),
        ("--anonymous-auth=false", false),
        ("--anonymous-auth=F", false),
    ] {
        assert_eq!(read(&[argument]).unwrap().anonymous_auth, value, "{argument}");
    }
    assert_eq!(
        failure(&["--anonymous-auth", "false"]),
        "Error: \"apiserver\" does not take any arguments, got [\"false\"]\n"
    );
}

#[test]
fn lists_add_up_and_are_split_at_commas_where_the_reference_does() {
    let config = read(&[
        "--authorization-mode=Node,RBAC",
        "--authorization-mode",
        "AlwaysDeny",
        "--service-account-key-file=a,b",
        "--service-account-key-file=c",
        "--service-account-issuer=https://one",
        "--service-account-issuer=https://two",
        "--api-audiences=x,y",
        "--feature-gates=WatchList=false,AllAlpha=true",
        "--feature-gates=OpenAPIEnums=false",
    ])
    .unwrap();
    use AuthorizationMode::{AlwaysDeny, Node, Rbac};
    assert_eq!(config.authorization_modes, [Node, Rbac, AlwaysDeny]);
    assert_eq!(config.service_account_key_files, [PathBuf::from("a,b"), PathBuf::from("c")]);
    assert_eq!(config.service_account_issuers, ["https://one", "https://two"]);
    assert_eq!(config.api_audiences, ["x", "y"]);
    let gates = &config.feature_gates;
    assert!(!gates.enabled("WatchList") && !gates.enabled("OpenAPIEnums"));
    assert!(gates.enabled("CBORServingAndStorage"));
}

#[test]
fn the_references_flags_are_taken_even_without_effect() {
    let config = read(&[
        "--etcd-servers=http://127.0.0.1:2379",
        "--allow-privileged",
        "--event-ttl=1h",
        "--vmodule=a=1,b=2",
        "--etcd-servers=http://127.0.0.1:2380",
        "--storage-backend=etcd3",
    ])
    .unwrap();
    let mut names = config.without_effect;
    names.sort_unstable();
    assert_eq!(names, ["allow-privileged", "etcd-servers", "event-ttl", "vmodule"]);
}

#[test]
fn no_flag_stands_in_both_tables() {
    let mut names: Vec<_> = flags::accepted().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), flags::accepted().count());
    // The parser panics over flags that it has twice.
    flags::command().debug_assert();
}

#[test]
fn with_always_allow_nobody_is_anonymous() {
    let config = read(&["--authorization-mode=AlwaysAllow", "--anonymous-auth"]).unwrap();
    assert!(!config.anonymous_auth);
}

#[test]
fn what_is_wrong_is_said_in_the_references_words() {
    for (argument, error) in [
        ("--bogus=1", "unknown flag: --bogus"),
        ("-x", "unknown shorthand flag: 'x' in -x"),
        ("serve", "\"apiserver\" does not take any arguments, got [\"serve\"]"),
        ("--secure-port", "flag needs an argument: --secure-port"),
        (
            "--secure-port=http",
            "invalid argument \"http\" for \"--secure-port\" flag: strconv.ParseInt: parsing \
             \"http\": invalid syntax",
        ),
        ("--controllers=x", "\"x\" is not in the list of known controllers"),
        ("--disable-admission-plugins=x", "disable-admission-plugins plugin \"x\" is unknown"),
        ("--secure-port=99999", "--secure-port 99999 must be between 0 and 65535, inclusive"),
        ("--max-requests-inflight=-1", "--max-requests-inflight can not be negative value"),
        (
            "--max-mutating-requests-inflight=-1",
            "--max-mutating-requests-inflight can not be negative value",
        ),
        ("--request-timeout=-1s", "--request-timeout can not be negative value"),
        ("--min-request-timeout=-1", "--min-request-timeout can not be negative value"),
        (
            "--request-timeout=abc",
            "invalid argument \"abc\" for \"--request-timeout\" flag: time: invalid duration \
             \"abc\"",
        ),
        ("--goaway-chance=0.03", "--goaway-chance can not be less than 0 or greater than 0.02"),
        ("--goaway-chance=NaN", "--goaway-chance can not be less than 0 or greater than 0.02"),
        (
            "--goaway-chance=x",
            "invalid argument \"x\" for \"--goaway-chance\" flag: strconv.ParseFloat: parsing \
             \"x\": invalid syntax",
        ),
        (
            "--anonymous-auth=maybe",
            "invalid argument \"maybe\" for \"--anonymous-auth\" flag: strconv.ParseBool: parsing \
             \"maybe\": invalid syntax",
        ),
        (
            "--bind-address=localhost",
            "invalid argument \"localhost\" for \"--bind-address\" flag: failed to parse IP: \
             \"localhost\"",
        ),
        (
            "--authorization-mode=Webhook",
            "authorization-mode Webhook is not supported by this server",
        ),
        ("--authorization-mode=Nope", "authorization-mode \"Nope\" is not a valid mode"),
        (
            "--authorization-mode=RBAC,RBAC",
            "authorization-mode [\"RBAC\" \"RBAC\"] has mode specified more than once",
        ),
        ("--authorization-mode=", "at least one authorization-mode must be passed"),
        (
            "--oidc-client-id=x",
            "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags \
             are set",
        ),
        (
            "--oidc-jwks-file=keys.json",
            "invalid argument \"keys.json\" for \"--oidc-jwks-file\" flag: malformed pair, expect \
             string=string",
        ),
        (
            "--requestheader-group-headers=X-Remote-Group, ",
            "empty value in \"requestheader-group-headers\"",
        ),
        ("--feature-gates=Bogus=true", "unrecognized feature gate: Bogus"),
        ("--runtime-config=api/all=false", "invalid key with only api/all=false"),
        (
            "--event-ttl=soon",
            "invalid argument \"soon\" for \"--event-ttl\" flag: time: invalid duration \"soon\"",
        ),
        (
            "-v=loud",
            "invalid argument \"loud\" for \"-v, --v\" flag: strconv.ParseInt: parsing \"loud\": \
             invalid syntax",
        ),
        ("--tls-cert-file=a", "--tls-cert-file and --tls-private-key-file go together"),
        (
            "--storage-backend=etcd2",
            "invalid argument \"etcd2\" for \"--storage-backend\" flag: must be sled or memory",
        ),
        (
            "--service-cluster-ip-range=10.0.0.0",
            "invalid argument \"10.0.0.0\" for \"--service-cluster-ip-range\" flag: not a network \
             such as 10.0.0.0/24",
        ),
    ] {
        assert_eq!(failure(&[argument]), format!("Error: {error}\n"));
    }
}

#[test]
fn issuers_come_from_flags_or_from_a_file() {
    let flags = ["--oidc-issuer-url=https://x", "--oidc-client-id=c"];
    let more = ["--oidc-required-claim=a=1,b=2", "--oidc-required-claim=a=3"];
    let config = read(&[flags[0], flags[1], more[0], more[1]]).unwrap();
    let IssuerFlags::Oidc(oidc) = config.issuers else { panic!("{:?}", config.issuers) };
    assert_eq!((oidc.username_claim.as_str(), oidc.signing_algorithms.len()), ("sub", 1));
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(oidc.required_claims, [pair("b", "2"), pair("a", "3")]);
    let file = "--authentication-config=authn.yaml";
    assert_eq!(read(&[file]).unwrap().issuers, IssuerFlags::File("authn.yaml".into()));
    assert_eq!(
        failure(&[file, flags[0], flags[1]]),
        "Error: authentication-config file and oidc-* flags are mutually exclusive\n"
    );
    assert_eq!(
        failure(&[flags[0], flags[1], "--oidc-signing-algs=HS256"]),
        "Error: oidc: unsupported signing alg: \"HS256\"\n"
    );
}

#[test]
fn modes_come_from_a_flag_or_from_a_file() {
    let file = "--authorization-config=authz.yaml";
    assert_eq!(read(&[file]).unwrap().authorization_config, Some("authz.yaml".into()));
    assert_eq!(
        failure(&[file, "--authorization-mode=RBAC"]),
        "Error: --authorization-config can not be specified when --authorization-mode or \
         --authorization-webhook-* flags are defined\n"
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let text = failure(&[
        "--max-requests-inflight=-1",
        "--request-timeout=abc",
        "--authorization-mode=Nope",
        "--secure-port=99999",
    ]);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.lines().all(|line| line.starts_with("Error: ")), "{text}");
}

#[test]
fn seats_must_add_up_to_something_unless_there_is_no_priority_and_fairness() {
    let none = ["--max-requests-inflight=0", "--max-mutating-requests-inflight=0"];
    assert_eq!(
        failure(&none),
        "Error: invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; \
         they must add up to something positive\n"
    );
    let off = [none[0], none[1], "--enable-priority-and-fairness=false"];
    assert_eq!(read(&off).unwrap().server_concurrency(), 0);
    let many = ["--max-requests-inflight=4294967295", "--max-mutating-requests-inflight=1"];
    assert_eq!(read(&many).unwrap().server_concurrency(), u32::MAX);
}

#[test]
fn help_and_version_are_no_failures() {
    for flag in ["--help", "-h"] {
        let Err(Exit::Success(text)) = read(&[flag]) else { panic!("{flag}") };
        let mut at = 0;
        for section in [
            "Commands:",
            "validate",
            "explain-validation",
            "Storage:",
            "--data-dir <string>",
            "Secure serving:",
            "--secure-port <int>",
            "Generic:",
            "Authentication:",
            "Authorization:",
            "Logs and output:",
            "Accepted for compatibility, without effect:",
            "--etcd-servers <strings>",
        ] {
            at += text[at..].find(section).unwrap_or_else(|| panic!("{section} in\n{text}"));
        }
    }
    let Err(Exit::Success(text)) = read(&["--version"]) else { panic!() };
    assert_eq!(text, format!("apiserver {VERSION} (Kubernetes v1.37.2)\n"));
}
