//! Nobody can grant more than they may do themselves (spec: apimachinery 5.3).

use api::status::Status;
use auth::User;
use auth::authorize::rbac::{PolicyRule, uncovered};
use auth::authorize::{Attributes, Authorizer as _, ResourceTarget, Target};
use serde_json::Value;

use super::write::WriteContext;
use crate::objects::metadata;

const GROUP: &str = "rbac.authorization.k8s.io";
/// Members of this group may do everything, whatever roles say.
const MASTERS: &str = "system:masters";

impl WriteContext<'_> {
    /// Refuses roles and bindings that give what their writer does not have, unless the writer may
    /// `escalate` or `bind`. `live` is the object as it was.
    pub(super) fn check_grants(&self, live: Option<&Value>, object: &Value) -> Result<(), Status> {
        let user = self.origin.user.as_deref();
        let Some(user) = user.filter(|user| !user.groups.iter().any(|group| group == MASTERS))
        else {
            return Ok(());
        };
        if self.resource.kind.group != GROUP || self.server.access.rbac.is_none() {
            return Ok(());
        }
        match self.resource.described.plural.as_str() {
            "roles" | "clusterroles" => {
                let same = live.is_some_and(|live| {
                    live["rules"] == object["rules"]
                        && live["aggregationRule"] == object["aggregationRule"]
                });
                let name = metadata::text(object, "name");
                let own = self.resource.described.plural.as_str();
                if same || self.may(user, "escalate", own, self.namespace, name) {
                    return Ok(());
                }
                self.check_rules(user, &object["rules"], object)
            }
            "rolebindings" | "clusterrolebindings" => {
                let same = live.is_some_and(|live| {
                    live["roleRef"] == object["roleRef"] && live["subjects"] == object["subjects"]
                });
                if same { Ok(()) } else { self.check_binding(user, object) }
            }
            _ => Ok(()),
        }
    }

    fn check_binding(&self, user: &User, binding: &Value) -> Result<(), Status> {
        let name = binding["roleRef"]["name"].as_str().unwrap_or_default();
        let (plural, namespace) = match binding["roleRef"]["kind"].as_str() {
            Some("Role") => ("roles", self.namespace),
            _ => ("clusterroles", ""),
        };
        if self.may(user, "bind", plural, self.namespace, name) {
            return Ok(());
        }
        let Some(role) = self.server.catalog.peek().stores.peek(GROUP, plural, namespace, name)
        else {
            let resource = api::status::GroupResource { group: GROUP, resource: plural };
            return Err(Status::not_found(resource, name));
        };
        let role: Value = serde_json::from_slice(role.object.item_json()).unwrap_or_default();
        self.check_rules(user, &role["rules"], binding)
    }

    fn may(&self, user: &User, verb: &str, resource: &str, namespace: &str, name: &str) -> bool {
        let target = ResourceTarget {
            group: GROUP,
            version: &self.resource.kind.version,
            resource,
            namespace,
            name,
            ..ResourceTarget::default()
        };
        let attributes = Attributes { user, verb, target: Target::Resource(target) };
        self.server.access.authorizer.authorize(&attributes).is_allowed()
    }

    fn check_rules(&self, user: &User, rules: &Value, object: &Value) -> Result<(), Status> {
        let rules: Vec<PolicyRule> = serde_json::from_value(rules.clone()).unwrap_or_default();
        let own = self.server.access.authorizer.rules_for(user, self.namespace);
        let missing = uncovered(&own, &rules);
        if missing.is_empty() {
            return Ok(());
        }
        let groups: Vec<String> =
            user.groups.iter().map(|group| validation::text::go_quote(group)).collect();
        let why = format!(
            "user {} (groups=[{}]) is attempting to grant RBAC permissions not currently held:\n{}",
            validation::text::go_quote(&user.name),
            groups.join(" "),
            missing.join("\n")
        );
        let name = metadata::text(object, "name");
        Err(Status::forbidden(self.resource.group_resource(), name, &why))
    }
}
