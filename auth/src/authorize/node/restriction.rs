//! What kubelets may write, as far as the authorizer cannot tell without the object (upstream: the
//! admission plugin NodeRestriction).

use std::collections::BTreeSet;

use serde_json::Value;
use validation::text::go_quote;

use super::edges::{MIRROR, needs};
use super::graph::VertexKind;
use super::{LEASES, identity};
use crate::user::User;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// An object is made, or an action done with one.
    Create,
    /// An object is changed.
    Update,
    /// An object is deleted.
    Delete,
}

/// A write that is about to be done.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    /// Group and resource.
    pub resource: (&'a str, &'a str),
    /// Subresource; empty for the object itself.
    pub subresource: &'a str,
    /// Its namespace; empty for objects of the whole cluster.
    pub namespace: &'a str,
    /// The object's name.
    pub name: &'a str,
    /// What is done.
    pub operation: Operation,
    /// The object as it would be, or what the action takes; `null` for deletions.
    pub object: &'a Value,
    /// The object as it is; `null` for new ones.
    pub old: &'a Value,
}

/// Finds what else counts.
pub trait Lookup {
    /// A stored object; the namespace is empty for nodes.
    fn find(&self, plural: &str, namespace: &str, name: &str) -> Option<Value>;
}

/// Why a kubelet must not write that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is none of its business; answered with 403.
    Forbidden(String),
    /// What it depends on is not there: plural and name; answered with 404.
    NotFound(&'static str, String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self::Forbidden(why)
    }
}

/// The labels that kubelets set on their nodes.
const KUBELET_LABELS: [&str; 12] = [
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "kubernetes.io/arch",
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "node.kubernetes.io/instance-type",
    "node.kubernetes.io/windows-build",
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
];
/// Domains in which they may set any.
const KUBELET_DOMAINS: [&str; 2] = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const RESTRICTED_DOMAIN: &str = "node-restriction.kubernetes.io";

/// Checks a write of a user; others than kubelets may write what they like.
///
/// # Errors
/// [`Refusal`], in the reference's words.
pub fn restrict(user: &User, write: &Write<'_>, lookup: &dyn Lookup) -> Result<(), Refusal> {
    let Some(node) = identity(user) else { return Ok(()) };
    if node.is_empty() {
        let user = go_quote(&user.name);
        return Err(format!("could not determine node from user {user}").into());
    }
    let quoted = go_quote(node);
    match (write.resource, write.subresource) {
        (("", "pods"), "") => pod(node, write, lookup),
        (("", "pods"), "status") => pod_status(node, write),
        (("", "pods"), "eviction") if write.old["spec"]["nodeName"] == node => Ok(()),
        (("", "pods"), "eviction") => {
            let why = "can only evict pods with spec.nodeName set to itself";
            Err(format!("node {node} {why}").into())
        }
        (("", "pods"), other) => Err(format!(
            "unexpected pod subresource {}, only 'status' and 'eviction' are allowed",
            go_quote(other)
        )
        .into()),
        (("", "nodes"), _) => own_node(node, write),
        (("", "persistentvolumeclaims"), "status") => claim_status(&quoted, write),
        (("", "persistentvolumeclaims"), _) => Err("may only update PVC status".to_owned().into()),
        (("", "serviceaccounts"), "token") => token(node, write, lookup),
        (("coordination.k8s.io", "leases"), _) => lease(node, write),
        (("storage.k8s.io", "csinodes"), _) if write.name != node => {
            let why = "can only access CSINode with the same name as the requesting node";
            Err(why.to_owned().into())
        }
        _ => Ok(()),
    }
}

fn pod(node: &str, write: &Write<'_>, lookup: &dyn Lookup) -> Result<(), Refusal> {
    let quoted = go_quote(node);
    match write.operation {
        Operation::Create => new_pod(node, write, lookup),
        Operation::Delete if write.old["spec"]["nodeName"] == node => Ok(()),
        Operation::Delete => {
            Err(format!("node {quoted} can only delete pods with spec.nodeName set to itself")
                .into())
        }
        Operation::Update => Err(format!(
            "unexpected operation \"UPDATE\", node {quoted} can only create and delete mirror pods"
        )
        .into()),
    }
}

