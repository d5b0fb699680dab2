//! Policy arranged by who asks, so that a request looks only at the bindings that name its user.

use std::collections::BTreeMap;
use std::sync::Arc;

use validation::text::go_quote;

use super::aggregate;
use super::objects::{Binding, PolicyObjects, Role, Subject};
use super::rule::PolicyRule;
use crate::authorize::rules::{NonResourceRule, ResourceRule, UserRules};
use crate::authorize::{Attributes, Authorization, Decision, Target};
use crate::user::{ServiceAccountName, User};

type Rules = Arc<[PolicyRule]>;

/// All roles and bindings, ready for lookups. It does not change; build another one instead.
#[derive(Debug, Default)]
pub struct RbacIndex {
    cluster_wide: Grants,
    by_namespace: BTreeMap<String, Grants>,
}

/// The bindings of one scope, by whom they name.
#[derive(Debug, Default)]
struct Grants {
    by_user: BTreeMap<String, Vec<Grant>>,
    by_group: BTreeMap<String, Vec<Grant>>,
}

/// One binding, as one of its subjects has it.
#[derive(Debug, Clone)]
struct Grant {
    /// The binding, its role and its subject, for the reason of an allowance.
    description: Arc<str>,
    /// The role's rules, or the error that there is no such role.
    rules: Result<Rules, Arc<str>>,
}

impl RbacIndex {
    /// Arranges policy. Aggregated cluster roles get the rules of their parts.
    #[must_use]
    pub fn build(objects: &PolicyObjects) -> Self {
        let roles = Roles::read(objects);
        let mut index = Self::default();
        for binding in in_order(&objects.cluster_role_bindings) {
            index.cluster_wide.add(binding, &roles);
        }
        for binding in in_order(&objects.role_bindings) {
            let namespace = binding.metadata.namespace.clone();
            index.by_namespace.entry(namespace).or_default().add(binding, &roles);
        }
        index
    }

    /// Decides on one request: allowed if any rule of any of the user's bindings allows it,
    /// cluster-wide bindings first, then those of the request's namespace.
    #[must_use]
    pub fn authorize(&self, attributes: &Attributes<'_>) -> Authorization {
        let namespace = match attributes.target {
            Target::Resource(target) => target.namespace,
            Target::NonResource { .. } => "",
        };
        let mut errors = Vec::new();
        for grant in self.grants(attributes.user, namespace) {
            match &grant.rules {
                Ok(rules) if rules.iter().any(|rule| rule.allows(attributes)) => {
                    let reason = format!("RBAC: allowed by {}", grant.description).into();
                    return Authorization { decision: Decision::Allow, reason };
                }
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            return Authorization::NO_OPINION;
        }
        let reason = format!("RBAC: {}", join_errors(&errors)).into();
        Authorization { decision: Decision::NoOpinion, reason }
    }

    /// Everything that a user's bindings allow in a namespace and cluster-wide.
    #[must_use]
    pub fn rules_for(&self, user: &User, namespace: &str) -> UserRules {
        let mut found = UserRules::default();
        let mut errors = Vec::new();
        for grant in self.grants(user, namespace) {
            match &grant.rules {
                Ok(rules) => rules.iter().for_each(|rule| list_rule(&mut found, rule)),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            found.evaluation_error = join_errors(&errors);
        }
        found
    }

    fn grants<'a>(&'a self, user: &'a User, namespace: &str) -> impl Iterator<Item = &'a Grant> {
        let namespaced = self.by_namespace.get(namespace).filter(|_| !namespace.is_empty());
        std::iter::once(&self.cluster_wide).chain(namespaced).flat_map(|grants| grants.of(user))
    }
}

impl Grants {
    fn add(&mut self, binding: &Binding, roles: &Roles<'_>) {
        let rules = roles.of(binding);
        for subject in &binding.subjects {
            let (map, name) = match subject.kind.as_str() {
                "User" => (&mut self.by_user, subject.name.clone()),
                "Group" => (&mut self.by_group, subject.name.clone()),
                "ServiceAccount" => {
                    let Some(name) = service_account_user(subject, binding) else { continue };
                    (&mut self.by_user, name)
                }
                _ => continue,
            };
            let description = describe(binding, subject).into();
            map.entry(name).or_default().push(Grant { description, rules: rules.clone() });
        }
    }

    fn of<'a>(&'a self, user: &'a User) -> impl Iterator<Item = &'a Grant> {
        let as_user = self.by_user.get(&user.name);
        as_user.into_iter().chain(user.groups.iter().filter_map(|g| self.by_group.get(g))).flatten()
    }
}

/// Every role's rules by where a binding looks for them.
struct Roles<'a> {
    cluster_wide: BTreeMap<&'a str, Rules>,
    namespaced: BTreeMap<(&'a str, &'a str), Rules>,
}

impl<'a> Roles<'a> {
    fn read(objects: &'a PolicyObjects) -> Self {
        let aggregated = aggregate::rules_by_name(&objects.cluster_roles);
        let key = |role: &'a Role| (role.metadata.namespace.as_str(), role.metadata.name.as_str());
        Self {
            cluster_wide: aggregated
                .into_iter()
                .map(|(name, rules)| (name, rules.into()))
                .collect(),
            namespaced: objects
                .roles
                .iter()
                .map(|role| (key(role), role.rules.clone().into()))
                .collect(),
        }
    }

