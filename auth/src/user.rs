//! The identity that a request acts with (upstream: `user.Info`).

use std::collections::BTreeMap;

use validation::format::{Unit, dns_label, dns_subdomain};
use validation::text::go_quote;

/// Name of whoever shows no credential.
pub const ANONYMOUS: &str = "system:anonymous";
/// Group of every user who proved who they are.
pub const AUTHENTICATED_GROUP: &str = "system:authenticated";
/// Group of whoever did not.
pub const UNAUTHENTICATED_GROUP: &str = "system:unauthenticated";
/// Group that may do everything.
pub const MASTERS_GROUP: &str = "system:masters";
/// Group of the kubelets.
pub const NODES_GROUP: &str = "system:nodes";
/// Group of all service accounts.
pub const SERVICE_ACCOUNTS_GROUP: &str = "system:serviceaccounts";
/// Extra key that says which credential was shown.
pub const CREDENTIAL_ID_KEY: &str = "authentication.kubernetes.io/credential-id";
/// Extra key with the node that a service account's token is bound to.
pub const NODE_NAME_KEY: &str = "authentication.kubernetes.io/node-name";
/// Extra key with that node's uid.
pub const NODE_UID_KEY: &str = "authentication.kubernetes.io/node-uid";
/// Extra key with the pod that a service account's token is bound to.
pub const POD_NAME_KEY: &str = "authentication.kubernetes.io/pod-name";
/// Extra key with that pod's uid.
pub const POD_UID_KEY: &str = "authentication.kubernetes.io/pod-uid";

pub(crate) const NODE_PREFIX: &str = "system:node:";
const SERVICE_ACCOUNT_PREFIX: &str = "system:serviceaccount:";

/// Who acts. Field order is that of the reference's log and error texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct User {
    /// Unique among the users of one moment, such as `alice` or `system:serviceaccount:ns:name`.
    pub name: String,
    /// Unique over time; empty if the credential knows none.
    pub uid: String,
    /// Groups, in the credential's order.
    pub groups: Vec<String>,
    /// Whatever else the credential says.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// A user with a name and nothing else.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Whoever shows no credential (spec: apimachinery 5.1).
    #[must_use]
    pub fn anonymous() -> Self {
        Self::new(ANONYMOUS).with_groups([UNAUTHENTICATED_GROUP])
    }

    /// The same user in these groups.
    #[must_use]
    pub fn with_groups<G: Into<String>>(mut self, groups: impl IntoIterator<Item = G>) -> Self {
        self.groups = groups.into_iter().map(Into::into).collect();
        self
    }

    /// Whether the user is in a group.
    #[must_use]
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|own| own == group)
    }

    /// Adds a group at the end unless it is there.
    pub fn ensure_group(&mut self, group: &str) {
        if !self.is_in(group) {
            self.groups.push(group.to_owned());
        }
    }

    /// Adds `system:authenticated`, as for everybody whose credential was good, unless the
    /// credential itself says that it proves something or nothing (spec: apimachinery 5.1).
    pub fn ensure_authenticated(&mut self) {
        if self.name != ANONYMOUS && !self.is_in(UNAUTHENTICATED_GROUP) {
            self.ensure_group(AUTHENTICATED_GROUP);
        }
    }

    /// The text that Go's `%#v` prints for such a user, nil slices and maps included. An error of
    /// the reference contains it (spec: apimachinery 5.6).
    #[must_use]
    pub fn go_syntax(&self) -> String {
        format!(
            "&user.DefaultInfo{{Name:{}, UID:{}, Groups:{}, Extra:{}}}",
            go_quote(&self.name),
            go_quote(&self.uid),
            go_strings(&self.groups),
            go_extra(&self.extra)
        )
    }
}

fn go_strings(texts: &[String]) -> String {
    if texts.is_empty() {
        return "[]string(nil)".to_owned();
    }
    let quoted: Vec<String> = texts.iter().map(|text| go_quote(text)).collect();
    format!("[]string{{{}}}", quoted.join(", "))
}

fn go_extra(extra: &BTreeMap<String, Vec<String>>) -> String {
    if extra.is_empty() {
        return "map[string][]string(nil)".to_owned();
    }
    let entries: Vec<String> = extra
        .iter()
        .map(|(key, values)| format!("{}:{}", go_quote(key), go_strings(values)))
        .collect();
    format!("map[string][]string{{{}}}", entries.join(", "))
}

