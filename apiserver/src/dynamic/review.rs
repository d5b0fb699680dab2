//! What a webhook is sent, and what its answer means.

use api::status::{Reason, Status};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// A version of `AdmissionReview`. Both look alike; the newer one is stricter about answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V1Beta1,
}

impl Version {
    /// The first of a list that is known.
    pub(super) fn first_known(list: &Value) -> Option<Self> {
        let mut list = list.as_array().into_iter().flatten();
        list.find_map(|version| match version.as_str()? {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1Beta1),
            _ => None,
        })
    }

    fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "admission.k8s.io/v1",
            Self::V1Beta1 => "admission.k8s.io/v1beta1",
        }
    }
}

/// The document that is sent.
pub(super) fn document(version: Version, uid: &str, mut request: Map<String, Value>) -> Value {
    request.insert("uid".to_owned(), json!(uid));
    json!({ "kind": "AdmissionReview", "apiVersion": version.api_version(), "request": request })
}

/// What a webhook said.
#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) allowed: bool,
    /// A JSON patch, in JSON.
    pub(super) patch: Option<Vec<u8>>,
    pub(super) warnings: Vec<String>,
    /// The Status with which it refused.
    pub(super) result: Value,
}

/// Reads an answer, in the way the reference does.
///
/// # Errors
///
/// What is wrong with it.
pub(super) fn read(
    mut review: Value,
    version: Version,
    uid: &str,
    mutating: bool,
) -> Result<Answer, String> {
    let said = |member: &str| review[member].as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (said("apiVersion"), said("kind"));
    let mut response = review["response"].take();
    if !response.is_object() {
        return Err("webhook response was absent".to_owned());
    }
    let patch = read_patch(&response)?;
    let patch_type = response["patchType"].as_str();
    if version == Version::V1 {
        let given = response["uid"].as_str().unwrap_or_default();
        if given != uid {
            return Err(format!("expected response.uid={uid:?}, got {given:?}"));
        }
        let expected = version.api_version();
        if api_version != expected || kind != "AdmissionReview" {
            return Err(format!(
                "expected webhook response of {expected}, Kind=AdmissionReview, got \
                 {api_version}, Kind={kind}"
            ));
        }
        match (mutating, &patch, patch_type) {
            (false, Some(_), _) => {
                return Err("validating webhooks may not return response.patch".to_owned());
            }
            (false, None, Some(_)) => {
                return Err("validating webhooks may not return response.patchType".to_owned());
            }
            (true, Some(_), None) => {
                return Err("webhook returned response.patch but not response.patchType".to_owned());
            }
            (true, None, Some(_)) => {
                return Err("webhook returned response.patchType but not response.patch".to_owned());
            }
            (true, Some(_), Some(given)) if given != "JSONPatch" => {
                return Err(format!("webhook returned invalid response.patchType of {given:?}"));
            }
            _ => {}
        }
    }
    let warnings = response["warnings"].as_array().into_iter().flatten();
    Ok(Answer {
        allowed: response["allowed"] == true,
        patch: patch.filter(|_| mutating),
        warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
        result: response["status"].take(),
    })
}

fn read_patch(response: &Value) -> Result<Option<Vec<u8>>, String> {
    let Some(text) = response["patch"].as_str().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    STANDARD.decode(text).map(Some).map_err(|error| error.to_string())
}

