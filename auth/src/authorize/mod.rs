//! May they? Authorizers, how several are joined, and the refusal (spec: apimachinery 5.2, 5.5).

mod attributes;
mod forbidden;
mod modes;
pub mod node;
pub mod rbac;
mod rules;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub use attributes::{Attributes, ResourceTarget, Target};
pub use forbidden::Forbidden;
pub use modes::{AlwaysAllow, AlwaysDeny, AuthorizationMode, Union, UnknownMode};
pub use rules::{NonResourceRule, ResourceRule, UserRules};

use crate::user::User;

/// What an authorizer thinks of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The request may go on; nobody else is asked.
    Allow,
    /// The request is refused; nobody else is asked.
    Deny,
    /// Somebody else may decide; refused if nobody does.
    NoOpinion,
}

/// A decision and, if there is something to say, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The decision.
    pub decision: Decision,
    /// Why; empty if the authorizer does not say.
    pub reason: Cow<'static, str>,
}

impl Authorization {
    /// An allowance without a reason.
    pub const ALLOW: Self = Self { decision: Decision::Allow, reason: Cow::Borrowed("") };
    /// Nothing to say.
    pub const NO_OPINION: Self = Self { decision: Decision::NoOpinion, reason: Cow::Borrowed("") };

    /// Whether the request may go on.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.decision == Decision::Allow
    }
}

/// Decides what users may do.
pub trait Authorizer: Send + Sync {
    /// Decides on one request.
    fn authorize(&self, attributes: &Attributes<'_>) -> Authorization;

    /// What a user may do in a namespace, as far as it can be listed.
    fn rules_for(&self, user: &User, namespace: &str) -> UserRules;

    /// Lets a request pass, or makes the refusal.
    ///
    /// # Errors
    /// [`Forbidden`] unless the decision is [`Decision::Allow`].
    fn check(&self, attributes: &Attributes<'_>) -> Result<(), Forbidden> {
        let authorization = self.authorize(attributes);
        if authorization.is_allowed() {
            return Ok(());
        }
        Err(Forbidden::new(attributes, &authorization.reason))
    }
}
