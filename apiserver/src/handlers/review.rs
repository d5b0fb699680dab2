//! Reviews: questions about who one is and what one may, answered and never stored
//! (spec: apimachinery 5.4).

use std::sync::Arc;

use api::status::{Cause, GroupResource, Status};
use auth::User;
use auth::authorize::{Attributes, Authorizer as _, Decision, ResourceTarget, Target};
use http::Method;
use patch::fieldset::FieldSet;
use patch::managed::{self, Endpoint, OneVersion, Writer};
use serde_json::{Value, json};

use super::{body_type, options};
use crate::codec::body;
use crate::codec::protobuf::known;
use crate::codec::{MediaType, accept};
use crate::reply::Reply;
use crate::request::{Authorized, read_body, user_info};
use crate::resources::GroupVersionKind;
use crate::server::Server;

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";
const VERSION: &str = "v1";

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Review {
    /// Who am I?
    SelfSubject,
    /// Whose token is this?
    Token,
    /// May I?
    SelfSubjectAccess,
    /// May somebody?
    SubjectAccess,
    /// May somebody, in a namespace?
    LocalSubjectAccess(String),
    /// What may I?
    SelfSubjectRules,
}

impl Review {
    pub(crate) fn has_group(group: &str) -> bool {
        group == AUTHENTICATION || group == AUTHORIZATION
    }

    pub(crate) fn has_version(group: &str, version: &str) -> bool {
        Self::has_group(group) && version == VERSION
    }

    pub(crate) fn find(group: &str, version: &str, parts: &[&str]) -> Option<Self> {
        if !Self::has_version(group, version) {
            return None;
        }
        match (group, parts) {
            (AUTHENTICATION, ["selfsubjectreviews"]) => Some(Self::SelfSubject),
            (AUTHENTICATION, ["tokenreviews"]) => Some(Self::Token),
            (AUTHORIZATION, ["selfsubjectaccessreviews"]) => Some(Self::SelfSubjectAccess),
            (AUTHORIZATION, ["subjectaccessreviews"]) => Some(Self::SubjectAccess),
            (AUTHORIZATION, ["selfsubjectrulesreviews"]) => Some(Self::SelfSubjectRules),
            (AUTHORIZATION, ["namespaces", namespace, "localsubjectaccessreviews"]) => {
                Some(Self::LocalSubjectAccess((*namespace).to_owned()))
            }
            _ => None,
        }
    }

    fn group(&self) -> &'static str {
        match self {
            Self::SelfSubject | Self::Token => AUTHENTICATION,
            _ => AUTHORIZATION,
        }
    }

    fn group_version(&self) -> String {
        format!("{}/{VERSION}", self.group())
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::SelfSubject => "SelfSubjectReview",
            Self::Token => "TokenReview",
            Self::SelfSubjectAccess => "SelfSubjectAccessReview",
            Self::SubjectAccess => "SubjectAccessReview",
            Self::LocalSubjectAccess(_) => "LocalSubjectAccessReview",
            Self::SelfSubjectRules => "SelfSubjectRulesReview",
        }
    }
}

pub(super) async fn serve(
    server: &Arc<Server>,
    mut request: Authorized,
    review: Review,
) -> Result<Reply, Status> {
    if request.parts.method != Method::POST {
        return Err(Status::method_not_allowed());
    }
    let accepted = request.negotiate(&accept::DOCUMENT)?;
    let options = options::WriteOptions::read(&request.query, options::Write::Create)?;
    let media_type = body_type(&request.parts.headers)?;
    let text = read_body(&mut request.body).await?;
    let asked = read(&review, &text, media_type)?;
    let manager = request.field_manager(&options.field_manager);
    let answer = answer(server, &request, &review, &asked, &manager)?;
    let text = crate::codec::json::to_vec(&answer).into();
    Ok(Reply::Json { code: 201, text, accepted })
}

fn read(review: &Review, text: &[u8], media_type: MediaType) -> Result<Value, Status> {
    let value = body::parse(text, media_type).map_err(Status::bad_request)?.into_value();
    let value = if value.is_null() { json!({}) } else { value };
    let kind = value["kind"].as_str().unwrap_or_default();
    let api_version = value["apiVersion"].as_str().unwrap_or_default();
    let right_kind = kind.is_empty() || kind == review.kind();
    let right_version = api_version.is_empty() || api_version == review.group_version();
    if !value.is_object() || !right_kind || !right_version {
        return Err(Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {})",
            review.kind()
        )));
    }
    Ok(value)
}

