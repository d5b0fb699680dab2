//! Writes the rules of cluster roles that are made of others (upstream: the clusterrole-aggregation
//! controller). What may be done does not depend on it: the authorizer puts rules together itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::status::Status;
use auth::authorize::rbac::Role;
use serde::Deserialize as _;
use serde_json::{Value, json};
use storage::cache::Freshness;

use super::until_stopped;
use super::writer::Kind;
use crate::handlers::Part;
use crate::server::Server;

const GROUP: &str = "rbac.authorization.k8s.io";
const FIELD_MANAGER: &str = "clusterrole-aggregation-controller";

/// Writes what is missing, and from then on what changes.
pub(super) async fn start(server: &Arc<Server>) -> Result<(), String> {
    let kind = Kind::find(server, GROUP, "v1", "clusterroles")?;
    let mut watch = kind.store.cache.subscribe_with_state();
    pass(&kind).await?;
    until_stopped(server, async move {
        loop {
            if watch.events.recv().await.is_none() {
                watch = kind.store.cache.subscribe_with_state();
            }
            while watch.events.try_recv().is_ok() {}
            if let Err(error) = pass(&kind).await {
                tracing::error!(%error, "cluster roles could not be put together");
            }
        }
    });
    Ok(())
}

async fn pass(kind: &Kind) -> Result<(), String> {
    let list = kind.store.cache.list(Freshness::Consistent).await.map_err(|e| e.to_string())?;
    let resource = &kind.store.resource;
    let roles = list.entries.iter().map(|entry| entry.object.value(resource)).collect();
    let writes = stale(roles).into_iter().map(|(name, rules)| write(kind, name, rules));
    futures_util::future::try_join_all(writes).await.map(drop)
}

async fn write(kind: &Kind, name: String, rules: Vec<Value>) -> Result<(), String> {
    let context = kind.context(FIELD_MANAGER, "", &name, Part::WHOLE);
    let applied = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": { "name": name },
        "rules": rules,
    });
    match context.update(|live| context.applied(Some(live), &applied, true)).await {
        // It was deleted meanwhile, or is looked at again after what changed it.
        Ok(_) | Err(Status { code: 404 | 409, .. }) => Ok(()),
        Err(status) => Err(format!("{name}: {}", status.message)),
    }
}

/// A role, as stored and as read.
struct Stored {
    object: Value,
    role: Role,
}

/// The roles whose rules are not those of their parts, by name, with the rules that they should
/// have. Parts may be made of others: passes go on until nothing changes, at most once for each
/// role.
fn stale(roles: Vec<Value>) -> BTreeMap<String, Vec<Value>> {
    let read = |object: Value| Role::deserialize(&object).ok().map(|role| Stored { object, role });
    let mut roles: Vec<Stored> = roles.into_iter().filter_map(read).collect();
    roles.sort_by(|a, b| a.role.metadata.name.cmp(&b.role.metadata.name));
    let mut stale = BTreeMap::new();
    for _ in 0..roles.len() {
        let changed: Vec<_> = roles.iter().filter_map(|role| wanted(role, &roles)).collect();
        if changed.is_empty() {
            break;
        }
        for (name, rules) in changed {
            for stored in roles.iter_mut().filter(|stored| stored.role.metadata.name == name) {
                stored.object["rules"] = rules.clone().into();
            }
            stale.insert(name, rules);
        }
    }
    stale
}

/// The rules that a role should have, if it has others: those of the roles that its selectors pick,
/// selector by selector and by name, each once.
fn wanted(role: &Stored, roles: &[Stored]) -> Option<(String, Vec<Value>)> {
    let name = &role.role.metadata.name;
    let mut rules: Vec<Value> = Vec::new();
    for selector in &role.role.aggregation_rule.as_ref()?.cluster_role_selectors {
        let picked = roles.iter().filter(|other| other.role.metadata.name != *name);
        for part in picked.filter(|other| selector.matches(&other.role.metadata.labels)) {
            for rule in rules_of(&part.object) {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        }
    }
    (rules != rules_of(&role.object)).then(|| (name.clone(), rules))
}

fn rules_of(role: &Value) -> &[Value] {
    role["rules"].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(verb: &str) -> Value {
        json!({ "verbs": [verb], "apiGroups": [""], "resources": ["pods"] })
    }

    fn part(name: &str, label: &str, verbs: &[&str]) -> Value {
        let rules: Vec<_> = verbs.iter().map(|verb| rule(verb)).collect();
        json!({ "metadata": { "name": name, "labels": { label: "true" } }, "rules": rules })
    }

    fn whole(name: &str, own: &str, parts: &str, rules: &[Value]) -> Value {
        json!({
            "metadata": { "name": name, "labels": { own: "true" } },
            "aggregationRule": { "clusterRoleSelectors": [{ "matchLabels": { parts: "true" } }] },
            "rules": rules,
        })
    }

    #[test]
    fn a_role_gets_the_rules_of_its_parts_once_and_by_their_names() {
        let stale = stale(vec![
            whole("view", "none", "to-view", &[]),
            part("b", "to-view", &["get", "list"]),
            part("a", "to-view", &["watch", "get"]),
            part("c", "to-edit", &["delete"]),
        ]);
        assert_eq!(stale["view"], [rule("watch"), rule("get"), rule("list")]);
        assert_eq!(stale.len(), 1);
    }

    #[test]
    fn parts_may_be_made_of_parts() {
        let stale = stale(vec![
            whole("admin", "none", "to-admin", &[]),
            whole("edit", "to-admin", "to-edit", &[]),
            part("x", "to-edit", &["get"]),
        ]);
        assert_eq!((&stale["admin"], &stale["edit"]), (&vec![rule("get")], &vec![rule("get")]));
    }

    #[test]
    fn rules_that_no_part_has_go_and_right_ones_are_left_alone() {
        let stale_role = whole("view", "none", "to-view", &[rule("get"), rule("own")]);
        let parts = part("x", "to-view", &["get"]);
        assert_eq!(stale(vec![stale_role, parts.clone()])["view"], [rule("get")]);
        let right = whole("view", "none", "to-view", &[rule("get")]);
        assert!(stale(vec![right, parts]).is_empty());
        assert!(stale(vec![whole("none", "none", "nothing", &[])]).is_empty());
    }

    #[test]
    fn circles_come_to_an_end() {
        let one = whole("one", "to-two", "to-one", &[rule("get")]);
        let two = whole("two", "to-one", "to-two", &[rule("list")]);
        assert!(stale(vec![one, two]).len() <= 2);
    }
}
