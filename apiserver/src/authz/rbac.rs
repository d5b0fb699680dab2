//! Roles and bindings: the default ones, and those of the made identities.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Attributes, Target};
use crate::authn::User;

/// The default roles and bindings.
const BOOTSTRAP: &str = include_str!("bootstrap.json");

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Objects {
    clusterroles: Vec<Role>,
    clusterrolebindings: Vec<Binding>,
    roles: Vec<Role>,
    rolebindings: Vec<Binding>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Role {
    name: String,
    namespace: String,
    labels: BTreeMap<String, String>,
    rules: Vec<PolicyRule>,
    aggregation_rule: Option<Aggregation>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Aggregation {
    cluster_role_selectors: Vec<Selector>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Selector {
    match_labels: BTreeMap<String, String>,
}

/// What a role allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolicyRule {
    /// The verbs.
    pub verbs: Vec<String>,
    /// The API groups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    /// The resources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    /// The names, if it is for some only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    /// Other paths.
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub non_resource_urls: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Binding {
    namespace: String,
    role_ref: RoleRef,
    subjects: Vec<Subject>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct RoleRef {
    kind: String,
    name: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Subject {
    kind: String,
    name: String,
    namespace: String,
}

/// Rules in force for somebody: in every namespace, or in one.
#[derive(Debug)]
struct Grant {
    subjects: Vec<Subject>,
    /// `None` everywhere.
    namespace: Option<String>,
    rules: Vec<PolicyRule>,
}

/// Roles and bindings, resolved.
#[derive(Debug)]
pub struct Rbac {
    grants: Vec<Grant>,
}

/// The rules of a user, as a review shows them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RulesOf {
    /// Those for objects.
    pub resource: Vec<PolicyRule>,
    /// Those for other paths.
    pub non_resource: Vec<PolicyRule>,
}

impl Rbac {
    /// The default roles and bindings, and further bindings of groups to cluster roles.
    ///
    /// # Panics
    ///
    /// Never: the default roles are part of the program and read by a test.
    #[must_use]
    pub fn bootstrap(groups: &[(&str, &str)]) -> Self {
        #[expect(clippy::expect_used, reason = "part of the program, and read by a test")]
        let mut objects: Objects = serde_json::from_str(BOOTSTRAP).expect("bootstrap.json reads");
        objects.clusterrolebindings.extend(groups.iter().map(|(group, role)| Binding {
            role_ref: RoleRef { kind: "ClusterRole".to_owned(), name: (*role).to_owned() },
            subjects: vec![Subject {
                kind: "Group".to_owned(),
                name: (*group).to_owned(),
                namespace: String::new(),
            }],
            namespace: String::new(),
        }));
        Self::resolve(&objects)
    }

    /// Lets a group look at flow control everywhere, which no default role but the great ones does.
    #[must_use]
    pub fn with_readers_of_flow_control(mut self, group: &str) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let rule = PolicyRule {
            verbs: texts(&["get", "list", "watch"]),
            api_groups: texts(&["flowcontrol.apiserver.k8s.io"]),
            resources: texts(&["*"]),
            ..PolicyRule::default()
        };
        let subject =
            Subject { kind: "Group".to_owned(), name: group.to_owned(), ..Subject::default() };
        self.grants.push(Grant { subjects: vec![subject], namespace: None, rules: vec![rule] });
        self
    }

    fn resolve(objects: &Objects) -> Self {
        let cluster_role = |name: &str| {
            objects.clusterroles.iter().find(|role| role.name == name).map(|role| {
                let mut visited = Vec::new();
                all_rules(role, &objects.clusterroles, &mut visited)
            })
        };
        let role = |namespace: &str, name: &str| {
            let found = objects.roles.iter().find(|r| r.name == name && r.namespace == namespace);
            found.map(|role| role.rules.clone())
        };
        let mut grants = Vec::new();
        for binding in &objects.clusterrolebindings {
            if let Some(rules) = cluster_role(&binding.role_ref.name) {
                let subjects = binding.subjects.clone();
                grants.push(Grant { subjects, namespace: None, rules });
            }
        }
        for binding in &objects.rolebindings {
            let rules = match binding.role_ref.kind.as_str() {
                "ClusterRole" => cluster_role(&binding.role_ref.name),
                _ => role(&binding.namespace, &binding.role_ref.name),
            };
            if let Some(rules) = rules {
                let namespace = Some(binding.namespace.clone());
                grants.push(Grant { subjects: binding.subjects.clone(), namespace, rules });
            }
        }
        Self { grants }
    }

    /// Whether some rule allows it.
    #[must_use]
    pub fn allows(&self, user: &User, attributes: &Attributes) -> bool {
        let namespace = match &attributes.target {
            Target::Resource { namespace, .. } => namespace.as_str(),
            Target::Path(_) => "",
        };
        self.grants_of(user, namespace)
            .any(|grant| grant.rules.iter().any(|rule| rule.allows(attributes, grant)))
    }

    /// The rules in force for a user in a namespace.
    #[must_use]
    pub fn rules_of(&self, user: &User, namespace: &str) -> RulesOf {
        let mut rules = RulesOf::default();
        for grant in self.grants_of(user, namespace) {
            for rule in &grant.rules {
                if !rule.resources.is_empty() {
                    rules.resource.push(PolicyRule { non_resource_urls: vec![], ..rule.clone() });
                }
                if !rule.non_resource_urls.is_empty() && grant.namespace.is_none() {
                    rules.non_resource.push(PolicyRule {
                        verbs: rule.verbs.clone(),
                        non_resource_urls: rule.non_resource_urls.clone(),
                        ..PolicyRule::default()
                    });
                }
            }
        }
        rules
    }

    fn grants_of<'a>(
        &'a self,
        user: &'a User,
        namespace: &'a str,
    ) -> impl Iterator<Item = &'a Grant> {
        self.grants.iter().filter(move |grant| {
            let here = grant
                .namespace
                .as_deref()
                .is_none_or(|own| !namespace.is_empty() && own == namespace);
            here && grant.subjects.iter().any(|subject| subject.is(user))
        })
    }
}

/// A role's rules, with those of the roles that it aggregates.
fn all_rules<'a>(role: &'a Role, roles: &'a [Role], visited: &mut Vec<&'a str>) -> Vec<PolicyRule> {
    if visited.contains(&role.name.as_str()) {
        return Vec::new();
    }
    visited.push(&role.name);
    let mut rules = role.rules.clone();
    for selector in role.aggregation_rule.iter().flat_map(|rule| &rule.cluster_role_selectors) {
        let selected = |other: &&Role| {
            selector.match_labels.iter().all(|(key, value)| other.labels.get(key) == Some(value))
        };
        for other in roles.iter().filter(selected) {
            rules.extend(all_rules(other, roles, visited));
        }
    }
    rules
}

