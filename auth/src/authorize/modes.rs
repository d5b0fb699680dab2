//! The list of `--authorization-mode`, and the authorizers that need no policy.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;

use validation::text::go_quote;

use super::{Attributes, Authorization, Authorizer, Decision, UserRules, node, rbac};
use crate::user::{MASTERS_GROUP, User};

/// One entry of `--authorization-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuthorizationMode {
    /// Everybody may do everything.
    AlwaysAllow,
    /// Nobody may do anything.
    AlwaysDeny,
    /// What kubelets may do (spec: apimachinery 5.7).
    Node,
    /// Roles and bindings.
    Rbac,
}

/// There is no such mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("authorization-mode {} is not a valid mode", go_quote(.0))]
pub struct UnknownMode(String);

impl FromStr for AuthorizationMode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        match text {
            "AlwaysAllow" => Ok(Self::AlwaysAllow),
            "AlwaysDeny" => Ok(Self::AlwaysDeny),
            "Node" => Ok(Self::Node),
            "RBAC" => Ok(Self::Rbac),
            other => Err(UnknownMode(other.to_owned())),
        }
    }
}

/// Allows everything.
#[derive(Debug, Clone, Copy)]
pub struct AlwaysAllow;

impl Authorizer for AlwaysAllow {
    fn authorize(&self, _: &Attributes<'_>) -> Authorization {
        Authorization::ALLOW
    }

    fn rules_for(&self, _: &User, _: &str) -> UserRules {
        UserRules::all()
    }
}

/// Allows nothing. It has no opinion rather than denying, so that a mode behind it may allow.
#[derive(Debug, Clone, Copy)]
pub struct AlwaysDeny;

impl Authorizer for AlwaysDeny {
    fn authorize(&self, _: &Attributes<'_>) -> Authorization {
        let reason = Cow::Borrowed("Everything is forbidden.");
        Authorization { decision: Decision::NoOpinion, reason }
    }

    fn rules_for(&self, _: &User, _: &str) -> UserRules {
        UserRules::default()
    }
}

/// Authorizers in order: the first that allows or denies decides. Before all of them, group
/// `system:masters` is allowed everything.
pub struct Union {
    authorizers: Vec<Arc<dyn Authorizer>>,
}

impl Union {
    /// Joins authorizers.
    #[must_use]
    pub fn new(authorizers: Vec<Arc<dyn Authorizer>>) -> Self {
        Self { authorizers }
    }

    /// Joins the authorizers of a list of modes.
    #[must_use]
    pub fn of_modes(
        modes: &[AuthorizationMode],
        rbac: &Arc<rbac::RbacAuthorizer>,
        node: &Arc<node::NodeAuthorizer>,
    ) -> Self {
        let authorizer = |mode: &AuthorizationMode| -> Arc<dyn Authorizer> {
            match mode {
                AuthorizationMode::AlwaysAllow => Arc::new(AlwaysAllow),
                AuthorizationMode::AlwaysDeny => Arc::new(AlwaysDeny),
                AuthorizationMode::Node => Arc::<node::NodeAuthorizer>::clone(node),
                AuthorizationMode::Rbac => Arc::<rbac::RbacAuthorizer>::clone(rbac),
            }
        };
        Self::new(modes.iter().map(authorizer).collect())
    }
}

impl Authorizer for Union {
    fn authorize(&self, attributes: &Attributes<'_>) -> Authorization {
        if attributes.user.is_in(MASTERS_GROUP) {
            return Authorization::ALLOW;
        }
        let mut reasons = Vec::new();
        for authorizer in &self.authorizers {
            let authorization = authorizer.authorize(attributes);
            if authorization.decision != Decision::NoOpinion {
                return authorization;
            }
            if !authorization.reason.is_empty() {
                reasons.push(authorization.reason);
            }
        }
        let reason = match reasons.len() {
            0 | 1 => reasons.pop().unwrap_or_default(),
            _ => reasons.join("\n").into(),
        };
        Authorization { decision: Decision::NoOpinion, reason }
    }

    fn rules_for(&self, user: &User, namespace: &str) -> UserRules {
        let mut joined = UserRules::default();
        let mut errors = Vec::new();
        for authorizer in &self.authorizers {
            let rules = authorizer.rules_for(user, namespace);
            joined.resource_rules.extend(rules.resource_rules);
            joined.non_resource_rules.extend(rules.non_resource_rules);
            joined.incomplete |= rules.incomplete;
            errors.push(rules.evaluation_error);
        }
        errors.retain(|error| !error.is_empty());
        joined.evaluation_error = errors.join(", ");
        joined
    }
}
