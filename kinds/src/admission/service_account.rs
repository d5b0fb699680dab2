//! ServiceAccount: whom a pod acts as, and how it finds its token.

use serde_json::{Value, json};

use super::Refusal;
use crate::value::Members;

/// The account of pods that name none.
pub const DEFAULT_ACCOUNT: &str = "default";
/// Pods with this annotation are shown by a kubelet and act as nobody.
const MIRROR: &str = "kubernetes.io/config.mirror";
/// What names of volumes with tokens begin with.
const VOLUME: &str = "kube-api-access-";
/// Where programs look for their token.
const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// How long a token holds, in seconds; a kubelet has it renewed in time.
const TOKEN_SECONDS: i64 = 3607;
/// Who may read the files: `0644`.
const FILE_MODE: i64 = 420;

/// The account that a new pod is to act as; none if a kubelet shows it.
#[must_use]
pub fn account_name(pod: &Value) -> Option<&str> {
    if pod.member("metadata").member("annotations").has(MIRROR) {
        return None;
    }
    match pod.member("spec").text("serviceAccountName") {
        "" => Some(DEFAULT_ACCOUNT),
        name => Some(name),
    }
}

/// What a pod must not do that a kubelet shows.
///
/// # Errors
///
/// It names an account.
pub fn mirror_refusal(pod: &Value) -> Result<(), Refusal> {
    if pod.member("spec").is_blank("serviceAccountName") {
        return Ok(());
    }
    Err(Refusal("a mirror pod may not reference service accounts".to_owned()))
}

/// The account is not there.
#[must_use]
pub fn no_such_account(namespace: &str, name: &str) -> Refusal {
    Refusal(format!(
        "error looking up service account {namespace}/{name}: serviceaccount \"{name}\" not found"
    ))
}

/// Lets a new pod act as an account; `suffix` makes the name of its volume.
pub fn set_account(pod: &mut Value, account: &Value, suffix: &str) {
    let Some(spec) = pod.present_mut("spec") else { return };
    let name = account.member("metadata").text("name");
    spec.set("serviceAccountName", name);
    spec.set("serviceAccount", name);
    if mounts_token(spec, account) {
        mount_token(spec, suffix);
    }
    if spec.is_blank("imagePullSecrets") && !account.is_blank("imagePullSecrets") {
        spec.set("imagePullSecrets", account.member("imagePullSecrets").clone());
    }
}

/// The pod decides, else its account.
fn mounts_token(spec: &Value, account: &Value) -> bool {
    let said = |object: &Value| object.member("automountServiceAccountToken").as_bool();
    said(spec).or_else(|| said(account)).unwrap_or(true)
}

fn mount_token(spec: &mut Value, suffix: &str) {
    let volumes = spec.items("volumes").iter().map(|volume| volume.text("name"));
    let existing = volumes.into_iter().find(|name| name.starts_with(VOLUME)).map(str::to_owned);
    let is_there = existing.is_some();
    let name = existing.unwrap_or_else(|| format!("{VOLUME}{suffix}"));
    let mut mounted = false;
    for list in ["initContainers", "containers"] {
        for container in spec.items_mut(list) {
            let own = |mount: &Value| mount.text("mountPath") == MOUNT_PATH;
            if !container.items("volumeMounts").iter().any(own) {
                let mount = json!({"name": name, "readOnly": true, "mountPath": MOUNT_PATH});
                container.push_item("volumeMounts", mount);
                mounted = true;
            }
        }
    }
    if mounted && !is_there {
        spec.push_item("volumes", json!({"name": name, "projected": token_volume()}));
    }
}

fn token_volume() -> Value {
    json!({
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": TOKEN_SECONDS, "path": "token"}},
            {"configMap": {
                "name": "kube-root-ca.crt",
                "items": [{"key": "ca.crt", "path": "ca.crt"}],
            }},
            {"downwardAPI": {"items": [{
                "path": "namespace",
                "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
            }]}},
        ],
        "defaultMode": FILE_MODE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account() -> Value {
        json!({"metadata": {"name": "default"}, "imagePullSecrets": [{"name": "s"}]})
    }

    #[test]
    fn every_container_finds_the_token_once() {
        let mut pod = json!({"spec": {"containers": [{"name": "c"}, {"name": "d", "volumeMounts":
            [{"name": "own", "mountPath": MOUNT_PATH}]}], "initContainers": [{"name": "i"}]}});
        set_account(&mut pod, &account(), "abcde");
        let spec = &pod["spec"];
        assert_eq!(spec["serviceAccountName"], "default");
        assert_eq!(spec["containers"][0]["volumeMounts"][0]["name"], "kube-api-access-abcde");
        assert_eq!(spec["initContainers"][0]["volumeMounts"].as_array().unwrap().len(), 1);
        assert_eq!(spec["containers"][1]["volumeMounts"].as_array().unwrap().len(), 1);
        assert_eq!(spec["volumes"].as_array().unwrap().len(), 1);
        assert_eq!(spec["imagePullSecrets"], json!([{"name": "s"}]));
        set_account(&mut pod, &account(), "fghij");
        assert_eq!(pod["spec"]["volumes"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn who_wants_no_token_gets_none_and_the_pod_decides_before_its_account() {
        for (pod_wants, account_wants, mounted) in [
            (Value::Null, Value::Null, true),
            (Value::Null, json!(false), false),
            (json!(true), json!(false), true),
            (json!(false), Value::Null, false),
        ] {
            let mut pod = json!({"spec": {"automountServiceAccountToken": pod_wants,
                "containers": [{}]}});
            let mut account = account();
            account["automountServiceAccountToken"] = account_wants;
            set_account(&mut pod, &account, "abcde");
            assert_eq!(pod["spec"].has("volumes"), mounted, "{pod}");
        }
    }

    #[test]
    fn pods_that_a_kubelet_shows_act_as_nobody() {
        let mut pod = json!({"metadata": {"annotations": {MIRROR: "x"}}, "spec": {}});
        assert_eq!(account_name(&pod), None);
        assert!(mirror_refusal(&pod).is_ok());
        pod["spec"]["serviceAccountName"] = "a".into();
        assert!(mirror_refusal(&pod).is_err());
        assert_eq!(account_name(&json!({"spec": {}})), Some("default"));
    }
}
