//! `token`: makes a token of a service account (spec: apimachinery 5.2).

use api::status::{GroupResource, Status};
use api::time::Timestamp;
use auth::authenticate::service_account::{BoundObject, ObjectRef, TokenSpec};
use auth::authorize::node::restriction::Operation;
use serde_json::{Value, json};
use storage::cache::Freshness;
use validation::field::{Error, ErrorList, Path};

use super::super::Call;
use super::super::options::Write;
use super::answer;
use crate::dynamic::{Objects, Operation as Admitted};
use crate::objects::metadata;
use crate::reply::Reply;
use crate::resources::GroupVersionKind;

const KIND: GroupResource<'static> =
    GroupResource { group: "authentication.k8s.io", resource: "TokenRequest" };

const SECONDS_DEFAULT: i64 = 3600;
const SECONDS_MIN: i64 = 600;
const SECONDS_MAX: i64 = 1 << 32;

pub(super) async fn create(mut call: Call<'_>) -> Result<Reply, Status> {
    let kind = GroupVersionKind::new("authentication.k8s.io", "v1", "TokenRequest");
    let asked = call.asked(&kind, Write::Create).await?;
    let account = call.entry(Freshness::Consistent).await?;
    call.check_node("token", Operation::Create, &asked.object)?;
    let spec = &asked.object["spec"];
    let seconds = spec["expirationSeconds"].as_i64().unwrap_or(SECONDS_DEFAULT);
    check_seconds(seconds)?;
    let dry_run = asked.options.dry_run;
    let objects = Objects::new(&asked.object);
    call.admit_action(Admitted::Create, "token", kind, objects, dry_run).await?;
    let audiences = audiences(&call, spec);
    let name = &account.object.metadata.name;
    let uid = account.object.metadata.uid.clone();
    let token = TokenSpec {
        namespace: call.namespace.clone(),
        account: ObjectRef { name: name.clone(), uid },
        bound: call.bound(&spec["boundObjectRef"])?,
        audiences: audiences.clone(),
        lifetime_seconds: seconds,
        warn_after_seconds: None,
    };
    let now = call.server.clock.timestamp();
    let expires = Timestamp::from_unix_seconds(now.unix_seconds().saturating_add(seconds));
    let token = call.server.keys.issue(&token, now.unix_seconds()).map_err(Status::other)?;
    let mut object = asked.object.clone();
    for (member, value) in [
        ("name", json!(name)),
        ("namespace", json!(call.namespace)),
        ("creationTimestamp", json!(now.to_string())),
    ] {
        metadata::set(&mut object, member, value);
    }
    object["spec"] = json!({
        "audiences": audiences,
        "expirationSeconds": seconds,
        "boundObjectRef": spec["boundObjectRef"],
    });
    object["status"] = json!({
        "token": token,
        "expirationTimestamp": expires.unwrap_or(now).to_string(),
    });
    Ok(answer(201, &object, asked.accepted))
}

fn check_seconds(seconds: i64) -> Result<(), Status> {
    let path = Path::new("spec").child("expirationSeconds");
    let why = match seconds {
        ..SECONDS_MIN => "may not specify a duration less than 10 minutes",
        SECONDS_MIN..=SECONDS_MAX => return Ok(()),
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let errors: ErrorList = [Error::invalid(&path, seconds, why)].into_iter().collect();
    let aggregate = errors.aggregate().unwrap_or_default();
    Err(Status::invalid(KIND, "", &aggregate, errors.causes()))
}

fn audiences(call: &Call<'_>, spec: &Value) -> Vec<String> {
    let asked = spec["audiences"].as_array().into_iter().flatten();
    let asked: Vec<String> = asked.filter_map(Value::as_str).map(str::to_owned).collect();
    if asked.is_empty() { call.server.access.authenticator.api_audiences.clone() } else { asked }
}

impl Call<'_> {
    /// What the token is to die with.
    fn bound(&self, reference: &Value) -> Result<Option<BoundObject>, Status> {
        let text = |member: &str| reference[member].as_str().unwrap_or_default();
        if !reference.is_object() {
            return Ok(None);
        }
        let (name, wanted) = (text("name"), text("uid"));
        let (plural, namespace) = match (text("apiVersion"), text("kind")) {
            ("v1", "Pod") => ("pods", self.namespace.as_str()),
            ("v1", "Secret") => ("secrets", self.namespace.as_str()),
            ("v1", "Node") => ("nodes", ""),
            (version, kind) => {
                let (group, version) = version.split_once('/').unwrap_or(("", version));
                let kind = GroupVersionKind::new(group, version, kind);
                let why = format!("cannot bind token for serviceaccount to object of type {kind}");
                return Err(Status::bad_request(why));
            }
        };
        let resource = GroupResource { group: "", resource: plural };
        let Some(found) = self.server.catalog.peek().stores.peek("", plural, namespace, name)
        else {
            return Err(Status::not_found(resource, name));
        };
        let uid = found.object.metadata.uid.clone();
        if !wanted.is_empty() && wanted != uid {
            let why = format!(
                "the UID in the bound object reference ({wanted}) does not match the UID in \
                 record. The object might have been deleted and then recreated"
            );
            return Err(Status::conflict(resource, name, &why));
        }
        let bound = ObjectRef { name: name.to_owned(), uid };
        Ok(Some(match plural {
            "pods" => BoundObject::Pod { pod: bound, node: None },
            "secrets" => BoundObject::Secret(bound),
            _ => BoundObject::Node(bound),
        }))
    }
}