/// Kubelets make pods only to show what they run by themselves, and such pods need nothing.
fn new_pod(node: &str, write: &Write<'_>, lookup: &dyn Lookup) -> Result<(), Refusal> {
    let (quoted, pod) = (go_quote(node), write.object);
    if pod["metadata"]["annotations"][MIRROR].is_null() {
        let why = format!(
            "pod does not have {} annotation, node {quoted} can only create mirror pods",
            go_quote(MIRROR)
        );
        return Err(why.into());
    }
    if pod["spec"]["nodeName"] != node {
        let why = format!("node {quoted} can only create pods with spec.nodeName set to itself");
        return Err(why.into());
    }
    owner(node, pod, lookup)?;
    let reference = |kind: VertexKind| match kind {
        VertexKind::ServiceAccount => Some("a service account"),
        VertexKind::Secret => Some("secrets"),
        VertexKind::ConfigMap => Some("configmaps"),
        VertexKind::Claim => Some("persistentvolumeclaims"),
        _ => None,
    };
    for (kind, _) in needs(write.name, pod) {
        if let Some(what) = reference(kind) {
            let why = format!("node {quoted} can not create pods that reference {what}");
            return Err(why.into());
        }
    }
    Ok(())
}

fn owner(node: &str, pod: &Value, lookup: &dyn Lookup) -> Result<(), Refusal> {
    let only = |how: &str| -> Result<(), Refusal> {
        Err(format!("node {} can only create pods with {how} set to itself", go_quote(node)).into())
    };
    let owners = pod["metadata"]["ownerReferences"].as_array().map(Vec::as_slice);
    let owner = match owners.unwrap_or_default() {
        [owner] => owner,
        [] => return only("an owner reference"),
        _ => return only("a single owner reference"),
    };
    if owner["apiVersion"] != "v1" || owner["kind"] != "Node" || owner["name"] != node {
        return only("an owner reference");
    }
    if owner["controller"] != true {
        return only("a controller owner reference");
    }
    if owner["blockOwnerDeletion"] == true {
        let node = go_quote(node);
        let why = format!("node {node} must not set blockOwnerDeletion on an owner reference");
        return Err(why.into());
    }
    let found = lookup.find("nodes", "", node);
    let found = found.ok_or_else(|| Refusal::NotFound("nodes", node.to_owned()))?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (claimed, actual) = (text(&owner["uid"]), text(&found["metadata"]["uid"]));
    if claimed != actual {
        let why = format!("node {node} UID mismatch: expected {claimed} got {actual}");
        return Err(why.into());
    }
    Ok(())
}

fn pod_status(node: &str, write: &Write<'_>) -> Result<(), Refusal> {
    let (quoted, old, new) = (go_quote(node), write.old, write.object);
    if old["spec"]["nodeName"] != node {
        let why = "can only update pod status for pods with spec.nodeName set to itself";
        return Err(format!("node {quoted} {why}").into());
    }
    if labels(old) != labels(new) {
        return Err(format!("node {quoted} cannot update labels through pod status").into());
    }
    let claims = |pod: &Value| pod["status"]["resourceClaimStatuses"].clone();
    if claims(old) != claims(new) {
        return Err(format!("node {quoted} cannot update resource claim statues").into());
    }
    Ok(())
}

fn own_node(node: &str, write: &Write<'_>) -> Result<(), Refusal> {
    let quoted = go_quote(node);
    if write.name != node {
        let other = go_quote(write.name);
        return Err(format!("node {quoted} is not allowed to modify node {other}").into());
    }
    let (old, new) = (write.old, write.object);
    let forbidden = || -> Vec<String> {
        let modified = modified_labels(old, new);
        modified.into_iter().filter(|label| is_forbidden(label)).collect()
    };
    match write.operation {
        Operation::Create => {
            let labels = forbidden();
            if labels.is_empty() {
                return Ok(());
            }
            let labels = labels.join(", ");
            let why = format!("node {quoted} is not allowed to set the following labels: {labels}");
            Err(why.into())
        }
        Operation::Update => {
            if old["spec"]["taints"] != new["spec"]["taints"] {
                return Err(format!("node {quoted} is not allowed to modify taints").into());
            }
            let labels = forbidden();
            if labels.is_empty() {
                return Ok(());
            }
            Err(format!("is not allowed to modify labels: {}", labels.join(", ")).into())
        }
        Operation::Delete => Ok(()),
    }
}

