//! Discovery: which groups, versions and resources there are (spec: apimachinery 1.5, 1.6).
//!
//! The functions return the wire types; serialized as they are, their members stand in the order
//! that clients have always seen. The entity tag of an aggregated document is the
//! [`sha512_hex`](crate::digest::sha512_hex) of its bytes.

use std::iter;

use api::meta::ObjectMeta;
use api::meta::aggregated::{
    ApiGroupDiscovery, ApiGroupDiscoveryList, ApiResourceDiscovery, ApiSubresourceDiscovery,
    ApiVersionDiscovery, GroupVersionKind,
};
use api::meta::discovery::{
    ApiGroup, ApiGroupList, ApiResource, ApiResourceList, ApiVersions, GroupVersionForDiscovery,
    ServerAddressByClientCidr,
};

use crate::resource::{Group, GroupVersion, Resource, Subresource, Verb, Version};

/// `/api`. `server_address` is host and port as clients reach the server. The document has no
/// `apiVersion`.
#[must_use]
pub fn core_versions(groups: &[Group], server_address: &str) -> ApiVersions {
    let versions = core(groups).flat_map(|group| &group.versions);
    ApiVersions {
        kind: "APIVersions".to_owned(),
        api_version: String::new(),
        versions: versions.map(|version| version.name.clone()).collect(),
        server_address_by_client_cidrs: vec![ServerAddressByClientCidr {
            client_cidr: "0.0.0.0/0".to_owned(),
            server_address: server_address.to_owned(),
        }],
    }
}

/// `/apis`. The core group is not in it.
#[must_use]
pub fn group_list(groups: &[Group]) -> ApiGroupList {
    ApiGroupList {
        kind: "APIGroupList".to_owned(),
        api_version: "v1".to_owned(),
        groups: named(groups).map(api_group).collect(),
    }
}

/// `/apis/<group>`; `None` if it is not served.
#[must_use]
pub fn group(groups: &[Group], name: &str) -> Option<ApiGroup> {
    let group = named(groups).find(|group| group.name == name)?;
    Some(ApiGroup { kind: "APIGroup".to_owned(), api_version: "v1".to_owned(), ..api_group(group) })
}

/// `/api/v1`, `/apis/<group>/<version>`; `None` if it is not served. The document of the core
/// group has no `apiVersion`.
#[must_use]
pub fn resource_list(groups: &[Group], key: &GroupVersion) -> Option<ApiResourceList> {
    let group = groups.iter().find(|group| group.name == key.group)?;
    let version = group.versions.iter().find(|version| version.name == key.version)?;
    let resources = in_order(version).into_iter().flat_map(resource_and_subresources).collect();
    Some(ApiResourceList {
        kind: "APIResourceList".to_owned(),
        api_version: if key.group.is_empty() { String::new() } else { "v1".to_owned() },
        group_version: key.to_string(),
        resources,
    })
}

/// `/api` for clients that ask for aggregated discovery: the core group with everything in it.
#[must_use]
pub fn aggregated_core(groups: &[Group]) -> ApiGroupDiscoveryList {
    aggregated(core(groups))
}

/// `/apis` for clients that ask for aggregated discovery: the other groups with everything in
/// them.
#[must_use]
pub fn aggregated_groups(groups: &[Group]) -> ApiGroupDiscoveryList {
    aggregated(named(groups))
}

fn core(groups: &[Group]) -> impl Iterator<Item = &Group> {
    groups.iter().filter(|group| group.name.is_empty())
}

fn named(groups: &[Group]) -> impl Iterator<Item = &Group> {
    groups.iter().filter(|group| !group.name.is_empty())
}

fn api_group(group: &Group) -> ApiGroup {
    let versions: Vec<GroupVersionForDiscovery> = group
        .group_versions()
        .map(|(group_version, version)| GroupVersionForDiscovery {
            group_version: group_version.to_string(),
            version: version.name.clone(),
        })
        .collect();
    ApiGroup {
        name: group.name.clone(),
        preferred_version: versions.first().cloned().unwrap_or_default(),
        versions,
        ..ApiGroup::default()
    }
}

