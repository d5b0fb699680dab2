//! The options of a list as far as they matter here (spec: apf 6.2).

use std::borrow::Cow;

/// The options of a list or watch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListQuery {
    /// How many objects are asked for; not limited if 0 or less.
    pub limit: i64,
    /// `resourceVersion`; may be empty.
    pub resource_version: String,
    /// `resourceVersionMatch`; may be empty.
    pub resource_version_match: String,
    /// Whether it continues an earlier list.
    pub continues: bool,
    /// Whether there is a field or label selector.
    pub selects: bool,
    /// Whether a watch asks for the objects there are.
    pub send_initial_events: bool,
}

/// The query is not one of a list: an integer is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the query cannot be decoded as options of a list")]
pub struct UndecodableQuery;

impl ListQuery {
    /// Decodes a raw query. Of a repeated option the first value counts; pairs with broken escapes
    /// do not count.
    ///
    /// # Errors
    ///
    /// [`UndecodableQuery`] if `limit` or `timeoutSeconds` is no integer.
    pub fn decode(query: &str) -> Result<Self, UndecodableQuery> {
        let mut decoded = Self::default();
        let mut seen = 0_u32;
        for pair in query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(key), Some(value)) = (unescape(key), unescape(value)) else { continue };
            let Some(position) = OPTIONS.iter().position(|option| *option == key) else { continue };
            if seen & 1 << position == 0 {
                seen |= 1 << position;
                decoded.take(&key, value.into_owned())?;
            }
        }
        Ok(decoded)
    }

    fn take(&mut self, key: &str, value: String) -> Result<(), UndecodableQuery> {
        match key {
            "limit" => self.limit = value.parse().map_err(|_| UndecodableQuery)?,
            "timeoutSeconds" => {
                let _: i64 = value.parse().map_err(|_| UndecodableQuery)?;
            }
            "resourceVersion" => self.resource_version = value,
            "resourceVersionMatch" => self.resource_version_match = value,
            "continue" => self.continues = !value.is_empty(),
            "fieldSelector" | "labelSelector" => self.selects |= !value.is_empty(),
            "sendInitialEvents" => {
                self.send_initial_events = value != "0" && !value.eq_ignore_ascii_case("false");
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a watch with these options starts with the objects there are.
    #[must_use]
    pub fn watch_sends_initial_events(&self) -> bool {
        self.send_initial_events || matches!(self.resource_version.as_str(), "" | "0")
    }
}

const OPTIONS: [&str; 8] = [
    "limit",
    "timeoutSeconds",
    "resourceVersion",
    "resourceVersionMatch",
    "continue",
    "fieldSelector",
    "labelSelector",
    "sendInitialEvents",
];

/// Undoes percent escapes and plus signs; `None` if an escape is broken.
fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            other => other,
        });
    }
    Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}
