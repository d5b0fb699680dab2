//! Addresses and ports of services, and the objects that a cluster has from its first moment.

use serde_json::{Value, json};

use super::support::Running;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";

fn service(name: &str, kind: &str) -> Value {
    json!({ "metadata": { "name": name }, "spec": { "type": kind, "ports": [{ "port": 80 }] } })
}

#[test]
fn an_address_is_claimed_with_a_service_and_released_with_it() {
    let server = Running::with(&[]);
    let made = server.create(SERVICES, service("a", "ClusterIP"));
    let address = made["spec"]["clusterIP"].as_str().unwrap();
    assert!(address.starts_with("10.0.0."), "{address}");
    assert_eq!(made["spec"]["clusterIPs"], json!([address]));
    let claim = server.get(&format!("{ADDRESSES}/{address}")).unwrap();
    let parent = json!({ "resource": "services", "namespace": "default", "name": "a" });
    assert_eq!(claim["spec"]["parentRef"], parent);

    let mut same = service("b", "ClusterIP");
    same["spec"]["clusterIP"] = json!(address);
    assert_eq!(
        server.refusal(SERVICES, same.clone()),
        format!(
            "Service \"b\" is invalid: spec.clusterIPs: Invalid value: [\"{address}\"]: failed to \
             allocate IP {address}: provided IP is already allocated"
        )
    );
    server.delete(&format!("{SERVICES}/a"), "Background");
    assert!(server.get(&format!("{ADDRESSES}/{address}")).is_none());
    assert_eq!(server.create(SERVICES, same)["spec"]["clusterIP"], json!(address));
}

#[test]
fn ports_of_nodes_are_given_kept_and_given_back() {
    let server = Running::with(&["--service-node-port-range=30000-30001"]);
    let first = server.create(SERVICES, service("a", "NodePort"));
    let second = server.create(SERVICES, service("b", "NodePort"));
    let port = |service: &Value| service["spec"]["ports"][0]["nodePort"].as_i64().unwrap();
    assert_ne!(port(&first), port(&second));
    assert_eq!(
        server.refusal(SERVICES, service("c", "NodePort")),
        "Internal error occurred: failed to allocate a nodePort: range is full"
    );
    let (status, plain) =
        server.patch(&format!("{SERVICES}/a"), json!({ "spec": { "type": "ClusterIP" } }));
    assert_eq!(status, 200, "{plain}");
    assert_eq!(plain["spec"]["clusterIP"], first["spec"]["clusterIP"]);
    let third = server.create(SERVICES, service("c", "NodePort"));
    assert_eq!(port(&third), port(&first));
}

#[test]
fn what_is_refused_or_only_tried_takes_nothing() {
    // Six addresses, of which one is the server's own.
    let server = Running::with(&["--service-cluster-ip-range=10.0.0.0/29"]);
    server.create(SERVICES, service("a", "ClusterIP"));
    let mut wrong = service("b", "NodePort");
    wrong["spec"]["ports"][0]["nodePort"] = json!(1);
    for _ in 0..6 {
        server.create(&format!("{SERVICES}?dryRun=All"), service("b", "ClusterIP"));
        server.refusal(SERVICES, wrong.clone());
        let taken = server.refusal(SERVICES, service("a", "ClusterIP"));
        assert_eq!(taken, "services \"a\" already exists");
    }
    for name in ["b", "c", "d", "e"] {
        server.create(SERVICES, service(name, "ClusterIP"));
    }
    assert_eq!(
        server.refusal(SERVICES, service("f", "ClusterIP")),
        "Internal error occurred: failed to allocate a serviceIP: range is full"
    );
}

#[test]
fn a_cluster_has_its_objects_from_the_first_moment() {
    let server = Running::with(&["--advertise-address=192.0.2.7"]);
    let get = |path: &str| server.get(path).unwrap_or_else(|| panic!("no {path}"));
    let service = get(&format!("{SERVICES}/kubernetes"));
    assert_eq!(service["spec"]["clusterIP"], "10.0.0.1");
    let port = &service["spec"]["ports"][0]["targetPort"];
    let endpoints = get("/api/v1/namespaces/default/endpoints/kubernetes");
    let subset = json!([{ "addresses": [{ "ip": "192.0.2.7" }],
        "ports": [{ "name": "https", "port": port, "protocol": "TCP" }] }]);
    assert_eq!(endpoints["subsets"], subset);
    let slice = get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes");
    assert_eq!(slice["endpoints"][0]["addresses"], json!(["192.0.2.7"]));
    server.wait_for("the claim", || server.get(&format!("{ADDRESSES}/10.0.0.1")));
    let range = get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
    assert_eq!(range["status"]["conditions"][0]["status"], "True");
    for path in [
        "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
        "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
        "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps",
    ] {
        get(path);
    }
}
