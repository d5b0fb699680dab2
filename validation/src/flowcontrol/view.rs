//! FlowSchemas as their rules see them. There can be many rules in one, so they are read where
//! they are.

use serde_json::Value;

use crate::view::{Texts, int32, items, member, members, optional, text};

/// A FlowSchema's spec.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spec<'a> {
    pub(super) priority_level: &'a str,
    pub(super) matching_precedence: i32,
    /// The type of the distinguisher method, if there is a method.
    pub(super) distinguisher_type: Option<&'a str>,
    pub(super) rules: &'a [Value],
}

impl<'a> From<&'a Value> for Spec<'a> {
    fn from(spec: &'a Value) -> Self {
        members!(spec =>
            level: "priorityLevelConfiguration",
            precedence: "matchingPrecedence",
            method: "distinguisherMethod",
            rules: "rules",
        );
        let type_of = |method| text(member(method, "type"));
        Self {
            priority_level: text(member(level, "name")),
            matching_precedence: int32(precedence),
            distinguisher_type: optional(method).map(type_of),
            rules: items(rules),
        }
    }
}

/// A rule: whose requests, and which of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule<'a> {
    pub(super) subjects: &'a [Value],
    pub(super) resource_rules: &'a [Value],
    pub(super) non_resource_rules: &'a [Value],
}

impl<'a> From<&'a Value> for Rule<'a> {
    fn from(rule: &'a Value) -> Self {
        members!(rule =>
            subjects: "subjects",
            resource_rules: "resourceRules",
            non_resource_rules: "nonResourceRules",
        );
        Self {
            subjects: items(subjects),
            resource_rules: items(resource_rules),
            non_resource_rules: items(non_resource_rules),
        }
    }
}

/// Someone who sends requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) kind: &'a str,
    /// The user's name, if there is a user.
    pub(super) user: Option<&'a str>,
    /// The group's name, if there is a group.
    pub(super) group: Option<&'a str>,
    pub(super) service_account: Option<ServiceAccount<'a>>,
}

impl<'a> From<&'a Value> for Subject<'a> {
    fn from(subject: &'a Value) -> Self {
        members!(subject =>
            kind: "kind",
            user: "user",
            group: "group",
            service_account: "serviceAccount",
        );
        let name_of = |value| text(member(value, "name"));
        Self {
            kind: text(kind),
            user: optional(user).map(name_of),
            group: optional(group).map(name_of),
            service_account: optional(service_account).map(ServiceAccount::from),
        }
    }
}

/// A service account.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServiceAccount<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

impl<'a> From<&'a Value> for ServiceAccount<'a> {
    fn from(account: &'a Value) -> Self {
        members!(account => namespace: "namespace", name: "name");
        Self { namespace: text(namespace), name: text(name) }
    }
}

/// Which requests for resources match.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResourceRule<'a> {
    pub(super) verbs: Texts<'a>,
    pub(super) api_groups: Texts<'a>,
    pub(super) resources: Texts<'a>,
    pub(super) cluster_scope: bool,
    pub(super) namespaces: Texts<'a>,
}

impl<'a> From<&'a Value> for ResourceRule<'a> {
    fn from(rule: &'a Value) -> Self {
        members!(rule =>
            verbs: "verbs",
            api_groups: "apiGroups",
            resources: "resources",
            cluster_scope: "clusterScope",
            namespaces: "namespaces",
        );
        Self {
            verbs: Texts::of(verbs),
            api_groups: Texts::of(api_groups),
            resources: Texts::of(resources),
            cluster_scope: cluster_scope.as_bool().unwrap_or_default(),
            namespaces: Texts::of(namespaces),
        }
    }
}

/// Which requests for other paths match.
#[derive(Debug, Clone, Copy)]
pub(super) struct NonResourceRule<'a> {
    pub(super) verbs: Texts<'a>,
    pub(super) urls: Texts<'a>,
}

impl<'a> From<&'a Value> for NonResourceRule<'a> {
    fn from(rule: &'a Value) -> Self {
        members!(rule => verbs: "verbs", urls: "nonResourceURLs");
        Self { verbs: Texts::of(verbs), urls: Texts::of(urls) }
    }
}