impl Subject {
    fn is(&self, user: &User) -> bool {
        match self.kind.as_str() {
            "User" => self.name == "*" || self.name == user.name,
            "Group" => user.is_in(&self.name),
            _ => user
                .name
                .strip_prefix(SERVICE_ACCOUNT)
                .and_then(|rest| rest.split_once(':'))
                .is_some_and(|(namespace, name)| namespace == self.namespace && name == self.name),
        }
    }
}

impl PolicyRule {
    fn allows(&self, attributes: &Attributes, grant: &Grant) -> bool {
        let listed =
            |list: &[String], item: &str| list.iter().any(|other| other == "*" || other == item);
        if !listed(&self.verbs, &attributes.verb) {
            return false;
        }
        match &attributes.target {
            Target::Path(path) => {
                grant.namespace.is_none()
                    && self.non_resource_urls.iter().any(|url| covers(url, path))
            }
            Target::Resource { group, resource, subresource, name, .. } => {
                listed(&self.api_groups, group)
                    && self.resources.iter().any(|r| names(r, resource, subresource))
                    && (self.resource_names.is_empty()
                        || self.resource_names.iter().any(|other| other == name))
            }
        }
    }
}

/// Whether a rule's resource names a resource and subresource.
fn names(rule: &str, resource: &str, subresource: &str) -> bool {
    if rule == "*" {
        return true;
    }
    match rule.split_once('/') {
        None => subresource.is_empty() && rule == resource,
        Some(("*", sub)) => !subresource.is_empty() && sub == subresource,
        Some((of, sub)) => of == resource && sub == subresource,
    }
}

/// Whether a rule's path covers a path; `*` at the end covers everything that begins so.
fn covers(url: &str, path: &str) -> bool {
    match url.strip_suffix('*') {
        Some(start) => path.starts_with(start),
        None => url == path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str, groups: &[&str]) -> User {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        User { name: name.to_owned(), groups, ..User::default() }.authenticated()
    }

    fn path(path: &str) -> Attributes {
        Attributes { verb: "get".to_owned(), target: Target::Path(path.to_owned()) }
    }

    fn resource(verb: &str, group: &str, resource: &str, namespace: &str) -> Attributes {
        let target = Target::Resource {
            group: group.to_owned(),
            version: "v1".to_owned(),
            resource: resource.to_owned(),
            subresource: String::new(),
            namespace: namespace.to_owned(),
            name: String::new(),
        };
        Attributes { verb: verb.to_owned(), target }
    }

    #[test]
    fn the_default_roles_allow_what_they_should() {
        let rbac = Rbac::bootstrap(&[]);
        let anonymous = User::anonymous();
        let alice = user("alice", &["dev"]);
        let manager = user("system:kube-controller-manager", &[]);
        let flow_control = "flowcontrol.apiserver.k8s.io";
        for (who, what, allowed) in [
            (&anonymous, path("/healthz"), true),
            (&anonymous, path("/healthz/ping"), false),
            (&anonymous, path("/api"), false),
            (&alice, path("/api"), true),
            (&alice, path("/apis/apps"), true),
            (&alice, path("/metrics"), false),
            (&alice, resource("list", flow_control, "flowschemas", ""), false),
            (
                &alice,
                resource("create", "authorization.k8s.io", "selfsubjectaccessreviews", ""),
                true,
            ),
            (&manager, resource("list", flow_control, "flowschemas", ""), true),
            (&user("system:kube-scheduler", &[]), resource("list", "", "pods", "ns1"), true),
        ] {
            assert_eq!(rbac.allows(who, &what), allowed, "{} {what:?}", who.name);
        }
    }

    #[test]
    fn a_group_can_be_bound_to_a_role_that_aggregates_others() {
        let rbac = Rbac::bootstrap(&[("readers", "view")]);
        let reader = user("r", &["readers"]);
        assert!(rbac.allows(&reader, &resource("list", "", "pods", "ns1")));
        assert!(!rbac.allows(&reader, &resource("delete", "", "pods", "ns1")));
        assert!(!rbac.rules_of(&reader, "ns1").resource.is_empty());
    }

    #[test]
    fn resources_are_named_with_their_subresources() {
        assert!(names("*", "pods", "log") && names("pods/log", "pods", "log"));
        assert!(names("*/status", "pods", "status"));
        assert!(!names("pods", "pods", "log") && !names("pods/log", "pods", ""));
    }
}
