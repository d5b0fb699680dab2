use serde_json::{Value, json};

use super::*;
use crate::authorize::{Forbidden, Union};
use crate::request_info::RequestInfo;
use crate::user::{AUTHENTICATED_GROUP, ServiceAccountName};

/// A user as authentication would make it.
fn user(name: &str) -> User {
    let mut user = match name {
        "anonymous" => User::anonymous(),
        "system:node:n1" => User::new(name).with_groups(["system:nodes"]),
        "monitor" => User::new(name).with_groups(["system:monitoring"]),
        other => match ServiceAccountName::from_user_name(other) {
            Some(account) => User::new(other).with_groups(account.groups()),
            None => User::new(other).with_groups(["dev"]),
        },
    };
    user.ensure_authenticated();
    user
}

fn request(method: &str, url: &str) -> RequestInfo {
    let (path, query) = url.split_once('?').map_or((url, None), |(path, q)| (path, Some(q)));
    RequestInfo::resolve(method, path, query).unwrap()
}

fn may(index: &RbacIndex, who: &str, method: &str, url: &str) -> bool {
    let (user, info) = (user(who), request(method, url));
    index.authorize(&Attributes::of_request(&user, &info)).is_allowed()
}

fn index_of(objects: &[Value]) -> RbacIndex {
    let mut policy = PolicyObjects::default();
    for object in objects {
        policy.add(object).unwrap();
    }
    RbacIndex::build(&policy)
}

fn default_index() -> RbacIndex {
    RbacIndex::build(&bootstrap::policy().unwrap())
}

const FLOW_SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const DEPLOYER: &str = "system:serviceaccount:kube-system:deployment-controller";

#[test]
fn default_policy_allows_what_it_should_and_no_more() {
    let index = default_index();
    let allowed = [
        ("anonymous", "GET", "/healthz"),
        ("anonymous", "GET", "/version"),
        ("anonymous", "GET", "/version/"),
        ("alice", "GET", "/api"),
        ("alice", "GET", "/apis/apps/v1"),
        ("alice", "GET", "/openapi/v3"),
        ("alice", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"),
        ("alice", "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"),
        ("monitor", "GET", "/metrics"),
        ("monitor", "GET", "/healthz/ping"),
        ("system:kube-scheduler", "GET", "/api/v1/pods"),
        ("system:kube-scheduler", "GET", "/api/v1/pods?watch=1"),
        ("system:kube-scheduler", "POST", "/api/v1/namespaces/x/pods/p/binding"),
        (
            "system:kube-scheduler",
            "GET",
            "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
        ),
        ("system:kube-controller-manager", "GET", FLOW_SCHEMAS),
        ("system:kube-controller-manager", "POST", "/api/v1/namespaces/x/serviceaccounts/y/token"),
        (DEPLOYER, "PUT", "/apis/apps/v1/namespaces/x/deployments/y/status"),
        ("system:serviceaccount:a:b", "GET", "/openid/v1/jwks"),
    ];
    for (who, method, url) in allowed {
        assert!(may(&index, who, method, url), "{who} {method} {url}");
    }
    let refused = [
        ("anonymous", "GET", "/healthz/ping"),
        ("anonymous", "HEAD", "/healthz"),
        ("anonymous", "GET", "/api"),
        ("anonymous", "GET", "/"),
        ("anonymous", "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews"),
        ("alice", "GET", "/metrics"),
        ("alice", "GET", "/nope"),
        ("alice", "GET", "/openid/v1/jwks"),
        ("alice", "GET", "/api/v1/namespaces/default/pods"),
        ("alice", "GET", FLOW_SCHEMAS),
        ("system:kube-scheduler", "GET", "/api/v1/secrets"),
        ("system:kube-scheduler", "PUT", "/api/v1/namespaces/x/pods/p"),
        (
            "system:kube-scheduler",
            "GET",
            "/api/v1/namespaces/other/configmaps/extension-apiserver-authentication",
        ),
        ("system:kube-controller-manager", "POST", FLOW_SCHEMAS),
        ("system:node:n1", "GET", "/api/v1/nodes/n1"),
        ("system:node:n1", "GET", "/api/v1/pods"),
        (
            "system:serviceaccount:default:deployment-controller",
            "PUT",
            "/apis/apps/v1/namespaces/x/deployments/y/status",
        ),
    ];
    for (who, method, url) in refused {
        assert!(!may(&index, who, method, url), "{who} {method} {url}");
    }
}

#[test]
fn default_policy_is_whole() {
    let policy = bootstrap::policy().unwrap();
    assert_eq!(policy.cluster_roles.len(), 73);
    assert_eq!(policy.cluster_role_bindings.len(), 54);
    assert_eq!((policy.roles.len(), policy.role_bindings.len()), (7, 7));
    let dangling = default_index();
    let user = User::new("system:kube-scheduler").with_groups([AUTHENTICATED_GROUP]);
    assert_eq!(dangling.rules_for(&user, "kube-system").evaluation_error, "");
}

#[test]
fn default_objects_carry_their_marks() {
    let objects = bootstrap::objects().unwrap();
    let edit = objects.iter().find(|object| object["metadata"]["name"] == "edit").unwrap();
    assert_eq!(edit["kind"], "ClusterRole");
    assert_eq!(edit["apiVersion"], "rbac.authorization.k8s.io/v1");
    assert_eq!(
        edit["metadata"],
        json!({
            "name": "edit",
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
            "labels": {
                "kubernetes.io/bootstrapping": "rbac-defaults",
                "rbac.authorization.k8s.io/aggregate-to-admin": "true",
            },
        })
    );
}

/// Binds a cluster role to one subject, cluster-wide.
fn bind(role: &str, kind: &str, name: &str) -> Value {
    json!({
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "b"},
        "roleRef": {"kind": "ClusterRole", "name": role},
        "subjects": [{"kind": kind, "name": name}],
    })
}

