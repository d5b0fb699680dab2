//! What is served, as the documents need to know it. The server's registry fills this in.

use std::fmt;
use std::sync::Arc;

use api::meta::ListMeta;
use api::schema::{
    Described, Field, FieldParts, List, ListType, Presence, Shape, TypeDef, TypeRef,
};

use serde_json::Value;

use crate::digest;

/// An API group and a version of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupVersion {
    /// The group; empty for the core group.
    pub group: String,
    /// The version, such as `v1`.
    pub version: String,
}

impl GroupVersion {
    /// A group and version.
    pub fn new(group: impl Into<String>, version: impl Into<String>) -> Self {
        Self { group: group.into(), version: version.into() }
    }

    /// The URL below which its resources are, without a slash at the ends: `api/v1`, `apis/apps/v1`.
    #[must_use]
    pub fn root(&self) -> String {
        if self.group.is_empty() {
            format!("api/{}", self.version)
        } else {
            format!("apis/{}/{}", self.group, self.version)
        }
    }
}

/// As in `apiVersion`: `v1`, `apps/v1`.
impl fmt::Display for GroupVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.group.is_empty() {
            write!(f, "{}/", self.group)?;
        }
        f.write_str(&self.version)
    }
}

/// A group with its versions, the preferred one first.
#[derive(Debug, Clone)]
pub struct Group {
    /// The group's name; empty for the core group.
    pub name: String,
    /// The versions, the preferred one first.
    pub versions: Vec<Version>,
}

/// A version of a group and its resources.
#[derive(Debug, Clone)]
pub struct Version {
    /// The version, such as `v1`.
    pub name: String,
    /// The resources; documents sort them where clients expect it.
    pub resources: Vec<Resource>,
}

impl Version {
    /// Whether the same resources are in it, of the same types: whoever describes a resource anew
    /// makes its type anew.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.resources.len() == other.resources.len()
            && self.resources.iter().zip(&other.resources).all(|(one, other)| {
                one.plural == other.plural && Arc::ptr_eq(&one.type_def, &other.type_def)
            })
    }
}

impl Group {
    /// The group and each of its versions.
    pub fn group_versions(&self) -> impl Iterator<Item = (GroupVersion, &Version)> {
        self.versions.iter().map(|version| (GroupVersion::new(&self.name, &version.name), version))
    }
}

/// What may be done with a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Verb {
    Create,
    Delete,
    DeleteCollection,
    Get,
    List,
    Patch,
    Update,
    Watch,
}

impl Verb {
    /// The verbs of a resource of which everything may be done, in the order discovery lists them.
    pub const ALL: [Self; 8] = [
        Self::Create,
        Self::Delete,
        Self::DeleteCollection,
        Self::Get,
        Self::List,
        Self::Patch,
        Self::Update,
        Self::Watch,
    ];

    /// The verb as discovery and authorization name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }
}

/// A resource that is served.
#[derive(Debug, Clone)]
pub struct Resource {
    /// The plural in URLs, such as `flowschemas`.
    pub plural: String,
    /// The singular, such as `flowschema`.
    pub singular: String,
    /// The kind, such as `FlowSchema`.
    pub kind: String,
    /// The kind of a list, such as `FlowSchemaList`.
    pub list_kind: String,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// What may be done, in the order discovery lists it.
    pub verbs: Vec<Verb>,
    /// Shorter names for the command line.
    pub short_names: Vec<String>,
    /// Sets of resources it belongs to, such as `all`.
    pub categories: Vec<String>,
    /// The table of the kind.
    pub type_def: Arc<TypeDef>,
    /// The group and version that objects are stored in; `None` for kinds that are not stored.
    pub storage: Option<GroupVersion>,
    /// Deletion answers with the deleted object instead of a Status.
    pub returns_deleted_object: bool,
    /// The subresources.
    pub subresources: Vec<Subresource>,
    /// The schema of a custom resource, which says more than the table of its kind; `None` for
    /// built-in kinds.
    pub published: Option<Arc<dyn Published>>,
}

