//! The paths of a resource, from its verbs (spec: apimachinery 1.8).

use std::sync::Arc;

use api::meta::status::Status;
use api::meta::{DeleteOptions, WatchEvent};
use api::schema::{Described, TypeDef};

use crate::fixed_paths;
use crate::naming;
use crate::operation::{Body, Content, Method, Operation, PathItem, Subject, Success, media};
use crate::parameter::{self, Parameter};
use crate::resource::{GroupVersion, Resource, Verb, Version};
use crate::subresource_paths;

/// Every path of a version of a group.
pub(crate) fn of_group_version(group_version: &GroupVersion, version: &Version) -> Vec<PathItem> {
    let mut paths = vec![fixed_paths::resource_list(group_version)];
    for resource in &version.resources {
        ResourcePaths::new(group_version, resource).add_to(&mut paths);
    }
    paths.into_iter().flatten().collect()
}

/// A body of a type that is described in Rust.
pub(crate) fn object_of<T: Described>(media_types: &'static [&'static str]) -> Body {
    let content =
        T::type_def().map_or(Content::Text, |type_def| Content::Object(Arc::clone(type_def)));
    Body { media_types, content }
}

/// A body of a type.
pub(crate) fn object(type_def: &Arc<TypeDef>, media_types: &'static [&'static str]) -> Body {
    Body { media_types, content: Content::Object(Arc::clone(type_def)) }
}

/// The media types of a resource's bodies.
pub(crate) struct MediaTypes {
    pub(crate) object: &'static [&'static str],
    pub(crate) list: &'static [&'static str],
    pub(crate) patch: &'static [&'static str],
    /// Of requests.
    pub(crate) body: &'static [&'static str],
}

static BUILT_IN: MediaTypes =
    MediaTypes { object: media::OBJECT, list: media::LIST, patch: media::PATCH, body: media::ANY };

static CUSTOM: MediaTypes = MediaTypes {
    object: media::CUSTOM,
    list: media::CUSTOM,
    patch: media::CUSTOM_PATCH,
    body: media::CUSTOM,
};

/// Makes the paths of one resource.
pub(crate) struct ResourcePaths<'a> {
    group_version: &'a GroupVersion,
    pub(crate) resource: &'a Resource,
    /// `CoreV1`.
    pub(crate) prefix: String,
    tag: String,
    list: Arc<TypeDef>,
}

impl<'a> ResourcePaths<'a> {
    fn new(group_version: &'a GroupVersion, resource: &'a Resource) -> Self {
        Self {
            group_version,
            resource,
            prefix: naming::group_version_pascal(group_version),
            tag: naming::group_version_tag(group_version),
            list: Arc::new(resource.list_type_def()),
        }
    }

    fn add_to(&self, paths: &mut Vec<Option<PathItem>>) {
        let collection = self.collection_path();
        let object = self.object_path();
        paths.push(PathItem::new(format!("/{collection}"), self.collection_operations()));
        paths.push(PathItem::new(format!("/{object}"), self.object_operations()));
        for subresource in &self.resource.subresources {
            subresource_paths::add_to(paths, self, subresource, &object);
        }
        if self.resource.namespaced && self.resource.offers(Verb::List) {
            let all = format!("/{}/{}", self.group_version.root(), self.resource.plural);
            paths.push(PathItem::new(all, vec![self.list_for_all_namespaces()]));
        }
        // The old way to watch is not told of where it would be new.
        if self.resource.offers(Verb::Watch) && self.resource.published.is_none() {
            self.add_watches_to(paths, &collection, &object);
        }
    }

