use serde_json::{Value, json};

use super::*;

fn kubelet(node: &str) -> User {
    User::new(format!("{NODE_PREFIX}{node}")).with_groups([NODES_GROUP])
}

/// Asks as a kubelet: `verb group/resource[/subresource] [namespace/]name [selector]`.
fn ask(authorizer: &NodeAuthorizer, node: &str, question: &str) -> Result<(), String> {
    let mut words = question.split(' ');
    let mut word = || words.next().unwrap_or_default();
    let (verb, path, object, field_selector) = (word(), word(), word(), word());
    let mut path = path.split('/');
    let mut part = || path.next().unwrap_or_default();
    let (group, resource, subresource) = (part(), part(), part());
    let (namespace, name) = object.split_once('/').unwrap_or(("", object));
    let target = ResourceTarget {
        group,
        resource,
        subresource,
        namespace,
        name,
        field_selector,
        ..ResourceTarget::default()
    };
    let user = kubelet(node);
    let attributes = Attributes { user: &user, verb, target: Target::Resource(target) };
    let answer = authorizer.authorize(&attributes);
    if answer.is_allowed() { Ok(()) } else { Err(answer.reason.into_owned()) }
}

fn pod(node: &str) -> Value {
    json!({
        "metadata": {},
        "spec": {
            "nodeName": node,
            "serviceAccountName": "sa",
            "imagePullSecrets": [{ "name": "pull" }],
            "initContainers": [{ "envFrom": [{ "configMapRef": { "name": "init" } }] }],
            "containers": [{ "env": [{ "valueFrom": { "secretKeyRef": { "name": "key" } } }] }],
            "volumes": [
                { "secret": { "secretName": "mounted" } },
                { "configMap": { "name": "files" } },
                { "projected": { "sources": [{ "secret": { "name": "projected" } }] } },
                { "persistentVolumeClaim": { "claimName": "claim" } },
                { "name": "scratch", "ephemeral": {} },
                { "csi": { "nodePublishSecretRef": { "name": "csi" } } },
            ],
            "resourceClaims": [{ "name": "gpu", "resourceClaimName": "gpu" }],
        },
    })
}

fn authorizer() -> NodeAuthorizer {
    let authorizer = NodeAuthorizer::try_new().unwrap();
    authorizer.put(NodeObject::Pod, "ns", "p", &pod("n1"));
    authorizer
}

const NEEDED: [&str; 12] = [
    "get /secrets ns/pull",
    "watch /secrets ns/key",
    "list /secrets ns/mounted",
    "get /secrets ns/projected",
    "get /secrets ns/csi",
    "get /configmaps ns/init",
    "get /configmaps ns/files",
    "get /persistentvolumeclaims ns/claim",
    "patch /persistentvolumeclaims/status ns/p-scratch",
    "create /serviceaccounts/token ns/sa",
    "get resource.k8s.io/resourceclaims ns/gpu",
    "get /pods ns/p",
];

#[test]
fn a_kubelet_reads_what_its_pods_need_and_nothing_else() {
    let authorizer = authorizer();
    let unrelated =
        |node: &str| format!("no relationship found between node '{node}' and this object");
    for question in NEEDED {
        assert_eq!(ask(&authorizer, "n1", question), Ok(()), "{question}");
        assert_eq!(ask(&authorizer, "n2", question), Err(unrelated("n2")), "{question}");
    }
    for question in ["get /secrets ns/other", "get /secrets other/pull", "get /configmaps ns/pull"]
    {
        assert_eq!(ask(&authorizer, "n1", question), Err(unrelated("n1")), "{question}");
    }
}

#[test]
fn what_a_pod_needed_is_forgotten_with_it() {
    let authorizer = authorizer();
    authorizer.put(NodeObject::Pod, "ns", "p", &pod("n2"));
    for question in NEEDED {
        assert!(ask(&authorizer, "n1", question).is_err(), "{question}");
        assert_eq!(ask(&authorizer, "n2", question), Ok(()), "{question}");
    }
    authorizer.remove(NodeObject::Pod, "ns", "p");
    for question in NEEDED {
        assert!(ask(&authorizer, "n2", question).is_err(), "{question}");
    }
}

#[test]
fn all_pods_can_be_forgotten_at_once() {
    let authorizer = authorizer();
    authorizer.forget(NodeObject::PersistentVolume);
    assert_eq!(ask(&authorizer, "n1", "get /pods ns/p"), Ok(()));
    authorizer.forget(NodeObject::Pod);
    assert!(ask(&authorizer, "n1", "get /pods ns/p").is_err());
}

#[test]
fn pods_share_what_they_need() {
    let authorizer = authorizer();
    authorizer.put(NodeObject::Pod, "ns", "q", &pod("n2"));
    assert_eq!(ask(&authorizer, "n2", "get /secrets ns/pull"), Ok(()));
    authorizer.remove(NodeObject::Pod, "ns", "q");
    assert_eq!(ask(&authorizer, "n1", "get /secrets ns/pull"), Ok(()));
    assert!(ask(&authorizer, "n2", "get /secrets ns/pull").is_err());
}

