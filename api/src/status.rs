//! The Status object: what a request ends with when it does not end with an object
//! (spec: apimachinery 1.9).

use serde::Serialize;

/// Why a request failed, as `status.reason`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names are the reasons that the reference writes")]
pub enum Reason {
    Unauthorized,
    Forbidden,
    NotFound,
    AlreadyExists,
    Conflict,
    Gone,
    Invalid,
    ServerTimeout,
    Timeout,
    TooManyRequests,
    BadRequest,
    MethodNotAllowed,
    NotAcceptable,
    RequestEntityTooLarge,
    UnsupportedMediaType,
    InternalError,
    Expired,
    ServiceUnavailable,
}

/// A Status. Everything that can go wrong in a handler becomes one, at one edge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    kind: &'static str,
    api_version: &'static str,
    /// Holds a continue token where a list may go on.
    pub metadata: ListMeta,
    status: &'static str,
    /// What went wrong, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What went wrong, for programs; absent where the reference gives none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What it is about; `Some` of nothing is written as `{}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<Details>>,
    /// The HTTP status code; 0 is not written.
    #[serde(skip_serializing_if = "is_zero")]
    pub code: u16,
}

/// The metadata of a Status.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ListMeta {
    /// A token with which the list may be continued inconsistently.
    #[serde(rename = "continue", skip_serializing_if = "String::is_empty")]
    pub continue_token: String,
}

/// What a Status is about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Details {
    /// The object's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The API group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The plural resource for most errors, the kind for some.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The object's uid.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The single causes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// After how many seconds to try again; 0 is not written.
    #[serde(skip_serializing_if = "is_zero_seconds")]
    pub retry_after_seconds: u32,
}

/// One cause of a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Cause {
    /// The kind of cause, such as `FieldValueInvalid`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What is wrong, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The field it is about.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(code: &u16) -> bool {
    *code == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero_seconds(seconds: &u32) -> bool {
    *seconds == 0
}

/// A group and resource in plural, as errors name them: `flowschemas.flowcontrol.apiserver.k8s.io`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupResource<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The resource in plural (some errors have the kind here).
    pub resource: &'a str,
}

impl std::fmt::Display for GroupResource<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.resource)?;
        if !self.group.is_empty() && !self.resource.is_empty() {
            f.write_str(".")?;
        } else if !self.group.is_empty() {
            return write!(f, ".{}", self.group);
        }
        f.write_str(self.group)
    }
}

impl GroupResource<'_> {
    /// Details that name an object of this resource.
    #[must_use]
    pub fn details(&self, name: &str) -> Details {
        Details {
            name: name.to_owned(),
            group: self.group.to_owned(),
            kind: self.resource.to_owned(),
            ..Details::default()
        }
    }
}

/// `1.9.2`: one constructor for each form of failure.
impl Status {
    /// A failure with that code, reason and message and no details.
    #[must_use]
    pub fn failure(code: u16, reason: Option<Reason>, message: impl Into<String>) -> Self {
        Self {
            kind: "Status",
            api_version: "v1",
            metadata: ListMeta::default(),
            status: "Failure",
            message: message.into(),
            reason,
            details: None,
            code,
        }
    }

    /// A success about an object; it has no code.
    #[must_use]
    pub fn success(details: Details) -> Self {
        Self {
            status: "Success",
            details: Some(Box::new(details)),
            ..Self::failure(0, None, String::new())
        }
    }

