//! Objects in the version of a request, where that takes asking a webhook. What converts by itself
//! does so when it is read.

use std::sync::Arc;

use api::status::Status;
use serde_json::Value;
use storage::cache::{Entry, Event};

use crate::objects::{Object, ObjectEntry};
use crate::resources::Resource;
use crate::server::Server;

/// Stored objects as the version of the resource has them.
pub(super) async fn as_served(
    server: &Server,
    resource: &Resource,
    entries: Vec<ObjectEntry>,
) -> Result<Vec<ObjectEntry>, Status> {
    let Some(reviewed) = resource.reviewed.as_ref().filter(|_| !entries.is_empty()) else {
        return Ok(entries);
    };
    let stored = entries.iter().map(|entry| entry.object.value(resource)).collect();
    let served = reviewed.to_served(&*server.catalog, stored).await;
    let served = served.map_err(|error| Status::other(error.to_string()))?;
    let converted = entries.iter().zip(served).map(|(entry, value)| {
        let object = Object::unstored(value, resource.layout);
        let Entry { key, modified, bytes, .. } = &**entry;
        Arc::new(Entry { key: key.clone(), modified: *modified, bytes: *bytes, object })
    });
    Ok(converted.collect())
}

/// One stored object as the version of the resource has it.
pub(super) async fn one_as_served(
    server: &Server,
    resource: &Resource,
    object: Box<Object>,
) -> Result<Box<Object>, Status> {
    let Some(reviewed) = &resource.reviewed else { return Ok(object) };
    let stored = vec![object.value(resource)];
    let served = reviewed.to_served(&*server.catalog, stored).await;
    let mut served = served.map_err(|error| Status::other(error.to_string()))?;
    let value = served.pop().unwrap_or_default();
    Ok(Box::new(Object::unstored(value, resource.layout)))
}

/// A change of a stored object as the version of the resource has it.
pub(super) async fn event_as_served(
    server: &Server,
    resource: &Resource,
    event: Arc<Event<Object>>,
) -> Result<Arc<Event<Object>>, Status> {
    if resource.reviewed.is_none() {
        return Ok(event);
    }
    let both = std::iter::once(&event.current).chain(&event.previous).map(Arc::clone).collect();
    let mut both = as_served(server, resource, both).await?.into_iter();
    let Some(current) = both.next() else { return Ok(event) };
    Ok(Arc::new(Event { kind: event.kind, current, previous: both.next() }))
}

/// An object of the version of the resource as it is stored.
pub(super) async fn as_stored(
    server: &Server,
    resource: &Resource,
    object: Value,
) -> Result<Value, Status> {
    match &resource.reviewed {
        None => Ok(resource.to_stored(object)),
        Some(reviewed) => {
            let stored = reviewed.to_stored(&*server.catalog, object).await;
            stored.map_err(|error| Status::other(error.to_string()))
        }
    }
}
