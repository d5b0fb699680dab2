//! JSON as the reference writes it: `<`, `>`, `&`, U+2028 and U+2029 escaped, a newline at the end.

use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Compact JSON without a newline at the end.
#[must_use]
pub fn to_vec(value: &impl Serialize) -> Vec<u8> {
    write(value, Escaping(CompactFormatter))
}

/// JSON indented by two spaces, without a newline at the end.
#[must_use]
pub fn to_vec_pretty(value: &impl Serialize) -> Vec<u8> {
    write(value, Escaping(PrettyFormatter::with_indent(b"  ")))
}

/// Appends `text` as a JSON string.
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    out.extend(to_vec(&text));
}

fn write(value: &impl Serialize, formatter: impl Formatter) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    // Writing into memory cannot fail, and our values have text keys only.
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, formatter));
    debug_assert!(written.is_ok(), "{written:?}");
    out
}

/// A formatter that escapes what could be taken for HTML.
struct Escaping<F>(F);

macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty),*)),* $(,)?) => {$(
        fn $name<W: ?Sized + io::Write>(&mut self, writer: &mut W, $($argument: $type),*) -> io::Result<()> {
            self.0.$name(writer, $($argument),*)
        }
    )*};
}

impl<F: Formatter> Formatter for Escaping<F> {
    delegate! {
        begin_array(), end_array(), begin_array_value(first: bool), end_array_value(),
        begin_object(), end_object(), begin_object_key(first: bool), end_object_key(),
        begin_object_value(), end_object_value(), write_char_escape(escape: CharEscape),
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, escape, length)) = next_escape(rest) {
            writer.write_all(&rest.as_bytes()[..at])?;
            writer.write_all(escape)?;
            rest = &rest[at + length..];
        }
        writer.write_all(rest.as_bytes())
    }
}

/// The first character to escape: its place, what stands for it, and its length in bytes.
fn next_escape(text: &str) -> Option<(usize, &'static [u8], usize)> {
    text.char_indices().find_map(|(at, character)| {
        let escape: &[u8] = match character {
            '<' => b"\\u003c",
            '>' => b"\\u003e",
            '&' => b"\\u0026",
            '\u{2028}' => b"\\u2028",
            '\u{2029}' => b"\\u2029",
            _ => return None,
        };
        Some((at, escape, character.len_utf8()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_could_be_html_is_escaped() {
        let text = to_vec(&json!({"a<b": "x>y & \"z\" \u{2028}"}));
        assert_eq!(
            String::from_utf8(text).unwrap(),
            r#"{"a\u003cb":"x\u003ey \u0026 \"z\" \u2028"}"#
        );
    }

    #[test]
    fn pretty_text_is_indented_by_two_spaces() {
        let text = to_vec_pretty(&json!({"a": [], "b": {"c": 1}}));
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "{\n  \"a\": [],\n  \"b\": {\n    \"c\": 1\n  }\n}"
        );
    }
}
