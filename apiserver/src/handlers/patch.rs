//! Patching and applying (spec: apimachinery 2.9, 2.11).

use api::decode::Tree;
use api::status::{Cause, Details, GroupResource, Reason, Status};
use http::header::CONTENT_TYPE;
use patch::Patched;
use serde_json::Value;

use super::options::{Write, WriteOptions};
use super::write::{Proposal, WriteContext};
use super::{Call, failure, unknown_format};
use crate::codec::body::{FieldValidation, no_kind};
use crate::codec::yaml::{self, RepeatedKeys};
use crate::codec::{accept, json};
use crate::objects::metadata;
use crate::reply::Reply;
use crate::request::{Authorized, read_body};
use crate::resources::{GroupVersionKind, Resource};
use validation::text::go_quote;

/// How a patch is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatchType {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl PatchType {
    const ALL: [(Self, &str); 4] = [
        (Self::Json, "application/json-patch+json"),
        (Self::Merge, "application/merge-patch+json"),
        (Self::Strategic, "application/strategic-merge-patch+json"),
        (Self::Apply, "application/apply-patch+yaml"),
    ];

    /// That of a request for objects of a kind. Nobody knows how lists of documents would be
    /// merged strategically.
    pub(super) fn of(request: &Authorized, resource: &Resource) -> Result<Self, Status> {
        let content_type = request.header(&CONTENT_TYPE);
        let content_type = content_type.split(';').next().unwrap_or_default().trim();
        let typed = resource.is_typed();
        let mut offered = Self::ALL.iter().filter(|(of, _)| typed || *of != Self::Strategic);
        let found = offered.clone().find(|(_, name)| *name == content_type);
        found.map(|(of, _)| *of).ok_or_else(|| {
            if typed {
                let message = "415: Unsupported Media Type";
                return Status::media_type(415, Reason::UnsupportedMediaType, message)
                    .with_details(Details::default());
            }
            let names: Vec<&str> = offered.by_ref().map(|(_, name)| *name).collect();
            unknown_format(&names)
        })
    }
}

pub(super) async fn patch(mut call: Call<'_>, patch_type: PatchType) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let text = read_body(&mut call.request.body).await?;
    let write = if patch_type == PatchType::Apply { Write::Apply } else { Write::Patch };
    let options = WriteOptions::read(&call.request.query, write)?;
    if patch_type == PatchType::Apply {
        return apply(call, &options, applied(&text)?, accepted).await;
    }
    let tree =
        api::decode::parse_json(&text).map_err(|_| Status::bad_request("invalid JSON patch"))?;
    let context = call.context(&options, &call.name);
    let warnings = parking_lot::Mutex::new(Vec::new());
    let written = context
        .update(|live| {
            let (object, problems) = patched(&context, live, patch_type, &tree, &options)?;
            *warnings.lock() = problems;
            context.check_name(&object)?;
            Ok(Proposal { object, applied: false, uid: None })
        })
        .await?;
    if options.field_validation == FieldValidation::Warn {
        warnings.into_inner().into_iter().for_each(|warning| call.request.record.warn(warning));
    }
    call.presenter(accepted)?.object(200, &written)
}

/// What is to be applied.
struct Applied {
    object: Value,
    repeated_keys: RepeatedKeys,
}

fn applied(text: &[u8]) -> Result<Applied, Status> {
    let yaml::Document { tree, repeated_keys } = yaml::read(text)
        .map_err(|why| Status::bad_request(format!("error encoding patch: {why}")))?;
    Ok(Applied { object: tree.into_value(), repeated_keys })
}

/// What a patch makes of the live object, and what a strict reader refuses about it.
fn patched(
    context: &WriteContext<'_>,
    live: &Value,
    patch_type: PatchType,
    patch: &Tree,
    options: &WriteOptions,
) -> Result<(Value, Vec<String>), Status> {
    let (live, patch) = (live.clone(), patch.clone());
    let Patched { value, mut problems } = match patch_type {
        PatchType::Json => patch::json_patch(live, patch),
        PatchType::Merge => patch::merge_patch(live, patch),
        PatchType::Strategic | PatchType::Apply => {
            patch::strategic(context.resource.type_def(), live, patch)
        }
    }
    .map_err(failure::patch)?;
    let text = String::from_utf8_lossy(&json::to_vec(&value)).into_owned();
    if patch_type != PatchType::Strategic && context.resource.is_typed() {
        check_kind(context, &value).map_err(|why| undecodable(&text, &why))?;
    }
    let (object, further) = context.decode(value).map_err(|why| undecodable(&text, &why))?;
    problems.extend(further);
    if options.field_validation == FieldValidation::Strict && !problems.is_empty() {
        let why = format!("strict decoding error: {}", problems.join(", "));
        return Err(undecodable(&text, &why));
    }
    Ok((object, problems))
}

