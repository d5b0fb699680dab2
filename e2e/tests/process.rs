//! The server as a process: starting, stopping, starting again, and what it says on the way.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::io::{BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::http::{Timeouts, read_head};
use e2e::replay::Tool;
use e2e::server::{Backend, Ended, Launch, Server, Signal};
use serde_json::{Value, json};
use tempfile::TempDir;

fn server_binary() -> PathBuf {
    binary::server().unwrap_or_else(|why| panic!("{why}"))
}

const FLOW_SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/// A server that was asked to stop has to be gone after this.
const STOP_WAIT: Duration = Duration::from_secs(2);

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn start(launch: &Launch) -> Server {
    launch.start().unwrap_or_else(|why| panic!("{why}"))
}

fn stop(mut server: Server) {
    server.signal(Signal::TERM);
    let status = server.wait(STOP_WAIT).unwrap_or_else(|| panic!("{}", server.log_tail()));
    assert_eq!(status.code(), Some(0), "{}", server.log_tail());
}

fn run(flags: &[&str]) -> Ended {
    let folder = folder();
    Launch::new(&server_binary(), folder.path(), Backend::Memory).run_to_end(flags).unwrap()
}

fn call(server: &Server, call: &Call) -> (u16, Value) {
    let response = server.target().call(call).unwrap();
    (response.head.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
}

fn create(server: &Server, name: &str) {
    let schema = json!({
        "metadata": { "name": name },
        "spec": { "matchingPrecedence": 900, "priorityLevelConfiguration": { "name": "exempt" } },
    });
    let (status, body) =
        call(server, &Call::of("POST", FLOW_SCHEMAS).with_body(Body::Json(schema)));
    assert_eq!(status, 201, "{body}");
}

/// The object once its status is kept, after which nobody writes it by himself.
fn settled(server: &Server, name: &str) -> Value {
    let get = Call::of("GET", format!("{FLOW_SCHEMAS}/{name}"));
    let settled = poll(Duration::from_secs(10), Duration::from_millis(10), || {
        let (status, object) = call(server, &get);
        (status == 200 && object["status"]["conditions"].is_array()).then_some(object)
    });
    settled.unwrap()
}

fn revision(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

#[test]
fn a_first_start_makes_its_files_and_says_what_to_type_next() {
    let folder = folder();
    let launch = Launch::new(&server_binary(), folder.path(), Backend::Sled);
    let server = start(&launch);
    assert!(server.ready_line().contains(&server.target().address.url()));
    assert!(server.ready_line().contains("kubectl"), "{}", server.ready_line());
    for made in ["data/objects", "data/pki/ca.crt", "data/pki/apiserver.key"] {
        assert!(folder.path().join(made).exists(), "{made}");
    }
    for secret in ["kubeconfig", "data/pki/ca.key", "data/pki/sa.key"] {
        let mode = std::fs::metadata(folder.path().join(secret)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{secret} is open to others: {mode:o}");
    }
    let kubeconfig = std::fs::read_to_string(launch.kubeconfig()).unwrap();
    assert!(kubeconfig.contains(&server.target().address.url()));
    assert_eq!(call(&server, &Call::of("GET", "/readyz")).0, 200);
    stop(server);
}

#[test]
fn a_second_start_keeps_objects_certificates_and_revisions() {
    let folder = folder();
    let launch = Launch::new(&server_binary(), folder.path(), Backend::Sled);
    let server = start(&launch);
    create(&server, "kept");
    let before = settled(&server, "kept");
    let authority = std::fs::read(folder.path().join("data/pki/ca.crt")).unwrap();
    stop(server);

    let server = start(&launch);
    let (_, list) = call(&server, &Call::of("GET", FLOW_SCHEMAS));
    assert_eq!(settled(&server, "kept"), before);
    assert!(revision(&list) >= revision(&before));
    create(&server, "later");
    assert!(revision(&settled(&server, "later")) > revision(&list));
    assert_eq!(std::fs::read(folder.path().join("data/pki/ca.crt")).unwrap(), authority);
    stop(server);
}

#[test]
fn a_killed_server_has_kept_what_it_acknowledged() {
    let folder = folder();
    let launch = Launch::new(&server_binary(), folder.path(), Backend::Sled);
    for round in 0..5 {
        let server = start(&launch);
        create(&server, &format!("round-{round}"));
        drop(server);
    }
    let server = start(&launch);
    for round in 0..5 {
        let get = Call::of("GET", format!("{FLOW_SCHEMAS}/round-{round}"));
        assert_eq!(call(&server, &get).0, 200, "round {round}");
    }
}

#[test]
fn objects_in_memory_are_gone_after_a_restart() {
    let folder = folder();
    let launch = Launch::new(&server_binary(), folder.path(), Backend::Memory);
    let server = start(&launch);
    create(&server, "lost");
    stop(server);
    let server = start(&launch);
    assert_eq!(call(&server, &Call::of("GET", format!("{FLOW_SCHEMAS}/lost"))).0, 404);
}

#[test]
fn either_signal_stops_it_at_once_even_with_a_watch_open() {
    for signal in [Signal::TERM, Signal::INT] {
        let folder = folder();
        let mut server = start(&Launch::new(&server_binary(), folder.path(), Backend::Sled));
        let target = server.target();
        let watch = Call::of("GET", format!("{FLOW_SCHEMAS}?watch=1"));
        let message = target.message(&watch).unwrap().to_bytes(&target.address);
        let mut connection = target.address.connect(Timeouts::of_seconds(10)).unwrap();
        std::io::Write::write_all(&mut connection, &message).unwrap();
        let mut watch = BufReader::new(connection);
        assert_eq!(read_head(&mut watch).unwrap().status, 200);
        server.signal(signal);
        let status = server.wait(STOP_WAIT);
        assert_eq!(status.and_then(|s| s.code()), Some(0), "{signal:?}: {}", server.log_tail());
    }
}

#[test]
fn two_servers_on_one_folder_are_refused() {
    let folder = folder();
    let launch = Launch::new(&server_binary(), folder.path(), Backend::Sled);
    let first = start(&launch);
    let flags = launch.flags();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let second = launch.run_to_end(&flags).unwrap();
    assert_one_line(&second, "data");
    assert_eq!(call(&first, &Call::of("GET", "/readyz")).0, 200);
}

/// It ended with code 1, and one line that names what is wrong.
fn assert_one_line(ended: &Ended, named: &str) {
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    assert!(ended.stderr.contains(named), "{named}: {ended:?}");
    assert_eq!(ended.stdout, "");
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ended = run(&["--storage-backend=memory", "--secure-port", &port]);
    assert_one_line(&ended, &port);
}

#[test]
fn a_flag_that_cannot_be_understood_is_named() {
    for (flag, named) in [
        ("--bogus", "--bogus"),
        ("--secure-port=many", "secure-port"),
        ("--secure-port=99999", "secure-port"),
        ("--storage-backend=paper", "storage-backend"),
        ("--authorization-mode=Nope", "authorization-mode"),
        ("--token-auth-file=absent.csv", "absent.csv"),
        ("--client-ca-file=absent.crt", "absent.crt"),
        ("--service-cluster-ip-range=nowhere", "service-cluster-ip-range"),
        ("argument", "argument"),
    ] {
        assert_one_line(&run(&["--secure-port=0", flag]), named);
    }
}

/// Runs a subcommand with something on its standard input.
fn piped(arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(server_binary())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn manifests_are_validated_without_a_server() {
    let level = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\n\
                 metadata: {name: a}\nspec: {type: Limited, limited: {limitResponse: {type: Reject}}}\n";
    let right = piped(&["validate", "-f", "-"], level);
    assert_eq!(right.status.code(), Some(0), "{right:?}");
    let two = format!("{level}---\n{}", level.replace("Reject", "Queue"));
    let wrong = piped(&["validate", "-f", "-"], &two);
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    let said = String::from_utf8(wrong.stdout).unwrap();
    let error = "-:6: PriorityLevelConfiguration \"a\": spec.limited.limitResponse.queuing: \
                 Required value\n";
    assert!(said.starts_with(error), "{said}");
    let unknown = piped(&["explain-validation", "Thing"], "");
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
    assert!(unknown.stdout.is_empty() && !unknown.stderr.is_empty(), "{unknown:?}");
}

#[test]
fn help_and_version_are_printed_and_nothing_else_happens() {
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for flag in ["--secure-port", "--data-dir", "--storage-backend", "--token-auth-file"] {
        assert!(help.stdout.contains(flag), "{flag} is not in {}", help.stdout);
    }
    let version = run(&["--version"]);
    assert_eq!(version.status.code(), Some(0));
    assert!(version.stdout.contains("v1.37.2"), "{}", version.stdout);
    assert_eq!((help.stderr, version.stderr), (String::new(), String::new()));
}

fn label(server: &Server, name: &str, key: &str, value: &str) -> (u16, Value) {
    let patch = json!({ "metadata": { "labels": { key: value } } });
    let patch = Call::of("PATCH", format!("{FLOW_SCHEMAS}/{name}"))
        .with_header("Content-Type", "application/merge-patch+json")
        .with_body(Body::Json(patch));
    call(server, &patch)
}

/// The server writes a new object's status at about the same time, and others patch it, too.
#[test]
fn a_patch_that_names_no_version_never_conflicts() {
    let folder = folder();
    let server = start(&Launch::new(&server_binary(), folder.path(), Backend::Memory));
    for number in 0..20 {
        let name = format!("patched-{number}");
        create(&server, &name);
        std::thread::scope(|scope| {
            for key in ["a", "b", "c"] {
                let (server, name) = (&server, &name);
                scope.spawn(move || {
                    for value in ["1", "2", "3"] {
                        let (status, body) = label(server, name, key, value);
                        assert_eq!(status, 200, "{body}");
                    }
                });
            }
        });
        let labels = &settled(&server, &name)["metadata"]["labels"];
        assert_eq!(*labels, json!({ "a": "3", "b": "3", "c": "3" }));
    }
}

#[test]
fn every_example_manifest_is_accepted_and_used() {
    let folder = folder();
    let server = start(&Launch::new(&server_binary(), folder.path(), Backend::Memory));
    let mut schemas = 0;
    for file in std::fs::read_dir(binary::home().join("../manifests")).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            continue;
        }
        for document in std::fs::read_to_string(&path).unwrap().split("\n---\n") {
            let levels = document.contains("kind: PriorityLevelConfiguration");
            let resource = if levels { "prioritylevelconfigurations" } else { "flowschemas" };
            let path = FLOW_SCHEMAS.replace("flowschemas", resource);
            let create = Call::of("POST", format!("{path}?fieldValidation=Strict"))
                .with_header("Content-Type", "application/yaml")
                .with_body(Body::Text(document.to_owned()));
            let (status, body) = call(&server, &create);
            assert_eq!(status, 201, "{document}\n{body}");
            if !levels {
                let schema = settled(&server, body["metadata"]["name"].as_str().unwrap());
                let dangling = &schema["status"]["conditions"][0];
                assert_eq!(dangling["status"], "False", "{dangling}");
                schemas += 1;
            }
        }
    }
    assert!(schemas >= 5);
}

#[test]
fn the_readme_has_the_two_commands() {
    let readme = std::fs::read_to_string(binary::home().join("../README.md")).unwrap();
    for command in ["cargo run --release", "kubectl --kubeconfig "] {
        assert!(readme.contains(command), "{command} is not in README.md");
    }
}

/// Runs only where there is a kubectl.
#[test]
fn kubectl_uses_every_context_of_the_kubeconfig() {
    let Some(tool) = Tool::find() else { return };
    let folder = folder();
    let launch = Launch::new(&server_binary(), folder.path(), Backend::Sled);
    let server = start(&launch);
    let kubectl = |args: &[&str]| {
        let output = Command::new(&tool.path)
            .arg("--kubeconfig")
            .arg(launch.kubeconfig())
            .args(args)
            .env("HOME", folder.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let (_, contexts, _) = kubectl(&["config", "get-contexts", "--output=name"]);
    let contexts: Vec<_> = contexts.lines().collect();
    assert!(contexts.len() >= 4, "{contexts:?}");
    for context in contexts {
        let (done, stdout, stderr) = kubectl(&["--context", context, "get", "flowschemas"]);
        if ["admin", "developer", "reader"].contains(&context) {
            assert!(done && stdout.contains("global-default"), "{context}: {stderr}");
        } else {
            assert!(!done && stderr.contains("Forbidden"), "{context}: {stdout}{stderr}");
            let (done, stdout, stderr) = kubectl(&["--context", context, "version"]);
            assert!(done && stdout.contains("v1.37.2"), "{context}: {stdout}{stderr}");
        }
    }
    stop(server);
}
