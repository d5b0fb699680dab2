//! Updating (spec: apimachinery 2.7, 2.8).

use api::status::{Reason, Status};
use serde_json::Value;

use super::create::drop_repeated_owners;
use super::options::{Write, WriteOptions};
use super::write::{Proposal, WriteContext, Written};
use super::{Call, failure};
use crate::codec::accept;
use crate::objects::metadata;
use crate::reply::Reply;

/// How often an object is looked at that others make and delete.
const TRIES: u32 = 10;

pub(super) async fn update(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = WriteOptions::read(&call.request.query, Write::Update)?;
    let mut object = call.read_object(&options).await?;
    if let Some(warning) = drop_repeated_owners(&mut object) {
        call.request.record.warn(warning);
    }
    let context = call.context(&options, &call.name);
    context.check_name(&object)?;
    let (code, written) = put(&context, &object).await?;
    call.presenter(accepted)?.object(code, &written)
}

/// Changes the object, or makes it where updates do that. If somebody else makes or deletes it
/// meanwhile, it is looked at again.
async fn put(context: &WriteContext<'_>, object: &Value) -> Result<(u16, Written), Status> {
    let uid = metadata::uid(object);
    let creates = context.part.is_whole() && context.resource.strategy.allows_create_on_update();
    for _ in 0..TRIES {
        if creates && context.live().await?.is_none() {
            context.check_uid(&Value::Null, uid.as_deref())?;
            context.check_may_create()?;
            let mut new = object.clone();
            metadata::set(&mut new, "resourceVersion", Value::Null);
            match context.create(new).await {
                Err(Status { reason: Some(Reason::AlreadyExists), .. }) => continue,
                created => return Ok((201, created?)),
            }
        }
        let updated = context
            .update(|_live| {
                Ok(Proposal { object: object.clone(), applied: false, uid: uid.clone() })
            })
            .await;
        match updated {
            Err(Status { reason: Some(Reason::NotFound), .. }) if creates => {}
            updated => return Ok((200, updated?)),
        }
    }
    let resource = context.resource.group_resource();
    Err(Status::conflict(resource, context.name, failure::MODIFIED))
}
