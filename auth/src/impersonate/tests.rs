use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;

use super::*;
use crate::authorize::{Authorization, Target, UserRules};
use crate::request_info::RequestInfo;

/// Allows exactly the listed questions, each written `verb group/resource[/sub] [ns/]name`.
struct Only(Vec<String>);

fn only(questions: &[&str]) -> Only {
    Only(questions.iter().map(|&question| question.to_owned()).collect())
}

impl Authorizer for Only {
    fn authorize(&self, attributes: &Attributes<'_>) -> Authorization {
        let asked = match attributes.target {
            Target::NonResource { path } => format!("{} {path}", attributes.verb),
            Target::Resource(t) => {
                let subresource = if t.subresource.is_empty() {
                    String::new()
                } else {
                    format!("/{}", t.subresource)
                };
                let namespace = if t.namespace.is_empty() {
                    String::new()
                } else {
                    format!("{}/", t.namespace)
                };
                format!(
                    "{} {}/{}{subresource} {namespace}{}",
                    attributes.verb, t.group, t.resource, t.name
                )
            }
        };
        if self.0.contains(&asked) { Authorization::ALLOW } else { Authorization::NO_OPINION }
    }

    fn rules_for(&self, _: &User, _: &str) -> UserRules {
        UserRules::default()
    }
}

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

fn wanted(pairs: &[(&str, &str)]) -> User {
    requested_user(&headers(pairs)).unwrap().unwrap()
}

/// Whom `requester` gets to be for a `GET /api`, or the refusal's text.
fn get_api(authorizer: &Only, requester: &User, wanted: &User) -> Result<Impersonated, String> {
    let info = RequestInfo::resolve("GET", "/api", None).unwrap();
    let attributes = Attributes::of_request(requester, &info);
    impersonate(authorizer, ConstrainedImpersonation::Enabled, &attributes, wanted)
        .map_err(|refusal| refusal.to_string())
}

fn alice() -> User {
    User::new("alice").with_groups(["dev"])
}

#[test]
fn headers_without_a_user_are_an_error_that_shows_them() {
    let error = requested_user(&headers(&[("Impersonate-Group", "dev")])).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)} without impersonating a user name"#
    );
    let error = requested_user(&headers(&[("Impersonate-Uid", "77")])).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"requested &user.DefaultInfo{Name:"", UID:"77", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name"#
    );
    assert!(requested_user(&headers(&[("Impersonate-Extra-a", "b")])).is_err());
    assert_eq!(requested_user(&headers(&[("Accept", "x")])), Ok(None));
}

