//! What a token says.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The parts of a token's header that count.
#[derive(Debug, Deserialize)]
pub(super) struct Header {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
}

/// Header and claims of a token, which nobody has verified yet.
pub(super) fn unverified(token: &str) -> Option<(Header, Claims)> {
    let mut parts = token.split('.');
    let (Some(header), Some(payload), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    Some((part(header)?, Claims(part(payload)?)))
}

fn part<T: DeserializeOwned>(encoded: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(encoded).ok()?).ok()
}

/// The claims of a token.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Claims(Map<String, Value>);

impl Claims {
    pub(super) fn has(&self, claim: &str) -> bool {
        self.0.contains_key(claim)
    }

    /// A claim's text. `null` is an empty one, as where the reference reads it.
    pub(super) fn text(&self, claim: &str) -> Result<&str, String> {
        match self.0.get(claim) {
            None => Err("claim not present".to_owned()),
            Some(Value::String(text)) => Ok(text),
            Some(Value::Null) => Ok(""),
            Some(other) => Err(mismatch(other, "string")),
        }
    }

    pub(super) fn boolean(&self, claim: &str) -> Result<bool, String> {
        match self.0.get(claim) {
            None => Err("claim not present".to_owned()),
            Some(Value::Bool(value)) => Ok(*value),
            Some(Value::Null) => Ok(false),
            Some(other) => Err(mismatch(other, "bool")),
        }
    }

    /// A claim with a text or a list of texts.
    pub(super) fn texts(&self, claim: &str) -> Result<Vec<&str>, String> {
        match self.0.get(claim) {
            Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().ok_or_else(|| mismatch(&self.0[claim], "string")))
                .collect(),
            _ => self.text(claim).map(|text| vec![text]),
        }
    }

    /// Seconds since 1970; fractions are cut off.
    pub(super) fn seconds(&self, claim: &str) -> Option<i64> {
        let number = self.0.get(claim)?.as_number()?;
        // Cutting off is meant, and numbers that are too large become the largest.
        #[expect(clippy::cast_possible_truncation, reason = "saturates, which is what is wanted")]
        let cut = |number: f64| number as i64;
        number.as_i64().or_else(|| number.as_f64().map(cut))
    }
}

fn mismatch(found: &Value, expected: &str) -> String {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("json: cannot unmarshal {found} into Go value of type {expected}")
}
