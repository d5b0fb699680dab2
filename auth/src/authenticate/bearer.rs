//! The `Authorization` header (spec: apimachinery 5.1).

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::impersonate::header_text;

/// Tells clients that their token was not even looked at.
pub const EXTRA_SPACE_WARNING: &str = "the provided Authorization header contains extra space \
                                       before the bearer token, and is ignored";

/// What the header shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bearer {
    /// No token: no header, another scheme, or nothing behind the scheme.
    Absent,
    /// More than one space stands before the token.
    ExtraSpace,
    Token(String),
}

impl Bearer {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        let value = headers.get(AUTHORIZATION).map(header_text).unwrap_or_default();
        let mut parts = value.trim().splitn(3, ' ');
        let is_bearer = parts.next().is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"));
        match (is_bearer, parts.next(), parts.next()) {
            (true, Some(""), Some(_)) => Self::ExtraSpace,
            (true, Some(token), _) if !token.is_empty() => Self::Token(token.to_owned()),
            _ => Self::Absent,
        }
    }

    pub(super) fn token(&self) -> Option<&str> {
        match self {
            Self::Token(token) => Some(token),
            Self::Absent | Self::ExtraSpace => None,
        }
    }

    pub(super) fn warning(&self) -> Option<&'static str> {
        (*self == Self::ExtraSpace).then_some(EXTRA_SPACE_WARNING)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn read(value: &[u8]) -> Bearer {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_bytes(value).unwrap());
        Bearer::read(&headers)
    }

    #[test]
    fn tokens_stand_behind_bearer_in_any_case() {
        let token = Bearer::Token("t".to_owned());
        for value in ["Bearer t", "bearer t", "BEARER t", " Bearer t ", "Bearer t more"] {
            assert_eq!(read(value.as_bytes()), token, "{value}");
        }
    }

    #[test]
    fn other_schemes_and_empty_tokens_are_no_token() {
        for value in ["", "Bearer", "Bearer ", "Basic YWRtaW46YWRtaW4=", "nonsense", "Bearert x"] {
            assert_eq!(read(value.as_bytes()), Bearer::Absent, "{value}");
        }
        assert_eq!(Bearer::read(&HeaderMap::new()), Bearer::Absent);
    }

    #[test]
    fn extra_space_is_warned_about() {
        assert_eq!(read(b"Bearer  t").warning(), Some(EXTRA_SPACE_WARNING));
        assert_eq!(read(b"Bearer  t").token(), None);
        assert_eq!(read(b"Bearer t").warning(), None);
    }

    proptest! {
        #[test]
        fn any_header_is_read_without_a_panic(value in any::<Vec<u8>>()) {
            if HeaderValue::from_bytes(&value).is_ok() {
                prop_assert!(read(&value).token().is_none_or(|token| !token.contains(' ')));
            }
        }
    }
}
