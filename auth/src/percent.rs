//! Percent-encoding in paths, queries and header keys.

use std::borrow::Cow;

/// A `%` that two hexadecimal digits do not follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a percent sign is not followed by two hexadecimal digits")]
pub struct BadEscape;

/// What `+` stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plus {
    Itself,
    Space,
}

/// Decodes a path, or a part of one. Bytes that are not UTF-8 become U+FFFD.
///
/// # Errors
/// [`BadEscape`] if a `%` is not followed by two hexadecimal digits.
pub fn decode_path(text: &str) -> Result<Cow<'_, str>, BadEscape> {
    decode(text, Plus::Itself)
}

/// The parameters of a query string in their order. As in the reference, pairs that contain a `;`
/// or a bad escape are dropped, and the others kept.
pub fn query_pairs(query: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')).filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decode(key, Plus::Space).ok()?, decode(value, Plus::Space).ok()?))
    })
}

fn decode(text: &str, plus: Plus) -> Result<Cow<'_, str>, BadEscape> {
    let is_special = |byte: &u8| *byte == b'%' || (*byte == b'+' && plus == Plus::Space);
    if !text.as_bytes().iter().any(is_special) {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let high = bytes.next().and_then(hex_digit).ok_or(BadEscape)?;
                let low = bytes.next().and_then(hex_digit).ok_or(BadEscape)?;
                high << 4 | low
            }
            b'+' if plus == Plus::Space => b' ',
            other => other,
        });
    }
    Ok(Cow::Owned(match String::from_utf8(decoded) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }))
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_plus_signs_and_lose_escapes() {
        assert_eq!(decode_path("/a%2fb+c").unwrap(), "/a/b+c");
        assert_eq!(decode_path("%ff").unwrap(), "\u{fffd}");
    }

    #[test]
    fn cut_off_and_wrong_escapes_are_errors() {
        for text in ["%", "%4", "%4g", "a%zz"] {
            assert_eq!(decode_path(text), Err(BadEscape), "{text}");
        }
    }

    #[test]
    fn bad_pairs_of_a_query_are_dropped() {
        let pairs: Vec<_> = query_pairs("a=1+2&b=%zz&c;d=1&&e&=f").collect();
        let expected = [("a", "1 2"), ("e", ""), ("", "f")];
        assert_eq!(pairs, expected.map(|(k, v)| (Cow::from(k), Cow::from(v))));
    }
}
