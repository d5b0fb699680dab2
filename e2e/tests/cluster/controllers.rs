//! Service accounts and certificates in each namespace, garbage collection, and what `--controllers`
//! makes of it.

use e2e::case::{Body, Call};
use serde_json::json;

use super::support::{CONFIG_MAPS, NAMESPACES, Running, reference};

#[test]
fn every_namespace_gets_its_account_and_the_certificate_and_keeps_them() {
    let server = Running::with(&[]);
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    let account = format!("{NAMESPACES}/n/serviceaccounts/default");
    let certificate = format!("{NAMESPACES}/n/configmaps/kube-root-ca.crt");
    server.wait_for("the account", || server.get(&account));
    let made = server.wait_for("the certificate", || server.get(&certificate));
    let text = made["data"]["ca.crt"].as_str().unwrap();
    assert!(text.starts_with("-----BEGIN CERTIFICATE-----"), "{text}");

    for path in [&account, &certificate] {
        let before = server.get(path).unwrap()["metadata"]["uid"].clone();
        server.delete(path, "Background");
        server.wait_for("another one", || {
            server.get(path).filter(|object| object["metadata"]["uid"] != before)
        });
    }
    let wrong = json!({ "metadata": { "name": "kube-root-ca.crt" }, "data": { "ca.crt": "x" } });
    let (status, _) = server.call(&Call::of("PUT", &certificate).with_body(Body::Json(wrong)));
    assert_eq!(status, 200);
    server.wait_for("the right certificate", || {
        server.get(&certificate).filter(|object| object["data"] == made["data"])
    });
}

#[test]
fn a_bare_control_plane_furnishes_no_namespaces_and_collects_nothing() {
    let server = Running::with(&["--disable-admission-plugins=ServiceAccount"]);
    let owner = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "owner" } }));
    server.dependent("child", &[&owner]);
    server.delete(&format!("{CONFIG_MAPS}/owner"), "Background");
    // The namespace controller is there: when it has emptied a namespace, the others had their time.
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    assert!(server.get(&format!("{NAMESPACES}/n/serviceaccounts/default")).is_none());
    server.delete(&format!("{NAMESPACES}/n"), "Background");
    server.wait_for("the end of n", || {
        server.get(&format!("{NAMESPACES}/n")).is_none().then_some(())
    });
    assert!(server.get(&format!("{CONFIG_MAPS}/child")).is_some());
}

#[test]
fn dependents_go_in_the_background_and_owners_last_in_the_foreground() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    let owner = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "owner" } }));
    let child = server.dependent("child", &[&owner]);
    server.dependent("grandchild", &[&child]);
    server.delete(&format!("{CONFIG_MAPS}/owner"), "Background");
    server.wait_until_gone("grandchild");

    let owner = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "owner" } }));
    let mut held = json!({ "metadata": { "name": "held", "finalizers": ["example.com/held"] } });
    held["metadata"]["ownerReferences"] = json!([reference(&owner)]);
    server.create(CONFIG_MAPS, held);
    server.delete(&format!("{CONFIG_MAPS}/owner"), "Foreground");
    let path = format!("{CONFIG_MAPS}/held");
    server.wait_for("the deletion of held", || {
        server.get(&path).filter(|held| held["metadata"]["deletionTimestamp"].is_string())
    });
    let waiting = server.get(&format!("{CONFIG_MAPS}/owner")).unwrap();
    assert_eq!(waiting["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    let released = server.patch(&path, json!({ "metadata": { "finalizers": null } }));
    assert_eq!(released.0, 200);
    server.wait_until_gone("owner");
}

#[test]
fn orphans_stay_and_those_with_another_owner_lose_one_reference() {
    let server = Running::with(&["--controllers=*"]);
    let [first, second] = ["first", "second"]
        .map(|name| server.create(CONFIG_MAPS, json!({ "metadata": { "name": name } })));
    server.dependent("child", &[&first, &second]);
    server.delete(&format!("{CONFIG_MAPS}/first"), "Foreground");
    let references = |count: usize| {
        server.wait_for("fewer references", || {
            let child = server.get(&format!("{CONFIG_MAPS}/child"))?;
            let references = child["metadata"]["ownerReferences"].as_array().map_or(0, Vec::len);
            (references == count).then_some(())
        });
    };
    references(1);
    server.wait_until_gone("first");
    server.delete(&format!("{CONFIG_MAPS}/second"), "Orphan");
    references(0);
    server.wait_until_gone("second");
}

#[test]
fn a_circle_goes_as_a_whole() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    let first = server.create(CONFIG_MAPS, json!({ "metadata": { "name": "first" } }));
    let second = server.dependent("second", &[&first]);
    let third = server.dependent("third", &[&second]);
    let close = json!({ "metadata": { "ownerReferences": [reference(&third)] } });
    assert_eq!(server.patch(&format!("{CONFIG_MAPS}/first"), close).0, 200);
    server.delete(&format!("{CONFIG_MAPS}/first"), "Foreground");
    for name in ["first", "second", "third"] {
        server.wait_until_gone(name);
    }
}

