//! `scale`: how many of something there are to be, in the same form for every kind.

use api::decode::Tree;
use api::status::Status;
use serde_json::{Value, json};
use storage::cache::Freshness;

use super::super::options::{Write, WriteOptions};
use super::super::part::Part;
use super::super::patch::PatchType;
use super::super::write::{Proposal, WriteContext};
use super::super::{Call, failure};
use super::answer;
use crate::codec::accept::{self, Accepted};
use crate::codec::yaml;
use crate::dynamic::{Objects, Operation};
use crate::objects::metadata;
use crate::reply::Reply;
use crate::request::read_body;
use crate::resources::{GroupVersionKind, Resource};

fn kind() -> GroupVersionKind {
    GroupVersionKind::new("autoscaling", "v1", "Scale")
}

pub(super) async fn get(call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::DOCUMENT)?;
    let entry = call.entry(Freshness::Consistent).await?;
    let object = entry.object.value(&call.resource);
    if let Some(paths) = call.resource.strategy.scale()
        && paths.spec_replicas.get(&object).is_none()
    {
        let path = format!(".{}", paths.spec_replicas.selector());
        return Err(Status::internal_error(&format!(
            "the spec replicas field {path:?} does not exist"
        )));
    }
    Ok(answer(200, &scale_of(&call.resource, &object), accepted))
}

pub(super) async fn update(mut call: Call<'_>) -> Result<Reply, Status> {
    let asked = call.asked(&kind(), Write::Update).await?;
    let mut context = call.context(&asked.options, &call.name);
    context.check_name(&asked.object)?;
    let live = current(&call).await?;
    admit(&call, &asked.object, &live, &asked.options).await?;
    context.origin.is_admitted = true;
    let books = books(&call, &asked.options);
    let written = context.update(|live| Ok(scaled(&books, live, &asked.object))).await?;
    Ok(answer(200, &scale_of(&call.resource, &written.value(&call.resource)), asked.accepted))
}

pub(super) async fn patch(mut call: Call<'_>) -> Result<Reply, Status> {
    let patch_type = PatchType::of(&call.request, &call.resource)?;
    let accepted = call.request.negotiate(&accept::DOCUMENT)?;
    let text = read_body(&mut call.request.body).await?;
    if patch_type == PatchType::Apply {
        return apply(&call, &text, accepted).await;
    }
    let options = WriteOptions::read(&call.request.query, Write::Patch)?;
    let patch =
        api::decode::parse_json(&text).map_err(|_| Status::bad_request("invalid JSON patch"))?;
    let mut context = call.context(&options, &call.name);
    let live = current(&call).await?;
    let scale = patched(live.clone(), patch_type, patch.clone())?;
    admit(&call, &scale, &live, &options).await?;
    context.origin.is_admitted = true;
    let books = books(&call, &options);
    let propose = |live: &Value| {
        let scale = patched(scale_of(&call.resource, live), patch_type, patch.clone())?;
        context.check_name(&scale)?;
        Ok(scaled(&books, live, &scale))
    };
    let written = context.update(propose).await?;
    Ok(answer(200, &scale_of(&call.resource, &written.value(&call.resource)), accepted))
}

/// Whoever applies a Scale owns the count in the object itself.
async fn apply(call: &Call<'_>, text: &[u8], accepted: Accepted) -> Result<Reply, Status> {
    let options = WriteOptions::read(&call.request.query, Write::Apply)?;
    let yaml::Document { tree, .. } = yaml::read(text)
        .map_err(|why| Status::bad_request(format!("error encoding patch: {why}")))?;
    let scale = tree.into_value();
    check_kind(&scale)?;
    let mut context = call.context(&options, &call.name);
    if !metadata::text(&scale, "name").is_empty() {
        context.check_name(&scale)?;
    }
    let live = current(call).await?;
    let wished = patched(live.clone(), PatchType::Merge, Tree::from(scale.clone()))?;
    admit(call, &wished, &live, &options).await?;
    context.origin.is_admitted = true;
    let applied = applied(&call.resource, &scale);
    let books = books(call, &options);
    let propose = |live: &Value| {
        let proposal = books.applied(Some(live), &applied, options.force)?;
        Ok(Proposal { uid: metadata::uid(&scale), ..proposal })
    };
    let written = context.update(propose).await?;
    Ok(answer(200, &scale_of(&call.resource, &written.value(&call.resource)), accepted))
}

