//! Objects and lists as clients get them: whole, as Tables, or as metadata only.

use api::status::{Reason, Status};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::codec::accept::{Accepted, MetaVersion, Transform};
use crate::codec::json as text;
use crate::objects::{Object, ObjectEntry};
use crate::reply::Reply;
use crate::resources::Resource;
use api::time::Timestamp;

/// What of an object stands in the rows of a Table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IncludeObject {
    None,
    Metadata,
    Object,
}

impl IncludeObject {
    pub(super) fn parse(text: &str) -> Result<Self, Status> {
        match text {
            "None" => Ok(Self::None),
            "" | "Metadata" => Ok(Self::Metadata),
            "Object" => Ok(Self::Object),
            other => Err(Status::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {}: must \
                 be 'Metadata', 'Object', 'None', or empty",
                validation::text::go_quote(other)
            ))),
        }
    }
}

/// How objects are shown to a client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Presenter<'a> {
    pub(super) resource: &'a Resource,
    pub(super) accepted: Accepted,
    pub(super) include_object: IncludeObject,
    pub(super) now: Timestamp,
}

/// The metadata of a list.
#[derive(Debug, Default)]
pub(super) struct ListMeta {
    /// 0 for what has no versions.
    pub(super) resource_version: u64,
    pub(super) continue_token: String,
    pub(super) remaining_items: Option<usize>,
}

impl ListMeta {
    fn value(&self) -> Value {
        let mut value = json!({});
        if self.resource_version != 0 {
            value["resourceVersion"] = json!(self.resource_version.to_string());
        }
        if !self.continue_token.is_empty() {
            value["continue"] = json!(self.continue_token);
        }
        if let Some(remaining) = self.remaining_items {
            value["remainingItemCount"] = json!(remaining);
        }
        value
    }
}

