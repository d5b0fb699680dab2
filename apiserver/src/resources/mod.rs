//! The kinds that are served. A kind is one [`Resource`]; everything else is derived from the
//! list: paths, verbs, discovery, OpenAPI, storage, watch caches, Tables.

mod built_in;
mod convert;
pub mod custom;
mod fields;
mod flowcontrol;
pub(crate) mod older;
mod printer;
mod registry;
mod strategy;

use std::fmt;
use std::sync::Arc;

use api::decode::{Decoded, Tree};
use api::schema::TypeDef;
use api::status::GroupResource;
use kinds::deprecation;
use kinds::table::Table;
use openapi::resource::{GroupVersion, Resource as Described};
use serde_json::Value;

use crate::codec::body::set_type_meta;

pub use convert::Convert;
pub use custom::Reviewed;
pub use fields::{SelectableFields, field_text, needs_whole};
pub use printer::Printer;
pub use registry::Resources;
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

/// How objects of a kind are written as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Members in the order of their type. Kind and version come first; items of lists have none.
    Typed,
    /// Members in the order of their names, with kind and version among them, in lists too: so
    /// are custom resources.
    Sorted,
}

/// One kind that is served.
pub struct Resource {
    /// Its group, version and kind.
    pub kind: GroupVersionKind,
    /// Its names, verbs, subresources and type: what discovery and OpenAPI tell of it.
    pub described: Described,
    /// Whether `status` is written through a subresource of its own.
    pub has_status: bool,
    /// How its objects are written.
    pub layout: Layout,
    /// How its Tables look.
    pub printer: Box<dyn Printer>,
    /// By which fields its objects can be selected.
    pub fields: SelectableFields,
    /// What is code about it.
    pub strategy: Box<dyn Strategy>,
    /// What clients are told who still use this version.
    pub deprecation: Option<String>,
    /// Who is asked for its objects in this version, if that is not known here. Objects are then
    /// stored as they were written, in any version.
    pub reviewed: Option<Arc<Reviewed>>,
    /// How it is stored, if not as it is.
    conversion: Option<Box<dyn Convert>>,
    type_meta_json: String,
    api_version: String,
    key_prefix: String,
}

/// What makes a [`Resource`], beside its description.
pub struct Parts {
    /// How its objects are written.
    pub layout: Layout,
    /// How its Tables look.
    pub printer: Box<dyn Printer>,
    /// By which fields its objects can be selected.
    pub fields: SelectableFields,
    /// What is code about it.
    pub strategy: Box<dyn Strategy>,
    /// What clients are told who still use this version.
    pub deprecation: Option<String>,
    /// Who is asked for its objects in this version, if that is not known here.
    pub reviewed: Option<Arc<Reviewed>>,
    /// How it is stored, if not as it is.
    pub conversion: Option<Box<dyn Convert>>,
    /// The group below which it is stored.
    pub stored_group: String,
}

impl Resource {
    /// A built-in kind by its description and what is code about it.
    #[must_use]
    pub fn built_in(
        group_version: &GroupVersion,
        described: Described,
        table: &'static Table,
        strategy: Box<dyn Strategy>,
    ) -> Self {
        let GroupVersion { group, version } = group_version;
        let kind = GroupVersionKind::new(group, version, &described.kind);
        let conversion = kinds::convert::of(group, version, &described.kind);
        let parts = Parts {
            layout: Layout::Typed,
            printer: Box::new(printer::BuiltIn { table, conversion }),
            fields: SelectableFields::of(group, &described.plural),
            strategy,
            deprecation: deprecation::warning(group, version, &described.kind),
            reviewed: None,
            stored_group: conversion.map_or(group.as_str(), |stored| stored.group).to_owned(),
            conversion: conversion.map(|conversion| {
                let type_def = Arc::clone(&described.type_def);
                Box::new(convert::BuiltIn { conversion, kind, type_def }) as _
            }),
        };
        Self::new(group_version, described, parts)
    }

    /// A kind by its description and its parts.
    #[must_use]
    pub fn new(group_version: &GroupVersion, described: Described, parts: Parts) -> Self {
        let GroupVersion { group, version } = group_version;
        let kind = GroupVersionKind::new(group, version, &described.kind);
        let api_version = kind.group_version();
        let Parts { layout, printer, fields, strategy, deprecation, .. } = parts;
        let Parts { reviewed, conversion, stored_group, .. } = parts;
        let separator = if stored_group.is_empty() { "" } else { "/" };
        Self {
            type_meta_json: format!(
                "{{\"kind\":\"{}\",\"apiVersion\":\"{api_version}\",",
                kind.kind
            ),
            has_status: described.subresources.iter().any(|sub| sub.name == "status"),
            key_prefix: format!("/registry/{stored_group}{separator}{}/", described.plural),
            layout,
            printer,
            fields,
            strategy,
            deprecation,
            reviewed,
            conversion,
            kind,
            described,
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

    /// Whether objects are stored in this version.
    #[must_use]
    pub fn is_stored_as_served(&self) -> bool {
        self.conversion.is_none()
    }

    /// An object of the stored version as it was read from the store.
    #[must_use]
    pub fn read_stored(&self, object: Value) -> Value {
        self.strategy.read_stored(object)
    }

    /// An object of this version as it is stored.
    #[must_use]
    pub fn to_stored(&self, object: Value) -> Value {
        match &self.conversion {
            None => object,
            Some(conversion) => conversion.to_stored(object),
        }
    }

    /// A stored object in this version.
    #[must_use]
    pub fn to_served(&self, object: Value) -> Value {
        match &self.conversion {
            None => object,
            Some(conversion) => conversion.to_served(object),
        }
    }

    /// `{"kind":"…","apiVersion":"…",`: how the JSON of every object of the kind begins, where
    /// kind and version come first.
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

    /// Reads a document as an object of the kind; defaults are not filled in.
    ///
    /// # Errors
    ///
    /// What has the wrong type, in words.
    pub fn decode(&self, tree: Tree) -> Result<Decoded, String> {
        self.strategy.decode(self.type_def(), tree)
    }

    /// Fills in defaults.
    pub fn apply_defaults(&self, object: &mut Value) {
        self.strategy.apply_defaults(self.type_def(), object);
    }

    /// Drops what is not written.
    pub fn drop_empty(&self, object: &mut Value) {
        self.strategy.drop_empty(self.type_def(), object);
    }

    /// An object as it looks with nothing in it.
    #[must_use]
    pub fn zero(&self) -> Value {
        let mut object = self.type_def().zero();
        self.set_type_meta(&mut object);
        object
    }

    /// Whether handlers and routes know the kind by its type. All others are served as documents
    /// of which nothing is known but a schema, and say some things in other words.
    #[must_use]
    pub fn is_typed(&self) -> bool {
        self.layout == Layout::Typed
    }

    /// How the reference's program calls the type of its objects, or of lists of them.
    #[must_use]
    pub fn program_type(&self, list: bool) -> String {
        match (self.is_typed(), list) {
            (true, false) => format!("*{}.{}", self.kind.internal_package(), self.kind.kind),
            (true, true) => {
                format!("*{}.{}", self.kind.internal_package(), self.described.list_kind)
            }
            (false, false) => "*unstructured.Unstructured".to_owned(),
            (false, true) => "*unstructured.UnstructuredList".to_owned(),
        }
    }

    /// Writes kind and version into an object.
    pub fn set_type_meta(&self, object: &mut Value) {
        set_type_meta(object, &self.kind);
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resource").field(&self.kind.to_string()).finish()
    }
}
