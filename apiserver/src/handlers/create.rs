//! Creating (spec: apimachinery 2.4, 2.5).

use std::collections::BTreeMap;
use std::sync::Arc;

use api::status::Status;
use serde_json::Value;

use super::options::{Write, WriteOptions};
use super::{Call, Origin, WriteContext, body_type};
use crate::codec::{accept, body};
use crate::objects::metadata;
use crate::reply::Reply;
use crate::request::read_body;

pub(super) async fn create(mut call: Call<'_>) -> Result<Reply, Status> {
    let accepted = call.request.negotiate(&accept::OBJECT)?;
    let options = WriteOptions::read(&call.request.query, Write::Create)?;
    let mut object = call.read_object(&options).await?;
    if let Some(warning) = drop_repeated_owners(&mut object) {
        call.request.record.warn(warning);
    }
    let written = call.context(&options, "").create(object).await?;
    call.presenter(accepted)?.object(201, &written)
}

impl Call<'_> {
    /// Where and by whom something is written.
    pub(super) fn context<'a>(&'a self, options: &WriteOptions, name: &'a str) -> WriteContext<'a> {
        WriteContext {
            server: self.server,
            resource: &self.resource,
            store: &self.store,
            namespace: &self.namespace,
            name,
            part: self.part,
            origin: Origin {
                manager: self.request.field_manager(&options.field_manager),
                user: Some(Arc::clone(&self.request.user)),
                dry_run: options.dry_run,
                record: Some(Arc::clone(&self.request.record)),
                is_admitted: false,
            },
        }
    }

    /// The object in the body, with defaults.
    pub(super) async fn read_object(&mut self, options: &WriteOptions) -> Result<Value, Status> {
        let media_type = body_type(&self.request.parts.headers)?;
        let text = read_body(&mut self.request.body).await?;
        let read = body::read(
            &text,
            media_type,
            &*self.resource,
            &self.server.served().resources,
            options.field_validation,
        )?;
        for warning in read.warnings {
            self.request.record.warn(warning);
        }
        let mut object = read.object;
        self.resource.apply_defaults(&mut object);
        Ok(object)
    }
}

/// Drops owners that are named twice, with a warning.
pub(super) fn drop_repeated_owners(object: &mut Value) -> Option<String> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    let mut seen: Vec<Value> = Vec::new();
    let mut repeated = BTreeMap::new();
    for owner in owners {
        if seen.contains(owner) {
            repeated.insert(owner["uid"].as_str().unwrap_or_default().to_owned(), ());
        } else {
            seen.push(owner.clone());
        }
    }
    if repeated.is_empty() {
        return None;
    }
    metadata::set(object, "ownerReferences", Value::Array(seen));
    let uids: Vec<String> = repeated.into_keys().collect();
    Some(format!(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references \
         in 1.20+, and may reject such requests as early as 1.24; please fix your requests; \
         duplicate UID(s) observed: {}",
        uids.join(", ")
    ))
}