impl Presenter<'_> {
    /// One object as an answer.
    pub(super) fn object(&self, code: u16, object: &Object) -> Result<Reply, Status> {
        Ok(Reply::Json {
            code,
            text: self.object_text(object, true)?.into(),
            accepted: self.accepted,
        })
    }

    /// One object as text. `columns` says whether a Table has its headings.
    pub(super) fn object_text(&self, object: &Object, columns: bool) -> Result<Vec<u8>, Status> {
        match self.accepted.transform {
            Transform::None => Ok(object.full_json(self.resource)),
            Transform::Table(version) => {
                let resource_version = &object.metadata.resource_version;
                let metadata = if resource_version.is_empty() {
                    json!({})
                } else {
                    json!({ "resourceVersion": resource_version })
                };
                let rows = vec![self.row(&object.value(self.resource), version)];
                Ok(text::to_vec(&self.table(version, &metadata, &rows, columns)))
            }
            Transform::PartialObjectMetadata(version) => {
                let value = object.value(self.resource);
                Ok(text::to_vec(&partial(&value, version)))
            }
            Transform::PartialObjectMetadataList(_) => Err(not_acceptable(format!(
                "you requested PartialObjectMetadataList, but the requested object is not a list \
                 (*{}.{})",
                self.resource.kind.internal_package(),
                self.resource.kind.kind
            ))),
        }
    }

    /// A list as an answer.
    pub(super) fn list(&self, entries: &[ObjectEntry], meta: &ListMeta) -> Result<Reply, Status> {
        let text: Bytes = match self.accepted.transform {
            Transform::None => self.plain_list(entries, meta).into(),
            Transform::Table(version) => {
                let mut values = self.values(entries);
                if let Some(sort_key) = self.resource.table.sort_key {
                    // Stable: equal ones stay in the order of their names.
                    values.sort_by_key(sort_key);
                }
                let rows: Vec<_> = values.iter().map(|value| self.row(value, version)).collect();
                text::to_vec(&self.table(version, &meta.value(), &rows, true)).into()
            }
            Transform::PartialObjectMetadataList(version) => {
                let items: Vec<Value> =
                    self.values(entries).iter().map(|value| partial(value, version)).collect();
                text::to_vec(&json!({
                    "kind": "PartialObjectMetadataList",
                    "apiVersion": version.group_version(),
                    "metadata": meta.value(),
                    "items": items,
                }))
                .into()
            }
            Transform::PartialObjectMetadata(_) => {
                return Err(not_acceptable(format!(
                    "you requested PartialObjectMetadata, but the requested object is a list \
                     (*{}.{})",
                    self.resource.kind.internal_package(),
                    self.resource.described.list_kind
                )));
            }
        };
        Ok(Reply::Json { code: 200, text, accepted: self.accepted })
    }

    fn values(&self, entries: &[ObjectEntry]) -> Vec<Value> {
        entries.iter().map(|entry| entry.object.value(self.resource)).collect()
    }

    /// Joins the texts that are already there.
    fn plain_list(&self, entries: &[ObjectEntry], meta: &ListMeta) -> Vec<u8> {
        let bytes: usize = entries.iter().map(|entry| entry.object.item_json().len() + 1).sum();
        let mut out = Vec::with_capacity(bytes + 256);
        out.extend_from_slice(b"{\"kind\":");
        text::push_string(&mut out, &self.resource.described.list_kind);
        out.extend_from_slice(b",\"apiVersion\":");
        text::push_string(&mut out, &self.resource.kind.group_version());
        out.extend_from_slice(b",\"metadata\":");
        out.extend(text::to_vec(&meta.value()));
        out.extend_from_slice(b",\"items\":[");
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            entry.object.push_item_json(self.resource, &mut out);
        }
        out.extend_from_slice(b"]}");
        out
    }

    fn table(
        &self,
        version: MetaVersion,
        metadata: &Value,
        rows: &[Value],
        columns: bool,
    ) -> Value {
        let definitions =
            if columns { self.resource.table.column_definitions() } else { Value::Null };
        json!({
            "kind": "Table",
            "apiVersion": version.group_version(),
            "metadata": metadata,
            "columnDefinitions": definitions,
            "rows": rows,
        })
    }

    fn row(&self, value: &Value, version: MetaVersion) -> Value {
        let object = match self.include_object {
            IncludeObject::None => Value::Null,
            IncludeObject::Metadata => partial(value, version),
            IncludeObject::Object => value.clone(),
        };
        json!({ "cells": self.cells(value), "object": object })
    }

    /// What a Table shows is the same in every version.
    fn cells(&self, value: &Value) -> Vec<Value> {
        let cells = self.resource.table.cells;
        match self.resource.conversion {
            None => cells(value, self.now),
            Some(_) => cells(&self.resource.to_stored(value.clone()), self.now),
        }
    }

    /// A bookmark: an object of nothing but a resource version.
    pub(super) fn bookmark(&self, revision: u64, ends_initial_events: bool) -> Vec<u8> {
        let mut value = self.resource.type_def().zero();
        let mut metadata = json!({ "resourceVersion": revision.to_string() });
        if ends_initial_events {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        value["metadata"] = metadata;
        crate::codec::body::set_type_meta(&mut value, &self.resource.kind);
        match self.accepted.transform {
            Transform::None => text::to_vec(&value),
            Transform::Table(version) => {
                let metadata = json!({ "resourceVersion": revision.to_string() });
                // Clients look for the annotation, whatever they asked to be included.
                let object = partial(&value, version);
                let row = json!({
                    "cells": self.cells(&value),
                    "object": object,
                });
                text::to_vec(&self.table(version, &metadata, &[row], false))
            }
            Transform::PartialObjectMetadata(version)
            | Transform::PartialObjectMetadataList(version) => {
                text::to_vec(&partial(&value, version))
            }
        }
    }
}

fn partial(value: &Value, version: MetaVersion) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": version.group_version(),
        "metadata": value["metadata"],
    })
}

fn not_acceptable(message: String) -> Status {
    Status::media_type(406, Reason::NotAcceptable, message)
}
