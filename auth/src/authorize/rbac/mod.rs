//! Role-based access control: roles say what may be done, bindings say by whom (spec: apimachinery
//! 5.5).
//!
//! Policy objects are read into an [`index::RbacIndex`] whenever one changes; requests only look
//! things up in the newest index.

mod aggregate;
pub mod bootstrap;
mod escalation;
mod index;
mod objects;
mod rule;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arc_swap::ArcSwap;

pub use escalation::uncovered;
pub use index::RbacIndex;
pub use objects::{
    AggregationRule, Binding, LabelSelector, LabelSelectorRequirement, Metadata, ObjectError,
    PolicyObjects, Role, RoleRef, Subject,
};
pub use rule::PolicyRule;

use super::{Attributes, Authorization, Authorizer, UserRules};
use crate::user::User;

/// Decides by the newest policy it was given.
#[derive(Debug, Default)]
pub struct RbacAuthorizer {
    index: ArcSwap<RbacIndex>,
}

impl RbacAuthorizer {
    /// An authorizer with a policy.
    #[must_use]
    pub fn new(index: RbacIndex) -> Self {
        Self { index: ArcSwap::from_pointee(index) }
    }

    /// Puts another policy in force; requests being decided keep the old one.
    pub fn replace(&self, index: RbacIndex) {
        self.index.store(Arc::new(index));
    }
}

impl Authorizer for RbacAuthorizer {
    fn authorize(&self, attributes: &Attributes<'_>) -> Authorization {
        self.index.load().authorize(attributes)
    }

    fn rules_for(&self, user: &User, namespace: &str) -> UserRules {
        self.index.load().rules_for(user, namespace)
    }
}