#[test]
fn aggregated_roles_have_the_rules_of_their_parts() {
    let with = |role: &str| {
        let mut policy = bootstrap::policy().unwrap();
        policy.add(&bind(role, "User", "alice")).unwrap();
        RbacIndex::build(&policy)
    };
    let pods = "/api/v1/namespaces/x/pods";
    let roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/x/roles";
    for (role, reads, writes, grants) in
        [("view", true, false, false), ("edit", true, true, false), ("admin", true, true, true)]
    {
        let index = with(role);
        assert_eq!(may(&index, "alice", "GET", pods), reads, "{role}");
        assert_eq!(may(&index, "alice", "POST", pods), writes, "{role}");
        assert_eq!(may(&index, "alice", "POST", roles), grants, "{role}");
        assert!(!may(&index, "bob", "GET", pods));
    }
}

#[test]
fn aggregation_selects_by_labels_and_expressions() {
    let part = |name: &str, labels: Value, resource: &str| {
        json!({"kind": "ClusterRole", "metadata": {"name": name, "labels": labels},
            "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": [resource]}]})
    };
    let index = index_of(&[
        part("a", json!({"team": "x"}), "pods"),
        part("b", json!({"team": "y"}), "secrets"),
        part("c", json!({}), "nodes"),
        json!({"kind": "ClusterRole", "metadata": {"name": "all", "labels": {"team": "x"}},
            "rules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "aggregationRule": {"clusterRoleSelectors": [
                {"matchExpressions": [{"key": "team", "operator": "In", "values": ["x", "z"]}]},
                {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}]}}),
        bind("all", "Group", "dev"),
    ]);
    assert!(may(&index, "alice", "GET", "/api/v1/namespaces/x/pods/p"));
    assert!(may(&index, "alice", "GET", "/api/v1/nodes/n"));
    assert!(!may(&index, "alice", "GET", "/api/v1/namespaces/x/secrets/s"));
}

/// One role with one rule, bound to alice cluster-wide.
fn with_rule(rule: &Value) -> RbacIndex {
    index_of(&[
        json!({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": [rule]}),
        bind("r", "User", "alice"),
    ])
}

#[test]
fn rules_match_resources_and_subresources_separately() {
    let cases = [
        ("pods", "/api/v1/namespaces/x/pods/p", true),
        ("pods", "/api/v1/namespaces/x/pods/p/status", false),
        ("pods/status", "/api/v1/namespaces/x/pods/p/status", true),
        ("pods/status", "/api/v1/namespaces/x/pods/p", false),
        ("*/status", "/api/v1/namespaces/x/pods/p/status", true),
        ("*/status", "/api/v1/namespaces/x/pods/p/log", false),
        ("*/*", "/api/v1/namespaces/x/pods/p/log", false),
        ("*", "/api/v1/namespaces/x/pods/p/log", true),
        ("*", "/apis/apps/v1/namespaces/x/deployments/d", false),
    ];
    for (resource, url, expected) in cases {
        let index = with_rule(&json!({"verbs": ["*"], "apiGroups": [""], "resources": [resource]}));
        assert_eq!(may(&index, "alice", "GET", url), expected, "{resource} {url}");
    }
}

#[test]
fn names_restrict_a_rule_and_selectors_can_meet_them() {
    let index = with_rule(&json!({"verbs": ["get", "list", "create", "deletecollection"],
        "apiGroups": [""], "resources": ["pods"], "resourceNames": ["p"]}));
    let pods = "/api/v1/namespaces/x/pods";
    let selecting = format!("{pods}?fieldSelector=metadata.name%3Dp");
    assert!(may(&index, "alice", "GET", "/api/v1/namespaces/x/pods/p"));
    assert!(!may(&index, "alice", "GET", "/api/v1/namespaces/x/pods/q"));
    assert!(may(&index, "alice", "GET", &selecting));
    assert!(!may(&index, "alice", "GET", pods));
    assert!(!may(&index, "alice", "POST", pods));
    assert!(!may(&index, "alice", "DELETE", &selecting));
}

#[test]
fn paths_match_whole_or_up_to_a_star() {
    let index = with_rule(&json!({"verbs": ["get"], "nonResourceURLs": ["/a", "/b/*"]}));
    for (path, expected) in
        [("/a", true), ("/a/", false), ("/b/", true), ("/b/c/d", true), ("/b", false)]
    {
        assert_eq!(may(&index, "alice", "GET", path), expected, "{path}");
    }
    let index = with_rule(&json!({"verbs": ["get"], "nonResourceURLs": ["*"]}));
    assert!(may(&index, "alice", "GET", "/anything"));
}

fn namespaced(role_kind: &str) -> RbacIndex {
    let rules = json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]);
    index_of(&[
        json!({"kind": "Role", "metadata": {"name": "r", "namespace": "x"}, "rules": rules}),
        json!({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules}),
        json!({"kind": "RoleBinding", "metadata": {"name": "b", "namespace": "x"},
            "roleRef": {"kind": role_kind, "name": "r"},
            "subjects": [{"kind": "ServiceAccount", "name": "sa"}]}),
    ])
}

