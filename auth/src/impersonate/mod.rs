//! Acting as somebody else (spec: apimachinery 5.6).
//!
//! Two kinds of permission exist. The classic one is verb `impersonate` on whoever is meant. The
//! constrained ones ask for verb `impersonate:<mode>` on whoever is meant, and besides for
//! `impersonate-on:<mode>:<verb>` on what the request does.

mod extra;
mod headers;
mod identity;
#[cfg(test)]
mod tests;

pub use headers::{NoUserName, requested_user, strip_headers};
pub(crate) use headers::{extra_key, header_text};

use std::collections::BTreeMap;

use crate::authorize::{Attributes, Authorizer, Forbidden};
use crate::user::{ANONYMOUS, NODE_NAME_KEY, ServiceAccountName, UNAUTHENTICATED_GROUP, User};
use crate::user::{is_service_account, node_name};
use identity::Permission;

/// Whether constrained impersonation is on (feature gate `ConstrainedImpersonation`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstrainedImpersonation {
    /// The constrained modes are tried before the classic one.
    Enabled,
    /// Only the classic permission counts.
    Disabled,
}

/// A constrained mode, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A service account acts as the node that its own token is bound to.
    AssociatedNode,
    /// Anybody acts as any node.
    ArbitraryNode,
    /// Anybody acts as a service account.
    ServiceAccount,
    /// Anybody acts as a user who is neither.
    UserInfo,
}

/// Whom the request acts as from here on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impersonated {
    /// The user, with all groups.
    pub user: User,
    /// Verb of the constrained mode that allowed it, for the audit log; `None` for the classic one.
    pub constraint: Option<&'static str>,
}

/// Stands for the requester's extra while the associated node's permissions are looked up, so that
/// these do not depend on the node.
const ASSOCIATED_NODE_KEYS: &str = "authentication.kubernetes.io/associated-node-keys";

/// Decides whether the user of `attributes` may make that request as the `wanted` user, who comes
/// from [`requested_user`].
///
/// # Errors
/// [`Forbidden`] of the first mode that could have applied.
pub fn impersonate(
    authorizer: &dyn Authorizer,
    gate: ConstrainedImpersonation,
    attributes: &Attributes<'_>,
    wanted: &User,
) -> Result<Impersonated, Forbidden> {
    let mut first_refusal = None;
    if gate == ConstrainedImpersonation::Enabled {
        for mode in Mode::ALL.into_iter().filter(|mode| mode.applies(attributes.user, wanted)) {
            match mode.try_impersonate(authorizer, attributes, wanted) {
                Ok(user) => {
                    return Ok(Impersonated { user, constraint: Some(mode.identity_verb()) });
                }
                Err(refusal) => first_refusal = first_refusal.or(Some(refusal)),
            }
        }
    }
    match Permission::classic(authorizer, attributes.user).check(wanted) {
        Ok(user) => Ok(Impersonated { user: complete(user), constraint: None }),
        Err(refusal) => Err(first_refusal.unwrap_or(refusal)),
    }
}

impl Mode {
    const ALL: [Self; 4] =
        [Self::AssociatedNode, Self::ArbitraryNode, Self::ServiceAccount, Self::UserInfo];

    fn name(self) -> &'static str {
        match self {
            Self::AssociatedNode => "associated-node",
            Self::ArbitraryNode => "arbitrary-node",
            Self::ServiceAccount => "serviceaccount",
            Self::UserInfo => "user-info",
        }
    }

    fn identity_verb(self) -> &'static str {
        match self {
            Self::AssociatedNode => "impersonate:associated-node",
            Self::ArbitraryNode => "impersonate:arbitrary-node",
            Self::ServiceAccount => "impersonate:serviceaccount",
            Self::UserInfo => "impersonate:user-info",
        }
    }

    fn applies(self, requester: &User, wanted: &User) -> bool {
        let only_name =
            wanted.uid.is_empty() && wanted.groups.is_empty() && wanted.extra.is_empty();
        let node = node_name(&wanted.name);
        match self {
            Self::AssociatedNode => only_name && node.is_some() && bound_node(requester) == node,
            Self::ArbitraryNode => only_name && node.is_some(),
            Self::ServiceAccount => only_name && is_service_account(&wanted.name),
            Self::UserInfo => node.is_none() && !is_service_account(&wanted.name),
        }
    }

    fn try_impersonate(
        self,
        authorizer: &dyn Authorizer,
        attributes: &Attributes<'_>,
        wanted: &User,
    ) -> Result<User, Forbidden> {
        let masked = (self == Self::AssociatedNode).then(|| mask_extra(attributes.user));
        let requester = masked.as_ref().unwrap_or(attributes.user);
        let verb = format!("impersonate-on:{}:{}", self.name(), attributes.verb);
        authorizer.check(&Attributes { user: requester, verb: &verb, ..*attributes })?;
        Permission::constrained(authorizer, requester, self).check(wanted).map(complete)
    }
}

/// The node that a service account's token is bound to.
fn bound_node(requester: &User) -> Option<&str> {
    ServiceAccountName::from_user_name(&requester.name)?;
    match requester.extra.get(NODE_NAME_KEY)?.as_slice() {
        [node] => Some(node),
        _ => None,
    }
}

fn mask_extra(requester: &User) -> User {
    let keys = requester.extra.keys().cloned().collect();
    let extra = BTreeMap::from([(ASSOCIATED_NODE_KEYS.to_owned(), keys)]);
    User { extra, ..requester.clone() }
}

/// Adds the group that says whether the user is known.
fn complete(mut user: User) -> User {
    if user.name == ANONYMOUS {
        user.ensure_group(UNAUTHENTICATED_GROUP);
    }
    user.ensure_authenticated();
    user
}
