//! Updating (spec: apimachinery 2.7, 2.8).

use api::status::Status;

use super::Call;
use super::create::drop_repeated_owners;
use super::options::{Write, WriteOptions};
use super::write::Proposal;
use crate::codec::accept;
use crate::objects::metadata;
use crate::reply::Reply;

pub(super) async fn update(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = WriteOptions::read(&call.request.query, Write::Update)?;
    let mut object = call.read_object(&options).await?;
    if let Some(warning) = drop_repeated_owners(&mut object) {
        call.request.record.warn(warning);
    }
    let context = call.context(&options, &call.name);
    context.check_name(&object)?;
    let uid = metadata::uid(&object);
    let written = context
        .update(|_live| Ok(Proposal { object: object.clone(), applied: false, uid: uid.clone() }))
        .await?;
    call.presenter(accepted)?.object(200, &written)
}