/// A document is read as what it says it is, and that must not be another kind. What a strategic
/// merge makes is known to be of the kind, whatever it says.
fn check_kind(context: &WriteContext<'_>, value: &Value) -> Result<(), String> {
    let own = &context.resource.kind;
    let said = |member: &str, own: &str| match value[member].as_str() {
        None | Some("") => own.to_owned(),
        Some(said) => said.to_owned(),
    };
    let (kind, api_version) = (said("kind", &own.kind), said("apiVersion", &own.group_version()));
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let said = GroupVersionKind::new(group, version, &kind);
    if said == *own { Ok(()) } else { Err(no_kind(&said)) }
}

/// 422 about a patched document that is no object of its kind.
fn undecodable(document: &str, why: &str) -> Status {
    let body = format!("Invalid value: {}: {why}", go_quote(document));
    let cause = Cause {
        reason: "FieldValueInvalid".to_owned(),
        message: body.clone(),
        field: "patch".to_owned(),
    };
    let nameless = GroupResource { group: "", resource: "" };
    Status::invalid(nameless, "", &format!("patch: {body}"), vec![cause])
}

async fn apply(
    call: Call<'_>,
    options: &WriteOptions,
    applied: Applied,
    accepted: accept::Accepted,
) -> Result<Reply, Status> {
    let Applied { object: applied, repeated_keys } = &applied;
    let context = call.context(options, &call.name);
    check_applied_name(&context, applied)?;
    // What is wrong with the text comes after what is wrong with what it says.
    let apply = |live: Option<&Value>| {
        let proposal = context.applied(live, applied, options.force)?;
        check_repeated(repeated_keys, options, &call.request)?;
        Ok(proposal)
    };
    if context.live().await?.is_some() || !call.part.is_whole() {
        let written = context.update(|live| apply(Some(live))).await?;
        return call.presenter(accepted)?.object(200, &written);
    }
    let uid = metadata::text(applied, "uid");
    if !uid.is_empty() {
        let why = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        );
        return Err(Status::conflict(call.resource.group_resource(), &call.name, &why));
    }
    context.check_may_create()?;
    let mut object = apply(None)?.object;
    if metadata::text(&object, "name").is_empty() {
        metadata::set(&mut object, "name", Value::from(call.name.as_str()));
    }
    let written = context.create_applied(object).await?;
    call.presenter(accepted)?.object(201, &written)
}

/// Refuses keys that stand twice, or warns of them.
fn check_repeated(
    repeated_keys: &RepeatedKeys,
    options: &WriteOptions,
    request: &Authorized,
) -> Result<(), Status> {
    match (options.field_validation, repeated_keys.message()) {
        (FieldValidation::Strict, Some(message)) => Err(Status::bad_request(format!(
            "error strict decoding patch: error converting YAML to JSON: {message}"
        ))),
        (FieldValidation::Warn, Some(_)) => {
            repeated_keys.lines.iter().for_each(|line| request.record.warn(line.clone()));
            Ok(())
        }
        (FieldValidation::Strict | FieldValidation::Warn | FieldValidation::Ignore, _) => Ok(()),
    }
}

fn check_applied_name(context: &WriteContext<'_>, applied: &Value) -> Result<(), Status> {
    match metadata::text(applied, "name") {
        "" => Ok(()),
        _ => context.check_name(applied),
    }
}

impl WriteContext<'_> {
    /// What an apply makes of the live object.
    pub(crate) fn applied(
        &self,
        live: Option<&Value>,
        applied: &Value,
        force: bool,
    ) -> Result<Proposal, Status> {
        let object = self
            .with_endpoint(|endpoint, writer| {
                patch::managed::apply(endpoint, live, applied, writer, force)
            })
            .map_err(failure::apply)?;
        let (mut object, _) = self.decode(object).map_err(Status::other)?;
        // The stored version is a condition only if the body names one: that of the object as it
        // was found always holds.
        let named = |object: &Value| Some(metadata::text(object, "resourceVersion").to_owned());
        let version = named(applied).filter(|version| !version.is_empty());
        let version = version.or_else(|| live.and_then(named));
        metadata::set(&mut object, "resourceVersion", version.map_or(Value::Null, Value::from));
        if metadata::text(&object, "name").is_empty() {
            metadata::set(&mut object, "name", Value::from(self.name));
        }
        Ok(Proposal { object, applied: true, uid: None })
    }
}
