//! Who asks, what they may do, and what updates and connections come to, by the program as a whole.
//!
//! The issuer of `data/issuer-token.txt` is made up: its private key was thrown away.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call, Sender};
use e2e::clock::poll;
use e2e::server::{Backend, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

const ISSUER: &str = "https://issuer.example.com";
const REVIEWS: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const PODS: &str = "/api/v1/namespaces/default/pods";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
/// How long controllers may take on a busy machine.
const SETTLED_WAIT: Duration = Duration::from_secs(20);
/// How long they are left alone between two looks.
const PAUSE: Duration = Duration::from_millis(20);

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn launch(folder: &TempDir) -> Launch {
    let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
    Launch::new(&binary, folder.path(), Backend::Memory)
}

fn start(launch: &Launch) -> Server {
    launch.start().unwrap_or_else(|why| panic!("{why}"))
}

fn call(server: &Server, call: &Call) -> (u16, Value) {
    let response = server.target().call(call).unwrap();
    (response.head.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
}

fn send(server: &Server, sender: &str, method: &str, path: &str, body: Value) -> (u16, Value) {
    let sender = Sender::Named(sender.to_owned());
    call(server, &Call::of(method, path).with_body(Body::Json(body)).sent_by(sender))
}

fn get(server: &Server, sender: &str, path: &str) -> (u16, Value) {
    call(server, &Call::of("GET", path).sent_by(Sender::Named(sender.to_owned())))
}

/// Gives a user a role with these rules, and waits until it is in force.
fn allow(server: &Server, user: &str, name: &str, rules: &Value) {
    let role = json!({ "metadata": { "name": name }, "rules": rules });
    assert_eq!(send(server, "admin", "POST", &format!("{RBAC}/clusterroles"), role).0, 201);
    let binding = json!({
        "metadata": { "name": name },
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": name,
        },
        "subjects": [{ "kind": "User", "name": user }],
    });
    let path = format!("{RBAC}/clusterrolebindings");
    assert_eq!(send(server, "admin", "POST", &path, binding).0, 201);
}

/// Asks until the answer has that code.
fn settles(server: &Server, code: u16, ask: impl Fn(&Server) -> (u16, Value)) -> Value {
    let settled = poll(SETTLED_WAIT, PAUSE, || {
        let (found, answer) = ask(server);
        (found == code).then_some(answer)
    });
    settled.unwrap_or_else(|| panic!("never {code}, but {:?}", ask(server)))
}

#[test]
fn tokens_of_another_issuer_name_users() {
    let folder = folder();
    let keys = format!("--oidc-jwks-file={ISSUER}={}", data("issuer-keys.json").display());
    let launch = launch(&folder)
        .flag(format!("--oidc-issuer-url={ISSUER}"))
        .flag("--oidc-client-id=cluster")
        .flag("--oidc-groups-claim=groups")
        .flag("--oidc-signing-algs=ES256")
        .flag(keys);
    let server = start(&launch);
    let review = |file: &str| {
        let token = std::fs::read_to_string(data(file)).unwrap();
        let review = Call::of("POST", REVIEWS)
            .with_body(Body::Json(json!({})))
            .with_header("Authorization", &format!("Bearer {}", token.trim()))
            .sent_by(Sender::Anonymous);
        call(&server, &review)
    };
    let (code, answer) = review("issuer-token.txt");
    assert_eq!(code, 201, "{answer}");
    let user = &answer["status"]["userInfo"];
    assert_eq!(user["username"], format!("{ISSUER}#carol"));
    assert_eq!(user["groups"], json!(["dev", "system:authenticated"]));
    assert_eq!(review("issuer-token-for-others.txt").0, 401);
}

#[test]
fn what_is_wrong_with_a_configuration_is_one_line() {
    let folder = folder();
    let path = folder.path().join("configuration.yaml");
    for (flag, kind, rest, named) in [
        (
            "--authentication-config",
            "AuthenticationConfiguration",
            "jwt: [{ issuer: { url: 'http://x', audiences: [a] }, claimMappings: { username: { \
             claim: sub, prefix: '' } } }]",
            "jwt[0].issuer.url: Invalid value: \"http://x\": URL scheme must be https",
        ),
        (
            "--authentication-config",
            "AuthenticationConfiguration",
            "jwd: []",
            "strict decoding error: unknown field \"jwd\"",
        ),
        (
            "--authorization-config",
            "AuthorizationConfiguration",
            "authorizers: [{ type: Webhook, name: w, webhook: {} }]",
            "authorizers[0].type: Invalid value: \"Webhook\": not supported by this server",
        ),
    ] {
        let text = format!("apiVersion: apiserver.config.k8s.io/v1\nkind: {kind}\n{rest}\n");
        std::fs::write(&path, text).unwrap();
        let flag = format!("{flag}={}", path.display());
        let ended = launch(&folder).run_to_end(&["--storage-backend=memory", &flag]).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        assert!(ended.stderr.contains(named), "{named}: {ended:?}");
    }
}

#[test]
fn kubelets_read_what_their_pods_need() {
    let folder = folder();
    let server = start(&launch(&folder).flag("--authorization-mode=Node"));
    for name in ["needed", "other"] {
        let secret = json!({ "metadata": { "name": name } });
        assert_eq!(send(&server, "admin", "POST", SECRETS, secret).0, 201);
    }
    let path = |name: &str| format!("{SECRETS}/{name}");
    assert_eq!(get(&server, "node", &path("needed")).0, 403);
    let pod = json!({
        "metadata": { "name": "p" },
        "spec": {
            "nodeName": "n1",
            "containers": [{
                "name": "c",
                "image": "i",
                "envFrom": [{ "secretRef": { "name": "needed" } }],
            }],
        },
    });
    let (code, answer) = send(&server, "admin", "POST", PODS, pod);
    assert_eq!(code, 201, "{answer}");
    settles(&server, 200, |server| get(server, "node", &path("needed")));
    let (code, answer) = get(&server, "node", &path("other"));
    assert_eq!(code, 403);
    let message = answer["message"].as_str().unwrap();
    assert!(message.ends_with(": no relationship found between node 'n1' and this object"));
}

#[test]
fn kubelets_write_about_their_own_node_where_that_is_asked_for() {
    let folder = folder();
    let launch = launch(&folder)
        .flag("--authorization-mode=Node")
        .flag("--enable-admission-plugins=NodeRestriction");
    let server = start(&launch);
    let node = |name: &str| json!({ "metadata": { "name": name } });
    assert_eq!(send(&server, "node", "POST", "/api/v1/nodes", node("n1")).0, 201);
    let (code, answer) = send(&server, "node", "POST", "/api/v1/nodes", node("n2"));
    assert_eq!(code, 403);
    assert_eq!(
        answer["message"],
        "nodes \"n2\" is forbidden: node \"n1\" is not allowed to modify node \"n2\""
    );
    let pod = json!({
        "metadata": { "name": "p" },
        "spec": { "nodeName": "n2", "containers": [{ "name": "c", "image": "i" }] },
    });
    assert_eq!(send(&server, "node", "POST", PODS, pod.clone()).0, 403);
    assert_eq!(send(&server, "admin", "POST", PODS, pod).0, 201);
    let (code, answer) = send(&server, "node", "DELETE", &format!("{PODS}/p"), json!({}));
    assert_eq!(code, 403);
    assert_eq!(
        answer["message"],
        "pods \"p\" is forbidden: node \"n1\" can only delete pods with spec.nodeName set to \
         itself"
    );
}

#[test]
fn updates_create_some_kinds_and_must_name_a_version_for_some() {
    let folder = folder();
    let server = start(&launch(&folder));
    let lease = json!({ "metadata": { "name": "l" }, "spec": { "holderIdentity": "a" } });
    let path = format!("{LEASES}/l");
    assert_eq!(send(&server, "admin", "PUT", &path, lease.clone()).0, 201);
    let (code, answer) = send(&server, "admin", "PUT", &path, lease.clone());
    assert_eq!(code, 422);
    assert_eq!(
        answer["message"],
        "leases.coordination.k8s.io \"l\" is invalid: metadata.resourceVersion: Invalid value: 0: \
         must be specified for an update"
    );
    let mut current = get(&server, "admin", &path).1;
    current["spec"]["holderIdentity"] = json!("b");
    assert_eq!(send(&server, "admin", "PUT", &path, current).0, 200);

    let config_map = json!({ "metadata": { "name": "c" } });
    let missing = "/api/v1/namespaces/default/configmaps/c";
    assert_eq!(send(&server, "admin", "PUT", missing, config_map).0, 404);

    let rules = json!([{
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": ["update", "get"],
    }]);
    allow(&server, "alice", "leases", &rules);
    settles(&server, 200, |server| get(server, "alice", &path));
    let (code, answer) = send(
        &server,
        "alice",
        "PUT",
        &format!("{LEASES}/m"),
        json!({ "metadata": { "name": "m" } }),
    );
    assert_eq!(code, 403);
    assert_eq!(
        answer["message"],
        "leases.coordination.k8s.io \"m\" is forbidden: User \"alice\" cannot create resource \
         \"leases\" in API group \"coordination.k8s.io\" in the namespace \"default\""
    );
}

#[test]
fn acting_as_others_may_be_allowed_for_some_actions_only() {
    let folder = folder();
    let server = start(&launch(&folder));
    let read = json!([{
        "apiGroups": [""],
        "resources": ["pods", "services"],
        "verbs": ["list"],
    }]);
    allow(&server, "carol", "readers", &read);
    let act = json!([
        {
            "apiGroups": ["authentication.k8s.io"],
            "resources": ["users"],
            "resourceNames": ["carol"],
            "verbs": ["impersonate:user-info"],
        },
        { "apiGroups": [""], "resources": ["pods"], "verbs": ["impersonate-on:user-info:list"] },
    ]);
    allow(&server, "bob", "actors", &act);
    let list = |server: &Server, path: &str, user: &str| {
        let list = Call::of("GET", path).with_header("Impersonate-User", user);
        call(server, &list.sent_by(Sender::Named("bob".to_owned())))
    };
    settles(&server, 200, |server| list(server, PODS, "carol"));
    let refusal = |path: &str, user: &str| {
        let (code, answer) = list(&server, path, user);
        assert_eq!(code, 403);
        answer["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        refusal("/api/v1/services", "carol"),
        "services is forbidden: User \"bob\" cannot impersonate-on:user-info:list resource \
         \"services\" in API group \"\" at the cluster scope"
    );
    assert_eq!(
        refusal(PODS, "dave"),
        "users.authentication.k8s.io \"dave\" is forbidden: User \"bob\" cannot \
         impersonate:user-info resource \"users\" in API group \"authentication.k8s.io\" at the \
         cluster scope"
    );
}

#[test]
fn roles_that_are_made_of_others_have_their_rules() {
    let folder = folder();
    let server = start(&launch(&folder));
    let rules = |server: &Server| {
        let role = get(server, "admin", &format!("{RBAC}/clusterroles/view")).1;
        role["rules"].as_array().cloned().unwrap_or_default()
    };
    assert!(!rules(&server).is_empty());
    let added = json!({ "apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"] });
    let part = json!({
        "metadata": {
            "name": "things",
            "labels": { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
        },
        "rules": [added],
    });
    let path = format!("{RBAC}/clusterroles");
    assert_eq!(send(&server, "admin", "POST", &path, part).0, 201);
    let found = poll(SETTLED_WAIT, PAUSE, || rules(&server).contains(&added).then_some(()));
    assert!(found.is_some(), "{:?}", rules(&server));
}

#[test]
fn pods_without_a_node_cannot_be_connected_to() {
    let folder = folder();
    let server = start(&launch(&folder));
    let pod = json!({
        "metadata": { "name": "p" },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    assert_eq!(send(&server, "admin", "POST", PODS, pod).0, 201);
    for (path, code, message) in [
        ("p/exec?command=ls", 400, "pod p does not have a host assigned"),
        ("p/attach", 400, "pod p does not have a host assigned"),
        ("p/portforward", 400, "pod p does not have a host assigned"),
        ("p/exec?container=x", 400, "container x is not valid for pod p"),
        ("p/proxy/a/b", 400, "address not allowed"),
        ("q/exec", 404, "pods \"q\" not found"),
    ] {
        let (found, answer) = get(&server, "admin", &format!("{PODS}/{path}"));
        assert_eq!((found, &answer["message"]), (code, &json!(message)), "{path}");
    }
    assert_eq!(get(&server, "admin", &format!("{PODS}/p/log")), (204, Value::Null));
    let components = get(&server, "admin", "/api/v1/componentstatuses").1;
    assert_eq!(components["items"][0]["conditions"][0]["status"], "True");
}
