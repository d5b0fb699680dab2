//! What all measurements of large numbers need: FlowSchemas, and many sockets.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::case::{Body, Call, Sender};
use crate::clock::poll;
use crate::error::Error;
use crate::target::Target;

pub(super) const FLOW_SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/// After this the server's own controller has written the status of an object.
const SETTLED_WAIT: Duration = Duration::from_secs(30);

/// A FlowSchema below the one that serves the load's own user, so that it costs that user nothing.
pub(super) fn flow_schema(name: &str) -> Value {
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": { "name": name },
        "spec": {
            "matchingPrecedence": 9999,
            "priorityLevelConfiguration": { "name": "global-default" },
        },
    })
}

/// The ordinary user who sends all load.
pub(super) fn user() -> Sender {
    Sender::Named("alice".to_owned())
}

/// Sends a request that must succeed, and reads the object of the answer.
pub(super) fn call(target: &Target, call: &Call) -> Result<Value, Error> {
    let answer = target.call(call)?;
    if !(200..300).contains(&answer.head.status) {
        let body = String::from_utf8_lossy(&answer.body);
        return Err(Error::Http(format!("{} for {}: {body}", answer.head.status, call.path)));
    }
    serde_json::from_slice(&answer.body).map_err(|why| Error::Http(why.to_string()))
}

/// Creates a FlowSchema and waits until its status is kept, after which nobody writes it by
/// himself. Returns its resource version.
pub(super) fn create_settled(target: &Target, name: &str) -> Result<String, Error> {
    call(target, &Call::of("POST", FLOW_SCHEMAS).with_body(Body::Json(flow_schema(name))))?;
    let get = Call::of("GET", format!("{FLOW_SCHEMAS}/{name}"));
    let settled = poll(SETTLED_WAIT, Duration::from_millis(10), || {
        let object = call(target, &get).ok()?;
        object["status"]["conditions"].as_array()?;
        version(&object)
    });
    settled.ok_or_else(|| Error::Http(format!("the status of {name} is not kept")))
}

/// The resource version of an object or a list.
pub(super) fn version(object: &Value) -> Option<String> {
    object["metadata"]["resourceVersion"].as_str().map(str::to_owned)
}

/// Lets this process open as many sockets as the system lets it.
pub(super) fn raise_descriptor_limit() -> Result<(), Error> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
        .map_err(|why| Error::io("raising the limit of open files")(why.into()))
}