#[test]
fn role_bindings_reach_their_own_namespace_only() {
    for kind in ["Role", "ClusterRole"] {
        let index = namespaced(kind);
        let account = "system:serviceaccount:x:sa";
        assert!(may(&index, account, "GET", "/api/v1/namespaces/x/pods/p"));
        assert!(!may(&index, account, "GET", "/api/v1/namespaces/y/pods/p"));
        assert!(!may(&index, account, "GET", "/api/v1/nodes/n"));
        assert!(!may(&index, "system:serviceaccount:y:sa", "GET", "/api/v1/namespaces/x/pods/p"));
    }
}

fn reason(index: &RbacIndex, who: &str, method: &str, url: &str) -> String {
    let (user, info) = (user(who), request(method, url));
    index.authorize(&Attributes::of_request(&user, &info)).reason.into_owned()
}

#[test]
fn allowances_name_the_binding() {
    assert_eq!(
        reason(&default_index(), "alice", "GET", "/api"),
        "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \
         \"system:discovery\" to Group \"system:authenticated\""
    );
    let pod = "/api/v1/namespaces/x/pods/p";
    assert_eq!(
        reason(&namespaced("Role"), "system:serviceaccount:x:sa", "GET", pod),
        "RBAC: allowed by RoleBinding \"b/x\" of Role \"r\" to ServiceAccount \"sa/x\""
    );
}

#[test]
fn bindings_to_missing_roles_show_in_refusals() {
    let index = index_of(&[bind("gone", "User", "alice")]);
    assert_eq!(
        reason(&index, "alice", "GET", "/metrics"),
        "RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found"
    );
    assert_eq!(reason(&index, "bob", "GET", "/metrics"), "");
    assert_eq!(
        index.rules_for(&user("alice"), "default").evaluation_error,
        "clusterrole.rbac.authorization.k8s.io \"gone\" not found"
    );
}

#[test]
fn rules_of_a_user_are_listed_in_full() {
    let rules = default_index().rules_for(&user("alice"), "default");
    assert_eq!(
        serde_json::to_value(&rules.resource_rules).unwrap(),
        json!([
            {"verbs": ["create"], "apiGroups": ["authorization.k8s.io"],
             "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]},
            {"verbs": ["create"], "apiGroups": ["authentication.k8s.io"],
             "resources": ["selfsubjectreviews"]},
        ])
    );
    let paths: Vec<_> = rules.non_resource_rules.iter().map(|r| &r.non_resource_urls).collect();
    assert!(paths.iter().any(|urls| urls.contains(&"/openapi/*".to_owned())));
    assert!(!rules.incomplete);
}

#[test]
fn a_new_policy_is_in_force_at_once() {
    let rbac = Arc::new(RbacAuthorizer::default());
    let union = Union::new(vec![Arc::<RbacAuthorizer>::clone(&rbac)]);
    let (alice, info) = (user("alice"), request("GET", "/api"));
    let question = Attributes::of_request(&alice, &info);
    let refusal: Forbidden = union.check(&question).unwrap_err();
    assert_eq!(refusal.to_string(), "forbidden: User \"alice\" cannot get path \"/api\"");
    rbac.replace(default_index());
    assert_eq!(union.check(&question), Ok(()));
}

#[test]
fn objects_of_other_kinds_and_shapes_are_errors() {
    let mut policy = PolicyObjects::default();
    let unknown = policy.add(&json!({"kind": "Pod"})).unwrap_err();
    assert_eq!(unknown.to_string(), "\"Pod\" is not a kind of role or binding");
    assert!(policy.add(&json!({"kind": "Role", "rules": [{"verbs": "get"}]})).is_err());
    policy.add(&json!({"kind": "ClusterRole", "metadata": {"name": "x"}, "rules": null})).unwrap();
    assert_eq!(policy.cluster_roles.len(), 1);
}