    /// The media types of bodies.
    pub(crate) fn media(&self) -> &'static MediaTypes {
        if self.resource.published.is_some() { &CUSTOM } else { &BUILT_IN }
    }

    /// `namespaces/{namespace}/` where there is one, and the plural.
    fn below_root(&self) -> String {
        let namespace = if self.resource.namespaced { "namespaces/{namespace}/" } else { "" };
        format!("{namespace}{}", self.resource.plural)
    }

    fn collection_path(&self) -> String {
        format!("{}/{}", self.group_version.root(), self.below_root())
    }

    fn object_path(&self) -> String {
        self.collection_path() + "/{name}"
    }

    /// `Namespaced` in operation names of resources that live in namespaces.
    pub(crate) fn scope(&self) -> &'static str {
        if self.resource.namespaced { "Namespaced" } else { "" }
    }

    fn object_operations(&self) -> Vec<Operation> {
        let Resource { kind, type_def, .. } = self.resource;
        let mut operations = Vec::new();
        if self.resource.offers(Verb::Get) {
            operations.push(self.read(kind, type_def, ""));
        }
        if self.resource.offers(Verb::Update) {
            operations.push(self.replace(kind, type_def, ""));
        }
        if self.resource.offers(Verb::Delete) {
            operations.push(self.delete());
        }
        if self.resource.offers(Verb::Patch) {
            operations.push(self.patch(kind, type_def, ""));
        }
        operations
    }

    fn collection_operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        if self.resource.offers(Verb::List) {
            operations.push(self.list());
        }
        if self.resource.offers(Verb::Create) {
            operations.push(self.create());
        }
        if self.resource.offers(Verb::DeleteCollection) {
            operations.push(self.delete_collection());
        }
        operations
    }

    /// Parameters of one object's path, and `pretty`.
    pub(crate) fn object_parameters(&self) -> Vec<Parameter> {
        let mut parameters = self.collection_parameters();
        parameters.push(parameter::name(&self.resource.kind));
        parameters
    }

    fn collection_parameters(&self) -> Vec<Parameter> {
        let namespace = self.resource.namespaced.then_some(parameter::NAMESPACE);
        namespace.into_iter().chain([parameter::PRETTY]).collect()
    }

    /// An operation on the kind of the resource, without a body.
    pub(crate) fn operation(
        &self,
        method: Method,
        action: &'static str,
        id: String,
        description: String,
    ) -> Operation {
        Operation {
            method,
            id,
            tag: self.tag.clone(),
            description,
            subject: Some(Subject {
                action,
                group_version: self.group_version.clone(),
                kind: self.resource.kind.clone(),
            }),
            parameters: Vec::new(),
            request: None,
            request_optional: false,
            success: Success::Ok,
            response: object(&self.resource.type_def, self.media().object),
        }
    }

    /// `what` is the kind, or the subresource of the kind; `suffix` names the subresource in ids.
    pub(crate) fn read(&self, what: &str, type_def: &Arc<TypeDef>, suffix: &str) -> Operation {
        let id = self.id("read", suffix);
        Operation {
            parameters: self.object_parameters(),
            response: object(type_def, self.media().object),
            ..self.operation(Method::Get, "get", id, format!("Reads the {what}."))
        }
    }

    pub(crate) fn replace(&self, what: &str, type_def: &Arc<TypeDef>, suffix: &str) -> Operation {
        let id = self.id("replace", suffix);
        let mut parameters = self.object_parameters();
        parameters.extend(parameter::WRITE);
        Operation {
            parameters,
            request: Some(object(type_def, self.media().body)),
            success: Success::OkOrCreated,
            response: object(type_def, self.media().object),
            ..self.operation(Method::Put, "put", id, format!("Replaces the {what}."))
        }
    }

    pub(crate) fn patch(&self, what: &str, type_def: &Arc<TypeDef>, suffix: &str) -> Operation {
        let id = self.id("patch", suffix);
        let mut parameters = self.object_parameters();
        parameters.extend(parameter::WRITE);
        parameters.push(parameter::FORCE);
        Operation {
            parameters,
            request: Some(Body { media_types: self.media().patch, content: Content::Patch }),
            success: Success::OkOrCreated,
            response: object(type_def, self.media().object),
            ..self.operation(Method::Patch, "patch", id, format!("Changes parts of the {what}."))
        }
    }

    fn delete(&self) -> Operation {
        let kind = &self.resource.kind;
        let mut parameters = self.object_parameters();
        parameters.extend(parameter::DELETE);
        let response = if self.resource.returns_deleted_object {
            object(&self.resource.type_def, self.media().object)
        } else {
            object_of::<Status>(self.media().object)
        };
        Operation {
            parameters,
            request: Some(object_of::<DeleteOptions>(self.media().body)),
            request_optional: true,
            success: Success::OkOrAccepted,
            response,
            ..self.operation(
                Method::Delete,
                "delete",
                self.id("delete", ""),
                format!("Deletes the {kind}."),
            )
        }
    }

    fn delete_collection(&self) -> Operation {
        let kind = &self.resource.kind;
        let mut parameters = self.collection_parameters();
        parameters.extend(parameter::DELETE);
        parameters.extend(parameter::SELECT);
        Operation {
            parameters,
            request: Some(object_of::<DeleteOptions>(self.media().body)),
            request_optional: true,
            response: object_of::<Status>(self.media().object),
            ..self.operation(
                Method::Delete,
                "deletecollection",
                format!("delete{}Collection{}{kind}", self.prefix, self.scope()),
                format!("Deletes every selected {kind}."),
            )
        }
    }

    fn create(&self) -> Operation {
        let Resource { kind, type_def, .. } = self.resource;
        let mut parameters = self.collection_parameters();
        parameters.extend(parameter::WRITE);
        Operation {
            parameters,
            request: Some(object(type_def, self.media().body)),
            success: Success::OkCreatedOrAccepted,
            ..self.operation(
                Method::Post,
                "post",
                self.id("create", ""),
                format!("Creates a {kind}."),
            )
        }
    }

    fn list(&self) -> Operation {
        let kind = &self.resource.kind;
        let mut parameters = self.collection_parameters();
        parameters.extend(parameter::SELECT);
        parameters.extend(parameter::WATCH);
        Operation {
            parameters,
            response: object(&self.list, self.media().list),
            ..self.operation(
                Method::Get,
                "list",
                self.id("list", ""),
                format!("Lists {kind} objects, or watches them."),
            )
        }
    }

    fn list_for_all_namespaces(&self) -> Operation {
        let kind = &self.resource.kind;
        let mut operation = self.list();
        operation.id = format!("list{}{kind}ForAllNamespaces", self.prefix);
        operation.description =
            format!("Lists the {kind} objects of all namespaces, or watches them.");
        operation.parameters.retain(|parameter| *parameter != parameter::NAMESPACE);
        operation
    }

    fn add_watches_to(&self, paths: &mut Vec<Option<PathItem>>, collection: &str, object: &str) {
        let root = self.group_version.root();
        let watch_root = |path: &str| {
            let below = path.strip_prefix(&root).unwrap_or(path);
            format!("/{root}/watch{below}")
        };
        let (prefix, kind, scope) = (&self.prefix, &self.resource.kind, self.scope());
        paths.push(PathItem::new(
            watch_root(collection),
            vec![self.watch("watchlist", format!("watch{prefix}{scope}{kind}List"))],
        ));
        if self.resource.namespaced {
            let mut operation =
                self.watch("watchlist", format!("watch{prefix}{kind}ListForAllNamespaces"));
            operation.parameters.retain(|parameter| *parameter != parameter::NAMESPACE);
            let path = format!("/{root}/watch/{}", self.resource.plural);
            paths.push(PathItem::new(path, vec![operation]));
        }
        if self.resource.offers(Verb::Get) {
            let mut operation = self.watch("watch", format!("watch{prefix}{scope}{kind}"));
            operation.parameters.push(parameter::name(kind));
            paths.push(PathItem::new(watch_root(object), vec![operation]));
        }
    }

    fn watch(&self, action: &'static str, id: String) -> Operation {
        let mut parameters = self.collection_parameters();
        parameters.extend(parameter::SELECT);
        parameters.extend(parameter::WATCH);
        let description = "Watches for changes. Deprecated: list with `watch` instead, and with \
                           `fieldSelector` for a single object.";
        Operation {
            parameters,
            response: object_of::<WatchEvent>(media::LIST),
            ..self.operation(Method::Get, action, id, description.to_owned())
        }
    }

    /// An operation name: `readCoreV1NamespacedPodStatus`.
    pub(crate) fn id(&self, verb: &str, suffix: &str) -> String {
        format!("{verb}{}{}{}{suffix}", self.prefix, self.scope(), self.resource.kind)
    }
}
