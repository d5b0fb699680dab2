//! Where a list goes on (spec: apimachinery 3.3). Opaque to clients.

use api::status::Status;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE_NO_PAD};
use base64::{DecodeError, Engine as _, alphabet};
use serde::{Deserialize, Serialize};
use validation::text::go_quote;

/// The bits behind the last byte may be anything.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

const VERSION: &str = "meta.k8s.io/v1";

/// The rest of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// The revision of the list; `None` goes on with whatever is there now.
    pub revision: Option<u64>,
    /// The first key that may come next, relative to the resource.
    pub start: String,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    v: String,
    #[serde(default)]
    rv: i64,
    #[serde(default)]
    start: String,
}

impl ContinueToken {
    /// Behind the object of that key.
    #[must_use]
    pub(crate) fn after(key: &str, revision: Option<u64>) -> Self {
        Self { revision, start: format!("{key}\0") }
    }

    /// The token as clients get it.
    #[must_use]
    pub(crate) fn encode(&self) -> String {
        let rv = self.revision.map_or(-1, |revision| i64::try_from(revision).unwrap_or(i64::MAX));
        let wire = Wire { v: VERSION.to_owned(), rv, start: self.start.clone() };
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(&wire).unwrap_or_default())
    }

    /// Reads a token.
    ///
    /// # Errors
    ///
    /// 400
    pub(crate) fn decode(token: &str) -> Result<Self, Status> {
        Self::read(token).map_err(|why| {
            Status::bad_request(format!("invalid continue token: continue key is not valid: {why}"))
        })
    }

    fn read(token: &str) -> Result<Self, String> {
        let bytes = LENIENT.decode(token).map_err(|error| {
            let at = match error {
                DecodeError::InvalidByte(at, _)
                | DecodeError::InvalidLastSymbol { offset: at, .. } => at,
                DecodeError::InvalidLength(at) => at,
                DecodeError::InvalidPadding => token.len(),
            };
            format!("illegal base64 data at input byte {at}")
        })?;
        if let Some(first) =
            bytes.first().filter(|byte| !b" \t\r\n{[\"-0123456789tfn".contains(byte))
        {
            let shown = go_quote(&char::from(*first).to_string());
            return Err(format!(
                "invalid character '{}' looking for beginning of value",
                shown.trim_matches('"')
            ));
        }
        let wire: Wire = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if wire.v != VERSION {
            let version = go_quote(&wire.v);
            return Err(format!("server does not recognize this encoded version {version}"));
        }
        if wire.rv == 0 {
            return Err(format!("incorrect encoded start resourceVersion (version {VERSION})"));
        }
        if wire.start.is_empty() {
            return Err(format!("encoded start key empty (version {VERSION})"));
        }
        let relative = wire.start.trim_start_matches('/');
        let escapes =
            relative.split('/').any(|part| part.is_empty() || part == "." || part == "..");
        if escapes {
            return Err(wire.start);
        }
        Ok(Self { revision: u64::try_from(wire.rv).ok(), start: relative.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same() {
        for revision in [Some(7), None] {
            let token = ContinueToken::after("a", revision);
            assert_eq!(ContinueToken::decode(&token.encode()), Ok(token));
        }
    }

    #[test]
    fn errors_are_the_references() {
        for (token, why) in [
            ("garbage", "invalid character '\\u0081' looking for beginning of value"),
            (
                "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
                "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ),
        ] {
            assert_eq!(
                ContinueToken::decode(token).unwrap_err().message,
                format!("invalid continue token: continue key is not valid: {why}")
            );
        }
    }
}
