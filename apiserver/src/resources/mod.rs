//! The kinds that are served. A kind is one [`Resource`]; everything else is derived from the
//! list: paths, verbs, discovery, OpenAPI, storage, watch caches, Tables.

mod flowcontrol;
mod strategy;

use std::fmt;
use std::sync::Arc;

use api::schema::TypeDef;
use api::status::GroupResource;
use kinds::table::Table;
use serde_json::Value;

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
    /// The name in paths, in plural.
    pub plural: &'static str,
    /// The name in singular, for discovery.
    pub singular: &'static str,
    /// The kind of its lists.
    pub list_kind: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Short names that kubectl takes.
    pub short_names: &'static [&'static str],
    /// Groups of kinds that kubectl takes, such as `all`.
    pub categories: &'static [&'static str],
    /// The type.
    pub type_def: Arc<TypeDef>,
    /// Whether `status` is written through a subresource of its own.
    pub has_status: bool,
    /// How its Tables look.
    pub table: &'static Table,
    /// What is code about it.
    pub strategy: &'static dyn Strategy,
    type_meta_json: String,
}

/// The declared parts of a [`Resource`]; the rest follows from them.
pub struct ResourceParts {
    /// See [`Resource::kind`].
    pub kind: GroupVersionKind,
    /// See [`Resource::plural`].
    pub plural: &'static str,
    /// See [`Resource::singular`].
    pub singular: &'static str,
    /// See [`Resource::namespaced`].
    pub namespaced: bool,
    /// See [`Resource::short_names`].
    pub short_names: &'static [&'static str],
    /// See [`Resource::categories`].
    pub categories: &'static [&'static str],
    /// See [`Resource::type_def`].
    pub type_def: Arc<TypeDef>,
    /// See [`Resource::table`].
    pub table: &'static Table,
    /// See [`Resource::strategy`].
    pub strategy: &'static dyn Strategy,
}

impl From<ResourceParts> for Resource {
    fn from(parts: ResourceParts) -> Self {
        let group_version = parts.kind.group_version();
        Self {
            list_kind: format!("{}List", parts.kind.kind),
            type_meta_json: format!(
                "{{\"kind\":\"{}\",\"apiVersion\":\"{group_version}\",",
                parts.kind.kind
            ),
            has_status: parts.type_def.field("status").is_some(),
            kind: parts.kind,
            plural: parts.plural,
            singular: parts.singular,
            namespaced: parts.namespaced,
            short_names: parts.short_names,
            categories: parts.categories,
            type_def: parts.type_def,
            table: parts.table,
            strategy: parts.strategy,
        }
    }
}

impl Resource {
    /// The group and resource, as most errors name them.
    #[must_use]
    pub fn group_resource(&self) -> GroupResource<'_> {
        GroupResource { group: &self.kind.group, resource: self.plural }
    }

    /// The group and kind, as some errors name them.
    #[must_use]
    pub fn group_kind(&self) -> GroupResource<'_> {
        GroupResource { group: &self.kind.group, resource: &self.kind.kind }
    }

    /// The prefix of its keys in storage, with a slash at the end.
    #[must_use]
    pub fn key_prefix(&self) -> String {
        if self.kind.group.is_empty() {
            format!("/registry/{}/", self.plural)
        } else {
            format!("/registry/{}/{}/", self.kind.group, self.plural)
        }
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
        if self.namespaced { format!("{prefix}{namespace}/{name}") } else { prefix + name }
    }

    /// Fills in defaults.
    pub fn apply_defaults(&self, object: &mut Value) {
        self.type_def.apply_defaults(object);
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resource").field(&self.kind.to_string()).finish()
    }
}

/// The kinds that are served, in the order in which discovery lists their groups.
#[derive(Debug, Clone)]
pub struct Resources {
    list: Arc<[Arc<Resource>]>,
}

impl Resources {
    /// The built-in kinds. A new kind is one more entry here.
    #[must_use]
    pub fn built_in() -> Self {
        let list = [flowcontrol::flow_schema(), flowcontrol::priority_level_configuration()];
        Self { list: list.into_iter().map(Arc::new).collect() }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.list.iter()
    }

    /// The resource that a path names.
    #[must_use]
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.list.iter().find(|resource| {
            resource.plural == plural
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
            resource.kind.group == kind.group
                && (resource.kind.kind == kind.kind || resource.list_kind == kind.kind)
                && resource.strategy.known_versions().contains(&kind.version.as_str())
        };
        self.list.iter().any(|resource| known(resource))
    }
}
