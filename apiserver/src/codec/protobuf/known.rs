//! Documents of the kinds that the reference has, in protobuf.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use api::meta::aggregated::ApiGroupDiscoveryList;
use api::meta::discovery::{ApiGroup, ApiGroupList, ApiResourceList, ApiVersions};
use api::meta::status::Status;
use api::schema::{Described, TypeDef};
use openapi::recorded;
use openapi::resource::Serves;
use serde_json::Value;

use super::{DecodeError, decode, encode, encode_list};
use crate::resources::{GroupVersionKind, older};

/// What stands in metadata only; the reference has it in no group of its own.
const META: &str = "meta.k8s.io";

/// Holds nothing but the documents of discovery.
const DISCOVERY: &str = "apidiscovery.k8s.io";

const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/// The types of all kinds, by group, version and kind; read when protobuf is first asked for.
static TYPES: LazyLock<BTreeMap<(String, String, String), Arc<TypeDef>>> = LazyLock::new(|| {
    let mut types = BTreeMap::new();
    for recorded in recorded::group_versions() {
        let key = recorded.group_version();
        for resource in recorded.resources() {
            for subresource in resource.subresources {
                let Serves::Object(type_def) = subresource.serves else { continue };
                let key = subresource.foreign.as_ref().unwrap_or(key);
                let name = (key.group.clone(), key.version.clone(), subresource.kind);
                types.insert(name, type_def);
            }
            let name = (key.group.clone(), key.version.clone(), resource.kind);
            types.insert(name, resource.type_def);
        }
    }
    for (key, resource) in older::flow_control() {
        types.insert((key.group, key.version, resource.kind), resource.type_def);
    }
    types
});

/// Every kind, in the order of group, version and kind.
#[cfg(test)]
pub(in crate::codec) fn kinds() -> impl Iterator<Item = (GroupVersionKind, Arc<TypeDef>)> {
    TYPES.iter().map(|((group, version, kind), type_def)| {
        (GroupVersionKind::new(group, version, kind), Arc::clone(type_def))
    })
}

/// The type of a kind.
#[must_use]
pub fn type_of(kind: &GroupVersionKind) -> Option<Arc<TypeDef>> {
    if kind.kind == "DeleteOptions" {
        // Every group version takes them.
        return recorded::type_def(DELETE_OPTIONS).map(Arc::clone);
    }
    let key = (kind.group.clone(), kind.version.clone(), kind.kind.clone());
    TYPES.get(&key).map(Arc::clone)
}

/// Reads an object of any kind that the reference has.
///
/// # Errors
///
/// [`DecodeError`] for what is none.
pub fn read(bytes: &[u8]) -> Result<(GroupVersionKind, Value), DecodeError> {
    decode(bytes, None, &type_of)
}

/// A document in protobuf, by its own kind; `None` where that has no protobuf form.
#[must_use]
pub fn write(document: &Value) -> Option<Vec<u8>> {
    let text = |member: &str| document[member].as_str().unwrap_or_default();
    let (group, version) = text("apiVersion").rsplit_once('/').unwrap_or(("", text("apiVersion")));
    let kind = GroupVersionKind {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: text("kind").to_owned(),
    };
    let of = |name: &str| GroupVersionKind { kind: name.to_owned(), ..kind.clone() };
    match (group, kind.kind.as_str()) {
        ("", "Status") => as_type::<Status>(&kind, document),
        // What is told of the core group has no version.
        ("", "APIVersions") => as_type::<ApiVersions>(&kind, document),
        ("", "APIGroupList") => as_type::<ApiGroupList>(&kind, document),
        ("", "APIGroup") => as_type::<ApiGroup>(&kind, document),
        ("", "APIResourceList") => as_type::<ApiResourceList>(&kind, document),
        (DISCOVERY, "APIGroupDiscoveryList") => as_type::<ApiGroupDiscoveryList>(&kind, document),
        (META, "PartialObjectMetadata") => {
            Some(encode(super::partial_object_metadata(), &kind, document))
        }
        (META, "PartialObjectMetadataList") => {
            let items = document["items"].as_array()?;
            let item = super::partial_object_metadata();
            Some(encode_list(item, &kind, &document["metadata"], items))
        }
        (_, name) => match (type_of(&kind), name.strip_suffix("List")) {
            (Some(type_def), _) => Some(encode(&type_def, &kind, document)),
            (None, Some(item)) => {
                let item = type_of(&of(item))?;
                let items = document["items"].as_array()?;
                Some(encode_list(&item, &kind, &document["metadata"], items))
            }
            (None, None) => None,
        },
    }
}

fn as_type<T: Described>(kind: &GroupVersionKind, document: &Value) -> Option<Vec<u8>> {
    T::type_def().map(|type_def| encode(type_def, kind, document))
}
