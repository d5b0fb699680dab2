//! Roles and bindings, as far as deciding needs them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::rule::PolicyRule;

/// A `ClusterRole`, or a `Role` if it has a namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Role {
    /// Name, namespace and labels.
    pub metadata: Metadata,
    /// What the role allows.
    #[serde(deserialize_with = "null_as_default")]
    pub rules: Vec<PolicyRule>,
    /// If present, the rules are those of other cluster roles.
    pub aggregation_rule: Option<AggregationRule>,
}

/// A `ClusterRoleBinding`, or a `RoleBinding` if it has a namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Binding {
    /// Name and namespace.
    pub metadata: Metadata,
    /// Who gets the role.
    #[serde(deserialize_with = "null_as_default")]
    pub subjects: Vec<Subject>,
    /// Which role.
    pub role_ref: RoleRef,
}

/// The metadata that policy depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// Name of the object.
    pub name: String,
    /// Its namespace; empty for cluster-wide objects.
    pub namespace: String,
    /// Its labels.
    #[serde(deserialize_with = "null_as_default")]
    pub labels: BTreeMap<String, String>,
}

/// One who gets a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`; others match nobody.
    pub kind: String,
    /// Name of the user, group or service account.
    pub name: String,
    /// A service account's namespace; empty for that of the binding.
    pub namespace: String,
}

/// Which role a binding gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct RoleRef {
    /// `ClusterRole` or `Role`.
    pub kind: String,
    /// Name of the role.
    pub name: String,
}

/// Which cluster roles another one is made of: those that any selector picks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AggregationRule {
    /// The selectors.
    #[serde(deserialize_with = "null_as_default")]
    pub cluster_role_selectors: Vec<LabelSelector>,
}

/// A selector by labels; every requirement must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LabelSelector {
    /// Labels that must have these values.
    #[serde(deserialize_with = "null_as_default")]
    pub match_labels: BTreeMap<String, String>,
    /// Other requirements.
    #[serde(deserialize_with = "null_as_default")]
    pub match_expressions: Vec<LabelSelectorRequirement>,
}

/// A requirement on one label.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LabelSelectorRequirement {
    /// The label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`; others hold for nothing.
    pub operator: String,
    /// Values for `In` and `NotIn`.
    #[serde(deserialize_with = "null_as_default")]
    pub values: Vec<String>,
}

/// All policy there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyObjects {
    /// Every `ClusterRole`.
    pub cluster_roles: Vec<Role>,
    /// Every `ClusterRoleBinding`.
    pub cluster_role_bindings: Vec<Binding>,
    /// Every `Role`.
    pub roles: Vec<Role>,
    /// Every `RoleBinding`.
    pub role_bindings: Vec<Binding>,
}

/// An object that is no role and no binding.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The kind is none of the four.
    #[error("{0:?} is not a kind of role or binding")]
    UnknownKind(String),
    /// A field has another type than it should.
    #[error("a policy object cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
}

impl PolicyObjects {
    /// Adds an object by its `kind`. Fields that deciding does not need are ignored.
    ///
    /// # Errors
    /// [`ObjectError`] for another kind or a malformed object.
    pub fn add(&mut self, object: &Value) -> Result<(), ObjectError> {
        let kind = object.get("kind").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "ClusterRole" => self.cluster_roles.push(Role::deserialize(object)?),
            "ClusterRoleBinding" => self.cluster_role_bindings.push(Binding::deserialize(object)?),
            "Role" => self.roles.push(Role::deserialize(object)?),
            "RoleBinding" => self.role_bindings.push(Binding::deserialize(object)?),
            other => return Err(ObjectError::UnknownKind(other.to_owned())),
        }
        Ok(())
    }
}

impl LabelSelector {
    /// Whether the labels fulfil every requirement; an empty selector picks everything.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|requirement| requirement.holds_for(labels))
    }
}

impl LabelSelectorRequirement {
    fn holds_for(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        match self.operator.as_str() {
            "In" => value.is_some_and(|value| self.values.contains(value)),
            "NotIn" => value.is_none_or(|value| !self.values.contains(value)),
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }
}

/// Go writes empty lists as `null`.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