    fn of(&self, binding: &Binding) -> Result<Rules, Arc<str>> {
        let name = binding.role_ref.name.as_str();
        let (kind, rules) = match binding.role_ref.kind.as_str() {
            "ClusterRole" => ("clusterrole", self.cluster_wide.get(name)),
            _ => ("role", self.namespaced.get(&(binding.metadata.namespace.as_str(), name))),
        };
        rules.cloned().ok_or_else(|| {
            format!("{kind}.rbac.authorization.k8s.io {} not found", go_quote(name)).into()
        })
    }
}

fn in_order(bindings: &[Binding]) -> Vec<&Binding> {
    let mut bindings: Vec<&Binding> = bindings.iter().collect();
    bindings.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    bindings
}

fn service_account_namespace<'a>(subject: &'a Subject, binding: &'a Binding) -> &'a str {
    if subject.namespace.is_empty() { &binding.metadata.namespace } else { &subject.namespace }
}

fn service_account_user(subject: &Subject, binding: &Binding) -> Option<String> {
    let namespace = service_account_namespace(subject, binding);
    let account = ServiceAccountName { namespace, name: &subject.name };
    (!namespace.is_empty()).then(|| account.user_name())
}

fn describe(binding: &Binding, subject: &Subject) -> String {
    let Binding { metadata, role_ref, .. } = binding;
    let (kind, name) = match metadata.namespace.as_str() {
        "" => ("ClusterRoleBinding", go_quote(&metadata.name)),
        namespace => ("RoleBinding", go_quote(&format!("{}/{namespace}", metadata.name))),
    };
    let to = match subject.kind.as_str() {
        "ServiceAccount" => {
            format!("{}/{}", subject.name, service_account_namespace(subject, binding))
        }
        _ => subject.name.clone(),
    };
    let role = go_quote(&role_ref.name);
    format!("{kind} {name} of {} {role} to {} {}", role_ref.kind, subject.kind, go_quote(&to))
}

fn list_rule(found: &mut UserRules, rule: &PolicyRule) {
    if !rule.resources.is_empty() {
        found.resource_rules.push(ResourceRule {
            verbs: rule.verbs.clone(),
            api_groups: rule.api_groups.clone(),
            resources: rule.resources.clone(),
            resource_names: rule.resource_names.clone(),
        });
    }
    if !rule.non_resource_urls.is_empty() {
        found.non_resource_rules.push(NonResourceRule {
            verbs: rule.verbs.clone(),
            non_resource_urls: rule.non_resource_urls.clone(),
        });
    }
}

/// One error as it is, several in brackets, each once.
fn join_errors(errors: &[&Arc<str>]) -> String {
    let mut unique: Vec<&str> = Vec::new();
    for error in errors {
        if !unique.contains(&error.as_ref()) {
            unique.push(error);
        }
    }
    match unique.as_slice() {
        [only] => (*only).to_owned(),
        several => format!("[{}]", several.join(", ")),
    }
}
