//! Whom a request wants to act as.

use http::{HeaderMap, HeaderName};

use crate::percent::decode_path;
use crate::user::User;

const USER: &str = "impersonate-user";
const UID: &str = "impersonate-uid";
const GROUP: &str = "impersonate-group";
const EXTRA_PREFIX: &str = "impersonate-extra-";

/// Groups, a uid or extras are asked for, but no user; answered with 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("requested {} without impersonating a user name", .requested.go_syntax())]
pub struct NoUserName {
    /// What is asked for.
    pub requested: User,
}

/// The user that the headers ask for, exactly as they say; `None` if they ask for nobody.
///
/// # Errors
/// [`NoUserName`] if they ask for groups, a uid or extras without a user.
pub fn requested_user(headers: &HeaderMap) -> Result<Option<User>, NoUserName> {
    let first = |name: &str| headers.get(name).map(header_text).unwrap_or_default();
    let mut user = User { name: first(USER), uid: first(UID), ..User::default() };
    user.groups = headers.get_all(GROUP).iter().map(header_text).collect();
    for (name, value) in headers {
        if let Some(key) = name.as_str().strip_prefix(EXTRA_PREFIX) {
            user.extra.entry(extra_key(key)).or_default().push(header_text(value));
        }
    }
    let asks = !user.uid.is_empty() || !user.groups.is_empty() || !user.extra.is_empty();
    match (user.name.is_empty(), asks) {
        (false, _) => Ok(Some(user)),
        (true, false) => Ok(None),
        (true, true) => Err(NoUserName { requested: user }),
    }
}

/// Removes the headers, so that nothing behind tells an impersonated request from another.
pub fn strip_headers(headers: &mut HeaderMap) {
    let is_ours = |name: &&HeaderName| {
        matches!(name.as_str(), USER | UID | GROUP) || name.as_str().starts_with(EXTRA_PREFIX)
    };
    let ours: Vec<HeaderName> = headers.keys().filter(is_ours).cloned().collect();
    for name in ours {
        headers.remove(name);
    }
}

/// An extra key from the rest of a header's name, which `http` keeps in lower case. Keys that are
/// not well escaped are taken as they are.
pub(crate) fn extra_key(encoded: &str) -> String {
    decode_path(encoded).map_or_else(|_| encoded.to_owned(), std::borrow::Cow::into_owned)
}

/// A header's value as text; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn header_text(value: &http::HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
