//! Every kind that is served, found by its names.

use std::collections::BTreeMap;
use std::sync::Arc;

use openapi::recorded;
use openapi::resource::{GroupVersion, Resource as Described};

use super::{GroupVersionKind, Kinds, Resource, built_in, flowcontrol, older};
use crate::options::RuntimeConfig;

fn resource(group_version: &GroupVersion, described: Described) -> Option<Resource> {
    match group_version.group.as_str() {
        api::flowcontrol::GROUP => flowcontrol::resource(group_version, described),
        _ => Some(built_in::resource(group_version, described)),
    }
}

/// The server itself lives from these.
fn is_needed(group_version: &GroupVersion) -> bool {
    matches!(group_version.group.as_str(), "" | api::flowcontrol::GROUP)
}

/// The resources of a version by their plurals.
type Version = BTreeMap<String, Arc<Resource>>;

/// The kinds that are served, in the order in which discovery lists their groups.
#[derive(Debug, Clone)]
pub struct Resources {
    list: Arc<[Arc<Resource>]>,
    /// By group and version.
    index: Arc<BTreeMap<String, BTreeMap<String, Version>>>,
    /// The versions of each resource, by the prefix of its keys.
    versions: Arc<BTreeMap<String, Vec<Arc<Resource>>>>,
}

impl Resources {
    /// The built-in kinds: those that are recorded and stored somewhere, and older versions as far
    /// as they are asked for.
    #[must_use]
    pub fn built_in(config: &RuntimeConfig) -> Self {
        let mut list = Vec::new();
        for recorded in recorded::group_versions() {
            let key = recorded.group_version();
            if !config.serves(&key.group, &key.version, true) && !is_needed(key) {
                continue;
            }
            let stored = recorded.resources().into_iter().filter(|kind| kind.storage.is_some());
            list.extend(stored.filter_map(|described| resource(key, described)));
        }
        for (key, described) in older::flow_control() {
            if config.serves(&key.group, &key.version, false) {
                list.extend(resource(&key, described));
            }
        }
        Self::of(list.into_iter().map(Arc::new).collect())
    }

    fn of(list: Arc<[Arc<Resource>]>) -> Self {
        let mut index: BTreeMap<String, BTreeMap<String, Version>> = BTreeMap::new();
        let mut versions: BTreeMap<String, Vec<Arc<Resource>>> = BTreeMap::new();
        for resource in list.iter() {
            let GroupVersionKind { group, version, .. } = &resource.kind;
            let group = index.entry(group.clone()).or_default();
            let version = group.entry(version.clone()).or_default();
            version.insert(resource.described.plural.clone(), Arc::clone(resource));
            let prefix = resource.key_prefix().to_owned();
            versions.entry(prefix).or_default().push(Arc::clone(resource));
        }
        Self { list, index: Arc::new(index), versions: Arc::new(versions) }
    }

    /// These and others.
    #[must_use]
    pub fn with<'a>(&self, others: impl Iterator<Item = &'a Arc<Resource>>) -> Self {
        let own = self.list.iter().map(Arc::clone);
        Self::of(own.chain(others.map(Arc::clone)).collect())
    }

    /// The versions in which the objects of a resource are served.
    pub fn versions_of<'a>(
        &'a self,
        resource: &Resource,
    ) -> impl Iterator<Item = &'a Arc<Resource>> {
        self.versions.get(resource.key_prefix()).into_iter().flatten()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.list.iter()
    }

    /// The resource that a path names.
    #[must_use]
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.index.get(group)?.get(version)?.get(plural)
    }

    /// Whether any kind of that version is served.
    #[must_use]
    pub fn has_version(&self, group: &str, version: &str) -> bool {
        self.index.get(group).is_some_and(|group| group.contains_key(version))
    }

    /// Whether any kind of that group is served.
    #[must_use]
    pub fn has_group(&self, group: &str) -> bool {
        self.index.contains_key(group)
    }

    /// Whether a resource is served in any version of its group.
    #[must_use]
    pub fn has_resource(&self, group: &str, plural: &str) -> bool {
        let mut versions = self.index.get(group).into_iter().flat_map(BTreeMap::values);
        versions.any(|version| version.contains_key(plural))
    }

    /// Whether any kind of that group has its routes from the start.
    #[must_use]
    pub fn is_typed_group(&self, group: &str) -> bool {
        let versions = self.index.get(group).into_iter().flat_map(BTreeMap::values);
        versions.flat_map(BTreeMap::values).any(|resource| resource.is_typed())
    }
}

impl Kinds for Resources {
    fn is_known(&self, kind: &GroupVersionKind) -> bool {
        let known = |resource: &Resource| {
            let named =
                resource.kind.kind == kind.kind || resource.described.list_kind == kind.kind;
            let versions = resource.strategy.known_versions();
            let version =
                resource.kind.version == kind.version || versions.contains(&kind.version.as_str());
            resource.kind.group == kind.group && named && version
        };
        self.list.iter().any(|resource| known(resource))
    }
}
