//! What schedulers and drains do with pods.

use api::status::Status;
use auth::authorize::node::restriction::Operation;
use serde_json::{Value, json};

use super::super::Call;
use super::super::options::{DeleteOptions, Write};
use super::super::part::Part;
use super::super::write::Proposal;
use super::done;
use crate::dynamic::{Objects, Operation as Admitted};
use crate::objects::metadata;
use crate::reply::Reply;
use crate::resources::GroupVersionKind;

/// `binding`: puts the pod on the node that the body names.
pub(super) async fn bind(mut call: Call<'_>) -> Result<Reply, Status> {
    let asked = call.asked(&GroupVersionKind::new("", "v1", "Binding"), Write::Create).await?;
    let node = asked.object["target"]["name"].as_str().unwrap_or_default().to_owned();
    if node.is_empty() {
        return Err(Status::bad_request("target.name is required"));
    }
    let (kind, dry_run) = (GroupVersionKind::new("", "v1", "Binding"), asked.options.dry_run);
    let objects = Objects::new(&asked.object);
    call.admit_action(Admitted::Create, "binding", kind, objects, dry_run).await?;
    let resource = &call.resource;
    let mut context = call.context(&asked.options, &call.name);
    context.part = Part::BINDING;
    context.origin.is_admitted = true;
    let now = call.server.clock.timestamp().to_string();
    let propose = |live: &Value| {
        let taken = live["spec"]["nodeName"].as_str().unwrap_or_default();
        if !taken.is_empty() {
            let why = format!(
                "pod {} is already assigned to node \"{taken}\"",
                metadata::text(live, "name")
            );
            return Err(Status::conflict(resource.group_resource(), &call.name, &why));
        }
        let mut object = live.clone();
        object["spec"]["nodeName"] = json!(node);
        schedule(&mut object, &now);
        Ok(Proposal { object, applied: false, uid: None })
    };
    context.update(propose).await?;
    Ok(done(asked.accepted))
}

/// Writes down that the pod has a node.
fn schedule(pod: &mut Value, now: &str) {
    let condition = json!({
        "type": "PodScheduled",
        "status": "True",
        "lastProbeTime": null,
        "lastTransitionTime": now,
    });
    let mut conditions = pod["status"]["conditions"].as_array().cloned().unwrap_or_default();
    conditions.retain(|condition| condition["type"] != "PodScheduled");
    conditions.push(condition);
    pod["status"]["conditions"] = conditions.into();
}

/// `eviction`: deletes the pod as the body says.
pub(super) async fn evict(mut call: Call<'_>) -> Result<Reply, Status> {
    let kind = GroupVersionKind::new("policy", "v1", "Eviction");
    let asked = call.asked(&kind, Write::Create).await?;
    let context = call.context(&asked.options, &call.name);
    if !metadata::text(&asked.object, "name").is_empty() {
        context.check_name(&asked.object)?;
    }
    call.check_node("eviction", Operation::Create, &asked.object)?;
    let mut options = DeleteOptions::read(asked.object["deleteOptions"].clone())?;
    options.dry_run |= asked.options.dry_run;
    let objects = Objects::new(&asked.object);
    call.admit_action(Admitted::Create, "eviction", kind, objects, options.dry_run).await?;
    let key = call.resource.key(&call.namespace, &call.name);
    call.deletion().delete(&key, &call.name, &options).await?;
    Ok(done(asked.accepted))
}
