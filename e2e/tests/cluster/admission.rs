//! What is looked at before it is stored, and what `--disable-admission-plugins` makes of it.

use serde_json::{Value, json};

use super::support::{CONFIG_MAPS, Running};

const PODS: &str = "/api/v1/namespaces/default/pods";
const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";

fn pod(name: &str, spec: &Value) -> Value {
    let mut pod = json!({ "metadata": { "name": name }, "spec": spec });
    if pod["spec"]["containers"].is_null() {
        pod["spec"]["containers"] = json!([{ "name": "c", "image": "i" }]);
    }
    pod
}

#[test]
fn a_pod_acts_as_an_account_and_finds_its_token() {
    let server = Running::with(&[]);
    let made = server.create(PODS, pod("p", &json!({})));
    assert_eq!(made["spec"]["serviceAccountName"], "default");
    let volume = made["spec"]["volumes"][0]["name"].as_str().unwrap();
    assert!(volume.starts_with("kube-api-access-") && volume.len() == 21, "{volume}");
    assert_eq!(
        server.refusal(PODS, pod("q", &json!({ "serviceAccountName": "x" }))),
        "pods \"q\" is forbidden: error looking up service account default/x: serviceaccount \
         \"x\" not found"
    );
}

#[test]
fn classes_must_be_there_and_say_what_a_pod_gets() {
    let server = Running::with(&["--disable-admission-plugins=ServiceAccount"]);
    server.create(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        json!({ "metadata": { "name": "mine" }, "value": 7 }),
    );
    let made = server.create(PODS, pod("p", &json!({ "priorityClassName": "mine" })));
    assert_eq!(made["spec"]["priority"], 7);
    assert!(made["spec"]["serviceAccountName"].is_null());
    for (spec, why) in [
        (json!({ "priorityClassName": "x" }), "no PriorityClass with name x was found"),
        (json!({ "runtimeClassName": "x" }), "pod rejected: RuntimeClass \"x\" not found"),
    ] {
        let refusal = server.refusal(PODS, pod("q", &spec));
        assert_eq!(refusal, format!("pods \"q\" is forbidden: {why}"));
    }
}

#[test]
fn plugins_that_are_off_do_nothing() {
    let off = "Priority,DefaultTolerationSeconds,ServiceAccount,TaintNodesByCondition,RuntimeClass,\
               StorageObjectInUseProtection";
    let server = Running::with(&[&format!("--disable-admission-plugins={off}")]);
    let made = server.create(PODS, pod("p", &json!({ "runtimeClassName": "x" })));
    for member in ["priority", "tolerations", "serviceAccountName", "volumes"] {
        assert!(made["spec"][member].is_null(), "{member}");
    }
    let node = server.create("/api/v1/nodes", json!({ "metadata": { "name": "n" } }));
    assert!(node["spec"]["taints"].is_null());
}

#[test]
fn limits_fill_in_and_refuse() {
    let server = Running::with(&["--disable-admission-plugins=ServiceAccount"]);
    let limits = json!([{ "type": "Container", "max": { "cpu": "1" },
        "default": { "cpu": "500m" }, "defaultRequest": { "cpu": "100m" } }]);
    let range = json!({ "metadata": { "name": "l" }, "spec": { "limits": limits } });
    server.create("/api/v1/namespaces/default/limitranges", range);
    let made = server.create(PODS, pod("p", &json!({})));
    let resources = &made["spec"]["containers"][0]["resources"];
    assert_eq!(*resources, json!({ "limits": { "cpu": "500m" }, "requests": { "cpu": "100m" } }));
    assert_eq!(made["status"]["qosClass"], "Burstable");
    let greedy = json!([{ "name": "c", "image": "i", "resources": { "limits": { "cpu": "2" } } }]);
    assert_eq!(
        server.refusal(PODS, pod("q", &json!({ "containers": greedy }))),
        "pods \"q\" is forbidden: maximum cpu usage per Container is 1, but limit is 2"
    );
}

#[test]
fn a_quota_is_counted_charged_and_given_back() {
    let server = Running::with(&["--controllers=resourcequota"]);
    let hard = json!({ "configmaps": "2" });
    let quota = json!({ "metadata": { "name": "q" }, "spec": { "hard": hard } });
    server.create(CONFIG_MAPS, json!({ "metadata": { "name": "before" } }));
    server.create(QUOTAS, quota);
    let used = |wanted: &str| {
        server.wait_for(&format!("{wanted} used"), || {
            let quota = server.get(&format!("{QUOTAS}/q"))?;
            (quota["status"]["used"]["configmaps"] == wanted).then_some(())
        });
    };
    used("1");
    server.create(CONFIG_MAPS, json!({ "metadata": { "name": "a" } }));
    used("2");
    assert_eq!(
        server.refusal(CONFIG_MAPS, json!({ "metadata": { "name": "b" } })),
        "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: \
         configmaps=2, limited: configmaps=2"
    );
    server.delete(&format!("{CONFIG_MAPS}/a"), "Background");
    used("1");
    server.create(CONFIG_MAPS, json!({ "metadata": { "name": "c" } }));
    server.delete(&format!("{CONFIG_MAPS}/before"), "Background");
    used("1");
    // The name is taken: nothing is charged for it.
    let taken = server.refusal(CONFIG_MAPS, json!({ "metadata": { "name": "c" } }));
    assert_eq!(taken, "configmaps \"c\" already exists");
    used("1");
}
