//! Versions that a webhook converts (spec: apimachinery 9.3): what it is asked, and what of its
//! answer is taken.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use custom::Schema;
use custom::definition;
use serde_json::{Value, json};

use crate::codec::json as text;
use crate::resources::GroupVersionKind;
use crate::webhook::{ConfigError, Services, Webhook};

/// How long a webhook may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A conversion that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("conversion webhook for {kind} failed: {why}")]
pub struct ReviewError {
    kind: GroupVersionKind,
    why: String,
}

/// A version of a custom resource whose other versions are somebody else's knowledge.
#[derive(Debug)]
pub struct Reviewed {
    webhook: ConversionWebhook,
    review_version: String,
    pub(super) served: Side,
    pub(super) stored: Side,
}

/// A version, and what objects of it look like.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) api_version: String,
    pub(super) schema: Arc<Schema>,
}

/// The webhook of a definition; one that cannot be used says so whenever it is needed.
pub(super) type ConversionWebhook = Arc<Result<Webhook, ConfigError>>;

pub(super) fn webhook(config: &definition::Webhook) -> ConversionWebhook {
    Arc::new(Webhook::new(&config.client_config, TIMEOUT))
}

impl Reviewed {
    pub(super) fn new(
        webhook: &ConversionWebhook,
        config: &definition::Webhook,
        served: Side,
        stored: Side,
    ) -> Self {
        // Both known versions of reviews look alike.
        let known = ["v1", "v1beta1"];
        let mut versions = config.review_versions.iter();
        let version = versions.find(|version| known.contains(&version.as_str()));
        let version = version.map_or("v1", String::as_str);
        Self {
            webhook: Arc::clone(webhook),
            review_version: format!("apiextensions.k8s.io/{version}"),
            served,
            stored,
        }
    }

    /// Stored objects, which may be of any version, in the version that is served.
    ///
    /// # Errors
    ///
    /// [`ReviewError`]
    pub async fn to_served(
        &self,
        services: &dyn Services,
        objects: Vec<Value>,
    ) -> Result<Vec<Value>, ReviewError> {
        self.convert(services, objects, &self.served).await
    }

    /// An object in the version that is stored.
    ///
    /// # Errors
    ///
    /// [`ReviewError`]
    pub async fn to_stored(
        &self,
        services: &dyn Services,
        object: Value,
    ) -> Result<Value, ReviewError> {
        let mut stored = self.convert(services, vec![object], &self.stored).await?;
        Ok(stored.pop().unwrap_or_default())
    }

    /// One question for each version that objects are of.
    async fn convert(
        &self,
        services: &dyn Services,
        mut objects: Vec<Value>,
        wanted: &Side,
    ) -> Result<Vec<Value>, ReviewError> {
        let mut others: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, object) in objects.iter().enumerate() {
            let api_version = object["apiVersion"].as_str().unwrap_or_default();
            if api_version != wanted.api_version {
                others.entry(api_version.to_owned()).or_default().push(index);
            }
        }
        for places in others.values() {
            let asked: Vec<Value> = places.iter().map(|place| objects[*place].clone()).collect();
            let converted = self.ask(services, &asked, &wanted.api_version).await;
            let converted = converted.map_err(|why| ReviewError { kind: kind_of(&asked), why })?;
            for (place, object) in places.iter().zip(converted) {
                objects[*place] = object;
            }
        }
        for object in &mut objects {
            wanted.schema.prune(object);
            wanted.schema.apply_defaults(object);
        }
        Ok(objects)
    }

    async fn ask(
        &self,
        services: &dyn Services,
        objects: &[Value],
        wanted: &str,
    ) -> Result<Vec<Value>, String> {
        let webhook = self.webhook.as_ref().as_ref().map_err(ToString::to_string)?;
        let uid = uuid::Uuid::new_v4().to_string();
        let review = json!({
            "kind": "ConversionReview",
            "apiVersion": self.review_version,
            "request": { "uid": uid, "desiredAPIVersion": wanted, "objects": objects },
        });
        let answer = webhook.call(services, text::to_vec(&review).into()).await;
        let answer = answer.map_err(|error| error.to_string())?;
        let answer = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
        converted(answer, &uid, objects, wanted)
    }
}

fn kind_of(objects: &[Value]) -> GroupVersionKind {
    let text = |member: &str| {
        let first = objects.first().and_then(|object| object[member].as_str());
        first.unwrap_or_default().to_owned()
    };
    let api_version = text("apiVersion");
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    GroupVersionKind::new(group, version, &text("kind"))
}

/// What an answer made of objects. Of their metadata it may have changed labels and annotations.
fn converted(
    mut answer: Value,
    uid: &str,
    asked: &[Value],
    wanted: &str,
) -> Result<Vec<Value>, String> {
    let response = &mut answer["response"];
    let given = response["uid"].as_str().unwrap_or_default();
    if given != uid {
        return Err(format!("expected response.uid={uid:?}, got {given:?}"));
    }
    if response["result"]["status"] != "Success" {
        let why = response["result"]["message"].as_str().filter(|why| !why.is_empty());
        return Err(why.unwrap_or("the webhook did not say why").to_owned());
    }
    let Value::Array(objects) = response["convertedObjects"].take() else {
        return Err("response.convertedObjects is no list".to_owned());
    };
    if objects.len() != asked.len() {
        return Err(format!("expected {} converted objects, got {}", asked.len(), objects.len()));
    }
    let pairs = objects.into_iter().zip(asked).enumerate();
    pairs
        .map(|(index, (object, original))| {
            restored(object, original, wanted)
                .map_err(|why| format!("invalid converted object at index {index}: {why}"))
        })
        .collect()
}

