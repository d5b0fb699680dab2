//! Who sends a request (spec: apimachinery 5.1, 5.3, 5.6).

pub mod impersonation;
pub mod service_account;
mod token_file;
mod user;
mod x509;

use std::path::Path;

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::connection::ConnectionInfo;
use crate::request::header_text;
use service_account::ServiceAccounts;
use token_file::TokenFile;

pub use user::{AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};

const EXTRA_SPACE: &str = "the provided Authorization header contains extra space before the \
    bearer token, and is ignored";

/// What is known of a sender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// Who it is, and for whom its credentials were made.
    Known(User),
    /// It showed credentials that are none.
    Refused,
}

/// What an `Authorization` header holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bearer<'a> {
    None,
    Token(&'a str),
    ExtraSpace,
}

/// Everything that senders are known by.
pub struct Authenticator {
    tokens: TokenFile,
    service_accounts: ServiceAccounts,
    anonymous: bool,
}

impl Authenticator {
    /// Reads the token file, if there is one.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the file.
    pub fn new(
        token_file: Option<&Path>,
        service_accounts: ServiceAccounts,
        anonymous: bool,
    ) -> Result<Self, String> {
        let tokens = token_file.map_or_else(|| Ok(TokenFile::default()), TokenFile::read)?;
        Ok(Self { tokens, service_accounts, anonymous })
    }

    /// Finds out who sent a request. `warn` is told what the sender should know.
    pub fn authenticate(
        &self,
        connection: &ConnectionInfo,
        headers: &HeaderMap,
        now: i64,
        warn: impl FnOnce(&str),
    ) -> Authentication {
        if let Some(certificate) = &connection.certificate {
            match x509::user(certificate) {
                x509::Shown::User(user) => return Authentication::Known(user.authenticated()),
                x509::Shown::Nobody => {}
                x509::Shown::Untrusted => return Authentication::Refused,
            }
        }
        match bearer(header_text(headers, &AUTHORIZATION)) {
            Bearer::Token(token) => {
                return match self.token_user(token, now) {
                    Some(user) => Authentication::Known(user.authenticated()),
                    None => Authentication::Refused,
                };
            }
            Bearer::ExtraSpace => warn(EXTRA_SPACE),
            Bearer::None => {}
        }
        if self.anonymous {
            Authentication::Known(User::anonymous())
        } else {
            Authentication::Refused
        }
    }

    /// Whose token it is.
    #[must_use]
    pub fn token_user(&self, token: &str, now: i64) -> Option<User> {
        self.tokens.user(token).or_else(|| self.service_accounts.user(token, now))
    }
}

fn bearer(header: &str) -> Bearer<'_> {
    let header = header.trim();
    let Some((scheme, rest)) = header.split_once(' ') else { return Bearer::None };
    if !scheme.eq_ignore_ascii_case("bearer") || rest.is_empty() {
        return Bearer::None;
    }
    if rest.starts_with(' ') {
        return Bearer::ExtraSpace;
    }
    Bearer::Token(rest.split(' ').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bearer_tokens_are_credentials() {
        assert_eq!(bearer("Bearer abc"), Bearer::Token("abc"));
        assert_eq!(bearer("bearer abc"), Bearer::Token("abc"));
        assert_eq!(bearer("Bearer  abc"), Bearer::ExtraSpace);
        for nothing in ["", "Bearer", "Bearer ", "Basic YQ==", "nonsense"] {
            assert_eq!(bearer(nothing), Bearer::None, "{nothing}");
        }
    }
}
