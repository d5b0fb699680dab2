//! Who may do what (spec: apimachinery 5.2, 5.5).

mod rbac;

use api::status::{GroupResource, Status};

use crate::authn::{MASTERS, User};
use crate::options::AuthorizationMode;
use crate::request::info::RequestInfo;
use validation::text::go_quote;

pub use rbac::{Rbac, RulesOf};

/// What somebody wants to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// The verb.
    pub verb: String,
    /// What it is to be done to.
    pub target: Target,
}

/// What something is to be done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Objects.
    Resource {
        /// The API group.
        group: String,
        /// The version.
        version: String,
        /// The resource in plural.
        resource: String,
        /// The subresource.
        subresource: String,
        /// The namespace; empty for all or none.
        namespace: String,
        /// The object's name; empty for all or none.
        name: String,
    },
    /// Another path.
    Path(String),
}

impl Attributes {
    /// Those of a request.
    #[must_use]
    pub fn of(info: &RequestInfo) -> Self {
        let target = if info.is_resource_request {
            Target::Resource {
                group: info.api_group.clone(),
                version: info.api_version.clone(),
                resource: info.resource.clone(),
                subresource: info.subresource.clone(),
                namespace: info.namespace.clone(),
                name: info.name.clone(),
            }
        } else {
            Target::Path(info.path.clone())
        };
        Self { verb: info.verb.clone(), target }
    }

    /// The 403 for somebody who may not.
    #[must_use]
    pub fn forbidden(&self, user: &User) -> Status {
        let (user, verb) = (go_quote(&user.name), &self.verb);
        match &self.target {
            Target::Path(path) => Status::forbidden(
                GroupResource { group: "", resource: "" },
                "",
                &format!("User {user} cannot {verb} path {}", go_quote(path)),
            ),
            Target::Resource { group, resource, subresource, namespace, name, .. } => {
                let what = if subresource.is_empty() {
                    resource.clone()
                } else {
                    format!("{resource}/{subresource}")
                };
                let place = if namespace.is_empty() {
                    "at the cluster scope".to_owned()
                } else {
                    format!("in the namespace {}", go_quote(namespace))
                };
                let why = format!(
                    "User {user} cannot {verb} resource {} in API group {} {place}",
                    go_quote(&what),
                    go_quote(group)
                );
                Status::forbidden(GroupResource { group, resource }, name, &why)
            }
        }
    }
}

/// Decides who may do what.
pub struct Authorizer {
    modes: Vec<AuthorizationMode>,
    /// Roles and bindings.
    pub rbac: Rbac,
}

impl Authorizer {
    /// Asks the modes in order; the first that has an opinion decides.
    #[must_use]
    pub fn new(modes: Vec<AuthorizationMode>, rbac: Rbac) -> Self {
        Self { modes, rbac }
    }

    /// Whether a user may.
    #[must_use]
    pub fn allows(&self, user: &User, attributes: &Attributes) -> bool {
        if user.is_in(MASTERS) {
            return true;
        }
        for mode in &self.modes {
            match mode {
                AuthorizationMode::AlwaysAllow => return true,
                AuthorizationMode::AlwaysDeny => return false,
                AuthorizationMode::Rbac => {
                    if self.rbac.allows(user, attributes) {
                        return true;
                    }
                }
                AuthorizationMode::Node => {}
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_user_verb_and_target() {
        let user = User { name: "alice".to_owned(), ..User::default() };
        let path =
            Attributes { verb: "get".to_owned(), target: Target::Path("/metrics".to_owned()) };
        assert_eq!(
            path.forbidden(&user).message,
            "forbidden: User \"alice\" cannot get path \"/metrics\""
        );
        let pod = Attributes {
            verb: "get".to_owned(),
            target: Target::Resource {
                group: String::new(),
                version: "v1".to_owned(),
                resource: "pods".to_owned(),
                subresource: "status".to_owned(),
                namespace: "default".to_owned(),
                name: "x".to_owned(),
            },
        };
        assert_eq!(
            pod.forbidden(&user).message,
            "pods \"x\" is forbidden: User \"alice\" cannot get resource \"pods/status\" in API \
             group \"\" in the namespace \"default\""
        );
    }
}
