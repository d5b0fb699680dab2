//! Group `certificates.k8s.io`.

use api::time::Timestamp;
use serde_json::Value;

use super::fields::{condition, holds, map, name, string, text, text_or};
use super::format::labels;
use super::{Column, NONE, Table, age, age_of};

const SIGNER: Column =
    Column::text("SignerName", "The signer that issues, or stands behind, the certificates.");

pub(super) static CERTIFICATE_SIGNING_REQUEST: Table = Table::new(
    &[
        Column::NAME,
        Column::AGE,
        SIGNER,
        Column::text("Requestor", "The name of the user who asks for the certificate."),
        Column::text("RequestedDuration", "For how long the certificate is asked to be valid."),
        Column::text("Condition", "Whether the request was approved, and the certificate issued."),
    ],
    signing_request,
);

fn signing_request(object: &Value, now: Timestamp) -> Vec<Value> {
    let seconds = object.pointer("/spec/expirationSeconds").and_then(Value::as_i64);
    vec![
        name(object),
        age_of(object, now),
        text_or(object, "/spec/signerName", NONE),
        text(object, "/spec/username"),
        seconds.map_or_else(|| NONE.to_owned(), age).into(),
        progress(object).into(),
    ]
}

fn progress(request: &Value) -> String {
    // Conditions of these types are there or not; their status does not count.
    let has = |condition_type| condition(request, "/status/conditions", condition_type).is_some();
    let decision = if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    };
    let failed = if has("Failed") { ",Failed" } else { "" };
    let is_issued = !string(request, "/status/certificate").is_empty();
    let issued = if is_issued { ",Issued" } else { "" };
    format!("{decision}{failed}{issued}")
}

pub(super) static CLUSTER_TRUST_BUNDLE: Table = Table::new(&[Column::NAME, SIGNER], |object, _| {
    vec![name(object), text_or(object, "/spec/signerName", NONE)]
});

pub(super) static POD_CERTIFICATE_REQUEST: Table = Table::new(
    &[
        Column::NAME,
        Column::text("PodName", "The name of the pod that the certificate is for."),
        Column::text("ServiceAccountName", "The name of the service account that the pod runs as."),
        Column::text("NodeName", "The name of the node that the pod is assigned to."),
        SIGNER,
        Column::text("State", "Whether the certificate was issued or denied, or has failed."),
        Column::text(
            "UnverifiedUserAnnotations",
            "What the pod's author tells the signer, which nobody has checked.",
        ),
    ],
    |object, _| {
        vec![
            name(object),
            text(object, "/spec/podName"),
            text(object, "/spec/serviceAccountName"),
            text(object, "/spec/nodeName"),
            text(object, "/spec/signerName"),
            state(object).into(),
            labels(map(object, "/spec/unverifiedUserAnnotations")).into(),
        ]
    },
);

/// At most one of the conditions holds.
fn state(request: &Value) -> &'static str {
    ["Issued", "Denied", "Failed"]
        .into_iter()
        .find(|condition_type| holds(request, condition_type))
        .unwrap_or("Pending")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{cells, some_cells};
    use super::*;

    #[test]
    fn requests_are_pending_until_someone_decides() {
        for (conditions, certificate, expected) in [
            (&[][..], "", "Pending"),
            (&["Approved"], "", "Approved"),
            (&["Approved"], "LS0t", "Approved,Issued"),
            (&["Approved", "Failed"], "", "Approved,Failed"),
            (&["Approved", "Denied"], "", "Denied"),
            (&["Failed"], "LS0t", "Pending,Failed,Issued"),
        ] {
            let conditions: Vec<_> =
                conditions.iter().map(|condition| json!({"type": condition})).collect();
            let object = json!({"status": {"conditions": conditions, "certificate": certificate}});
            assert_eq!(
                some_cells(&CERTIFICATE_SIGNING_REQUEST, &object, &["Condition"]),
                json!([expected])
            );
        }
    }

    #[test]
    fn requests_show_who_asks_whom_for_how_long() {
        let object = json!({
            "metadata": {"name": "r", "creationTimestamp": "2026-11-30T11:59:30Z"},
            "spec": {
                "signerName": "kubernetes.io/kube-apiserver-client", "username": "jane",
                "expirationSeconds": 86400,
            },
        });
        assert_eq!(
            cells(&CERTIFICATE_SIGNING_REQUEST, &object),
            json!(["r", "30s", "kubernetes.io/kube-apiserver-client", "jane", "24h", "Pending"])
        );
        assert_eq!(
            cells(&CERTIFICATE_SIGNING_REQUEST, &json!({})),
            json!(["", "<unknown>", "<none>", "", "<none>", "Pending"])
        );
    }

    #[test]
    fn bundles_may_have_no_signer() {
        let object = json!({"metadata": {"name": "b"}, "spec": {"signerName": "example.com/s"}});
        assert_eq!(cells(&CLUSTER_TRUST_BUNDLE, &object), json!(["b", "example.com/s"]));
        assert_eq!(cells(&CLUSTER_TRUST_BUNDLE, &json!({})), json!(["", "<none>"]));
    }

    #[test]
    fn requests_of_pods_have_the_state_of_their_condition() {
        let object = |condition_type: &str, status: &str| {
            json!({
                "metadata": {"name": "r"},
                "spec": {
                    "podName": "p", "serviceAccountName": "sa", "nodeName": "n",
                    "signerName": "example.com/s",
                    "unverifiedUserAnnotations": {"example.com/b": "2", "example.com/a": "1"},
                },
                "status": {"conditions": [{"type": condition_type, "status": status}]},
            })
        };
        assert_eq!(
            cells(&POD_CERTIFICATE_REQUEST, &object("Denied", "True")),
            json!([
                "r",
                "p",
                "sa",
                "n",
                "example.com/s",
                "Denied",
                "example.com/a=1,example.com/b=2"
            ])
        );
        for (condition_type, status, expected) in [
            ("Issued", "True", "Issued"),
            ("Failed", "True", "Failed"),
            ("Failed", "False", "Pending"),
            ("Other", "True", "Pending"),
        ] {
            let object = object(condition_type, status);
            assert_eq!(
                some_cells(&POD_CERTIFICATE_REQUEST, &object, &["State"]),
                json!([expected])
            );
        }
    }
}