/// The schema of a custom resource as the documents show it. References in it are to the types of
/// its fields.
pub trait Published: fmt::Debug + Send + Sync {
    /// For OpenAPI v2.
    fn v2(&self) -> &Value;

    /// For OpenAPI v3.
    fn v3(&self) -> &Value;
}

impl Resource {
    /// Whether a verb is offered.
    #[must_use]
    pub fn offers(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// `storageVersionHash` of discovery; `None` for kinds that are not stored.
    #[must_use]
    pub fn storage_version_hash(&self) -> Option<String> {
        let storage = self.storage.as_ref()?;
        Some(digest::storage_version_hash(&storage.group, &storage.version, &self.kind))
    }

    /// The name of the list kind in OpenAPI documents: in the package of the kind.
    #[must_use]
    pub fn list_openapi_name(&self) -> String {
        let package = self.type_def.openapi_name.strip_suffix(&self.type_def.name);
        format!("{}{}", package.unwrap_or_default(), self.list_kind)
    }

    /// The table of the list kind; every list has the same form.
    #[must_use]
    pub fn list_type_def(&self) -> TypeDef {
        let item = Shape::Struct(TypeRef::Owned(Arc::clone(&self.type_def)));
        let items =
            Shape::List(Box::new(List { item, list_type: ListType::Unset, patch_merge: None }));
        TypeDef {
            name: self.list_kind.clone(),
            openapi_name: self.list_openapi_name(),
            description: format!("A list of {} objects.", self.kind),
            fields: vec![
                list_field("kind", "The kind of list this is.", text(), Presence::OmitZero, 0),
                list_field(
                    "apiVersion",
                    "The API group and version this list is written in.",
                    text(),
                    Presence::OmitZero,
                    0,
                ),
                list_field(
                    "metadata",
                    "What the server says about the list as a whole.",
                    ListMeta::shape(),
                    Presence::Always,
                    1,
                ),
                list_field("items", "The objects.", items, Presence::Nullable, 2),
            ],
            atomic: false,
            open: false,
            unions: Vec::new(),
            rules: Vec::new(),
        }
    }
}

fn text() -> Shape {
    Shape::String(&[])
}

fn list_field(
    name: &'static str,
    description: &'static str,
    shape: Shape,
    presence: Presence,
    number: u32,
) -> Field {
    let required = name == "items";
    Field::described(FieldParts {
        name,
        description,
        shape,
        presence,
        number,
        required,
        default: None,
    })
}

/// A subresource, such as `status`.
#[derive(Debug, Clone)]
pub struct Subresource {
    /// The name that follows the object's in URLs.
    pub name: String,
    /// The kind that is read or written; for connections the kind of their options.
    pub kind: String,
    /// The kind's group and version where it is not that of the resource, as for `scale`.
    pub foreign: Option<GroupVersion>,
    /// What may be done, in the order discovery lists it.
    pub verbs: Vec<Verb>,
    /// What requests and answers carry.
    pub serves: Serves,
}

/// What the requests and answers of a subresource carry.
#[derive(Debug, Clone)]
pub enum Serves {
    /// Objects of a kind.
    Object(Arc<TypeDef>),
    /// Plain text, such as a log.
    Text(Vec<QueryParameter>),
    /// A connection to somewhere else.
    Connection {
        /// The options.
        options: Vec<QueryParameter>,
        /// Whatever follows in the URL goes along with it, and every HTTP method is let through.
        proxies: bool,
    },
}

impl Subresource {
    /// The `status` subresource of a kind.
    #[must_use]
    pub fn status(kind: &str, type_def: &Arc<TypeDef>) -> Self {
        Self {
            name: "status".to_owned(),
            kind: kind.to_owned(),
            foreign: None,
            verbs: vec![Verb::Get, Verb::Patch, Verb::Update],
            serves: Serves::Object(Arc::clone(type_def)),
        }
    }
}

/// A query parameter of a subresource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryParameter {
    /// The name.
    pub name: String,
    /// The type of value.
    pub value: ParameterType,
    /// What it does.
    pub description: String,
}

/// The type of value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ParameterType {
    String,
    Integer,
    Boolean,
}
