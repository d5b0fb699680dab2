//! Admission webhooks: whom they are asked about, and what becomes of their answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::server::{Backend, Launch};
use serde_json::{Value, json};

use crate::support::{PAUSE, Running, WAIT, WIDGETS, definition, version, widget};
use crate::webhook::Webhook;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";

/// Answers by the path that it is asked under.
fn start(running: &Running) -> Webhook {
    Webhook::start(&running.folder().join("data/pki"), |review| {
        let request = &review["request"];
        let object = &request["object"];
        let mut response = json!({ "uid": request["uid"], "allowed": true });
        let patch = match review["path"].as_str().unwrap() {
            "/silent" => return None,
            "/deny" => {
                response["allowed"] = json!(false);
                response["status"] = json!({ "code": 403, "reason": "Forbidden",
                    "message": format!("{} {} by {}", request["operation"].as_str().unwrap(),
                        request["name"].as_str().unwrap_or_default(),
                        request["userInfo"]["username"].as_str().unwrap()) });
                Value::Null
            }
            "/warn" => {
                response["warnings"] = json!(["mind the gap"]);
                Value::Null
            }
            "/label" => json!([{ "op": "add", "path": "/metadata/labels",
                "value": { "seen": request["operation"] } }]),
            "/first" if object["data"]["first"].is_null() => {
                json!([{ "op": "add", "path": "/data/first", "value": "1" }])
            }
            "/first" if !object["data"]["second"].is_null() => {
                json!([{ "op": "add", "path": "/data/third", "value": "3" }])
            }
            "/second" => json!([{ "op": "add", "path": "/data/second", "value": "2" }]),
            "/container" => json!([{ "op": "add", "path": "/spec/initContainers",
                "value": [{ "name": "init", "image": "i" }] }]),
            "/widget" => json!([
                { "op": "add", "path": "/spec/words", "value": request["resource"]["version"] },
                { "op": "add", "path": "/spec/unknown", "value": 1 },
            ]),
            _ => Value::Null,
        };
        if !patch.is_null() {
            response["patchType"] = json!("JSONPatch");
            response["patch"] = json!(STANDARD.encode(patch.to_string()));
        }
        Some(json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "response": response }))
    })
}

/// A webhook of a configuration, about new ConfigMaps with the label `hook` of its name.
fn hook(webhook: &Webhook, path: &str, changes: &Value) -> Value {
    let name = path.trim_start_matches('/');
    let mut hook = json!({
        "name": format!("{name}.example.com"),
        "clientConfig": webhook.client_config(path),
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "rules": [{ "operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"],
            "resources": ["configmaps"] }],
        "objectSelector": { "matchLabels": { "hook": name } },
    });
    for (member, value) in changes.as_object().into_iter().flatten() {
        hook[member] = value.clone();
    }
    hook
}

fn configure(running: &Running, kind: &str, hooks: &[Value]) {
    let path = format!("{GROUP}/{}webhookconfigurations", kind.to_lowercase());
    running.done("POST", &path, json!({ "metadata": { "name": "hooks" }, "webhooks": hooks }));
}

fn map(name: &str, hook: &str) -> Value {
    json!({ "metadata": { "name": name, "labels": { "hook": hook } }, "data": {} })
}

/// Does something until the answer is as it should be: configurations take effect soon, not at once.
fn soon(
    running: &Running,
    (method, path, body): (&str, &str, Value),
    is_so: impl Fn(u16, &Value) -> bool,
) -> Value {
    let found = poll(WAIT, PAUSE, || {
        let (status, value) = running.call(method, path, Some(body.clone()));
        is_so(status, &value).then_some(value)
    });
    found.unwrap_or_else(|| panic!("{path}: {:?}", running.call(method, path, Some(body))))
}

fn dry(path: &str) -> String {
    format!("{path}?dryRun=All")
}