#[test]
fn an_owner_in_another_namespace_is_none_and_that_is_told() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    let owner = server
        .create("/api/v1/namespaces/n/configmaps", json!({ "metadata": { "name": "owner" } }));
    server.dependent("child", &[&owner]);
    server.wait_until_gone("child");
    let event = server.wait_for("the event", || {
        let events = server.get("/api/v1/namespaces/default/events")?;
        events["items"]
            .as_array()?
            .iter()
            .find(|e| e["reason"] == "OwnerRefInvalidNamespace")
            .cloned()
    });
    assert_eq!(event["involvedObject"]["name"], "child");
}

#[test]
fn a_namespace_tells_what_is_left_and_goes_when_nothing_is() {
    let server = Running::with(&[]);
    let claims = format!("{NAMESPACES}/n/persistentvolumeclaims");
    server.create(NAMESPACES, json!({ "metadata": { "name": "n" } }));
    let claim = |name: &str, finalizers: &[&str]| {
        json!({
            "metadata": { "name": name, "finalizers": finalizers },
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": { "requests": { "storage": "1Gi" } },
            },
        })
    };
    server.create(&claims, claim("unused", &[]));
    server.create(&claims, claim("held", &["example.com/held"]));
    server.delete(&format!("{NAMESPACES}/n"), "Background");
    server.wait_for("the conditions", || {
        let namespace = server.get(&format!("{NAMESPACES}/n"))?;
        let conditions = namespace["status"]["conditions"].as_array()?;
        let told = conditions.iter().find(|each| each["type"] == "NamespaceFinalizersRemaining")?;
        let message = told["message"].as_str()?;
        message.ends_with("remaining: example.com/held in 1 resource instances").then_some(())
    });
    let released =
        server.patch(&format!("{claims}/held"), json!({ "metadata": { "finalizers": null } }));
    assert_eq!(released.0, 200, "{}", released.1);
    server.wait_for("the end of n", || {
        server.get(&format!("{NAMESPACES}/n")).is_none().then_some(())
    });
}

#[test]
fn custom_resources_are_collected_as_soon_as_they_are_served() {
    let server = Running::with(&["--controllers=garbage-collector"]);
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let version = json!({ "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": schema } });
    let definition = json!({
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [version],
        },
    });
    server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    let widgets = "/apis/example.com/v1/namespaces/default/widgets";
    server.wait_for("the list of widgets", || server.get(widgets));
    let widget = |name: &str, owners: serde_json::Value| {
        json!({ "apiVersion": "example.com/v1", "kind": "Widget",
            "metadata": { "name": name, "ownerReferences": owners } })
    };
    let owner = server.create(widgets, widget("owner", json!([])));
    let mut reference = reference(&owner);
    reference["apiVersion"] = json!("example.com/v1");
    reference["kind"] = json!("Widget");
    server.create(widgets, widget("child", json!([reference])));
    let metadata = json!({ "name": "typed", "ownerReferences": [reference] });
    server.create(CONFIG_MAPS, json!({ "metadata": metadata }));
    server.delete(&format!("{widgets}/owner"), "Background");
    server.wait_until_gone("typed");
    server.wait_for("the end of the child", || {
        server.get(&format!("{widgets}/child")).is_none().then_some(())
    });
}