    /// The same with details.
    #[must_use]
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// 400
    #[must_use]
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::failure(400, Some(Reason::BadRequest), message)
    }

    /// 401
    #[must_use]
    pub fn unauthorized() -> Self {
        Self::failure(401, Some(Reason::Unauthorized), "Unauthorized")
    }

    /// 403; `why` follows what was forbidden.
    #[must_use]
    pub fn forbidden(resource: GroupResource<'_>, name: &str, why: &str) -> Self {
        let message = match (resource.resource.is_empty(), name.is_empty()) {
            (true, _) => format!("forbidden: {why}"),
            (false, true) => format!("{resource} is forbidden: {why}"),
            (false, false) => format!("{resource} \"{name}\" is forbidden: {why}"),
        };
        Self::failure(403, Some(Reason::Forbidden), message).with_details(resource.details(name))
    }

    /// 404 for an object.
    #[must_use]
    pub fn not_found(resource: GroupResource<'_>, name: &str) -> Self {
        Self::failure(404, Some(Reason::NotFound), format!("{resource} \"{name}\" not found"))
            .with_details(resource.details(name))
    }

    /// 404 for a path inside a known group.
    #[must_use]
    pub fn unknown_resource() -> Self {
        Self::failure(
            404,
            Some(Reason::NotFound),
            "the server could not find the requested resource",
        )
        .with_details(Details::default())
    }

    /// 405
    #[must_use]
    pub fn method_not_allowed() -> Self {
        Self::failure(
            405,
            Some(Reason::MethodNotAllowed),
            "the server does not allow this method on the requested resource",
        )
        .with_details(Details::default())
    }

    /// 405 for a verb that a custom resource does not have.
    #[must_use]
    pub fn not_supported(resource: GroupResource<'_>, verb: &str) -> Self {
        let message = format!("{verb} is not supported on resources of kind \"{resource}\"");
        Self::failure(405, Some(Reason::MethodNotAllowed), message)
            .with_details(resource.details(""))
    }

    /// 409 for a name that is taken.
    #[must_use]
    pub fn already_exists(resource: GroupResource<'_>, name: &str) -> Self {
        Self::failure(
            409,
            Some(Reason::AlreadyExists),
            format!("{resource} \"{name}\" already exists"),
        )
        .with_details(resource.details(name))
    }

    /// 409 for generated names that were all taken.
    #[must_use]
    pub fn generate_name_conflict(resource: GroupResource<'_>, name: &str) -> Self {
        let message = format!(
            "{resource} \"{name}\" already exists, the server was not able to generate a unique \
             name for the object"
        );
        let details = Details { retry_after_seconds: 1, ..resource.details(name) };
        Self::failure(409, Some(Reason::AlreadyExists), message).with_details(details)
    }

    /// 409 for a write that met another state than it expected.
    #[must_use]
    pub fn conflict(resource: GroupResource<'_>, name: &str, why: &str) -> Self {
        Self::failure(
            409,
            Some(Reason::Conflict),
            format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}"),
        )
        .with_details(resource.details(name))
    }

    /// 410
    #[must_use]
    pub fn expired(message: impl Into<String>) -> Self {
        Self::failure(410, Some(Reason::Expired), message)
    }

    /// 413
    #[must_use]
    pub fn request_entity_too_large(why: &str) -> Self {
        Self::failure(
            413,
            Some(Reason::RequestEntityTooLarge),
            format!("Request entity too large: {why}"),
        )
    }

    /// 415 or 406 about media types.
    #[must_use]
    pub fn media_type(code: u16, reason: Reason, message: impl Into<String>) -> Self {
        Self::failure(code, Some(reason), message)
    }

    /// 422 about fields; `resource.resource` is the kind, `aggregate` all errors in one text.
    #[must_use]
    pub fn invalid(
        kind: GroupResource<'_>,
        name: &str,
        aggregate: &str,
        causes: Vec<Cause>,
    ) -> Self {
        Self::failure(
            422,
            Some(Reason::Invalid),
            format!("{kind} \"{name}\" is invalid: {aggregate}"),
        )
        .with_details(Details { causes, ..kind.details(name) })
    }

    /// 422 without saying what is wrong, as for patches that do not apply.
    #[must_use]
    pub fn unprocessable() -> Self {
        Self::failure(
            422,
            Some(Reason::Invalid),
            "the server rejected our request due to an error in our request",
        )
        .with_details(Details::default())
    }

    /// 500 for what should not have happened.
    #[must_use]
    pub fn internal_error(why: &str) -> Self {
        let cause = Cause { message: why.to_owned(), ..Cause::default() };
        Self::failure(500, Some(Reason::InternalError), format!("Internal error occurred: {why}"))
            .with_details(Details { causes: vec![cause], ..Details::default() })
    }

    /// 500 without a reason: the reference's form for errors it has no form for.
    #[must_use]
    pub fn other(message: impl Into<String>) -> Self {
        Self::failure(500, None, message)
    }

    /// 503
    #[must_use]
    pub fn service_unavailable(message: impl Into<String>) -> Self {
        Self::failure(503, Some(Reason::ServiceUnavailable), message)
    }

    /// 504
    #[must_use]
    pub fn timeout(why: &str) -> Self {
        Self::failure(504, Some(Reason::Timeout), format!("Timeout: {why}"))
    }

    /// 504 for a resource version that the server has not reached.
    #[must_use]
    pub fn too_large_resource_version(requested: u64, current: u64) -> Self {
        let cause = Cause {
            reason: "ResourceVersionTooLarge".to_owned(),
            message: "Too large resource version".to_owned(),
            field: String::new(),
        };
        Self::timeout(&format!("Too large resource version: {requested}, current: {current}"))
            .with_details(Details {
                causes: vec![cause],
                retry_after_seconds: 1,
                ..Details::default()
            })
    }

    /// Seconds for the `Retry-After` header, if the client shall try again.
    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u32> {
        self.details.as_ref().map(|details| details.retry_after_seconds).filter(|&s| s > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOW_SCHEMAS: GroupResource<'_> =
        GroupResource { group: "flowcontrol.apiserver.k8s.io", resource: "flowschemas" };

    #[test]
    fn a_missing_object_is_named_with_resource_and_group() {
        assert_eq!(
            serde_json::to_string(&Status::not_found(FLOW_SCHEMAS, "nope")).unwrap(),
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"flowschemas.flowcontrol.apiserver.k8s.io \"nope\" not found","reason":"NotFound","details":{"name":"nope","group":"flowcontrol.apiserver.k8s.io","kind":"flowschemas"},"code":404}"#
        );
    }

    #[test]
    fn a_success_has_no_code() {
        let text = serde_json::to_string(&Status::success(Details::default())).unwrap();
        assert_eq!(
            text,
            r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{}}"#
        );
    }

    #[test]
    fn the_core_group_is_not_written() {
        let pods = GroupResource { group: "", resource: "pods" };
        assert_eq!(pods.to_string(), "pods");
        assert_eq!(GroupResource { group: "g", resource: "" }.to_string(), ".g");
    }

    #[test]
    fn a_forbidden_path_has_empty_details() {
        let status =
            Status::forbidden(GroupResource { group: "", resource: "" }, "", "User \"a\" cannot x");
        assert_eq!(status.message, "forbidden: User \"a\" cannot x");
        assert_eq!(status.details, Some(Box::default()));
    }
}