#[test]
fn a_webhook_refuses_whatever_is_done() {
    let running = Running::new();
    let webhook = start(&running);
    running.done("POST", MAPS, map("old", "deny"));
    configure(&running, "Validating", &[hook(&webhook, "/deny", &Value::Null)]);
    let refused = soon(&running, ("POST", MAPS, map("new", "deny")), |status, _| status == 403);
    assert_eq!(
        refused["message"],
        "admission webhook \"deny.example.com\" denied the request: CREATE new by admin"
    );
    assert_eq!(refused["reason"], "Forbidden");
    let old = format!("{MAPS}/old");
    let message = |(status, refused): (u16, Value)| {
        assert_eq!(status, 403, "{refused}");
        refused["message"].as_str().unwrap().rsplit(": ").next().unwrap().to_owned()
    };
    assert_eq!(
        message(running.merge(&old, json!({ "data": { "a": "b" } }))),
        "UPDATE old by admin"
    );
    let gone = json!({ "metadata": { "labels": { "hook": null } } });
    assert_eq!(message(running.merge(&old, gone)), "UPDATE old by admin", "it was selected before");
    assert_eq!(message(running.call("DELETE", &old, None)), "DELETE old by admin");
    let all = format!("{MAPS}?labelSelector=hook");
    assert_eq!(message(running.call("DELETE", &all, None)), "DELETE old by admin");
    assert_eq!(running.get(&old).0, 200);
    running.done("POST", MAPS, map("other", "none"));

    let own = format!("{GROUP}/validatingwebhookconfigurations/hooks");
    assert_eq!(running.call("DELETE", &own, None).0, 200);
    soon(&running, ("DELETE", &old, json!({})), |status, _| status == 200);
}

