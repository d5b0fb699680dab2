//! Who is asking? (spec: apimachinery 5.1)
//!
//! Credentials are tried in the reference's order: front proxy, client certificate, bearer tokens,
//! and the token in a WebSocket protocol. The first good one counts. A bad one makes the request
//! unauthorized unless another is good; a request without any is anonymous.

mod anonymous;
mod bearer;
mod csv;
mod front_proxy;
pub mod jwt;
pub mod service_account;
mod token;
mod token_cache;
mod token_file;
mod web_socket;
mod x509;

#[cfg(test)]
mod tests;

use std::fmt;

use http::HeaderMap;

pub use anonymous::Anonymous;
pub use bearer::EXTRA_SPACE_WARNING;
pub use csv::CsvError;
pub use front_proxy::{FrontProxy, NameNotAllowed};
pub use token::{TokenAuthenticator, TokenUser};
pub use token_cache::TokenCache;
pub use token_file::{TokenFile, TokenFileError};
pub use web_socket::{WebSocketTokenError, is_web_socket};
pub use x509::{CertificateError, certificate_user};

use crate::user::User;
use bearer::Bearer;
use jwt::ExternalTokens;

/// The error of a token that nobody knows.
pub const INVALID_BEARER_TOKEN: &str = "invalid bearer token";
const UNKNOWN_AUTHORITY: &str = "x509: certificate signed by unknown authority";

/// What a request shows of its sender.
#[derive(Debug, Clone, Copy)]
pub struct Credentials<'a> {
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The decoded path, for which anonymous requests may be allowed or not.
    pub path: &'a str,
    /// The certificate that the TLS client showed, if any.
    pub certificate: Option<PeerCertificate<'a>>,
}

/// A TLS client's certificate, and which authorities vouch for it now, for client authentication.
#[derive(Debug, Clone, Copy)]
pub struct PeerCertificate<'a> {
    /// The leaf in DER.
    pub der: &'a [u8],
    /// Whether it chains to `--client-ca-file`.
    pub is_client: bool,
    /// Whether it chains to `--requestheader-client-ca-file`.
    pub is_front_proxy: bool,
}

/// What came out, and what the client shall be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authentication {
    /// Who it is.
    pub outcome: Outcome,
    /// Audiences that the credential is good for, if it says so.
    pub audiences: Vec<String>,
    /// Texts for `Warning` headers.
    pub warnings: Vec<&'static str>,
}

/// Who sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Somebody known, in group `system:authenticated`.
    Authenticated(User),
    /// Somebody who does not say.
    Anonymous,
    /// Somebody whose credential is bad, or who had to show one; answered with 401.
    Unauthorized(AuthenticationError),
}

impl Outcome {
    /// The user to go on with.
    ///
    /// # Errors
    /// The [`AuthenticationError`] of an unauthorized request.
    pub fn into_user(self) -> Result<User, AuthenticationError> {
        match self {
            Self::Authenticated(user) => Ok(user),
            Self::Anonymous => Ok(User::anonymous()),
            Self::Unauthorized(error) => Err(error),
        }
    }
}

/// Why credentials were refused: for logs and token reviews, never for the sender.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthenticationError {
    /// What each authenticator said; empty if there was no credential.
    pub errors: Vec<String>,
}

impl AuthenticationError {
    fn push(&mut self, error: impl Into<String>) {
        let error = error.into();
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}

impl fmt::Display for AuthenticationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.errors.as_slice() {
            [] => f.write_str("no credentials"),
            [only] => f.write_str(only),
            several => write!(f, "[{}]", several.join(", ")),
        }
    }
}

impl std::error::Error for AuthenticationError {}

/// Everything that can tell who is asking.
#[derive(Default)]
pub struct Authenticator {
    /// `--requestheader-*`; `None` without its certificate authority.
    pub front_proxy: Option<FrontProxy>,
    /// Whether there is a `--client-ca-file`.
    pub client_certificates: bool,
    /// What can tell users by tokens, in order.
    pub tokens: Vec<Box<dyn TokenAuthenticator>>,
    /// Tokens that others issue, which are looked at last.
    pub external: Option<ExternalTokens>,
    /// Tokens that were good a moment ago.
    pub cache: TokenCache,
    /// Who may do without a credential.
    pub anonymous: Anonymous,
    /// `--api-audiences`: what a token must be meant for.
    pub api_audiences: Vec<String>,
}

impl Authenticator {
    /// Finds out who sent a request at `now_unix_seconds`.
    pub fn authenticate(
        &self,
        credentials: &Credentials<'_>,
        now_unix_seconds: i64,
    ) -> Authentication {
        let mut error = AuthenticationError::default();
        let bearer = Bearer::read(credentials.headers);
        let warnings = bearer.warning().into_iter().collect();
        let found = self
            .try_front_proxy(credentials, &mut error)
            .or_else(|| self.try_certificate(credentials, &mut error))
            .or_else(|| self.try_bearer(bearer.token()?, now_unix_seconds, &mut error))
            .or_else(|| self.try_web_socket(credentials.headers, now_unix_seconds, &mut error));
        let Some(TokenUser { mut user, audiences }) = found else {
            let outcome = self.without_user(credentials.path, error);
            return Authentication { outcome, audiences: Vec::new(), warnings };
        };
        user.ensure_authenticated();
        Authentication { outcome: Outcome::Authenticated(user), audiences, warnings }
    }

