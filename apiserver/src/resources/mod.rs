//! The kinds that are served. A kind is one [`Resource`]; everything else is derived from the
//! list: paths, verbs, discovery, OpenAPI, storage, watch caches, Tables.

mod built_in;
mod fields;
mod flowcontrol;
pub(crate) mod older;
mod strategy;

use std::fmt;
use std::sync::Arc;

use api::decode::decode_value;
use api::schema::TypeDef;
use api::status::GroupResource;
use kinds::convert::{self, Conversion};
use kinds::deprecation;
use kinds::table::Table;
use openapi::recorded;
use openapi::resource::{GroupVersion, Resource as Described};
use serde_json::Value;

use crate::codec::body::set_type_meta;
use crate::options::RuntimeConfig;

pub use fields::{SelectableFields, field_text, needs_whole};
pub use strategy::Strategy;

/// An API group, version and kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupVersionKind {
    /// The group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

impl GroupVersionKind {
    /// A kind by its three names.
    #[must_use]
    pub fn new(group: &str, version: &str, kind: &str) -> Self {
        Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
    }

    /// `group/version`, or `version` for the core group.
    #[must_use]
    pub fn group_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// The group's first part, by which errors name the stored form of a kind.
    #[must_use]
    pub fn internal_package(&self) -> &str {
        match self.group.split('.').next().unwrap_or_default() {
            "" => "core",
            package => package,
        }
    }
}

impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() {
            write!(f, "/{}, Kind={}", self.version, self.kind)
        } else {
            write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
        }
    }
}

/// The kinds that are known, served or not.
pub trait Kinds {
    /// Whether someone registered the kind.
    fn is_known(&self, kind: &GroupVersionKind) -> bool;
}

/// One kind that is served.
pub struct Resource {
    /// Its group, version and kind.
    pub kind: GroupVersionKind,
    /// Its names, verbs, subresources and type: what discovery and OpenAPI tell of it.
    pub described: Described,
    /// Whether `status` is written through a subresource of its own.
    pub has_status: bool,
    /// How its Tables look.
    pub table: &'static Table,
    /// By which fields its objects can be selected.
    pub fields: SelectableFields,
    /// What is code about it.
    pub strategy: Box<dyn Strategy>,
    /// How it is stored, if not as it is.
    pub conversion: Option<Conversion>,
    /// What clients are told who still use this version.
    pub deprecation: Option<String>,
    type_meta_json: String,
    api_version: String,
    key_prefix: String,
}

impl Resource {
    /// A kind by its description and what is code about it.
    #[must_use]
    pub fn new(
        group_version: &GroupVersion,
        described: Described,
        table: &'static Table,
        strategy: Box<dyn Strategy>,
    ) -> Self {
        let kind =
            GroupVersionKind::new(&group_version.group, &group_version.version, &described.kind);
        let api_version = kind.group_version();
        let conversion = convert::of(&kind.group, &kind.version, &kind.kind);
        let stored_group = conversion.map_or(kind.group.as_str(), |stored| stored.group);
        let separator = if stored_group.is_empty() { "" } else { "/" };
        let key_prefix = format!("/registry/{stored_group}{separator}{}/", described.plural);
        Self {
            type_meta_json: format!(
                "{{\"kind\":\"{}\",\"apiVersion\":\"{api_version}\",",
                kind.kind
            ),
            has_status: described.subresources.iter().any(|sub| sub.name == "status"),
            fields: SelectableFields::of(&kind.group, &described.plural),
            conversion,
            key_prefix,
            deprecation: deprecation::warning(&kind.group, &kind.version, &kind.kind),
            kind,
            described,
            table,
            strategy,
            api_version,
        }
    }

    /// Its group and version, as in `apiVersion`.
    #[must_use]
    pub fn api_version(&self) -> &str {
        &self.api_version
    }

    /// Its type.
    #[must_use]
    pub fn type_def(&self) -> &Arc<TypeDef> {
        &self.described.type_def
    }

    /// The group and resource, as most errors name them.
    #[must_use]
    pub fn group_resource(&self) -> GroupResource<'_> {
        GroupResource { group: &self.kind.group, resource: &self.described.plural }
    }

    /// The group and kind, as some errors name them.
    #[must_use]
    pub fn group_kind(&self) -> GroupResource<'_> {
        GroupResource { group: &self.kind.group, resource: &self.kind.kind }
    }

    /// The prefix of its keys in storage, with a slash at the end.
    #[must_use]
    pub fn key_prefix(&self) -> &str {
        &self.key_prefix
    }

    /// An object of this version as it is stored.
    #[must_use]
    pub fn to_stored(&self, mut object: Value) -> Value {
        if let Some(conversion) = self.conversion {
            (conversion.to_hub)(&mut object);
            let Conversion { group, version, .. } = conversion;
            let stored = GroupVersionKind::new(group, version, &self.kind.kind);
            set_type_meta(&mut object, &stored);
        }
        object
    }

    /// A stored object in this version.
    #[must_use]
    pub fn to_served(&self, mut object: Value) -> Value {
        if let Some(conversion) = self.conversion {
            (conversion.from_hub)(&mut object);
            // Versions differ in what they write of zero values.
            if let Ok(canonical) = decode_value(self.type_def(), object.clone()) {
                object = canonical;
            }
            set_type_meta(&mut object, &self.kind);
        }
        object
    }

    /// `{"kind":"…","apiVersion":"…",`: how the JSON of every object of the kind begins.
    #[must_use]
    pub fn type_meta_json(&self) -> &str {
        &self.type_meta_json
    }

    /// The key of an object in storage.
    #[must_use]
    pub fn key(&self, namespace: &str, name: &str) -> String {
        let prefix = self.key_prefix();
        if self.described.namespaced {
            format!("{prefix}{namespace}/{name}")
        } else {
            format!("{prefix}{name}")
        }
    }

    /// Fills in defaults.
    pub fn apply_defaults(&self, object: &mut Value) {
        self.described.type_def.apply_defaults(object);
        self.strategy.fill_defaults(object);
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resource").field(&self.kind.to_string()).finish()
    }
}

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

/// The kinds that are served, in the order in which discovery lists their groups.
#[derive(Debug, Clone)]
pub struct Resources {
    list: Arc<[Arc<Resource>]>,
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
        Self { list: list.into_iter().map(Arc::new).collect() }
    }

    /// The versions in which the objects of a resource are served.
    pub fn versions_of<'a>(
        &'a self,
        resource: &'a Resource,
    ) -> impl Iterator<Item = &'a Arc<Resource>> {
        self.list.iter().filter(|other| other.key_prefix() == resource.key_prefix())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.list.iter()
    }

    /// The resource that a path names.
    #[must_use]
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.list.iter().find(|resource| {
            resource.described.plural == plural
                && resource.kind.group == group
                && resource.kind.version == version
        })
    }

    /// Whether any kind of that version is served.
    #[must_use]
    pub fn has_version(&self, group: &str, version: &str) -> bool {
        self.list
            .iter()
            .any(|resource| resource.kind.group == group && resource.kind.version == version)
    }

    /// Whether any kind of that group is served.
    #[must_use]
    pub fn has_group(&self, group: &str) -> bool {
        self.list.iter().any(|resource| resource.kind.group == group)
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
