//! Definitions come, wait and go.

use e2e::server::Backend;
use serde_json::json;

use crate::support::{
    DEFINITIONS, Running, WIDGETS, condition, definition, version, widget, widgets,
};

#[test]
fn what_is_defined_is_served_again_after_a_restart() {
    let running = Running::on(Backend::Sled);
    running.define(&widgets());
    let made = running.done("POST", WIDGETS, widget("a"));
    let running = running.restarted();
    // From the first request on: nobody has to wait for it.
    let (status, found) = running.get(&format!("{WIDGETS}/a"));
    assert_eq!((status, &found), (200, &made));
    assert_eq!(
        condition(&running.established("widgets.example.com"), "NamesAccepted"),
        "NoConflicts"
    );
}

#[test]
fn a_definition_goes_with_its_objects_and_nothing_new_is_made_meanwhile() {
    let running = Running::new();
    running.define(&widgets());
    let mut held = widget("held");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    running.done("POST", WIDGETS, held);
    running.done("POST", WIDGETS, widget("free"));

    let path = format!("{DEFINITIONS}/widgets.example.com");
    let (status, going) = running.call("DELETE", &path, None);
    assert_eq!(status, 200);
    assert_eq!(going["kind"], "CustomResourceDefinition");
    let finalizer = "customresourcecleanup.apiextensions.k8s.io";
    assert_eq!(going["metadata"]["finalizers"], json!([finalizer]));
    assert!(condition(&going, "Terminating").starts_with("InstanceDeletion"));
    running.until(WIDGETS, |_, list| list["items"].as_array().is_some_and(|i| i.len() == 1));

    let (status, refused) = running.call("POST", WIDGETS, Some(widget("late")));
    assert_eq!(status, 403, "{refused}");
    assert_eq!(
        refused["message"],
        "widgets.example.com \"late\" is forbidden: create not allowed while custom resource \
         definition is terminating"
    );
    let (status, _) =
        running.merge(&format!("{WIDGETS}/held"), json!({ "metadata": { "finalizers": null } }));
    assert_eq!(status, 200);
    running.until(&path, |status, _| status == 404);
    let (status, nothing) = running.get(WIDGETS);
    assert_eq!((status, nothing), (404, json!("404 page not found\n")));
    assert_eq!(running.get("/apis/example.com").0, 404);
    // The name is free again, and nothing is left of before.
    running.define(&widgets());
    assert_eq!(running.get(WIDGETS).1["items"], json!([]));
}

#[test]
fn a_definition_that_waits_for_a_name_gets_it_when_it_is_free() {
    let running = Running::new();
    running.define(&widgets());
    let other = definition("gadgets", "Widget", &[version("v1", &json!({}))]);
    running.done("POST", DEFINITIONS, other);
    let path = format!("{DEFINITIONS}/gadgets.example.com");
    let waiting = running
        .until(&path, |_, definition| condition(definition, "NamesAccepted") == "ListKindConflict");
    assert_eq!(waiting["status"]["conditions"][0]["message"], "\"WidgetList\" is already in use");
    assert_eq!(condition(&waiting, "Established"), "NotAccepted");
    assert_eq!(running.get("/apis/example.com/v1/gadgets").0, 404);
    running.call("DELETE", &format!("{DEFINITIONS}/widgets.example.com"), None);
    running.established("gadgets.example.com");
    assert_eq!(running.get("/apis/example.com/v1/gadgets").0, 200);
}
