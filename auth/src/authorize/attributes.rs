//! What is asked of an authorizer.

use crate::request_info::RequestInfo;
use crate::user::User;

/// One question: may this user do this?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes<'a> {
    /// Who asks.
    pub user: &'a User,
    /// `get`, `list`, …; for paths the method in lower case.
    pub verb: &'a str,
    /// What it is done to.
    pub target: Target<'a>,
}

/// What a request acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// An API resource.
    Resource(ResourceTarget<'a>),
    /// Any other path.
    NonResource {
        /// The path without its query.
        path: &'a str,
    },
}

/// An API resource, or one object of it. Texts that do not apply are empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceTarget<'a> {
    /// API group; empty for the core group.
    pub group: &'a str,
    /// Version of the group.
    pub version: &'a str,
    /// Resource, in plural.
    pub resource: &'a str,
    /// Subresource.
    pub subresource: &'a str,
    /// Namespace; empty for the whole cluster.
    pub namespace: &'a str,
    /// Object; empty for all of them.
    pub name: &'a str,
    /// Field selector as written.
    pub field_selector: &'a str,
    /// Label selector as written.
    pub label_selector: &'a str,
}

impl<'a> Attributes<'a> {
    /// The question that a request asks.
    #[must_use]
    pub fn of_request(user: &'a User, info: &'a RequestInfo) -> Self {
        let target = if info.is_resource_request {
            Target::Resource(ResourceTarget {
                group: &info.api_group,
                version: &info.api_version,
                resource: &info.resource,
                subresource: &info.subresource,
                namespace: &info.namespace,
                name: &info.name,
                field_selector: &info.field_selector,
                label_selector: &info.label_selector,
            })
        } else {
            Target::NonResource { path: &info.path }
        };
        Self { user, verb: &info.verb, target }
    }
}
