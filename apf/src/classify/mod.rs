//! Which requests a FlowSchema claims, and how it tells them apart into flows
//! (spec: apf 3.3 to 3.6, 3.8).

mod classifier;

use api::flowcontrol::v1::{
    FlowDistinguisherMethod, NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule,
    Subject,
};

use crate::digest::{RequestDigest, ResourceTarget, Target};

pub use classifier::Classifier;

/// Stands for everything in the lists of rules and in subjects' names.
const ALL: &str = "*";
const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// How a FlowSchema tells requests apart into flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistinguisherMethod {
    /// They are all one flow.
    None,
    /// One flow for each user name.
    ByUser,
    /// One flow for each namespace; requests without one are a flow of their own.
    ByNamespace,
}

impl DistinguisherMethod {
    /// From its form in the API; a type that there is not counts as none.
    #[must_use]
    pub fn from_api(method: Option<&FlowDistinguisherMethod>) -> Self {
        match method.map(|method| method.method_type.as_str()) {
            Some("ByUser") => Self::ByUser,
            Some("ByNamespace") => Self::ByNamespace,
            _ => Self::None,
        }
    }

    /// What tells the flow of this request from others of the FlowSchema.
    #[must_use]
    pub fn distinguisher<'a>(self, digest: &RequestDigest<'a>) -> &'a str {
        match self {
            Self::None => "",
            Self::ByUser => digest.user_name,
            Self::ByNamespace => digest.target.namespace(),
        }
    }
}

/// Whether a rule is about what a request asks for, whoever sends it.
fn target_matches(rule: &PolicyRulesWithSubjects, target: &Target<'_>) -> bool {
    match target {
        Target::Resource(target) => {
            rule.resource_rules.iter().any(|rule| resource_rule_matches(rule, target))
        }
        Target::NonResource { verb, path } => {
            rule.non_resource_rules.iter().any(|rule| non_resource_rule_matches(rule, verb, path))
        }
    }
}

/// Whose requests a subject stands for. Service accounts are known by the user's name alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectMatcher {
    /// Nobody's: the kind does not exist or its member is missing.
    Nobody,
    /// Everybody's.
    Everybody,
    /// Those of the user of this name.
    User(String),
    /// Those of the users whose names start like this: all service accounts of a namespace.
    UserNamePrefix(String),
    /// Those of the members of this group.
    Group(String),
}

impl SubjectMatcher {
    /// Reads a subject.
    #[must_use]
    pub fn new(subject: &Subject) -> Self {
        let matcher = match subject.kind.as_str() {
            "User" => subject.user.as_ref().map(|user| match user.name.as_str() {
                ALL => Self::Everybody,
                name => Self::User(name.to_owned()),
            }),
            "Group" => subject.group.as_ref().map(|group| match group.name.as_str() {
                ALL => Self::Everybody,
                name => Self::Group(name.to_owned()),
            }),
            "ServiceAccount" => subject.service_account.as_ref().map(|account| {
                let prefix = format!("{SERVICE_ACCOUNT_PREFIX}{}:", account.namespace);
                match account.name.as_str() {
                    ALL => Self::UserNamePrefix(prefix),
                    name => Self::User(prefix + name),
                }
            }),
            _ => None,
        };
        matcher.unwrap_or(Self::Nobody)
    }

    /// Whether the subject stands for a user of this name and these groups. [`Classifier`] looks
    /// subjects up instead of asking each.
    #[cfg(test)]
    fn matches(&self, user_name: &str, groups: &[String]) -> bool {
        match self {
            Self::Nobody => false,
            Self::Everybody => true,
            Self::User(name) => name == user_name,
            Self::UserNamePrefix(prefix) => user_name.starts_with(prefix),
            Self::Group(name) => groups.contains(name),
        }
    }
}

/// Whether a rule matches a request for a resource. A request in a namespace has to match the
/// rule's namespaces, any other needs a rule of cluster scope.
#[must_use]
pub fn resource_rule_matches(rule: &ResourcePolicyRule, target: &ResourceTarget<'_>) -> bool {
    let in_scope = if target.namespace.is_empty() {
        rule.cluster_scope
    } else {
        list_matches(&rule.namespaces, target.namespace)
    };
    in_scope
        && list_matches(&rule.verbs, target.verb)
        && list_matches(&rule.api_groups, target.api_group)
        && (is_all(&rule.resources) || rule.resources.iter().any(|r| names_resource(r, target)))
}

/// Whether a rule matches a request for a path outside the resources.
#[must_use]
pub fn non_resource_rule_matches(rule: &NonResourcePolicyRule, verb: &str, path: &str) -> bool {
    list_matches(&rule.verbs, verb)
        && rule.non_resource_urls.iter().any(|pattern| path_matches(pattern, path))
}

/// Whether a path is what a rule's pattern names, or lies below it: `/healthz` covers
/// `/healthz/ping`, `/` covers everything, and `/healthz/*` does not cover `/healthz`.
#[must_use]
pub fn path_matches(pattern: &str, path: &str) -> bool {
    if pattern == ALL || pattern == path {
        return true;
    }
    let directory = pattern.strip_suffix('*').unwrap_or(pattern);
    path.strip_prefix(directory)
        .is_some_and(|rest| directory.ends_with('/') || rest.starts_with('/'))
}

fn is_all(list: &[String]) -> bool {
    matches!(list, [only] if only == ALL)
}

fn list_matches(list: &[String], value: &str) -> bool {
    is_all(list) || list.iter().any(|item| item == value)
}

fn names_resource(resource: &str, target: &ResourceTarget<'_>) -> bool {
    if target.subresource.is_empty() {
        return resource == target.resource;
    }
    resource
        .strip_prefix(target.resource)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|subresource| subresource == target.subresource)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{RequestInfo, strings, vectors};

    #[test]
    fn subjects_match_as_recorded() {
        for case in vectors("classification")["subject"].as_array().unwrap() {
            let subject: Subject = serde_json::from_value(case["subject"].clone()).unwrap();
            let user = case["user"].as_str().unwrap();
            let matches = SubjectMatcher::new(&subject).matches(user, &strings(&case["groups"]));
            assert_eq!(Some(matches), case["match"].as_bool(), "{case}");
        }
    }

    #[test]
    fn resource_rules_match_as_recorded() {
        for case in vectors("classification")["resourceRule"].as_array().unwrap() {
            let rule: ResourcePolicyRule = serde_json::from_value(case["rule"].clone()).unwrap();
            let (method, url) = (case["method"].as_str().unwrap(), case["url"].as_str().unwrap());
            let info = RequestInfo::read(method, url);
            let matches = match info.target() {
                Target::Resource(target) => resource_rule_matches(&rule, &target),
                Target::NonResource { .. } => false,
            };
            assert_eq!(Some(matches), case["match"].as_bool(), "{case} {info:?}");
        }
    }

    #[test]
    fn patterns_match_paths_as_recorded() {
        for case in vectors("classification")["nonResourceURL"].as_array().unwrap() {
            let (pattern, path) = (case["rule"].as_str().unwrap(), case["path"].as_str().unwrap());
            assert_eq!(Some(path_matches(pattern, path)), case["match"].as_bool(), "{case}");
        }
    }

    #[test]
    fn a_star_among_others_stands_for_itself() {
        let list = ["*".to_owned(), "get".to_owned()];
        assert!(list_matches(&list, "get"));
        assert!(list_matches(&list, "*"));
        assert!(!list_matches(&list, "list"));
    }
}