/// A service account by namespace and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceAccountName<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name within the namespace.
    pub name: &'a str,
}

impl<'a> ServiceAccountName<'a> {
    /// Reads `system:serviceaccount:<namespace>:<name>`; anything that could not be a service
    /// account's user name is none.
    #[must_use]
    pub fn from_user_name(user_name: &'a str) -> Option<Self> {
        let (namespace, name) = user_name.strip_prefix(SERVICE_ACCOUNT_PREFIX)?.split_once(':')?;
        (is_dns_label(namespace) && is_dns_subdomain(name)).then_some(Self { namespace, name })
    }

    /// The user name.
    #[must_use]
    pub fn user_name(self) -> String {
        format!("{SERVICE_ACCOUNT_PREFIX}{}:{}", self.namespace, self.name)
    }

    /// The two groups of each service account.
    #[must_use]
    pub fn groups(self) -> [String; 2] {
        let of_namespace = format!("{SERVICE_ACCOUNTS_GROUP}:{}", self.namespace);
        [SERVICE_ACCOUNTS_GROUP.to_owned(), of_namespace]
    }
}

/// Whether a user name is a service account's.
#[must_use]
pub fn is_service_account(user_name: &str) -> bool {
    ServiceAccountName::from_user_name(user_name).is_some()
}

/// The node in a kubelet's user name, `system:node:<name>`.
#[must_use]
pub fn node_name(user_name: &str) -> Option<&str> {
    user_name.strip_prefix(NODE_PREFIX).filter(|name| is_dns_subdomain(name))
}

fn is_dns_label(text: &str) -> bool {
    dns_label(text, Unit::Characters).is_empty()
}

fn is_dns_subdomain(text: &str) -> bool {
    dns_subdomain(text, Unit::Characters).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_syntax_shows_nil_slices_and_maps() {
        let user = User::default().with_groups(["dev"]);
        assert_eq!(
            user.go_syntax(),
            r#"&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)}"#
        );
    }

    #[test]
    fn go_syntax_sorts_extra_keys() {
        let mut user = User { uid: "77".to_owned(), ..User::default() };
        user.extra.insert("b".to_owned(), vec!["2".to_owned(), "3".to_owned()]);
        user.extra.insert("a".to_owned(), vec!["1".to_owned()]);
        assert_eq!(
            user.go_syntax(),
            "&user.DefaultInfo{Name:\"\", UID:\"77\", Groups:[]string(nil), \
             Extra:map[string][]string{\"a\":[]string{\"1\"}, \"b\":[]string{\"2\", \"3\"}}}"
        );
    }

    #[test]
    fn authenticated_group_is_added_once_and_never_beside_unauthenticated() {
        let groups_after = |name: &str, groups: &[&str]| {
            let mut user = User::new(name).with_groups(groups.iter().copied());
            user.ensure_authenticated();
            user.groups
        };
        assert_eq!(groups_after("a", &["dev"]), ["dev", AUTHENTICATED_GROUP]);
        assert_eq!(groups_after("a", &[AUTHENTICATED_GROUP]), [AUTHENTICATED_GROUP]);
        assert_eq!(groups_after("a", &[UNAUTHENTICATED_GROUP]), [UNAUTHENTICATED_GROUP]);
        assert_eq!(groups_after(ANONYMOUS, &[]), [""; 0]);
    }

    #[test]
    fn service_account_names_are_read_strictly() {
        let account = ServiceAccountName::from_user_name("system:serviceaccount:ns1:sa.1");
        assert_eq!(account, Some(ServiceAccountName { namespace: "ns1", name: "sa.1" }));
        for not_one in [
            "system:serviceaccount:ns1",
            "system:serviceaccount::a",
            "a:b",
            "alice",
            "system:serviceaccount:ns.1:a",
            "system:serviceaccount:ns:a:b",
        ] {
            assert_eq!(ServiceAccountName::from_user_name(not_one), None, "{not_one}");
        }
    }

    #[test]
    fn node_names_are_read_strictly() {
        assert_eq!(node_name("system:node:n1"), Some("n1"));
        assert_eq!(node_name("system:node:"), None);
        assert_eq!(node_name("system:node:N1"), None);
    }
}