#[test]
fn headers_are_read_whole() {
    let user = wanted(&[
        ("Impersonate-User", "u"),
        ("Impersonate-Uid", "77"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Extra-Acme.com%2FScope", "1"),
        ("Impersonate-Extra-Acme.com%2FScope", "2"),
        ("Impersonate-Extra-bad%zz", "3"),
    ]);
    assert_eq!((user.name.as_str(), user.uid.as_str()), ("u", "77"));
    assert_eq!(user.groups, ["b", "a"]);
    assert_eq!(user.extra["acme.com/scope"], ["1", "2"]);
    assert_eq!(user.extra["bad%zz"], ["3"]);
}

#[test]
fn only_impersonation_headers_are_stripped() {
    let mut headers = headers(&[
        ("Impersonate-User", "u"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Uid", "1"),
        ("Impersonate-Extra-x", "y"),
        ("Accept", "z"),
    ]);
    strip_headers(&mut headers);
    assert_eq!(headers.keys().collect::<Vec<_>>(), [http::header::ACCEPT]);
}

#[test]
fn a_refusal_is_that_of_the_first_mode_that_applies() {
    let refusal = |user: &str| {
        get_api(&only(&[]), &alice(), &wanted(&[("Impersonate-User", user)])).unwrap_err()
    };
    for (user, mode) in [
        ("bob", "user-info"),
        ("system:serviceaccount:ns:sa", "serviceaccount"),
        ("system:node:n1", "arbitrary-node"),
    ] {
        let expected =
            format!("forbidden: User \"alice\" cannot impersonate-on:{mode}:get path \"/api\"");
        assert_eq!(refusal(user), expected);
    }
}

#[test]
fn with_the_gate_off_the_refusal_is_the_classic_one() {
    let (alice, info) = (alice(), RequestInfo::resolve("GET", "/api", None).unwrap());
    let refusal = impersonate(
        &only(&[]),
        ConstrainedImpersonation::Disabled,
        &Attributes::of_request(&alice, &info),
        &User::new("bob"),
    );
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "users \"bob\" is forbidden: User \"alice\" cannot impersonate resource \"users\" in API \
         group \"\" at the cluster scope"
    );
}

#[test]
fn the_classic_permission_covers_each_part() {
    let wanted = wanted(&[
        ("Impersonate-User", "bob"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "g"),
        ("Impersonate-Extra-scopes", "s"),
    ]);
    let all = [
        "impersonate /users bob",
        "impersonate authentication.k8s.io/uids 7",
        "impersonate /groups g",
        "impersonate authentication.k8s.io/userextras/scopes s",
    ];
    let impersonated = get_api(&only(&all), &alice(), &wanted).unwrap();
    assert_eq!(impersonated.constraint, None);
    assert_eq!(impersonated.user.groups, ["g", "system:authenticated"]);
    for missing in 0..all.len() {
        let mut some = all.to_vec();
        some.remove(missing);
        assert!(get_api(&only(&some), &alice(), &wanted).is_err(), "{}", all[missing]);
    }
}

#[test]
fn the_constrained_permission_needs_identity_and_action() {
    let bob = User::new("bob");
    let action = "impersonate-on:user-info:get /api";
    let identity = "impersonate:user-info authentication.k8s.io/users bob";
    let impersonated = get_api(&only(&[action, identity]), &alice(), &bob).unwrap();
    assert_eq!(impersonated.constraint, Some("impersonate:user-info"));
    assert!(get_api(&only(&[identity]), &alice(), &bob).is_err());
    assert_eq!(
        get_api(&only(&[action]), &alice(), &bob).unwrap_err(),
        "users.authentication.k8s.io \"bob\" is forbidden: User \"alice\" cannot \
         impersonate:user-info resource \"users\" in API group \"authentication.k8s.io\" at the \
         cluster scope"
    );
}

#[test]
fn constrained_modes_refuse_masters_and_nameless_groups() {
    let allowed = only(&[
        "impersonate-on:user-info:get /api",
        "impersonate:user-info authentication.k8s.io/users bob",
        "impersonate:user-info authentication.k8s.io/groups system:masters",
        "impersonate:user-info authentication.k8s.io/groups ",
    ]);
    let refusal = |group: &str| {
        get_api(&allowed, &alice(), &User::new("bob").with_groups([group])).unwrap_err()
    };
    assert!(
        refusal("system:masters")
            .ends_with(": impersonating the system:masters group is not allowed")
    );
    assert!(refusal("").ends_with(": impersonating the empty string group is not allowed"));
}

#[test]
fn many_groups_may_be_allowed_at_once() {
    let allowed = only(&[
        "impersonate-on:user-info:get /api",
        "impersonate:user-info authentication.k8s.io/users bob",
        "impersonate:user-info authentication.k8s.io/groups *",
    ]);
    let bob = |groups: &[&str]| User::new("bob").with_groups(groups.iter().copied());
    assert!(get_api(&allowed, &alice(), &bob(&["a", "b", "c", "d"])).is_ok());
    assert!(get_api(&allowed, &alice(), &bob(&["a", "b", "c"])).is_err());
}

#[test]
fn constrained_modes_take_well_formed_extras_only() {
    let allowed = only(&[
        "impersonate-on:user-info:get /api",
        "impersonate:user-info authentication.k8s.io/users bob",
        "impersonate:user-info authentication.k8s.io/userextras/a.io/x 1",
        "impersonate:user-info authentication.k8s.io/userextras/scopes 1",
    ]);
    let bob = |key: &str, values: &[&str]| {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        User { extra: BTreeMap::from([(key.to_owned(), values)]), ..User::new("bob") }
    };
    assert!(get_api(&allowed, &alice(), &bob("a.io/x", &["1"])).is_ok());
    for (key, values, expected) in [
        (
            "scopes",
            ["1"].as_slice(),
            "impersonating an invalid key in extra is not allowed: extra.key: \
            Invalid value: \"scopes\": must be a domain-prefixed path (such as \"acme.io/foo\")",
        ),
        ("", &["1"], "impersonating the empty string key in extra is not allowed"),
        ("a.io/X", &["1"], "impersonating a non-lowercase key in extra is not allowed: \"a.io/X\""),
        ("a.io/x", &[], "impersonating empty values in extra is not allowed"),
        ("a.io/x", &[""], "impersonating the empty string value in extra is not allowed"),
    ] {
        let refusal = get_api(&allowed, &alice(), &bob(key, values)).unwrap_err();
        assert!(refusal.ends_with(expected), "{refusal}");
    }
    let refusal = get_api(&allowed, &alice(), &bob("a.io/x y", &["1"])).unwrap_err();
    assert!(
        refusal.contains("extra.key: Invalid value: \"x y\": Invalid path (regex"),
        "{refusal}"
    );
}

#[test]
fn service_accounts_and_nodes_get_their_groups() {
    let account = wanted(&[("Impersonate-User", "system:serviceaccount:ns1:sa1")]);
    let classic = only(&["impersonate /serviceaccounts ns1/sa1"]);
    let constrained = only(&[
        "impersonate-on:serviceaccount:get /api",
        "impersonate:serviceaccount authentication.k8s.io/serviceaccounts ns1/sa1",
    ]);
    for authorizer in [classic, constrained] {
        assert_eq!(
            get_api(&authorizer, &alice(), &account).unwrap().user.groups,
            ["system:serviceaccounts", "system:serviceaccounts:ns1", "system:authenticated"]
        );
    }
    let node = only(&[
        "impersonate-on:arbitrary-node:get /api",
        "impersonate:arbitrary-node authentication.k8s.io/nodes n1",
    ]);
    assert_eq!(
        get_api(&node, &alice(), &User::new("system:node:n1")).unwrap().user.groups,
        ["system:nodes", "system:authenticated"]
    );
    let classic_node = only(&["impersonate /users system:node:n1"]);
    assert_eq!(
        get_api(&classic_node, &alice(), &User::new("system:node:n1")).unwrap().user.groups,
        ["system:authenticated"]
    );
}

#[test]
fn a_service_account_may_act_as_the_node_of_its_token() {
    let allowed = only(&[
        "impersonate-on:associated-node:get /api",
        "impersonate:associated-node authentication.k8s.io/nodes *",
    ]);
    let mut agent = User::new("system:serviceaccount:ns:agent");
    agent.extra.insert(NODE_NAME_KEY.to_owned(), vec!["n1".to_owned()]);
    let impersonated = get_api(&allowed, &agent, &User::new("system:node:n1")).unwrap();
    assert_eq!(impersonated.user.name, "system:node:n1");
    assert_eq!(impersonated.constraint, Some("impersonate:associated-node"));
    assert!(get_api(&allowed, &agent, &User::new("system:node:n2")).is_err());
    assert!(get_api(&allowed, &alice(), &User::new("system:node:n1")).is_err());
}

#[test]
fn known_and_unknown_users_get_the_group_that_says_so() {
    let groups = |name: &str, groups: &[&str]| {
        let wanted = User::new(name).with_groups(groups.iter().copied());
        let mut allowed = vec![format!("impersonate /users {name}")];
        allowed.extend(groups.iter().map(|group| format!("impersonate /groups {group}")));
        get_api(&Only(allowed), &alice(), &wanted).unwrap().user.groups
    };
    assert_eq!(groups("bob", &[]), ["system:authenticated"]);
    assert_eq!(groups("bob", &["system:unauthenticated"]), ["system:unauthenticated"]);
    assert_eq!(groups("system:anonymous", &[]), ["system:unauthenticated"]);
}

proptest! {
    #[test]
    fn any_headers_are_read_without_a_panic(
        pairs in prop::collection::vec(("(impersonate-(user|uid|group|extra-[a-z%0-9]{0,4}))", any::<Vec<u8>>()), 0..6),
    ) {
        let mut headers = HeaderMap::new();
        for (name, value) in &pairs {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
            }
        }
        let has_user = headers.get("impersonate-user").is_some_and(|user| !user.is_empty());
        let user = requested_user(&headers);
        prop_assert_eq!(matches!(user, Ok(Some(_))), has_user);
        strip_headers(&mut headers);
        prop_assert!(headers.is_empty());
    }
}
