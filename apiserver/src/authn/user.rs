//! Users.

use std::collections::BTreeMap;
use std::fmt;

use validation::text::go_quote;

/// The group of everyone who is known.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of everyone who is not.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";
/// The group that may do everything.
pub const MASTERS: &str = "system:masters";
/// The user who is not known.
pub(super) const ANONYMOUS: &str = "system:anonymous";

/// Someone who sends requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct User {
    /// The name.
    pub name: String,
    /// A uid; empty if there is none.
    pub uid: String,
    /// The groups.
    pub groups: Vec<String>,
    /// What else its credentials say.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// The user who is not known.
    #[must_use]
    pub fn anonymous() -> Self {
        Self {
            name: ANONYMOUS.to_owned(),
            groups: vec![UNAUTHENTICATED.to_owned()],
            ..Self::default()
        }
    }

    /// The same, in the group of everyone who is known.
    #[must_use]
    pub fn authenticated(mut self) -> Self {
        if !self.is_in(AUTHENTICATED) && !self.is_in(UNAUTHENTICATED) {
            let group = if self.name == ANONYMOUS { UNAUTHENTICATED } else { AUTHENTICATED };
            self.groups.push(group.to_owned());
        }
        self
    }

    /// Whether the user is in a group.
    #[must_use]
    pub fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|other| other == group)
    }
}

/// As the reference's program prints the value; it stands in one of its errors.
impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: &[String]| {
            let items: Vec<String> = items.iter().map(|item| go_quote(item)).collect();
            format!("[]string{{{}}}", items.join(", "))
        };
        let groups =
            if self.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&self.groups) };
        let extra = if self.extra.is_empty() {
            "map[string][]string(nil)".to_owned()
        } else {
            let members = self
                .extra
                .iter()
                .map(|(key, values)| format!("{}:{}", go_quote(key), list(values)));
            format!("map[string][]string{{{}}}", members.collect::<Vec<_>>().join(", "))
        };
        write!(
            f,
            "&user.DefaultInfo{{Name:{}, UID:{}, Groups:{groups}, Extra:{extra}}}",
            go_quote(&self.name),
            go_quote(&self.uid)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_prints_as_in_the_reference() {
        let user = User { groups: vec!["dev".to_owned()], ..User::default() };
        assert_eq!(
            user.to_string(),
            "&user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"dev\"}, \
             Extra:map[string][]string(nil)}"
        );
    }
}