fn labels(object: &Value) -> Vec<(&str, &Value)> {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    let mut labels: Vec<_> = labels.map(|(key, value)| (key.as_str(), value)).collect();
    labels.sort_unstable_by_key(|(key, _)| *key);
    labels
}

fn modified_labels(old: &Value, new: &Value) -> BTreeSet<String> {
    let (old, new) = (labels(old), labels(new));
    let only_in = |these: &[(&str, &Value)], those: &[(&str, &Value)]| -> Vec<String> {
        let missing = these.iter().filter(|label| !those.contains(label));
        missing.map(|(key, _)| (*key).to_owned()).collect()
    };
    only_in(&old, &new).into_iter().chain(only_in(&new, &old)).collect()
}

/// Whether a label is one by which pods are steered to nodes, which is not for nodes to say.
fn is_forbidden(label: &str) -> bool {
    let Some((domain, _)) = label.split_once('/') else { return false };
    let is_in = |of: &str| {
        domain.strip_suffix(of).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let is_kubernetes = is_in("kubernetes.io") || is_in("k8s.io");
    let is_kubelet = KUBELET_LABELS.contains(&label) || KUBELET_DOMAINS.into_iter().any(is_in);
    is_in(RESTRICTED_DOMAIN) || (is_kubernetes && !is_kubelet)
}

fn claim_status(quoted: &str, write: &Write<'_>) -> Result<(), Refusal> {
    let kept = |claim: &Value| {
        let mut claim = claim.clone();
        for (place, members) in [
            ("metadata", &["resourceVersion", "managedFields"][..]),
            (
                "status",
                &["capacity", "conditions", "allocatedResources", "allocatedResourceStatuses"],
            ),
        ] {
            if let Some(object) = claim.get_mut(place).and_then(Value::as_object_mut) {
                members.iter().for_each(|member| drop(object.remove(*member)));
            }
        }
        claim
    };
    if kept(write.old) == kept(write.object) {
        return Ok(());
    }
    let why = "is not allowed to update fields other than status.capacity and status.conditions";
    Err(format!("node {quoted} {why}").into())
}

fn token(node: &str, write: &Write<'_>, lookup: &dyn Lookup) -> Result<(), Refusal> {
    let bound = &write.object["spec"]["boundObjectRef"];
    let text = |member: &str| bound[member].as_str().unwrap_or_default();
    if text("apiVersion") != "v1" || text("kind") != "Pod" || text("name").is_empty() {
        return Err("node requested token not bound to a pod".to_owned().into());
    }
    if text("uid").is_empty() {
        let why = "node requested token with a pod binding without a uid";
        return Err(why.to_owned().into());
    }
    let pod = lookup.find("pods", write.namespace, text("name"));
    let pod = pod.ok_or_else(|| Refusal::NotFound("pods", text("name").to_owned()))?;
    if pod["metadata"]["uid"] != text("uid") {
        let why = format!(
            "the UID in the bound object reference ({}) does not match the UID in record. The \
             object might have been deleted and then recreated",
            text("uid")
        );
        return Err(why.into());
    }
    if pod["spec"]["nodeName"] != node {
        let why = "node requested token bound to a pod scheduled on a different node";
        return Err(why.to_owned().into());
    }
    Ok(())
}

fn lease(node: &str, write: &Write<'_>) -> Result<(), Refusal> {
    if write.namespace != LEASES {
        let namespace = go_quote(LEASES);
        return Err(format!("can only access leases in the {namespace} system namespace").into());
    }
    if write.name != node {
        let why = "can only access node lease with the same name as the requesting node";
        return Err(why.to_owned().into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{NODE_PREFIX, NODES_GROUP};
    use super::*;

    /// Node `n1` with uid `u1`, and pod `p` on it with uid `up`.
    struct Stored;

    impl Lookup for Stored {
        fn find(&self, plural: &str, _: &str, name: &str) -> Option<Value> {
            match (plural, name) {
                ("nodes", "n1") => Some(json!({ "metadata": { "uid": "u1" } })),
                ("pods", "p") => {
                    Some(json!({ "metadata": { "uid": "up" }, "spec": { "nodeName": "n1" } }))
                }
                _ => None,
            }
        }
    }

    fn ask(
        node: &str,
        resource: &str,
        name: &str,
        operation: Operation,
        old: &Value,
        object: &Value,
    ) -> Result<(), String> {
        let mut parts = resource.split('/');
        let mut part = || parts.next().unwrap_or_default();
        let (group, plural, subresource) = (part(), part(), part());
        let user = User::new(format!("{NODE_PREFIX}{node}")).with_groups([NODES_GROUP]);
        let write = Write {
            resource: (group, plural),
            subresource,
            namespace: if plural == "leases" { LEASES } else { "ns" },
            name,
            operation,
            object,
            old,
        };
        restrict(&user, &write, &Stored).map_err(|refusal| match refusal {
            Refusal::Forbidden(why) => why,
            Refusal::NotFound(plural, name) => format!("{plural} {name} not found"),
        })
    }

    fn mirror() -> Value {
        json!({
            "metadata": {
                "annotations": { MIRROR: "x" },
                "ownerReferences": [{
                    "apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "u1",
                    "controller": true,
                }],
            },
            "spec": { "nodeName": "n1" },
        })
    }

    #[test]
    fn kubelets_make_mirror_pods_only() {
        let create = |pod: &Value| ask("n1", "/pods", "m", Operation::Create, &Value::Null, pod);
        assert_eq!(create(&mirror()), Ok(()));
        let changed = |pointer: &str, value: Value| {
            let mut pod = mirror();
            *pod.pointer_mut(pointer).unwrap() = value;
            create(&pod).unwrap_err()
        };
        for (pointer, value, why) in [
            (
                "/metadata/annotations",
                json!({}),
                "pod does not have \"kubernetes.io/config.mirror\" annotation, node \"n1\" can only \
                 create mirror pods",
            ),
            (
                "/spec/nodeName",
                json!("n2"),
                "node \"n1\" can only create pods with spec.nodeName set to itself",
            ),
            (
                "/metadata/ownerReferences",
                json!([]),
                "node \"n1\" can only create pods with an owner reference set to itself",
            ),
            (
                "/metadata/ownerReferences/0/controller",
                Value::Null,
                "node \"n1\" can only create pods with a controller owner reference set to itself",
            ),
            (
                "/metadata/ownerReferences/0/uid",
                json!("other"),
                "node n1 UID mismatch: expected other got u1",
            ),
            (
                "/spec",
                json!({ "nodeName": "n1", "serviceAccountName": "sa" }),
                "node \"n1\" can not create pods that reference a service account",
            ),
            (
                "/spec",
                json!({ "nodeName": "n1", "imagePullSecrets": [{ "name": "s" }] }),
                "node \"n1\" can not create pods that reference secrets",
            ),
        ] {
            assert_eq!(changed(pointer, value), why);
        }
    }

    #[test]
    fn kubelets_look_after_their_own_pods() {
        let (here, there) = (json!({ "spec": { "nodeName": "n1" } }), json!({ "spec": {} }));
        for (resource, operation) in [
            ("/pods", Operation::Delete),
            ("/pods/status", Operation::Update),
            ("/pods/eviction", Operation::Create),
        ] {
            assert_eq!(ask("n1", resource, "p", operation, &here, &here), Ok(()), "{resource}");
            assert!(ask("n1", resource, "p", operation, &there, &there).is_err(), "{resource}");
        }
        let labelled =
            json!({ "metadata": { "labels": { "a": "b" } }, "spec": { "nodeName": "n1" } });
        assert_eq!(
            ask("n1", "/pods/status", "p", Operation::Update, &here, &labelled).unwrap_err(),
            "node \"n1\" cannot update labels through pod status"
        );
        assert!(ask("n1", "/pods/exec", "p", Operation::Create, &here, &here).is_err());
    }

    #[test]
    fn kubelets_say_of_their_node_what_steers_no_pods() {
        let node = |labels: Value| json!({ "metadata": { "labels": labels } });
        let create = |name: &str, labels: Value| {
            ask("n1", "/nodes", name, Operation::Create, &Value::Null, &node(labels))
        };
        let own =
            json!({ "kubernetes.io/hostname": "n1", "x.node.kubernetes.io/y": "", "own": "" });
        assert_eq!(create("n1", own), Ok(()));
        assert_eq!(
            create("n2", json!({})).unwrap_err(),
            "node \"n1\" is not allowed to modify node \"n2\""
        );
        let steering =
            json!({ "node-restriction.kubernetes.io/a": "", "node-role.kubernetes.io/b": "" });
        assert_eq!(
            create("n1", steering.clone()).unwrap_err(),
            "node \"n1\" is not allowed to set the following labels: \
             node-restriction.kubernetes.io/a, node-role.kubernetes.io/b"
        );
        let update =
            |old: &Value, new: &Value| ask("n1", "/nodes", "n1", Operation::Update, old, new);
        let steered = node(steering);
        assert_eq!(update(&steered, &steered), Ok(()));
        assert!(update(&steered, &node(json!({}))).unwrap_err().starts_with("is not allowed to"));
        let tainted = json!({ "spec": { "taints": [{ "key": "a" }] } });
        assert_eq!(
            update(&tainted, &json!({ "spec": {} })).unwrap_err(),
            "node \"n1\" is not allowed to modify taints"
        );
    }

    #[test]
    fn tokens_are_for_pods_of_the_node() {
        let ask = |node: &str, bound: Value| {
            let request = json!({ "spec": { "boundObjectRef": bound } });
            let resource = "/serviceaccounts/token";
            ask(node, resource, "sa", Operation::Create, &Value::Null, &request)
        };
        let pod = |name: &str, uid: &str| json!({ "apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid });
        assert_eq!(ask("n1", pod("p", "up")), Ok(()));
        for (node, bound, why) in [
            ("n1", Value::Null, "node requested token not bound to a pod"),
            ("n1", pod("p", ""), "node requested token with a pod binding without a uid"),
            ("n1", pod("q", "up"), "pods q not found"),
            (
                "n2",
                pod("p", "up"),
                "node requested token bound to a pod scheduled on a different node",
            ),
        ] {
            assert_eq!(ask(node, bound), Err(why.to_owned()));
        }
        assert!(ask("n1", pod("p", "other")).unwrap_err().contains("(other) does not match"));
    }

    #[test]
    fn leases_and_storage_nodes_have_the_nodes_name() {
        for resource in ["coordination.k8s.io/leases", "storage.k8s.io/csinodes"] {
            let ask =
                |name: &str| ask("n1", resource, name, Operation::Create, &Value::Null, &json!({}));
            assert_eq!(ask("n1"), Ok(()), "{resource}");
            assert!(ask("n2").is_err(), "{resource}");
        }
    }

    #[test]
    fn of_claims_only_what_was_found_out_changes() {
        let claim = |capacity: &str, phase: &str| json!({ "status": { "capacity": { "storage": capacity }, "phase": phase } });
        let ask = |new: &Value| {
            let resource = "/persistentvolumeclaims/status";
            ask("n1", resource, "c", Operation::Update, &claim("1Gi", "Bound"), new)
        };
        assert_eq!(ask(&claim("2Gi", "Bound")), Ok(()));
        assert!(ask(&claim("1Gi", "Lost")).is_err());
    }

    #[test]
    fn others_than_kubelets_are_not_restricted() {
        let write = Write {
            resource: ("", "nodes"),
            subresource: "",
            namespace: "",
            name: "n1",
            operation: Operation::Update,
            object: &Value::Null,
            old: &Value::Null,
        };
        for user in [User::new("alice"), User::new("system:node:n2")] {
            assert_eq!(restrict(&user, &write, &Stored), Ok(()));
        }
    }
}