    /// Finds out whose token it is, for a `TokenReview`; `audiences` empty means the server's own.
    ///
    /// # Errors
    /// [`AuthenticationError`], whose text is the review's `status.error`.
    pub fn review_token(
        &self,
        token: &str,
        audiences: &[String],
        now_unix_seconds: i64,
    ) -> Result<TokenUser, AuthenticationError> {
        let audiences = if audiences.is_empty() { &self.api_audiences } else { audiences };
        let mut found = self.token_user(token, audiences, now_unix_seconds)?;
        found.user.ensure_authenticated();
        Ok(found)
    }

    /// The issuer whose keys have to be fetched before the request's token can be judged; `None`
    /// if that would change nothing.
    #[must_use]
    pub fn issuer_to_ask(&self, headers: &HeaderMap) -> Option<String> {
        let external = self.external.as_ref()?;
        match Bearer::read(headers) {
            Bearer::Token(token) => external.issuer_to_ask(&token),
            Bearer::Absent | Bearer::ExtraSpace => {
                external.issuer_to_ask(&web_socket::token(headers).ok()??)
            }
        }
    }

    /// Removes everything that identified the sender, once it is known.
    pub fn strip_credentials(&self, headers: &mut HeaderMap) {
        headers.remove(http::header::AUTHORIZATION);
        web_socket::strip_token(headers);
        if let Some(front_proxy) = &self.front_proxy {
            front_proxy.strip_headers(headers);
        }
    }

    fn without_user(&self, path: &str, error: AuthenticationError) -> Outcome {
        if error.errors.is_empty() && self.anonymous.allows(path) {
            return Outcome::Anonymous;
        }
        Outcome::Unauthorized(error)
    }

    fn try_front_proxy(
        &self,
        credentials: &Credentials<'_>,
        error: &mut AuthenticationError,
    ) -> Option<TokenUser> {
        let (front_proxy, certificate) = (self.front_proxy.as_ref()?, credentials.certificate?);
        if !certificate.is_front_proxy {
            error.push(UNKNOWN_AUTHORITY);
            return None;
        }
        let user = x509::common_name(certificate.der)
            .map_err(|e| e.to_string())
            .and_then(|name| {
                front_proxy.user(&name, credentials.headers).map_err(|e| e.to_string())
            })
            .unwrap_or_else(|text| {
                error.push(text);
                None
            });
        user.map(TokenUser::without_audiences)
    }

    fn try_certificate(
        &self,
        credentials: &Credentials<'_>,
        error: &mut AuthenticationError,
    ) -> Option<TokenUser> {
        let certificate = credentials.certificate.filter(|_| self.client_certificates)?;
        if !certificate.is_client {
            error.push(UNKNOWN_AUTHORITY);
            return None;
        }
        match certificate_user(certificate.der) {
            Ok(user) => user.map(TokenUser::without_audiences),
            Err(why) => {
                error.push(why.to_string());
                None
            }
        }
    }

    fn try_web_socket(
        &self,
        headers: &HeaderMap,
        now_unix_seconds: i64,
        error: &mut AuthenticationError,
    ) -> Option<TokenUser> {
        match web_socket::token(headers) {
            Ok(token) => self.try_bearer(&token?, now_unix_seconds, error),
            Err(why) => {
                error.push(why.to_string());
                None
            }
        }
    }

    fn try_bearer(
        &self,
        token: &str,
        now_unix_seconds: i64,
        error: &mut AuthenticationError,
    ) -> Option<TokenUser> {
        match self.token_user(token, &self.api_audiences, now_unix_seconds) {
            Ok(found) => Some(found),
            Err(refused) => {
                refused.errors.into_iter().for_each(|text| error.push(text));
                None
            }
        }
    }

    fn token_user(
        &self,
        token: &str,
        audiences: &[String],
        now_unix_seconds: i64,
    ) -> Result<TokenUser, AuthenticationError> {
        if let Some(found) = self.cache.get(token, audiences, now_unix_seconds) {
            return Ok(found);
        }
        // The reference asks its loopback tokens first, and they know no other.
        let mut error = AuthenticationError { errors: vec![INVALID_BEARER_TOKEN.to_owned()] };
        let external = self.external.iter().map(|external| external as &dyn TokenAuthenticator);
        for authenticator in self.tokens.iter().map(Box::as_ref).chain(external) {
            match authenticator.authenticate_token(token, audiences, now_unix_seconds) {
                Ok(Some(found)) => {
                    self.cache.put(token, audiences, &found, now_unix_seconds);
                    return Ok(found);
                }
                Ok(None) => {}
                Err(text) => error.push(text),
            }
        }
        Err(error)
    }
}
