//! How an HTTP/1.1 connection becomes a WebSocket (RFC 6455), with the reference's refusals.

use axum::body::Body;
use http::header::{
    CONNECTION, HeaderName, HeaderValue, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderMap, Response, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::request::header_text;

/// The only version there is.
const VERSION: &str = "13";

/// A handshake that can be answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Handshake {
    accept: HeaderValue,
    protocol: Option<HeaderValue>,
}

/// Why there is no WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// Nothing to answer with.
    #[error("mismatch challenge/response")]
    NoKey,
    /// Another version than 13.
    #[error("missing or bad WebSocket Version")]
    Version,
    /// No origin, or one that is no URL. The reference says no more than the status.
    #[error("")]
    Origin,
    /// The choice of several protocols; a watch has none, and takes the word for a single one.
    #[error("")]
    SeveralProtocols,
    /// The connection can become nothing else, as with HTTP/1.0.
    #[error("missing or bad upgrade")]
    NotUpgradable,
}

impl Handshake {
    /// Reads the headers in the reference's order.
    pub(super) fn read(headers: &HeaderMap, upgradable: bool) -> Result<Self, Refusal> {
        if !upgradable {
            return Err(Refusal::NotUpgradable);
        }
        let text = |name: HeaderName| header_text(headers, &name).trim();
        let key = text(SEC_WEBSOCKET_KEY);
        if key.is_empty() {
            return Err(Refusal::NoKey);
        }
        if text(SEC_WEBSOCKET_VERSION) != VERSION {
            return Err(Refusal::Version);
        }
        if !is_url(text(ORIGIN)) {
            return Err(Refusal::Origin);
        }
        let protocols = text(SEC_WEBSOCKET_PROTOCOL);
        if protocols.contains(',') {
            return Err(Refusal::SeveralProtocols);
        }
        let value = |text: &str| HeaderValue::from_str(text).ok();
        Ok(Self {
            accept: value(&derive_accept_key(key.as_bytes())).ok_or(Refusal::NoKey)?,
            protocol: value(protocols).filter(|protocol| !protocol.is_empty()),
        })
    }

    /// The answer after which both sides speak WebSocket.
    pub(super) fn response(self) -> Response<Body> {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept);
        if let Some(protocol) = self.protocol {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        response
    }
}

impl Refusal {
    /// The answer, after which the connection ends.
    pub(super) fn response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.to_string()));
        *response.status_mut() = match self {
            Self::Origin => StatusCode::FORBIDDEN,
            Self::NoKey | Self::Version | Self::SeveralProtocols | Self::NotUpgradable => {
                StatusCode::BAD_REQUEST
            }
        };
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        if self == Self::Version {
            headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
        }
        response
    }
}

/// Whether a text begins as an absolute URL or an absolute path does. Who may ask is not decided
/// by where a page is from, but by who its user is.
fn is_url(text: &str) -> bool {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    text.starts_with('/')
        || scheme.is_some_and(|scheme| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(changes: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let usual = [
            // The example of RFC 6455, 1.3.
            (SEC_WEBSOCKET_KEY, "dGhlIHNhbXBsZSBub25jZQ=="),
            (SEC_WEBSOCKET_VERSION, "13"),
            (ORIGIN, "http://example.com"),
        ];
        for (name, value) in usual.iter().chain(changes) {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers
    }

    fn read(changes: &[(HeaderName, &'static str)]) -> Result<Handshake, Refusal> {
        Handshake::read(&headers(changes), true)
    }

    #[test]
    fn a_good_handshake_is_answered_with_the_key_that_proves_it() {
        let response = read(&[]).unwrap().response();
        assert_eq!(response.status(), 101);
        assert_eq!(response.headers()[SEC_WEBSOCKET_ACCEPT], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assert!(!response.headers().contains_key(SEC_WEBSOCKET_PROTOCOL));
    }

    #[test]
    fn a_single_protocol_is_agreed_upon_whatever_it_is() {
        let response = read(&[(SEC_WEBSOCKET_PROTOCOL, "base64.binary.k8s.io")]).unwrap();
        assert_eq!(response.response().headers()[SEC_WEBSOCKET_PROTOCOL], "base64.binary.k8s.io");
        let refused = read(&[(SEC_WEBSOCKET_PROTOCOL, "a, b")]).unwrap_err();
        assert_eq!(
            (refused, refused.response().status().as_u16()),
            (Refusal::SeveralProtocols, 400)
        );
    }

    #[test]
    fn pages_from_nowhere_are_forbidden() {
        for origin in ["", "null", "a b:c", "1:2", ":x"] {
            assert_eq!(read(&[(ORIGIN, origin)]), Err(Refusal::Origin), "{origin}");
        }
        for origin in ["https://a.example:8443", "/", "chrome-extension:x"] {
            assert!(read(&[(ORIGIN, origin)]).is_ok(), "{origin}");
        }
        assert_eq!(Refusal::Origin.response().status(), 403);
    }

    #[test]
    fn another_version_is_told_the_right_one() {
        let refused = read(&[(SEC_WEBSOCKET_VERSION, "8")]).unwrap_err().response();
        assert_eq!(refused.status(), 400);
        assert_eq!(refused.headers()[SEC_WEBSOCKET_VERSION], "13");
        assert_eq!(refused.headers()[CONNECTION], "close");
    }

    #[test]
    fn what_is_missing_first_is_said() {
        let without_key = [(SEC_WEBSOCKET_KEY, ""), (SEC_WEBSOCKET_VERSION, "8")];
        assert_eq!(read(&without_key), Err(Refusal::NoKey));
        assert_eq!(Handshake::read(&headers(&[]), false), Err(Refusal::NotUpgradable));
    }
}
