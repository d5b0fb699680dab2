//! How values are written inside messages (spec: validation 1.3, 1.4).

use std::fmt::Write as _;

use serde::Serialize;

/// Text in double quotes, escaped as in Go source.
#[must_use]
pub fn go_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            other if is_printable(other) => out.push(other),
            other => push_code(&mut out, u32::from(other)),
        }
    }
    out.push('"');
    out
}

fn push_code(out: &mut String, code: u32) {
    // Writing into a String cannot fail.
    let _written = match code {
        0..=0x7f => write!(out, "\\x{code:02x}"),
        0x80..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Whether a character is a letter, mark, number, punctuation mark, symbol or the plain space.
#[must_use]
pub fn is_printable(character: char) -> bool {
    if matches!(character, ' '..='~') {
        return true;
    }
    let escaped = character.escape_debug().next() == Some('\\');
    !escaped || is_mark(character)
}

/// Combining marks, which are printable though they only show on another character.
fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}'
        | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20f0}'
        | '\u{3099}' | '\u{309a}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

/// Compact JSON in which what could be HTML is escaped.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    // Our values have text keys only, so this cannot fail.
    let text = serde_json::to_string(value).unwrap_or_default();
    if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_is_that_of_go_source() {
        assert_eq!(go_quote("a\"\\\n\u{7}\u{7f}\u{1}é x"), r#""a\"\\\n\a\x7f\x01é x""#);
        assert_eq!(go_quote("\u{200b}\u{a0}'e\u{301}"), "\"\\u200b\\u00a0'e\u{301}\"");
    }

    #[test]
    fn json_escapes_what_could_be_html() {
        assert_eq!(json(&"x<y"), "\"x\\u003cy\"");
    }
}
