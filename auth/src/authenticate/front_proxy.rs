//! Users that a trusted proxy names in headers (`--requestheader-*`; spec: apimachinery 5.1).

use http::{HeaderMap, HeaderName};

use crate::impersonate::{extra_key, header_text};
use crate::user::User;

/// Which proxies are trusted, and which headers they set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontProxy {
    /// Common names of trusted proxies; any with a good certificate if empty.
    pub allowed_names: Vec<String>,
    /// Headers that may carry the user name; the first that is not empty counts.
    pub username_headers: Vec<String>,
    /// Headers that may carry the uid; the first that is not empty counts.
    pub uid_headers: Vec<String>,
    /// Headers that carry groups; all of them count.
    pub group_headers: Vec<String>,
    /// What the headers that carry extras begin with.
    pub extra_header_prefixes: Vec<String>,
}

/// The proxy is not a trusted one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("x509: subject with cn={0} is not in the allowed list")]
pub struct NameNotAllowed(pub String);

impl FrontProxy {
    /// The user that the proxy with this verified common name vouches for; `None` if it names
    /// nobody.
    ///
    /// # Errors
    /// [`NameNotAllowed`] if the proxy is not a trusted one.
    pub fn user(
        &self,
        common_name: &str,
        headers: &HeaderMap,
    ) -> Result<Option<User>, NameNotAllowed> {
        let is_allowed = self.allowed_names.iter().any(|allowed| allowed == common_name);
        if !is_allowed && !self.allowed_names.is_empty() {
            return Err(NameNotAllowed(common_name.to_owned()));
        }
        let name = first_value(headers, &self.username_headers);
        if name.is_empty() {
            return Ok(None);
        }
        let mut user = User::new(name).with_groups(all_values(headers, &self.group_headers));
        user.uid = first_value(headers, &self.uid_headers);
        for (key, value) in self.extras(headers) {
            user.extra.entry(key).or_default().push(value);
        }
        Ok(Some(user))
    }

    /// Removes all headers of the proxy.
    pub(super) fn strip_headers(&self, headers: &mut HeaderMap) {
        let named = [&self.username_headers, &self.uid_headers, &self.group_headers];
        for name in named.into_iter().flatten() {
            headers.remove(name);
        }
        let is_extra = |name: &&HeaderName| self.extra_key(name).is_some();
        let extras: Vec<HeaderName> = headers.keys().filter(is_extra).cloned().collect();
        for name in extras {
            headers.remove(name);
        }
    }

    fn extras(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        headers
            .iter()
            .filter_map(|(name, value)| Some((self.extra_key(name)?, header_text(value))))
            .collect()
    }

    fn extra_key(&self, name: &HeaderName) -> Option<String> {
        let name = name.as_str();
        let prefixes = self.extra_header_prefixes.iter().map(|prefix| prefix.to_ascii_lowercase());
        prefixes.into_iter().find_map(|prefix| name.strip_prefix(&prefix).map(extra_key))
    }
}

fn first_value(headers: &HeaderMap, names: &[String]) -> String {
    let values = names.iter().filter_map(|name| headers.get(name)).map(header_text);
    values.into_iter().find(|value| !value.is_empty()).unwrap_or_default()
}

fn all_values(headers: &HeaderMap, names: &[String]) -> Vec<String> {
    let values = names.iter().flat_map(|name| headers.get_all(name)).map(header_text);
    values.filter(|value| !value.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn proxy() -> FrontProxy {
        let list = |text: &str| vec![text.to_owned()];
        FrontProxy {
            allowed_names: list("front-proxy"),
            username_headers: vec!["X-Other-User".to_owned(), "X-Remote-User".to_owned()],
            uid_headers: list("X-Remote-Uid"),
            group_headers: list("X-Remote-Group"),
            extra_header_prefixes: list("X-Remote-Extra-"),
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

    fn full() -> HeaderMap {
        headers(&[
            ("X-Other-User", ""),
            ("X-Remote-User", "alice"),
            ("X-Remote-Uid", "7"),
            ("X-Remote-Group", "a"),
            ("X-Remote-Group", ""),
            ("X-Remote-Group", "b"),
            ("X-Remote-Extra-Acme.com%2FScope", "s"),
            ("Accept", "x"),
        ])
    }

    #[test]
    fn headers_of_a_trusted_proxy_name_the_user() {
        let user = proxy().user("front-proxy", &full()).unwrap().unwrap();
        assert_eq!((user.name.as_str(), user.uid.as_str()), ("alice", "7"));
        assert_eq!(user.groups, ["a", "b"]);
        assert_eq!(user.extra["acme.com/scope"], ["s"]);
    }

    #[test]
    fn other_proxies_are_refused_unless_all_are_trusted() {
        let error = proxy().user("other", &full()).unwrap_err();
        assert_eq!(error.to_string(), "x509: subject with cn=other is not in the allowed list");
        let trusting = FrontProxy { allowed_names: Vec::new(), ..proxy() };
        assert!(trusting.user("other", &full()).unwrap().is_some());
    }

    #[test]
    fn a_proxy_that_names_nobody_gives_no_user() {
        assert_eq!(proxy().user("front-proxy", &headers(&[("X-Remote-Group", "a")])), Ok(None));
    }

    #[test]
    fn its_headers_are_stripped_and_others_kept() {
        let mut headers = full();
        proxy().strip_headers(&mut headers);
        assert_eq!(headers.keys().collect::<Vec<_>>(), [http::header::ACCEPT]);
    }
}
