//! Bearer tokens of browsers, which can set no header but the list of WebSocket protocols.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{CONNECTION, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::impersonate::header_text;

const TOKEN_PREFIX: &str = "base64url.bearer.authorization.k8s.io.";

/// A token in the protocols that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebSocketTokenError {
    /// More than one protocol carries a token.
    #[error("multiple base64.bearer.authorization tokens specified")]
    Several,
    /// The token is not base64url without padding, or not UTF-8 inside.
    #[error("invalid base64.bearer.authorization token encoding")]
    Encoding,
    /// No protocol is left to answer with.
    #[error("missing additional subprotocol")]
    NoOtherProtocol,
}

/// The token among the protocols of a WebSocket request.
pub(super) fn token(headers: &HeaderMap) -> Result<Option<String>, WebSocketTokenError> {
    if !is_web_socket(headers) {
        return Ok(None);
    }
    let protocols = protocols(headers);
    let mut tokens = protocols.iter().filter_map(|protocol| protocol.strip_prefix(TOKEN_PREFIX));
    let Some(encoded) = tokens.next() else { return Ok(None) };
    if tokens.next().is_some() {
        return Err(WebSocketTokenError::Several);
    }
    let bytes = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| WebSocketTokenError::Encoding)?;
    let token = String::from_utf8(bytes).map_err(|_| WebSocketTokenError::Encoding)?;
    match (token.is_empty(), protocols.len()) {
        (true, _) => Ok(None),
        (false, 1) => Err(WebSocketTokenError::NoOtherProtocol),
        (false, _) => Ok(Some(token)),
    }
}

/// Removes the token from the protocols, so that no answer repeats it.
pub(super) fn strip_token(headers: &mut HeaderMap) {
    let all = protocols(headers);
    let kept: Vec<&str> =
        all.iter().map(String::as_str).filter(|p| !p.starts_with(TOKEN_PREFIX)).collect();
    if kept.len() == all.len() {
        return;
    }
    headers.remove(SEC_WEBSOCKET_PROTOCOL);
    if let Ok(value) = HeaderValue::from_str(&kept.join(",")) {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, value);
    }
}

/// Whether a request asks for its connection to become a WebSocket.
#[must_use]
pub fn is_web_socket(headers: &HeaderMap) -> bool {
    let lists = |name: HeaderName, wanted: &str| {
        let text = headers.get(name).map(header_text).unwrap_or_default();
        text.split(',').any(|entry| entry.trim().eq_ignore_ascii_case(wanted))
    };
    lists(CONNECTION, "upgrade") && lists(UPGRADE, "websocket")
}

fn protocols(headers: &HeaderMap) -> Vec<String> {
    let lists: Vec<String> =
        headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().map(header_text).collect();
    lists.iter().flat_map(|list| list.split(',')).map(|entry| entry.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(protocols: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONNECTION, HeaderValue::from_static("keep-alive, Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("WebSocket"));
        headers.insert(SEC_WEBSOCKET_PROTOCOL, protocols.parse().unwrap());
        headers
    }

    fn with_token(token: &str, others: &str) -> HeaderMap {
        headers(&format!("{TOKEN_PREFIX}{}{others}", URL_SAFE_NO_PAD.encode(token)))
    }

    #[test]
    fn a_token_stands_beside_another_protocol() {
        assert_eq!(token(&with_token("t", ", v4.channel.k8s.io")), Ok(Some("t".to_owned())));
        assert_eq!(token(&headers("v4.channel.k8s.io")), Ok(None));
        assert_eq!(token(&with_token("t", "")), Err(WebSocketTokenError::NoOtherProtocol));
    }

    #[test]
    fn two_tokens_and_broken_ones_are_errors() {
        let two = format!("{TOKEN_PREFIX}dA,{TOKEN_PREFIX}dA,x");
        assert_eq!(token(&headers(&two)), Err(WebSocketTokenError::Several));
        let broken = headers(&format!("{TOKEN_PREFIX}!,x"));
        assert_eq!(token(&broken), Err(WebSocketTokenError::Encoding));
    }

    #[test]
    fn other_requests_have_no_such_token() {
        let mut headers = with_token("t", ",x");
        headers.remove(UPGRADE);
        assert_eq!(token(&headers), Ok(None));
    }

    #[test]
    fn the_token_is_stripped_and_other_protocols_are_kept() {
        let mut headers = with_token("t", ", a, b");
        strip_token(&mut headers);
        assert_eq!(headers[SEC_WEBSOCKET_PROTOCOL], "a,b");
    }
}