#[test]
fn what_webhooks_change_is_defaulted_validated_and_seen_by_others() {
    let running = Running::new();
    let webhook = start(&running);
    let both = json!({ "objectSelector": { "matchLabels": { "hook": "both" } },
        "reinvocationPolicy": "IfNeeded" });
    let once = json!({ "objectSelector": { "matchLabels": { "hook": "both" } } });
    let pods = json!({ "rules": [{ "operations": ["CREATE"], "apiGroups": [""],
        "apiVersions": ["v1"], "resources": ["pods"] }] });
    configure(
        &running,
        "Mutating",
        &[
            hook(&webhook, "/label", &Value::Null),
            hook(&webhook, "/first", &both),
            hook(&webhook, "/second", &once),
            hook(&webhook, "/container", &pods),
        ],
    );
    let seen = |_: u16, made: &Value| made["metadata"]["labels"]["seen"] == "CREATE";
    soon(&running, ("POST", &dry(MAPS), map("a", "label")), seen);

    let mut both = map("b", "both");
    both["data"]["own"] = json!("0");
    let made = running.done("POST", MAPS, both);
    let data = json!({ "own": "0", "first": "1", "second": "2", "third": "3" });
    assert_eq!(made["data"], data);
    let uid = &made["metadata"]["uid"];
    assert!(uid.is_string() && made["metadata"]["managedFields"].is_array(), "{made}");

    let pod = json!({ "metadata": { "name": "p", "labels": { "hook": "container" } },
        "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    let made = running.done("POST", PODS, pod);
    let init = &made["spec"]["initContainers"][0];
    assert_eq!(init["terminationMessagePath"], "/dev/termination-log", "{made}");
}

#[test]
fn a_webhook_that_fails_is_passed_over_only_if_it_says_so() {
    let running = Running::new();
    let webhook = start(&running);
    let away = json!({ "url": "https://127.0.0.1:1/gone" });
    configure(
        &running,
        "Validating",
        &[
            hook(&webhook, "/closed", &json!({ "clientConfig": away })),
            hook(&webhook, "/open", &json!({ "clientConfig": away, "failurePolicy": "Ignore" })),
            hook(&webhook, "/silent", &json!({ "timeoutSeconds": 1 })),
            hook(&webhook, "/warn", &Value::Null),
        ],
    );
    let refused =
        soon(&running, ("POST", &dry(MAPS), map("a", "closed")), |status, _| status == 500);
    let message = refused["message"].as_str().unwrap();
    let start = "Internal error occurred: failed calling webhook \"closed.example.com\": failed to \
        call webhook: Post \"https://127.0.0.1:1/gone?timeout=10s\": dial tcp 127.0.0.1:1: connect";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(refused["reason"], "InternalError");
    running.done("POST", MAPS, map("b", "open"));
    let (status, refused) = running.call("POST", MAPS, Some(map("c", "silent")));
    assert_eq!(status, 500);
    let message = refused["message"].as_str().unwrap();
    assert!(message.ends_with("/silent?timeout=1s\": context deadline exceeded"), "{message}");

    let call = Call::of("POST", MAPS).with_body(Body::Json(map("d", "warn")));
    let response = running.server.target().call(&call).unwrap();
    assert_eq!(response.head.status, 201);
    let warnings = response.head.header("warning");
    assert_eq!(warnings, Some("299 - \"mind the gap\""));
}

#[test]
fn conditions_and_selectors_choose_what_a_webhook_sees() {
    let running = Running::new();
    let webhook = start(&running);
    let condition = |expression: &str| {
        json!({ "objectSelector": {},
            "matchConditions": [{ "name": "c", "expression": expression }] })
    };
    let bad = hook(&webhook, "/deny", &condition("object.metadata.name =="));
    let path = format!("{GROUP}/validatingwebhookconfigurations");
    let body = json!({ "metadata": { "name": "bad" }, "webhooks": [bad] });
    let (status, refused) = running.call("POST", &path, Some(body));
    let message = refused["message"].as_str().unwrap();
    assert!(status == 422 && message.contains("compilation failed: ERROR"), "{refused}");

    let named = "object.metadata.name.startsWith('no') && request.namespace == 'default'";
    let mut team = hook(
        &webhook,
        "/deny",
        &json!({ "objectSelector": {},
        "namespaceSelector": { "matchLabels": { "team": "a" } } }),
    );
    team["name"] = json!("team.example.com");
    configure(&running, "Validating", &[hook(&webhook, "/deny", &condition(named)), team]);
    soon(&running, ("POST", &dry(MAPS), map("no", "x")), |status, _| status == 403);
    running.done("POST", MAPS, map("yes", "x"));
    let namespaces = "/api/v1/namespaces";
    for (name, label, expected) in [("one", "a", 403), ("two", "b", 201)] {
        let namespace = json!({ "metadata": { "name": name, "labels": { "team": label } } });
        running.done("POST", namespaces, namespace);
        let path = format!("{namespaces}/{name}/configmaps");
        assert_eq!(running.call("POST", &path, Some(map("no", "x"))).0, expected);
    }
}

#[test]
fn custom_resources_are_changed_in_the_version_that_is_asked_for() {
    let running = Running::new();
    let webhook = start(&running);
    let spec = json!({ "size": { "type": "integer" }, "words": { "type": "string" } });
    let versions = [version("v1", &spec), version("v2", &spec)];
    running.define(&definition("widgets", "Widget", &versions));
    let rules = |versions: &str| {
        json!({ "objectSelector": {}, "rules": [{ "operations": ["CREATE", "DELETE"],
            "apiGroups": ["example.com"], "apiVersions": [versions], "resources": ["widgets"] }] })
    };
    configure(&running, "Mutating", &[hook(&webhook, "/widget", &rules("v2"))]);
    let changed = |status: u16, made: &Value| status == 201 && made["spec"]["words"] == "v2";
    let made = soon(&running, ("POST", &dry(WIDGETS), widget("a")), changed);
    assert_eq!(made["spec"], json!({ "size": 1, "words": "v2" }), "what is unknown is pruned");
    assert_eq!(made["apiVersion"], "example.com/v1");
}

#[test]
fn connections_and_plugins_that_are_off() {
    let running = Running::new();
    let webhook = start(&running);
    let rules = json!({ "objectSelector": {}, "rules": [{ "operations": ["CONNECT"],
        "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods/attach"] }] });
    configure(&running, "Validating", &[hook(&webhook, "/deny", &rules)]);
    let pod = json!({ "metadata": { "name": "p" },
        "spec": { "containers": [{ "name": "c", "image": "i" }] } });
    running.done("POST", PODS, pod);
    let attach = format!("{PODS}/p/attach?stdin=1");
    let refused = soon(&running, ("POST", &attach, json!({})), |status, _| status == 403);
    let message = "admission webhook \"deny.example.com\" denied the request: CONNECT p by admin";
    assert_eq!(refused["message"], message);
    assert_eq!(running.call("POST", &format!("{PODS}/p/exec?command=a"), None).0, 400);
}

#[test]
fn webhooks_are_asked_only_if_their_plugins_are_on() {
    let mut running = Running::new();
    let folder = tempfile::tempdir().unwrap();
    let binary = binary::server().unwrap();
    let flag = "--disable-admission-plugins=MutatingAdmissionWebhook,ValidatingAdmissionWebhook";
    let launch = Launch::new(&binary, folder.path(), Backend::Memory).flag(flag);
    running.server = launch.start().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let webhook = Webhook::start(&folder.path().join("data/pki"), move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Some(json!({}))
    });
    configure(&running, "Mutating", &[hook(&webhook, "/deny", &Value::Null)]);
    configure(&running, "Validating", &[hook(&webhook, "/deny", &Value::Null)]);
    // A policy that came later is in force: so would be the webhooks.
    crate::policies::deny_marked(&running);
    running.done("POST", MAPS, map("a", "deny"));
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}
