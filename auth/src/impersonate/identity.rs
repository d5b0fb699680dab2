//! The permissions on the identity itself: name, uid, groups and extras, each on its own.

use super::{Mode, extra};
use crate::authorize::{Attributes, Authorizer, Forbidden, ResourceTarget, Target};
use crate::user::{MASTERS_GROUP, NODES_GROUP, ServiceAccountName, User, node_name};

const AUTHENTICATION_GROUP: &str = "authentication.k8s.io";

/// From this many groups or extra values on, one permission for all of them is tried first.
const MANY: usize = 4;

/// One way of being allowed an identity.
pub(super) struct Permission<'a> {
    authorizer: &'a dyn Authorizer,
    requester: &'a User,
    /// `None` for the classic permission.
    mode: Option<Mode>,
}

impl<'a> Permission<'a> {
    pub(super) fn classic(authorizer: &'a dyn Authorizer, requester: &'a User) -> Self {
        Self { authorizer, requester, mode: None }
    }

    pub(super) fn constrained(
        authorizer: &'a dyn Authorizer,
        requester: &'a User,
        mode: Mode,
    ) -> Self {
        Self { authorizer, requester, mode: Some(mode) }
    }

    /// The wanted user with the groups that follow from the name, if every part is allowed.
    pub(super) fn check(&self, wanted: &User) -> Result<User, Forbidden> {
        let mut user = wanted.clone();
        self.check_name(&mut user)?;
        if !wanted.uid.is_empty() {
            self.ask(authentication("uids", &wanted.uid))?;
        }
        self.check_groups(&wanted.groups)?;
        self.check_extra(wanted)?;
        Ok(user)
    }

    fn check_name(&self, user: &mut User) -> Result<(), Forbidden> {
        let name = user.name.clone();
        let mut target = self.in_identity_group("users", &name);
        if self.mode.is_some()
            && let Some(node) = node_name(&name)
        {
            // Permission for the node of one's own token holds for whichever node that is.
            let node = if self.mode == Some(Mode::AssociatedNode) { "*" } else { node };
            target = self.in_identity_group("nodes", node);
            user.groups = vec![NODES_GROUP.to_owned()];
        }
        if let Some(account) = ServiceAccountName::from_user_name(&name) {
            target = ResourceTarget {
                namespace: account.namespace,
                ..self.in_identity_group("serviceaccounts", account.name)
            };
            if user.groups.is_empty() {
                user.groups = account.groups().into();
            }
        }
        self.ask(target)
    }

    fn check_groups(&self, groups: &[String]) -> Result<(), Forbidden> {
        if self.mode.is_some() {
            if groups.iter().any(String::is_empty) {
                let reason = "impersonating the empty string group is not allowed";
                return Err(self.refuse(self.in_identity_group("groups", ""), reason));
            }
            if groups.iter().any(|group| group == MASTERS_GROUP) {
                let reason = "impersonating the system:masters group is not allowed";
                return Err(self.refuse(self.in_identity_group("groups", MASTERS_GROUP), reason));
            }
            if groups.len() >= MANY && self.ask(self.in_identity_group("groups", "*")).is_ok() {
                return Ok(());
            }
        }
        groups.iter().try_for_each(|group| self.ask(self.in_identity_group("groups", group)))
    }

    fn check_extra(&self, wanted: &User) -> Result<(), Forbidden> {
        if self.mode.is_some() {
            if let Err(reason) = extra::validate(&wanted.extra) {
                return Err(self.refuse(authentication("userextras", ""), &reason));
            }
            let values: usize = wanted.extra.values().map(Vec::len).sum();
            if values >= MANY && self.ask(extra_value("*", "*")).is_ok() {
                return Ok(());
            }
        }
        for (key, values) in &wanted.extra {
            values.iter().try_for_each(|value| self.ask(extra_value(key, value)))?;
        }
        Ok(())
    }

    /// Names and groups are in the core group for the classic permission.
    fn in_identity_group<'t>(&self, resource: &'t str, name: &'t str) -> ResourceTarget<'t> {
        match self.mode {
            Some(_) => authentication(resource, name),
            None => ResourceTarget { version: "v1", resource, name, ..ResourceTarget::default() },
        }
    }

    fn ask(&self, target: ResourceTarget<'_>) -> Result<(), Forbidden> {
        self.authorizer.check(&self.attributes(target))
    }

    fn refuse(&self, target: ResourceTarget<'_>, reason: &str) -> Forbidden {
        Forbidden::new(&self.attributes(target), reason)
    }

    fn attributes<'t>(&'t self, target: ResourceTarget<'t>) -> Attributes<'t> {
        let verb = self.mode.map_or("impersonate", Mode::identity_verb);
        Attributes { user: self.requester, verb, target: Target::Resource(target) }
    }
}

fn authentication<'t>(resource: &'t str, name: &'t str) -> ResourceTarget<'t> {
    let group = AUTHENTICATION_GROUP;
    ResourceTarget { group, version: "v1", resource, name, ..ResourceTarget::default() }
}

fn extra_value<'t>(key: &'t str, value: &'t str) -> ResourceTarget<'t> {
    ResourceTarget { subresource: key, ..authentication("userextras", value) }
}
