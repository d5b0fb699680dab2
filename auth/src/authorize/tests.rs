use super::*;
use crate::authorize::node::NodeAuthorizer;
use crate::authorize::rbac::{RbacAuthorizer, RbacIndex};
use std::sync::Arc;

fn modes(list: &str) -> Union {
    let rbac = Arc::new(RbacAuthorizer::new(RbacIndex::default()));
    let modes: Vec<AuthorizationMode> = list.split(',').map(|mode| mode.parse().unwrap()).collect();
    Union::of_modes(&modes, &rbac, &Arc::new(NodeAuthorizer::try_new().unwrap()))
}

fn get_metrics(user: &User) -> Attributes<'_> {
    Attributes { user, verb: "get", target: Target::NonResource { path: "/metrics" } }
}

#[test]
fn the_first_mode_with_an_opinion_decides() {
    let alice = User::new("alice");
    for (list, allowed) in
        [("AlwaysAllow", true), ("AlwaysDeny,AlwaysAllow", true), ("Node,RBAC", false)]
    {
        assert_eq!(modes(list).authorize(&get_metrics(&alice)).is_allowed(), allowed, "{list}");
    }
}

#[test]
fn masters_may_do_everything_in_every_mode() {
    let admin = User::new("admin").with_groups([crate::user::MASTERS_GROUP]);
    for list in ["AlwaysDeny", "RBAC", "Node"] {
        assert_eq!(modes(list).authorize(&get_metrics(&admin)), Authorization::ALLOW, "{list}");
    }
}

#[test]
fn always_deny_says_why() {
    let alice = User::new("alice");
    let refusal = modes("AlwaysDeny,RBAC").check(&get_metrics(&alice)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "forbidden: User \"alice\" cannot get path \"/metrics\": Everything is forbidden."
    );
}

/// Gives each request the same answer.
struct Fixed(Authorization);

impl Authorizer for Fixed {
    fn authorize(&self, _: &Attributes<'_>) -> Authorization {
        self.0.clone()
    }

    fn rules_for(&self, _: &User, _: &str) -> UserRules {
        UserRules::default()
    }
}

#[test]
fn reasons_without_opinions_are_put_together() {
    let without_opinion = |reason: &'static str| -> Arc<dyn Authorizer> {
        let authorization =
            Authorization { decision: Decision::NoOpinion, reason: Cow::Borrowed(reason) };
        Arc::new(Fixed(authorization))
    };
    let union = Union::new(vec![without_opinion("a"), without_opinion(""), without_opinion("b")]);
    assert_eq!(union.authorize(&get_metrics(&User::new("x"))).reason, "a\nb");
}

#[test]
fn a_denial_ends_the_question() {
    let denial = Authorization { decision: Decision::Deny, reason: Cow::Borrowed("no") };
    let union = Union::new(vec![Arc::new(Fixed(denial.clone())), Arc::new(AlwaysAllow)]);
    assert_eq!(union.authorize(&get_metrics(&User::new("x"))), denial);
}

#[test]
fn nodes_learn_that_their_rights_cannot_be_listed() {
    let node = User::new("system:node:n1").with_groups(["system:nodes"]);
    let rules = modes("Node,RBAC").rules_for(&node, "default");
    assert!(rules.incomplete);
    assert_eq!(rules.evaluation_error, "node authorizer does not support user rule resolution");
    assert_eq!(modes("Node,RBAC").rules_for(&User::new("a"), "default"), UserRules::default());
}

#[test]
fn everything_is_listed_when_everything_is_allowed() {
    let rules = modes("AlwaysAllow").rules_for(&User::new("a"), "default");
    assert_eq!(
        serde_json::to_value(rules).unwrap(),
        serde_json::json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        })
    );
}

#[test]
fn unknown_modes_are_named() {
    assert_eq!(
        "Magic".parse::<AuthorizationMode>().unwrap_err().to_string(),
        "authorization-mode \"Magic\" is not a valid mode"
    );
}
