//! The refusal that clients read (spec: apimachinery 5.2).

use std::fmt;

use validation::text::go_quote;

use super::attributes::{Attributes, Target};

/// A refused request; answered with 403 and reason `Forbidden`.
///
/// Its display is the whole message. Group, resource and name go into the answer's details.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Forbidden {
    /// API group; empty for the core group and for paths.
    pub group: String,
    /// Resource, in plural; empty for paths.
    pub resource: String,
    /// Object; empty if the request was for all of them.
    pub name: String,
    /// What was refused and why, without the words that name the object.
    pub cause: String,
}

impl Forbidden {
    /// The refusal of a question, with the authorizer's reason unless that is empty.
    #[must_use]
    pub fn new(attributes: &Attributes<'_>, reason: &str) -> Self {
        let sentence = escape_markup(&sentence(attributes));
        let cause = if reason.is_empty() { sentence } else { format!("{sentence}: {reason}") };
        let (group, resource, name) = match attributes.target {
            Target::Resource(target) => (target.group, target.resource, target.name),
            Target::NonResource { .. } => ("", "", ""),
        };
        Self {
            group: group.to_owned(),
            resource: resource.to_owned(),
            name: name.to_owned(),
            cause,
        }
    }
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, resource, name, cause } = self;
        if !resource.is_empty() {
            f.write_str(resource)?;
            if !group.is_empty() {
                write!(f, ".{group}")?;
            }
            if !name.is_empty() {
                write!(f, " {}", go_quote(name))?;
            }
            f.write_str(" is ")?;
        }
        write!(f, "forbidden: {cause}")
    }
}

fn sentence(attributes: &Attributes<'_>) -> String {
    let user = go_quote(&attributes.user.name);
    let verb = attributes.verb;
    let target = match attributes.target {
        Target::Resource(target) => target,
        Target::NonResource { path } => {
            return format!("User {user} cannot {verb} path {}", go_quote(path));
        }
    };
    let resource = match target.subresource {
        "" => target.resource.to_owned(),
        subresource => format!("{}/{subresource}", target.resource),
    };
    let scope = match target.namespace {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {}", go_quote(namespace)),
    };
    let (resource, group) = (go_quote(&resource), go_quote(target.group));
    format!("User {user} cannot {verb} resource {resource} in API group {group} {scope}")
}

/// Refusals must not look like HTML to a browser; quotes do no harm.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authorize::ResourceTarget;
    use crate::user::User;

    fn message(verb: &str, target: Target<'_>, reason: &str) -> String {
        let user = User::new("alice");
        Forbidden::new(&Attributes { user: &user, verb, target }, reason).to_string()
    }

    #[test]
    fn paths_are_named_without_a_resource() {
        assert_eq!(
            message("get", Target::NonResource { path: "/metrics" }, ""),
            "forbidden: User \"alice\" cannot get path \"/metrics\""
        );
    }

    #[test]
    fn a_reason_stands_at_the_end() {
        let target = ResourceTarget { resource: "pods", namespace: "ns", ..Default::default() };
        assert_eq!(
            message("list", Target::Resource(target), "Everything is forbidden."),
            "pods is forbidden: User \"alice\" cannot list resource \"pods\" in API group \"\" in \
             the namespace \"ns\": Everything is forbidden."
        );
    }

    #[test]
    fn markup_in_the_request_is_escaped() {
        assert_eq!(
            message("get", Target::NonResource { path: "/<a&b>" }, ""),
            "forbidden: User \"alice\" cannot get path \"/&lt;a&amp;b&gt;\""
        );
    }
}
