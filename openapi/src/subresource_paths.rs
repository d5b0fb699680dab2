//! The paths of a subresource, from its verbs.

use std::sync::Arc;

use api::schema::TypeDef;

use crate::naming;
use crate::operation::{Body, Content, Method, Operation, PathItem, Subject, Success, media};
use crate::parameter::{self, Parameter};
use crate::paths::{self, ResourcePaths};
use crate::resource::{QueryParameter, Serves, Subresource, Verb};

/// Adds the paths of a subresource; `object_path` is that of the object, without leading slash.
pub(crate) fn add_to(
    paths: &mut Vec<Option<PathItem>>,
    resource: &ResourcePaths<'_>,
    subresource: &Subresource,
    object_path: &str,
) {
    let path = format!("/{object_path}/{}", subresource.name);
    match &subresource.serves {
        Serves::Object(type_def) => {
            let operations = object_operations(resource, subresource, type_def);
            paths.push(PathItem::new(path, operations));
        }
        Serves::Text(options) => {
            paths.push(PathItem::new(path, vec![text(resource, subresource, options)]));
        }
        Serves::Connection { options, proxies } => {
            let connection = Connection { resource, subresource, options, proxies: *proxies };
            let mut operations = connection.operations("");
            paths.push(PathItem::new(path.clone(), operations));
            if *proxies {
                operations = connection.operations("WithPath");
                for operation in &mut operations {
                    operation.parameters.push(parameter::PROXY_PATH);
                }
                paths.push(PathItem::new(path + "/{path}", operations));
            }
        }
    }
}

fn object_operations(
    resource: &ResourcePaths<'_>,
    subresource: &Subresource,
    type_def: &Arc<TypeDef>,
) -> Vec<Operation> {
    let suffix = naming::capitalized(&subresource.name);
    let what = format!("{} of the {}", subresource.name, resource.resource.kind);
    let mut operations: Vec<Operation> = subresource
        .verbs
        .iter()
        .filter_map(|verb| match verb {
            Verb::Get => Some(resource.read(&what, type_def, &suffix)),
            Verb::Update => Some(resource.replace(&what, type_def, &suffix)),
            Verb::Patch => Some(resource.patch(&what, type_def, &suffix)),
            Verb::Create => Some(create(resource, &what, type_def, &suffix)),
            Verb::Delete | Verb::DeleteCollection | Verb::List | Verb::Watch => None,
        })
        .collect();
    for operation in &mut operations {
        if let Some(subject) = &mut operation.subject {
            name_kind(subject, subresource);
        }
    }
    operations
}

fn name_kind(subject: &mut Subject, subresource: &Subresource) {
    subject.kind.clone_from(&subresource.kind);
    if let Some(foreign) = &subresource.foreign {
        subject.group_version = foreign.clone();
    }
}

fn create(
    resource: &ResourcePaths<'_>,
    what: &str,
    type_def: &Arc<TypeDef>,
    suffix: &str,
) -> Operation {
    let mut parameters = resource.object_parameters();
    parameters.extend(parameter::WRITE);
    Operation {
        parameters,
        request: Some(paths::object(type_def, resource.media().body)),
        success: Success::OkCreatedOrAccepted,
        response: paths::object(type_def, resource.media().object),
        ..resource.operation(
            Method::Post,
            "post",
            resource.id("create", suffix),
            format!("Creates a {what}."),
        )
    }
}

fn text(
    resource: &ResourcePaths<'_>,
    subresource: &Subresource,
    options: &[QueryParameter],
) -> Operation {
    let suffix = naming::capitalized(&subresource.name);
    let what = format!("{} of the {}", subresource.name, resource.resource.kind);
    let mut operation = resource.read(&what, &resource.resource.type_def, &suffix);
    operation.parameters.extend(options.iter().map(Parameter::from));
    operation.response = Body { media_types: media::LOG, content: Content::Text };
    operation
}

/// A subresource that connects to somewhere else.
struct Connection<'a> {
    resource: &'a ResourcePaths<'a>,
    subresource: &'a Subresource,
    options: &'a [QueryParameter],
    proxies: bool,
}

impl Connection<'_> {
    fn operations(&self, suffix: &str) -> Vec<Operation> {
        let methods: &[Method] = if self.proxies {
            &[
                Method::Get,
                Method::Put,
                Method::Post,
                Method::Delete,
                Method::Options,
                Method::Head,
                Method::Patch,
            ]
        } else {
            &[Method::Get, Method::Post]
        };
        methods.iter().map(|method| self.operation(*method, suffix)).collect()
    }

    fn operation(&self, method: Method, suffix: &str) -> Operation {
        let ResourcePaths { resource, prefix, .. } = self.resource;
        let name = naming::capitalized(&self.subresource.name);
        let verb = naming::capitalized(method.as_str());
        let scope = self.resource.scope();
        let id = format!("connect{prefix}{verb}{scope}{}{name}{suffix}", resource.kind);
        let description = format!(
            "Connects a {verb} request to {} of the {}.",
            self.subresource.name, resource.kind
        );
        let mut operation = self.resource.operation(method, "connect", id, description);
        operation.parameters = self.resource.object_parameters();
        operation.parameters.retain(|parameter| *parameter != parameter::PRETTY);
        operation.parameters.extend(self.options.iter().map(Parameter::from));
        operation.response = Body { media_types: media::ANY, content: Content::Text };
        if let Some(subject) = &mut operation.subject {
            name_kind(subject, self.subresource);
        }
        operation
    }
}