#[test]
fn pods_that_kubelets_made_or_that_run_nowhere_give_nothing() {
    let authorizer = NodeAuthorizer::try_new().unwrap();
    let mut mirror = pod("n1");
    mirror["metadata"] = json!({ "annotations": { "kubernetes.io/config.mirror": "x" } });
    authorizer.put(NodeObject::Pod, "ns", "p", &mirror);
    authorizer.put(NodeObject::Pod, "ns", "q", &pod(""));
    assert_eq!(ask(&authorizer, "n1", "get /pods ns/p"), Ok(()));
    assert!(ask(&authorizer, "n1", "get /secrets ns/pull").is_err());
}

#[test]
fn volumes_are_reached_through_their_claims() {
    let authorizer = authorizer();
    let volume = json!({ "spec": {
        "claimRef": { "namespace": "ns", "name": "claim" },
        "csi": {
            "nodeStageSecretRef": { "namespace": "kube-system", "name": "stage" },
            "controllerPublishSecretRef": { "namespace": "kube-system", "name": "controller" },
        },
    }});
    authorizer.put(NodeObject::PersistentVolume, "", "v", &volume);
    assert_eq!(ask(&authorizer, "n1", "get /persistentvolumes v"), Ok(()));
    assert_eq!(ask(&authorizer, "n1", "get /secrets kube-system/stage"), Ok(()));
    assert!(ask(&authorizer, "n1", "get /secrets kube-system/controller").is_err());
    assert!(ask(&authorizer, "n2", "get /persistentvolumes v").is_err());
    let attachment = json!({ "spec": { "nodeName": "n2" } });
    authorizer.put(NodeObject::VolumeAttachment, "", "a", &attachment);
    assert_eq!(ask(&authorizer, "n2", "get storage.k8s.io/volumeattachments a"), Ok(()));
}

#[test]
fn refusals_are_in_the_references_words() {
    let authorizer = authorizer();
    for (question, why) in [
        ("list /secrets ns/", "No Object name found"),
        ("list /secrets ", "can only read namespaced object of this type"),
        ("update /secrets ns/pull", "can only read resources of this type"),
        ("list /persistentvolumes ", "can only get individual resources of this type"),
        ("get /nodes n2", "node 'n1' cannot read 'n2', only its own Node object"),
        ("list /nodes ", "node 'n1' cannot read all nodes, only its own Node object"),
        ("list /pods ns/", "can only list/watch pods with spec.nodeName field selector"),
        (
            "get coordination.k8s.io/leases default/n1",
            "can only access leases in the \"kube-node-lease\" system namespace",
        ),
        (
            "get coordination.k8s.io/leases kube-node-lease/n2",
            "can only access node lease with the same name as the requesting node",
        ),
        (
            "get storage.k8s.io/csinodes n2",
            "can only access CSINode with the same name as the requesting node",
        ),
        ("delete /nodes n1", ""),
        ("get /configmaps/x ns/files", "cannot read subresource"),
    ] {
        assert_eq!(ask(&authorizer, "n1", question), Err(why.to_owned()), "{question}");
    }
}

#[test]
fn a_kubelet_looks_after_its_node_and_its_pods() {
    let authorizer = authorizer();
    for question in [
        "get /nodes n1",
        "create /nodes ",
        "patch /nodes/status n1",
        "list /pods ns/ spec.nodeName=n1",
        "watch /pods  spec.nodeName==n1",
        "create /pods/eviction ns/p",
        "update coordination.k8s.io/leases kube-node-lease/n1",
        "list resource.k8s.io/resourceslices  nodeName=n1",
        "list /services ",
        "create /events ns/",
    ] {
        assert_eq!(ask(&authorizer, "n1", question), Ok(()), "{question}");
    }
    for question in
        ["list /pods ns/ spec.nodeName=n12", "list /endpoints ns/", "create /secrets ns/"]
    {
        assert!(ask(&authorizer, "n1", question).is_err(), "{question}");
    }
}

#[test]
fn others_are_no_business_of_this_authorizer() {
    let authorizer = authorizer();
    let target = ResourceTarget { resource: "services", ..ResourceTarget::default() };
    for (user, reason) in [
        (User::new("system:node:n1"), ""),
        (User::new("alice").with_groups([NODES_GROUP]), ""),
        (kubelet(""), "unknown node for user \"system:node:\""),
    ] {
        let attributes = Attributes { user: &user, verb: "list", target: Target::Resource(target) };
        let answer = authorizer.authorize(&attributes);
        assert_eq!((answer.decision, &*answer.reason), (Decision::NoOpinion, reason));
    }
}