fn restored(mut object: Value, original: &Value, wanted: &str) -> Result<Value, String> {
    for (member, expected) in [("apiVersion", json!(wanted)), ("kind", original["kind"].clone())] {
        if object[member] != expected {
            return Err(format!("expected {member} {expected}, got {}", object[member]));
        }
    }
    for member in ["name", "namespace", "uid"] {
        let (before, after) = (&original["metadata"][member], &object["metadata"][member]);
        if before != after {
            return Err(format!("metadata.{member} changed from {before} to {after}"));
        }
    }
    let changed = object["metadata"].take();
    let mut metadata = original["metadata"].clone();
    for member in ["labels", "annotations"] {
        match changed.get(member).filter(|value| !value.is_null()) {
            Some(value) => metadata[member] = value.clone(),
            None => {
                if let Value::Object(members) = &mut metadata {
                    members.shift_remove(member);
                }
            }
        }
    }
    object["metadata"] = metadata;
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::custom::testing::reviewed;
    use crate::webhook::testing::{Answering, NoServices};

    fn widget(version: &str, name: &str) -> Value {
        json!({
            "apiVersion": format!("example.com/{version}"),
            "kind": "Widget",
            "metadata": { "name": name, "namespace": "default", "finalizers": ["a/b"] },
            "spec": { "size": 1 },
        })
    }

    /// Writes where an object came from into its labels, and takes away what it must not.
    fn convert(asked: &Value) -> Value {
        let request = &asked["request"];
        let objects = request["objects"].as_array().unwrap().iter().map(|object| {
            let mut object = object.clone();
            let metadata = json!({ "name": object["metadata"]["name"], "namespace": "default",
                "labels": { "from": object["apiVersion"].as_str().unwrap().replace('/', "-") } });
            object["metadata"] = metadata;
            object["apiVersion"] = request["desiredAPIVersion"].clone();
            object["spec"]["unknown"] = json!(true);
            object
        });
        json!({ "response": {
            "uid": request["uid"],
            "result": { "status": "Success" },
            "convertedObjects": objects.collect::<Vec<_>>(),
        } })
    }

    #[tokio::test]
    async fn objects_of_other_versions_are_converted_and_all_are_as_the_schema_says() {
        let webhook = Answering::start(|asked| convert(&asked)).await;
        let reviewed = reviewed(&webhook.client_config());
        let stored = vec![widget("v1beta1", "a"), widget("v1", "b"), widget("v1alpha1", "c")];
        let served = reviewed.to_served(&NoServices, stored).await.unwrap();
        for (object, label) in
            served.iter().zip(["example.com-v1beta1", "", "example.com-v1alpha1"])
        {
            assert_eq!(object["apiVersion"], "example.com/v1");
            assert_eq!(object["metadata"]["finalizers"], json!(["a/b"]));
            assert_eq!(object["metadata"]["labels"]["from"].as_str().unwrap_or_default(), label);
            assert_eq!(object["spec"], json!({ "size": 1, "color": "blue" }));
        }
    }

    #[tokio::test]
    async fn what_a_webhook_refuses_is_said_with_the_kind() {
        let webhook = Answering::start(|asked| {
            json!({ "response": { "uid": asked["request"]["uid"],
                "result": { "status": "Failed", "message": "no way" } } })
        })
        .await;
        let reviewed = reviewed(&webhook.client_config());
        let error =
            reviewed.to_served(&NoServices, vec![widget("v1beta1", "a")]).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "conversion webhook for example.com/v1beta1, Kind=Widget failed: no way"
        );
        assert!(reviewed.to_served(&NoServices, vec![widget("v1", "a")]).await.is_ok());
    }

    #[test]
    fn nothing_but_labels_and_annotations_may_change_in_metadata() {
        let original = widget("v1beta1", "a");
        let answer = |change: &dyn Fn(&mut Value)| {
            let mut object = widget("v1", "a");
            change(&mut object);
            let answer = json!({ "response": { "uid": "u", "result": { "status": "Success" },
                "convertedObjects": [object] } });
            converted(answer, "u", std::slice::from_ref(&original), "example.com/v1")
        };
        assert!(answer(&|_| {}).is_ok());
        for (wrong, why) in [
            (
                json!({ "metadata": { "name": "b", "namespace": "default" } }),
                "metadata.name changed",
            ),
            (json!({ "apiVersion": "example.com/v2" }), "expected apiVersion"),
            (json!({ "kind": "Gadget" }), "expected kind"),
        ] {
            let change = |object: &mut Value| {
                for (member, value) in wrong.as_object().unwrap() {
                    object[member] = value.clone();
                }
            };
            let error = answer(&change).unwrap_err();
            assert!(error.starts_with("invalid converted object at index 0: "), "{error}");
            assert!(error.contains(why), "{error}");
        }
        let none = json!({ "response": { "uid": "u", "result": { "status": "Success" },
            "convertedObjects": [] } });
        let asked = std::slice::from_ref(&original);
        let error = converted(none, "u", asked, "example.com/v1").unwrap_err();
        assert_eq!(error, "expected 1 converted objects, got 0");
        assert!(converted(json!({}), "u", asked, "example.com/v1").is_err());
    }
}
