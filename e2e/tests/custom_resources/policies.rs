//! ValidatingAdmissionPolicies and their bindings.

use e2e::case::{Body, Call};
use e2e::clock::poll;
use serde_json::{Value, json};

use crate::support::{PAUSE, Running, WAIT};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";

fn policy(name: &str, spec: &Value) -> Value {
    let mut policy = json!({ "metadata": { "name": name }, "spec": {
        "matchConstraints": { "resourceRules": [{ "operations": ["CREATE", "UPDATE"],
            "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"] }] },
    } });
    for (member, value) in spec.as_object().unwrap() {
        policy["spec"][member] = value.clone();
    }
    policy
}

fn binding(name: &str, spec: &Value) -> Value {
    json!({ "metadata": { "name": name }, "spec": spec })
}

fn define(running: &Running, policy: Value, bindings: &[Value]) {
    running.done("POST", &format!("{GROUP}/validatingadmissionpolicies"), policy);
    for binding in bindings {
        let path = format!("{GROUP}/validatingadmissionpolicybindings");
        running.done("POST", &path, binding.clone());
    }
}

fn map(name: &str, data: &Value) -> Value {
    json!({ "metadata": { "name": name }, "data": data })
}

fn refused(running: &Running, body: &Value) -> Value {
    let path = format!("{MAPS}?dryRun=All");
    let found = poll(WAIT, PAUSE, || {
        let (status, value) = running.call("POST", &path, Some(body.clone()));
        (status >= 400).then_some(value)
    });
    found.unwrap_or_else(|| panic!("{body} is let through"))
}

/// Has a policy refuse ConfigMaps called `marker`, and waits until it does.
pub(crate) fn deny_marked(running: &Running) {
    let spec = json!({ "validations": [{ "expression": "object.metadata.name != 'marker'" }] });
    let bound = json!({ "policyName": "marked", "validationActions": ["Deny"] });
    define(running, policy("marked", &spec), &[binding("marked", &bound)]);
    refused(running, &map("marker", &json!({})));
}

#[test]
fn a_policy_refuses_in_its_own_words() {
    let running = Running::new();
    let spec = json!({
        "variables": [{ "name": "size", "expression": "size(object.data)" }],
        "validations": [
            { "expression": "variables.size < 3", "messageExpression":
                "string(variables.size) + ' are too many for ' + request.userInfo.username" },
            { "expression": "!('secret' in object.data)", "reason": "Forbidden", "message": "hush" },
            { "expression": "oldObject == null || object.data == oldObject.data" },
        ],
    });
    let bound = json!({ "policyName": "small", "validationActions": ["Deny"] });
    define(&running, policy("small", &spec), &[binding("small-binding", &bound)]);
    let status = refused(&running, &map("a", &json!({ "a": "1", "b": "2", "c": "3" })));
    let message = "ValidatingAdmissionPolicy 'small' with binding 'small-binding' denied request: \
        3 are too many for admin";
    assert_eq!(status["message"], format!("configmaps \"a\" is forbidden: {message}"));
    assert_eq!((&status["reason"], &status["code"]), (&json!("Invalid"), &json!(422)));
    assert_eq!(status["details"]["causes"], json!([{ "message": message }]));
    let status = refused(&running, &map("a", &json!({ "secret": "1" })));
    assert_eq!((&status["reason"], &status["code"]), (&json!("Forbidden"), &json!(403)));
    running.done("POST", MAPS, map("a", &json!({ "a": "1" })));
    let (code, status) = running.merge(&format!("{MAPS}/a"), json!({ "data": { "a": "2" } }));
    assert_eq!(code, 422);
    let end = "failed expression: oldObject == null || object.data == oldObject.data";
    assert!(status["message"].as_str().unwrap().ends_with(end), "{status}");
    assert_eq!(running.call("DELETE", &format!("{MAPS}/a"), None).0, 200);
}

#[test]
fn bindings_choose_parameters_and_what_is_done() {
    let running = Running::new();
    running.done("POST", MAPS, map("limits", &json!({ "max": "1" })));
    let spec = json!({
        "paramKind": { "apiVersion": "v1", "kind": "ConfigMap" },
        "matchConditions": [{ "name": "other", "expression": "object.metadata.name != 'limits'" }],
        "validations": [{ "expression": "size(object.data) <= int(params.data.max)" }],
    });
    let bound = |name: &str, action: &str, selected: &str| {
        binding(
            name,
            &json!({ "policyName": "limited", "validationActions": [action],
            "matchResources": { "objectSelector": { "matchLabels": { "on": selected } } },
            "paramRef": { "name": name, "parameterNotFoundAction": "Deny" } }),
        )
    };
    define(
        &running,
        policy("limited", &spec),
        &[bound("limits", "Warn", "warned"), bound("nothing", "Deny", "denied")],
    );
    let labelled = |label: &str| {
        let mut map = map("a", &json!({ "a": "1", "b": "2" }));
        map["metadata"]["labels"] = json!({ "on": label });
        map
    };
    let status = refused(&running, &labelled("denied"));
    let end = "ValidatingAdmissionPolicy 'limited' with binding 'nothing' denied request: failed to \
        configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert!(status["message"].as_str().unwrap().ends_with(end), "{status}");
    let call = Call::of("POST", MAPS).with_body(Body::Json(labelled("warned")));
    let response = running.server.target().call(&call).unwrap();
    assert_eq!(response.head.status, 201);
    let warnings = response.head.header("warning");
    assert_eq!(
        warnings,
        Some(
            "299 - \"Validation failed for ValidatingAdmissionPolicy 'limited' with \
        binding 'limits': failed expression: size(object.data) <= int(params.data.max)\""
        )
    );
    running.done("POST", MAPS, map("b", &json!({ "a": "1", "b": "2" })));
}

#[test]
fn expressions_that_do_not_compile_are_refused() {
    let running = Running::new();
    let spec =
        json!({ "validations": [{ "expression": "object.a + " }, { "expression": "params" }] });
    let path = format!("{GROUP}/validatingadmissionpolicies");
    let (status, refused) = running.call("POST", &path, Some(policy("bad", &spec)));
    assert_eq!(status, 422);
    let causes = refused["details"]["causes"].as_array().unwrap();
    let fields: Vec<&Value> = causes.iter().map(|cause| &cause["field"]).collect();
    assert_eq!(fields, ["spec.validations[0].expression", "spec.validations[1].expression"]);
    deny_marked(&running);
}