fn answer(
    server: &Server,
    request: &Authorized,
    review: &Review,
    asked: &Value,
    manager: &str,
) -> Result<Value, Status> {
    let now = server.clock.timestamp();
    let mut metadata = json!({});
    let spec = asked.get("spec").cloned().filter(Value::is_object);
    let (spec, status) = match review {
        Review::SelfSubject => {
            metadata["creationTimestamp"] = json!(now.to_string());
            (None, json!({ "userInfo": user_info(&request.user) }))
        }
        Review::Token => {
            let spec = spec.unwrap_or_else(|| json!({}));
            let status = token_status(server, &spec, now.unix_seconds());
            (Some(spec), status)
        }
        Review::SelfSubjectAccess => {
            let spec = spec.unwrap_or_else(|| json!({}));
            let status = access_status(server, &request.user, &spec)?;
            (Some(spec), status)
        }
        Review::SubjectAccess | Review::LocalSubjectAccess(_) => {
            let spec = spec.unwrap_or_else(|| json!({}));
            let status = access_status(server, &subject(&spec)?, &spec)?;
            (Some(spec), status)
        }
        Review::SelfSubjectRules => {
            let spec = spec.unwrap_or_else(|| json!({}));
            let namespace = spec["namespace"].as_str().unwrap_or_default();
            let rules = server.access.authorizer.rules_for(&request.user, namespace);
            (Some(json!({})), json!(rules))
        }
    };
    let mut answer = json!({
        "kind": review.kind(),
        "apiVersion": review.group_version(),
        "metadata": metadata,
    });
    if let Some(spec) = spec {
        answer["spec"] = spec;
        if *review != Review::SelfSubjectRules {
            answer = with_managed_fields(review, answer, Writer { manager, now });
        }
    }
    answer["status"] = status;
    Ok(answer)
}

/// The question belongs to who asks it; the answer to nobody.
fn with_managed_fields(review: &Review, question: Value, writer: Writer<'_>) -> Value {
    let kind = GroupVersionKind::new(review.group(), VERSION, review.kind());
    let Some(type_def) = known::type_of(&kind) else { return question };
    let group_version = kind.group_version();
    let versions = OneVersion { group_version: &group_version, type_def: &type_def };
    let endpoint = Endpoint {
        group_version: &group_version,
        kind: review.kind(),
        subresource: "",
        reset_fields: &FieldSet::default(),
        versions: &versions,
    };
    managed::update(&endpoint, None, question, writer)
}

fn token_status(server: &Server, spec: &Value, now: i64) -> Value {
    let token = spec["token"].as_str().unwrap_or_default();
    match server.access.authenticator.review_token(token, &texts(&spec["audiences"]), now) {
        Ok(found) => json!({
            "authenticated": true,
            "user": user_info(&found.user),
            "audiences": found.audiences,
        }),
        Err(why) => json!({ "user": {}, "error": why.to_string() }),
    }
}

/// Whether a user may do what a spec asks about.
fn access_status(server: &Server, user: &User, spec: &Value) -> Result<Value, Status> {
    let (verb, target) = question(spec)?;
    let answer = server.access.authorizer.authorize(&Attributes { user, verb, target });
    let mut status = json!({ "allowed": answer.is_allowed() });
    if answer.decision == Decision::Deny {
        status["denied"] = json!(true);
    }
    if !answer.reason.is_empty() {
        status["reason"] = json!(answer.reason);
    }
    Ok(status)
}

/// The verb that a spec asks about, and what it is done to.
fn question(spec: &Value) -> Result<(&str, Target<'_>), Status> {
    fn text<'a>(value: &'a Value, member: &str) -> &'a str {
        value[member].as_str().unwrap_or_default()
    }
    match (spec.get("resourceAttributes"), spec.get("nonResourceAttributes")) {
        (Some(resource), None) => {
            let target = ResourceTarget {
                group: text(resource, "group"),
                version: text(resource, "version"),
                resource: text(resource, "resource"),
                subresource: text(resource, "subresource"),
                namespace: text(resource, "namespace"),
                name: text(resource, "name"),
                ..ResourceTarget::default()
            };
            Ok((text(resource, "verb"), Target::Resource(target)))
        }
        (None, Some(other)) => {
            Ok((text(other, "verb"), Target::NonResource { path: text(other, "path") }))
        }
        _ => Err(invalid(
            "spec",
            "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must \
             be specified",
        )),
    }
}

/// The texts of a list.
fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn subject(spec: &Value) -> Result<User, Status> {
    let extra = spec["extra"].as_object().into_iter().flatten();
    let user = User {
        name: spec["user"].as_str().unwrap_or_default().to_owned(),
        uid: spec["uid"].as_str().unwrap_or_default().to_owned(),
        groups: texts(&spec["groups"]),
        extra: extra.map(|(key, values)| (key.clone(), texts(values))).collect(),
    };
    if user.name.is_empty() && user.groups.is_empty() {
        let why = "Invalid value: \"\": at least one of user or group must be specified";
        return Err(invalid("spec.user", why));
    }
    Ok(user)
}

/// 422 about a review; the reference leaves the kind out.
fn invalid(field: &str, message: &str) -> Status {
    let cause = Cause {
        reason: "FieldValueInvalid".to_owned(),
        message: message.to_owned(),
        field: field.to_owned(),
    };
    let group = GroupResource { group: AUTHORIZATION, resource: "" };
    Status::invalid(group, "", &format!("{field}: {message}"), vec![cause])
}
