//! One webhook of a configuration.

use std::sync::Arc;
use std::time::Duration;

use api::status::Status;
use custom::admission::Conditions;
use serde_json::{Value, json};

use super::criteria::Criteria;
use super::request::{Objects, Request};
use super::review::{self, Answer, Version};
use super::seen::Seen;
use crate::codec::json as text;
use crate::resources::Resource;
use crate::webhook::{ConfigError, Webhook};

/// How long a webhook may take if it does not say so.
const TIMEOUT_SECONDS: u64 = 10;

/// A webhook, ready to be asked.
#[derive(Debug)]
pub(crate) struct Hook {
    pub(super) name: String,
    criteria: Criteria,
    conditions: Conditions,
    /// One that cannot be used says so whenever it is needed.
    webhook: Result<Webhook, ConfigError>,
    version: Option<Version>,
    /// Whether a request fails if the webhook does.
    fails: bool,
    /// Whether it may be asked about what will not be stored.
    takes_dry_run: bool,
    /// Whether it wants to see what those after it changed.
    pub(super) reinvoked: bool,
}

impl Hook {
    /// Those of a stored configuration.
    pub(crate) fn list(configuration: &Value) -> Vec<Self> {
        let webhooks = configuration["webhooks"].as_array().into_iter().flatten();
        webhooks.map(Self::new).collect()
    }

    fn new(webhook: &Value) -> Self {
        let seconds = webhook["timeoutSeconds"].as_u64().unwrap_or(TIMEOUT_SECONDS);
        let effects = webhook["sideEffects"].as_str();
        Self {
            name: webhook["name"].as_str().unwrap_or_default().to_owned(),
            criteria: Criteria::of_webhook(webhook),
            conditions: Conditions::compile(&webhook["matchConditions"], false),
            webhook: Webhook::new(&webhook["clientConfig"], Duration::from_secs(seconds)),
            version: Version::first_known(&webhook["admissionReviewVersions"]),
            fails: webhook["failurePolicy"] != "Ignore",
            takes_dry_run: matches!(effects, Some("None" | "NoneOnDryRun")),
            reinvoked: webhook["reinvocationPolicy"] == "IfNeeded",
        }
    }

    /// Whether it is to be asked about a request, and in which version.
    ///
    /// # Errors
    ///
    /// 403 if its conditions cannot be evaluated, and it wants requests to fail then.
    pub(super) async fn concerns(
        &self,
        request: &Request<'_>,
        objects: Objects<'_>,
    ) -> Result<Option<Arc<Resource>>, Status> {
        let Some(resource) = self.criteria.find(request, objects)? else { return Ok(None) };
        if self.conditions.is_empty() {
            return Ok(Some(resource));
        }
        let seen = Seen::of(request, &resource, objects).await?;
        match seen.subject().and_then(|subject| self.conditions.hold(&subject)) {
            Ok(true) => Ok(Some(resource)),
            Ok(false) => Ok(None),
            Err(_) if !self.fails => Ok(None),
            Err(why) => {
                let resource = request.resource.group_resource();
                Err(Status::forbidden(resource, request.name, &why))
            }
        }
    }

    /// Asks. `None` if the webhook failed, and that is to be passed over.
    ///
    /// # Errors
    ///
    /// What it refuses with, or that it failed.
    pub(super) async fn ask(
        &self,
        request: &Request<'_>,
        resource: &Resource,
        objects: Objects<'_>,
        mutating: bool,
    ) -> Result<Option<Answer>, Status> {
        if request.dry_run && !self.takes_dry_run {
            let why = format!("admission webhook {:?} does not support dry run", self.name);
            return Err(Status::bad_request(why));
        }
        let answer = match self.call(request, resource, objects, mutating).await {
            Ok(answer) => answer,
            Err(why) if self.fails => return Err(self.failure(&why)),
            Err(why) => {
                tracing::warn!(webhook = self.name, %why, "a webhook failed; it is passed over");
                return Ok(None);
            }
        };
        answer.warnings.iter().for_each(|warning| request.warn(warning));
        if answer.allowed {
            return Ok(Some(answer));
        }
        Err(review::refusal(&self.name, &answer.result))
    }

    fn failure(&self, why: &str) -> Status {
        Status::internal_error(&format!("failed calling webhook {:?}: {why}", self.name))
    }

    async fn call(
        &self,
        request: &Request<'_>,
        resource: &Resource,
        objects: Objects<'_>,
        mutating: bool,
    ) -> Result<Answer, String> {
        let not_made = |why: &str| format!("could not create admission objects: {why}");
        let version = self.version.ok_or_else(|| {
            not_made("webhook does not accept known AdmissionReview versions (v1, v1beta1)")
        })?;
        let webhook = self.webhook.as_ref();
        let webhook = webhook.map_err(|why| format!("could not get REST client: {why}"))?;
        let sent = Sent::new(request, resource, objects).await.map_err(|why| not_made(&why))?;
        let mut members = request.described(resource);
        members.insert("object".to_owned(), sent.object.unwrap_or_default());
        members.insert("oldObject".to_owned(), sent.old.unwrap_or_default());
        let uid = uuid::Uuid::new_v4().to_string();
        let document = text::to_vec(&review::document(version, &uid, members));
        let failed = |why: String| format!("failed to call webhook: {why}");
        let answer = webhook.call(request.catalog, document.into()).await;
        let answer = answer.map_err(|error| failed(error.to_string()))?;
        let answer = serde_json::from_slice(&answer).map_err(|error| failed(error.to_string()))?;
        review::read(answer, version, &uid, mutating)
            .map_err(|why| format!("received invalid webhook response: {why}"))
    }

    /// Says that it wants to change what cannot be changed.
    pub(super) fn nothing_to_change(&self) -> Status {
        Status::internal_error(&format!(
            "admission webhook {:?} attempted to modify the object, which is not supported for \
             this operation",
            self.name
        ))
    }
}

/// The objects in the version that is asked for.
pub(super) struct Sent {
    pub(super) object: Option<Value>,
    pub(super) old: Option<Value>,
}

impl Sent {
    pub(super) async fn new(
        request: &Request<'_>,
        resource: &Resource,
        Objects { object, old }: Objects<'_>,
    ) -> Result<Self, String> {
        let mut converted = Vec::with_capacity(2);
        for each in [object, old] {
            converted.push(match each {
                Some(object) => Some(request.converted(object, request.resource, resource).await?),
                None => None,
            });
        }
        let old = converted.pop().flatten();
        Ok(Self { object: converted.pop().flatten(), old })
    }
}

/// The options of a request, as reviews show them.
pub(crate) fn options(kind: &str, manager: Option<&str>, dry_run: bool) -> Value {
    let mut options = json!({ "kind": kind, "apiVersion": "meta.k8s.io/v1" });
    if let Some(manager) = manager {
        options["fieldManager"] = json!(manager);
    }
    if dry_run {
        options["dryRun"] = json!(["All"]);
    }
    options
}
