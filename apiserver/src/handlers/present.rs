//! Objects and lists as clients get them: whole, as Tables, or as metadata only.

use api::meta::ObjectMeta;
use api::schema::Described as _;
use api::status::{Reason, Status};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::codec::accept::{Accepted, MetaVersion, Transform};
use crate::codec::{MediaType, json as text};
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
    /// As lists of typed objects have it.
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

    /// As lists of documents have it: with `continue`, however empty, and in the order of names.
    fn sorted(&self) -> Value {
        let mut value = self.value();
        value["continue"] = json!(self.continue_token);
        value.sort_all_objects();
        value
    }
}

impl Presenter<'_> {
    /// Documents of which nothing is known but a schema have no form in protobuf, other than as
    /// their metadata.
    pub(super) fn check_form(&self, list: bool) -> Result<(), Status> {
        let protobuf = self.accepted.media_type == MediaType::Protobuf;
        if self.resource.is_typed() || !protobuf || self.accepted.transform != Transform::None {
            return Ok(());
        }
        Err(not_acceptable(format!(
            "object {} does not implement the protobuf marshalling interface and cannot be \
             encoded to a protobuf message",
            self.resource.program_type(list)
        )))
    }

    /// One object as an answer.
    pub(super) fn object(&self, code: u16, object: &Object) -> Result<Reply, Status> {
        self.check_form(false)?;
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
                 ({})",
                self.resource.program_type(false)
            ))),
        }
    }

    /// A list as an answer.
    pub(super) fn list(&self, entries: &[ObjectEntry], meta: &ListMeta) -> Result<Reply, Status> {
        self.check_form(true)?;
        let text: Bytes = match self.accepted.transform {
            Transform::None => self.plain_list(entries, meta).into(),
            Transform::Table(version) => {
                let mut values = self.values(entries);
                if let Some(sort_key) = self.resource.printer.sort_key() {
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
                    "you requested PartialObjectMetadata, but the requested object is a list ({})",
                    self.resource.program_type(true)
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
        let kind = text::to_vec(&self.resource.described.list_kind);
        let api_version = text::to_vec(&self.resource.api_version());
        if self.resource.is_typed() {
            let metadata = text::to_vec(&meta.value());
            let head = [&b"{\"kind\":"[..], &kind, b",\"apiVersion\":", &api_version];
            head.iter().for_each(|part| out.extend_from_slice(part));
            out.extend_from_slice(b",\"metadata\":");
            out.extend_from_slice(&metadata);
            out.push(b',');
            self.push_items(entries, &mut out);
        } else {
            out.extend_from_slice(b"{\"apiVersion\":");
            out.extend_from_slice(&api_version);
            out.push(b',');
            self.push_items(entries, &mut out);
            let metadata = text::to_vec(&meta.sorted());
            let tail = [&b",\"kind\":"[..], &kind, b",\"metadata\":", &metadata];
            tail.iter().for_each(|part| out.extend_from_slice(part));
        }
        out.push(b'}');
        out
    }

    fn push_items(&self, entries: &[ObjectEntry], out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"items\":[");
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            entry.object.push_item_json(self.resource, out);
        }
        out.push(b']');
    }

    fn table(
        &self,
        version: MetaVersion,
        metadata: &Value,
        rows: &[Value],
        columns: bool,
    ) -> Value {
        let definitions =
            if columns { self.resource.printer.column_definitions() } else { Value::Null };
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

    fn cells(&self, value: &Value) -> Vec<Value> {
        self.resource.printer.cells(value, self.now)
    }

    /// A bookmark: an object of nothing but a resource version.
    pub(super) fn bookmark(&self, revision: u64, ends_initial_events: bool) -> Vec<u8> {
        let mut value = self.resource.zero();
        let mut metadata = json!({ "resourceVersion": revision.to_string() });
        if ends_initial_events {
            metadata["annotations"] = json!({ "k8s.io/initial-events-end": "true" });
        }
        value["metadata"] = metadata;
        if !self.resource.is_typed() {
            value.sort_all_objects();
        }
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
    let mut metadata = value["metadata"].clone();
    if let Some(type_def) = ObjectMeta::type_def() {
        type_def.put_in_order(&mut metadata);
    }
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": version.group_version(),
        "metadata": metadata,
    })
}

fn not_acceptable(message: String) -> Status {
    Status::media_type(406, Reason::NotAcceptable, message)
}