/// The Status of a refusal: the webhook's own, made to be one.
pub(super) fn refusal(webhook: &str, result: &Value) -> Status {
    let text = |member: &str| result[member].as_str().unwrap_or_default();
    let code = result["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let code = code.filter(|code| (400..600).contains(code)).unwrap_or(400);
    let denied = format!("admission webhook {webhook:?} denied the request");
    let message = match (text("message"), text("reason")) {
        ("", "") => format!("{denied} without explanation"),
        ("", why) | (why, _) => format!("{denied}: {why}"),
    };
    let reason = REASONS.into_iter().find(|(_, name)| *name == text("reason"));
    Status::failure(code, reason.map(|(reason, _)| reason), message)
}

/// The reasons that a refusal may give.
const REASONS: [(Reason, &str); 18] = [
    (Reason::Unauthorized, "Unauthorized"),
    (Reason::Forbidden, "Forbidden"),
    (Reason::NotFound, "NotFound"),
    (Reason::AlreadyExists, "AlreadyExists"),
    (Reason::Conflict, "Conflict"),
    (Reason::Gone, "Gone"),
    (Reason::Invalid, "Invalid"),
    (Reason::ServerTimeout, "ServerTimeout"),
    (Reason::Timeout, "Timeout"),
    (Reason::TooManyRequests, "TooManyRequests"),
    (Reason::BadRequest, "BadRequest"),
    (Reason::MethodNotAllowed, "MethodNotAllowed"),
    (Reason::NotAcceptable, "NotAcceptable"),
    (Reason::RequestEntityTooLarge, "RequestEntityTooLarge"),
    (Reason::UnsupportedMediaType, "UnsupportedMediaType"),
    (Reason::InternalError, "InternalError"),
    (Reason::Expired, "Expired"),
    (Reason::ServiceUnavailable, "ServiceUnavailable"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn review(response: &Value) -> Value {
        json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
            "response": response })
    }

    fn why(response: &Value, mutating: bool) -> String {
        read(review(response), Version::V1, "u", mutating).unwrap_err()
    }

    #[test]
    fn answers_say_what_is_allowed_and_changed() {
        let response = json!({ "uid": "u", "allowed": true, "patchType": "JSONPatch",
            "patch": STANDARD.encode("[]"), "warnings": ["careful"] });
        let answer = read(review(&response), Version::V1, "u", true).unwrap();
        assert_eq!(answer.patch.as_deref(), Some(b"[]".as_slice()));
        assert!(answer.allowed && answer.warnings == ["careful"]);
        let answer = read(review(&json!({ "uid": "u" })), Version::V1, "u", true).unwrap();
        assert!(!answer.allowed && answer.patch.is_none());
    }

    #[test]
    fn answers_must_be_answers_to_the_question() {
        assert_eq!(why(&Value::Null, true), "webhook response was absent");
        let other = json!({ "uid": "v", "allowed": true });
        assert_eq!(why(&other, true), "expected response.uid=\"u\", got \"v\"");
        let mut review = review(&json!({ "uid": "u" }));
        review["kind"] = json!("Pod");
        assert_eq!(
            read(review, Version::V1, "u", true).unwrap_err(),
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got \
             admission.k8s.io/v1, Kind=Pod"
        );
        let patch = STANDARD.encode("[]");
        for (response, mutating, expected) in [
            (
                json!({ "uid": "u", "patch": patch }),
                false,
                "validating webhooks may not return response.patch",
            ),
            (
                json!({ "uid": "u", "patch": patch }),
                true,
                "webhook returned response.patch but not response.patchType",
            ),
            (
                json!({ "uid": "u", "patchType": "JSONPatch" }),
                true,
                "webhook returned response.patchType but not response.patch",
            ),
            (
                json!({ "uid": "u", "patch": patch, "patchType": "Merge" }),
                true,
                "webhook returned invalid response.patchType of \"Merge\"",
            ),
        ] {
            assert_eq!(why(&response, mutating), expected);
        }
    }

    #[test]
    fn older_answers_need_no_uid_and_no_type_of_patch() {
        let response = json!({ "response": { "allowed": true, "patch": STANDARD.encode("[]") } });
        let answer = read(response, Version::V1Beta1, "u", true).unwrap();
        assert!(answer.allowed && answer.patch.is_some());
    }

    #[test]
    fn refusals_are_failures_whatever_the_webhook_says() {
        for (result, code, message) in [
            (Value::Null, 400, "admission webhook \"w\" denied the request without explanation"),
            (
                json!({ "code": 403, "message": "no" }),
                403,
                "admission webhook \"w\" denied the request: no",
            ),
            (
                json!({ "code": 200, "status": "Success", "reason": "Forbidden" }),
                400,
                "admission webhook \"w\" denied the request: Forbidden",
            ),
            (
                json!({ "code": 99_999 }),
                400,
                "admission webhook \"w\" denied the request without explanation",
            ),
        ] {
            let status = refusal("w", &result);
            assert_eq!((status.code, status.message.as_str()), (code, message));
        }
        let forbidden = refusal("w", &json!({ "code": 403, "reason": "Forbidden" }));
        assert_eq!(forbidden.reason, Some(Reason::Forbidden));
    }
}
