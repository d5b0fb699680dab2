//! Acting as somebody else (spec: apimachinery 5.6).

use std::collections::BTreeMap;

use api::status::Status;
use http::HeaderMap;

use super::{AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};
use crate::authz::{Attributes, Target};
use crate::request::header_text;

const USER: http::HeaderName = http::HeaderName::from_static("impersonate-user");
const UID: http::HeaderName = http::HeaderName::from_static("impersonate-uid");
const GROUP: http::HeaderName = http::HeaderName::from_static("impersonate-group");
const EXTRA: &str = "impersonate-extra-";

const SERVICE_ACCOUNT: &str = "system:serviceaccount:";
const NODE: &str = "system:node:";
const AUTHENTICATION_GROUP: &str = "authentication.k8s.io";

/// Whom the headers name; `None` if they name nobody.
///
/// # Errors
///
/// 400 for headers that name groups and no user.
pub fn requested(headers: &HeaderMap) -> Result<Option<User>, Status> {
    let groups = headers.get_all(GROUP).iter().filter_map(|value| value.to_str().ok());
    let mut extra: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        let (Some(key), Ok(value)) = (name.as_str().strip_prefix(EXTRA), value.to_str()) else {
            continue;
        };
        extra.entry(percent_decoded(key)).or_default().push(value.to_owned());
    }
    let user = User {
        name: header_text(headers, &USER).to_owned(),
        uid: header_text(headers, &UID).to_owned(),
        groups: groups.map(str::to_owned).collect(),
        extra,
    };
    if !user.name.is_empty() {
        return Ok(Some(user));
    }
    if user == User::default() {
        return Ok(None);
    }
    Err(Status::bad_request(format!("requested {user} without impersonating a user name")))
}

fn percent_decoded(key: &str) -> String {
    let query = crate::request::query::Query::parse(&format!("k={}", key.replace('+', "%2B")));
    query.first("k").unwrap_or(key).to_owned()
}

/// How somebody may be impersonated, other than in the old way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Node,
    ServiceAccount,
    UserInfo,
}

impl Mode {
    fn of(user: &User) -> Self {
        if user.name.starts_with(NODE) {
            Self::Node
        } else if user.name.starts_with(SERVICE_ACCOUNT) {
            Self::ServiceAccount
        } else {
            Self::UserInfo
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Node => "arbitrary-node",
            Self::ServiceAccount => "serviceaccount",
            Self::UserInfo => "user-info",
        }
    }
}

/// Whether `sender` may act as `user` for the request of these attributes; if not, the attributes
/// that it was refused for. `allows` asks the authorizer.
///
/// # Errors
///
/// The refused attributes.
pub fn check(
    sender: &User,
    user: &User,
    request: &Attributes,
    allows: impl Fn(&User, &Attributes) -> bool,
) -> Result<(), Box<Attributes>> {
    let mode = Mode::of(user);
    let on_request = Attributes {
        verb: format!("impersonate-on:{}:{}", mode.name(), request.verb),
        target: request.target.clone(),
    };
    let constrained = !user.is_in(MASTERS)
        && allows(sender, &on_request)
        && identity(user, &format!("impersonate:{}", mode.name()), true)
            .iter()
            .all(|attributes| allows(sender, attributes));
    let classic =
        || identity(user, "impersonate", false).iter().all(|attributes| allows(sender, attributes));
    if constrained || classic() { Ok(()) } else { Err(Box::new(on_request)) }
}

/// What one must be allowed to in order to be somebody.
fn identity(user: &User, verb: &str, constrained: bool) -> Vec<Attributes> {
    let attributes =
        |group: &str, resource: &str, subresource: &str, namespace: &str, name: &str| Attributes {
            verb: verb.to_owned(),
            target: Target::Resource {
                group: group.to_owned(),
                version: String::new(),
                resource: resource.to_owned(),
                subresource: subresource.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            },
        };
    let group = if constrained { AUTHENTICATION_GROUP } else { "" };
    let account = user.name.strip_prefix(SERVICE_ACCOUNT).and_then(|rest| rest.split_once(':'));
    let mut needed = vec![match account {
        Some((namespace, name)) => attributes(group, "serviceaccounts", "", namespace, name),
        None => attributes(group, "users", "", "", &user.name),
    }];
    needed.extend(user.groups.iter().map(|name| attributes(group, "groups", "", "", name)));
    for (key, values) in &user.extra {
        let extra = |value| attributes(AUTHENTICATION_GROUP, "userextras", key, "", value);
        needed.extend(values.iter().map(|value| extra(value)));
    }
    if !user.uid.is_empty() {
        needed.push(attributes(AUTHENTICATION_GROUP, "uids", "", "", &user.uid));
    }
    needed
}

/// The user as whom a request goes on: groups that follow from the name are added.
#[must_use]
pub fn resulting(mut user: User) -> User {
    if user.groups.is_empty()
        && let Some(rest) = user.name.strip_prefix(SERVICE_ACCOUNT)
        && let Some((namespace, _)) = rest.split_once(':')
    {
        user.groups.push("system:serviceaccounts".to_owned());
        user.groups.push(format!("system:serviceaccounts:{namespace}"));
    }
    debug_assert!(AUTHENTICATED != UNAUTHENTICATED);
    user.authenticated()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn groups_without_a_user_are_refused() {
        let status = requested(&headers(&[("impersonate-uid", "77")])).unwrap_err();
        assert_eq!(
            status.message,
            "requested &user.DefaultInfo{Name:\"\", UID:\"77\", Groups:[]string(nil), \
             Extra:map[string][]string(nil)} without impersonating a user name"
        );
        assert_eq!(requested(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn service_accounts_get_their_groups() {
        let user = User { name: "system:serviceaccount:ns:sa".to_owned(), ..User::default() };
        assert_eq!(
            resulting(user).groups,
            ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"]
        );
    }

    #[test]
    fn keys_of_extras_are_decoded() {
        let user =
            requested(&headers(&[("impersonate-user", "u"), ("impersonate-extra-a%2fb", "x")]));
        assert_eq!(user.unwrap().unwrap().extra["a/b"], ["x"]);
    }
}
