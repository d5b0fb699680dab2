//! How a text is written as a YAML scalar: plain where it reads back as itself, else quoted.

use std::fmt::Write as _;

/// The column after which the next space becomes a line break.
const WIDTH: usize = 80;

/// Where a scalar stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The column it starts at.
    pub(super) column: usize,
    /// How far its further lines are indented.
    pub(super) indent: usize,
    /// The column after which the next space becomes a line break.
    width: usize,
}

impl Place {
    /// Where long lines are broken.
    pub(super) fn new(column: usize, indent: usize) -> Self {
        Self { column, indent, width: WIDTH }
    }

    /// In front of a colon: a key that has no sign in front of it stays on its line.
    pub(super) fn of_key(column: usize) -> Self {
        Self { column, indent: column, width: usize::MAX }
    }
}

/// Writes `text` as a scalar.
pub(super) fn write(out: &mut String, text: &str, place: Place) {
    if text.contains('\n') && fits_a_block(text) {
        literal(out, text, place.indent);
    } else if !resolves_to_text(text) || has_special_characters(text) || text.contains('\n') {
        double_quoted(out, text, place);
    } else if may_be_plain(text) {
        plain(out, text, place);
    } else {
        single_quoted(out, text, place);
    }
}

/// Whether the unquoted text would be read as text, and not as a number, boolean, time or null.
fn resolves_to_text(text: &str) -> bool {
    const WORDS: [&str; 41] = [
        "", "~", "null", "Null", "NULL", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE",
        "on", "On", "ON", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off",
        "OFF", ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
        "-.Inf", "-.INF", "<<", "=",
    ];
    !WORDS.contains(&text) && !is_number(text) && !is_time(text) && !is_base_sixty(text)
}

fn is_number(text: &str) -> bool {
    let digits = text.replace('_', "");
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(&digits);
    if let Some(hex) = unsigned.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).is_ok();
    }
    if let Some(octal) = unsigned.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).is_ok();
    }
    if let Some(binary) = unsigned.strip_prefix("0b") {
        return u64::from_str_radix(binary, 2).is_ok();
    }
    let looks_decimal = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    looks_decimal && unsigned.parse::<f64>().is_ok()
}

/// `2006-01-02`, or with a time behind it.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let date = digits(0..4) && bytes.get(4) == Some(&b'-');
    date && (text.parse::<jiff::civil::Date>().is_ok()
        || text.parse::<jiff::Timestamp>().is_ok()
        || text.parse::<jiff::civil::DateTime>().is_ok())
}

/// `1:20`, which older readers take for a number to the base of sixty.
fn is_base_sixty(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let starts = !first.is_empty()
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.chars().all(|c| c.is_ascii_digit() || c == '_');
    let mut rest = parts.peekable();
    starts
        && rest.peek().is_some()
        && rest.all(|part| {
            let whole = part.split('.').next().unwrap_or_default();
            (1..=2).contains(&whole.len()) && whole.chars().all(|c| c.is_ascii_digit())
        })
}

fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
        && character != '\u{feff}'
}

fn has_special_characters(text: &str) -> bool {
    !text.chars().all(is_printable) || text.contains(['\u{85}', '\u{2028}', '\u{2029}'])
}

/// Whether nothing in the text means something to YAML.
fn may_be_plain(text: &str) -> bool {
    let starts_badly = text.starts_with([
        '#', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ' ',
    ]) || text.starts_with("---")
        || text.starts_with("...");
    let before_space = |index: usize| text[index + 1..].chars().next().is_none_or(|c| c == ' ');
    let marks_key = text.char_indices().any(|(at, c)| c == ':' && before_space(at));
    let marks_item = text.starts_with(['-', '?']) && before_space(0);
    !(starts_badly || marks_key || marks_item || text.contains(" #") || text.ends_with(' '))
}

