//! What the tests share. `$KUBECONFIG` names the server.

use std::time::Duration;

use k8s_openapi::api::flowcontrol::v1::{
    FlowSchema, FlowSchemaSpec, PriorityLevelConfigurationReference,
};
use kube::api::{DeleteParams, ObjectMeta};
use kube::{Api, Client};

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A client of the server that `$KUBECONFIG` names.
///
/// # Panics
///
/// Where there is no such server.
pub async fn client() -> Client {
    Client::try_default().await.expect("KUBECONFIG does not name a server: use e2e/clients/run")
}

/// The FlowSchemas of the server.
pub async fn flow_schemas() -> Api<FlowSchema> {
    Api::all(client().await)
}

/// A FlowSchema that matches nobody, with a label that says which test it is of.
#[must_use]
pub fn flow_schema(name: &str, test: &str) -> FlowSchema {
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some([("test".to_owned(), test.to_owned())].into()),
        ..ObjectMeta::default()
    };
    let level = PriorityLevelConfigurationReference { name: "global-default".to_owned() };
    let spec = FlowSchemaSpec {
        matching_precedence: Some(9000),
        priority_level_configuration: level,
        ..FlowSchemaSpec::default()
    };
    FlowSchema { metadata, spec, status: None }
}

/// Its matching precedence.
#[must_use]
pub fn precedence(schema: &FlowSchema) -> Option<i32> {
    schema.spec.matching_precedence
}

/// Deletes an object that a test has made.
///
/// # Panics
///
/// Where that fails.
pub async fn delete(api: &Api<FlowSchema>, name: &str) {
    let deleted = api.delete(name, &DeleteParams::default()).await;
    assert!(deleted.is_ok(), "{deleted:?}");
}