/// The resources by name. Their subresources stand in the order in which they are described.
fn in_order(version: &Version) -> Vec<&Resource> {
    let mut resources: Vec<&Resource> = version.resources.iter().collect();
    resources.sort_by(|left, right| left.plural.cmp(&right.plural));
    resources
}

fn resource_and_subresources(resource: &Resource) -> impl Iterator<Item = ApiResource> {
    let own = ApiResource {
        name: resource.plural.clone(),
        singular_name: resource.singular.clone(),
        namespaced: resource.namespaced,
        kind: resource.kind.clone(),
        verbs: names(&resource.verbs),
        short_names: resource.short_names.clone(),
        categories: resource.categories.clone(),
        storage_version_hash: resource.storage_version_hash().unwrap_or_default(),
        ..ApiResource::default()
    };
    let subresources = resource.subresources.iter().map(|subresource| {
        let foreign = foreign(subresource);
        ApiResource {
            name: format!("{}/{}", resource.plural, subresource.name),
            namespaced: resource.namespaced,
            group: foreign.group,
            version: foreign.version,
            kind: subresource.kind.clone(),
            verbs: names(&subresource.verbs),
            ..ApiResource::default()
        }
    });
    iter::once(own).chain(subresources)
}

/// The group and version of a subresource's kind; empty where they are those of the resource.
fn foreign(subresource: &Subresource) -> GroupVersion {
    subresource.foreign.clone().unwrap_or_else(|| GroupVersion::new("", ""))
}

fn names(verbs: &[Verb]) -> Vec<String> {
    verbs.iter().map(|verb| verb.as_str().to_owned()).collect()
}

fn aggregated<'a>(groups: impl Iterator<Item = &'a Group>) -> ApiGroupDiscoveryList {
    ApiGroupDiscoveryList {
        kind: "APIGroupDiscoveryList".to_owned(),
        api_version: "apidiscovery.k8s.io/v2".to_owned(),
        items: groups.map(aggregated_group).collect(),
        ..ApiGroupDiscoveryList::default()
    }
}

fn aggregated_group(group: &Group) -> ApiGroupDiscovery {
    ApiGroupDiscovery {
        metadata: ObjectMeta { name: group.name.clone(), ..ObjectMeta::default() },
        versions: group.versions.iter().map(aggregated_version).collect(),
    }
}

fn aggregated_version(version: &Version) -> ApiVersionDiscovery {
    let resources = in_order(version).into_iter().map(aggregated_resource).collect();
    ApiVersionDiscovery {
        version: version.name.clone(),
        resources,
        freshness: "Current".to_owned(),
    }
}

fn aggregated_resource(resource: &Resource) -> ApiResourceDiscovery {
    let subresources = resource.subresources.iter().map(aggregated_subresource).collect();
    ApiResourceDiscovery {
        resource: resource.plural.clone(),
        response_kind: Some(response_kind(GroupVersion::new("", ""), &resource.kind)),
        scope: if resource.namespaced { "Namespaced" } else { "Cluster" }.to_owned(),
        singular_resource: resource.singular.clone(),
        verbs: names(&resource.verbs),
        short_names: resource.short_names.clone(),
        categories: resource.categories.clone(),
        subresources,
    }
}

fn aggregated_subresource(subresource: &Subresource) -> ApiSubresourceDiscovery {
    ApiSubresourceDiscovery {
        subresource: subresource.name.clone(),
        response_kind: Some(response_kind(foreign(subresource), &subresource.kind)),
        accepted_types: Vec::new(),
        verbs: names(&subresource.verbs),
    }
}

/// Empty group and version stand for those around the entry.
fn response_kind(group_version: GroupVersion, kind: &str) -> GroupVersionKind {
    let GroupVersion { group, version } = group_version;
    GroupVersionKind { group, version, kind: kind.to_owned() }
}

#[cfg(test)]
mod tests;