/// A literal block must not have spaces before a line break, nor anything unprintable.
fn fits_a_block(text: &str) -> bool {
    !has_special_characters(text) && !text.contains(" \n") && !text.ends_with(' ')
}

fn plain(out: &mut String, text: &str, place: Place) {
    wrapped(out, text, place, |out, character| out.push(character));
}

fn single_quoted(out: &mut String, text: &str, place: Place) {
    out.push('\'');
    let place = Place { column: place.column + 1, ..place };
    wrapped(out, text, place, |out, character| {
        if character == '\'' {
            out.push('\'');
        }
        out.push(character);
    });
    out.push('\'');
}

/// Writes words, breaking the line at single spaces behind the width.
fn wrapped(out: &mut String, text: &str, place: Place, mut push: impl FnMut(&mut String, char)) {
    let Place { mut column, indent, width } = place;
    let characters: Vec<char> = text.chars().collect();
    for (at, &character) in characters.iter().enumerate() {
        let inside = at > 0 && at + 1 < characters.len();
        let alone = inside && characters[at - 1] != ' ' && characters[at + 1] != ' ';
        if character == ' ' && alone && column > width {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else {
            let before = out.len();
            push(out, character);
            column += out[before..].chars().count();
        }
    }
}

fn double_quoted(out: &mut String, text: &str, place: Place) {
    let Place { mut column, indent, width } = place;
    out.push('"');
    column += 1;
    let characters: Vec<char> = text.chars().collect();
    for (at, &character) in characters.iter().enumerate() {
        let before = out.len();
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            ' ' if at > 0 && at + 1 < characters.len() && column > width => {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
                if characters[at + 1] == ' ' {
                    out.push('\\');
                    column += 1;
                }
                continue;
            }
            printable if is_printable(printable) => out.push(printable),
            other => push_code(out, other),
        }
        column += out[before..].chars().count();
    }
    out.push('"');
}

fn push_code(out: &mut String, character: char) {
    let code = u32::from(character);
    // Writing into a String cannot fail.
    let _written = match code {
        0..=0xff => write!(out, "\\x{code:02X}"),
        0x100..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\U{code:08X}"),
    };
}

fn literal(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    if !text.ends_with('\n') {
        out.push('-');
    } else if text == "\n" || text.ends_with("\n\n") {
        out.push('+');
    }
    // A document that is nothing but text is indented as well.
    let indent = indent.max(2);
    let body = text.strip_suffix('\n').unwrap_or(text);
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
            out.push_str(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str) -> String {
        let mut out = String::new();
        write(&mut out, text, Place::new(0, 2));
        out
    }

    #[test]
    fn text_that_looks_like_something_else_is_quoted() {
        for text in ["true", "yes", "12", "1.5", "0x1f", "null", "", "2026-11-30T00:00:00Z", "1:20"]
        {
            assert_eq!(scalar(text), format!("\"{text}\""), "{text}");
        }
    }

    #[test]
    fn text_that_means_something_is_put_in_single_quotes() {
        assert_eq!(scalar("a: b"), "'a: b'");
        assert_eq!(scalar("*"), "'*'");
        assert_eq!(scalar("- x"), "'- x'");
        assert_eq!(scalar("'x"), "'''x'");
    }

    #[test]
    fn everything_else_is_plain() {
        for text in ["a", "a:b", "flowcontrol.apiserver.k8s.io/v1", "-x", "it's", "1.2.3", "<none>"]
        {
            assert_eq!(scalar(text), text);
        }
    }

    #[test]
    fn long_lines_are_broken_at_the_first_space_behind_the_width() {
        let text = format!("{} b", "a".repeat(81));
        assert_eq!(scalar(&text), format!("{}\n  b", "a".repeat(81)));
    }

    #[test]
    fn lines_are_written_as_a_block() {
        assert_eq!(scalar("a\nb\n"), "|\n  a\n  b");
        assert_eq!(scalar("a\nb"), "|-\n  a\n  b");
    }
}