fn check_kind(scale: &Value) -> Result<(), Status> {
    let member = |name: &str| scale[name].as_str().unwrap_or_default();
    let (api_version, kind) = (member("apiVersion"), member("kind"));
    if (api_version, kind) == ("autoscaling/v1", "Scale") {
        return Ok(());
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Err(Status::bad_request(format!("invalid object type: {group}/{version}, Kind={kind}")))
}

/// What an applied Scale asks of the object that it scales.
fn applied(resource: &Resource, scale: &Value) -> Value {
    let mut object = json!({ "apiVersion": resource.api_version(), "kind": resource.kind.kind });
    let version = &scale["metadata"]["resourceVersion"];
    if !version.is_null() {
        metadata::set(&mut object, "resourceVersion", version.clone());
    }
    if let Some(replicas) = scale["spec"].get("replicas") {
        set_replicas(resource, &mut object, replicas.clone());
    }
    object
}

/// The same place to write to, as the managed fields know it.
fn books<'a>(call: &'a Call<'_>, options: &WriteOptions) -> WriteContext<'a> {
    WriteContext { part: Part::SCALE, ..call.context(options, &call.name) }
}

/// The Scale of the stored object.
async fn current(call: &Call<'_>) -> Result<Value, Status> {
    let entry = call.entry(Freshness::Consistent).await?;
    Ok(scale_of(&call.resource, &entry.object.value(&call.resource)))
}

/// Webhooks and policies see the Scale, not what it is of.
async fn admit(
    call: &Call<'_>,
    scale: &Value,
    live: &Value,
    options: &WriteOptions,
) -> Result<(), Status> {
    let objects = Objects { object: Some(scale), old: Some(live) };
    call.admit_action(Operation::Update, "scale", kind(), objects, options.dry_run).await
}

/// A Scale has no lists that could be merged: a strategic merge is a plain one.
fn patched(scale: Value, patch_type: PatchType, patch: Tree) -> Result<Value, Status> {
    let patched = match patch_type {
        PatchType::Json => ::patch::json_patch(scale, patch),
        PatchType::Merge | PatchType::Strategic | PatchType::Apply => {
            ::patch::merge_patch(scale, patch)
        }
    };
    Ok(patched.map_err(failure::patch)?.value)
}

/// The object with as many replicas as the Scale says.
fn scaled(books: &WriteContext<'_>, live: &Value, scale: &Value) -> Proposal {
    let mut object = live.clone();
    let replicas = json!(scale["spec"]["replicas"].as_i64().unwrap_or(0));
    set_replicas(books.resource, &mut object, replicas);
    let mut object = books.keep_books(Some(live), object);
    let version = &scale["metadata"]["resourceVersion"];
    if version.as_str().is_some_and(|version| !version.is_empty()) {
        metadata::set(&mut object, "resourceVersion", version.clone());
    }
    Proposal { object, applied: true, uid: metadata::uid(scale) }
}

fn set_replicas(resource: &Resource, object: &mut Value, replicas: Value) {
    match resource.strategy.scale() {
        // What is in the way is refused when the object is validated.
        Some(paths) => drop(paths.spec_replicas.set(object, replicas)),
        None => object["spec"]["replicas"] = replicas,
    }
}

fn scale_of(resource: &Resource, object: &Value) -> Value {
    let mut scaled = json!({});
    for member in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        metadata::set(&mut scaled, member, object["metadata"][member].clone());
    }
    let Counts { wished, observed, selector } = counts(resource, object);
    let mut status = json!({ "replicas": observed });
    if !selector.is_empty() {
        status["selector"] = json!(selector);
    }
    json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": scaled["metadata"],
        "spec": if wished == 0 { json!({}) } else { json!({ "replicas": wished }) },
        "status": status,
    })
}

/// What a Scale tells of an object.
struct Counts {
    wished: i64,
    observed: i64,
    selector: String,
}

fn counts(resource: &Resource, object: &Value) -> Counts {
    let number = |value: Option<&Value>| value.and_then(Value::as_i64).unwrap_or(0);
    match resource.strategy.scale() {
        Some(paths) => {
            let selector = paths.label_selector.as_ref().and_then(|path| path.get(object));
            Counts {
                wished: number(paths.spec_replicas.get(object)),
                observed: number(paths.status_replicas.get(object)),
                selector: selector.and_then(Value::as_str).unwrap_or_default().to_owned(),
            }
        }
        None => Counts {
            wished: number(object["spec"].get("replicas")),
            observed: number(object["status"].get("replicas")),
            selector: selector(resource, &object["spec"]["selector"]),
        },
    }
}

/// A label selector in one text.
fn selector(resource: &Resource, selector: &Value) -> String {
    let labels = if resource.kind.group.is_empty() { selector } else { &selector["matchLabels"] };
    let equal = labels.as_object().into_iter().flatten();
    let mut terms: Vec<(String, String)> = equal
        .map(|(key, value)| (key.clone(), format!("{key}={}", value.as_str().unwrap_or_default())))
        .collect();
    for requirement in selector["matchExpressions"].as_array().into_iter().flatten() {
        let key = requirement["key"].as_str().unwrap_or_default();
        let values = requirement["values"].as_array().into_iter().flatten();
        let mut values: Vec<&str> = values.filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let term = match requirement["operator"].as_str() {
            Some("In") => format!("{key} in ({values})"),
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("DoesNotExist") => format!("!{key}"),
            _ => key.to_owned(),
        };
        terms.push((key.to_owned(), term));
    }
    terms.sort();
    terms.into_iter().map(|(_, term)| term).collect::<Vec<_>>().join(",")
}
