//! The formats of text that are checked. All others, `int32` among them, say nothing to the server.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;
use validation::format::{Unit, dns_label, dns_subdomain};

use super::node::Kind;

/// A format that is checked.
#[derive(Debug, Clone)]
pub(crate) struct Format {
    /// As it is written in the schema.
    pub(crate) name: String,
    check: fn(&str) -> bool,
}

impl Format {
    /// The format of that name; `None` if it is not checked. Which ones are, depends on the type; of
    /// text, dashes in the name do not matter.
    pub(crate) fn parse(name: &str, kind: Option<Kind>) -> Option<Self> {
        match kind {
            None | Some(Kind::String) => Self::of_text(name),
            Some(Kind::Integer) => matches!(name, "int32" | "int64").then(|| Self::of_number(name)),
            Some(Kind::Number) => matches!(name, "float" | "double").then(|| Self::of_number(name)),
            Some(Kind::Array | Kind::Boolean | Kind::Object) => None,
        }
    }

    fn of_number(name: &str) -> Self {
        Self { name: name.to_owned(), check: |_| true }
    }

    /// The format of text of that name.
    pub(crate) fn of_text(name: &str) -> Option<Self> {
        // These two are only known with their dashes.
        let plain = if name.starts_with("k8s-") { name.to_owned() } else { name.replace('-', "") };
        let check: fn(&str) -> bool = match plain.as_str() {
            "bsonobjectid" => {
                |text| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            }
            "uri" => is_request_uri,
            "email" => is_email,
            "hostname" => is_hostname,
            "ipv4" => |text| text.parse::<Ipv4Addr>().is_ok(),
            "ipv6" => |text| text.parse::<Ipv6Addr>().is_ok(),
            "cidr" => is_cidr,
            "mac" => is_mac,
            "uuid" => |text| UUID.is_match(text),
            "uuid3" => |text| UUID3.is_match(text),
            "uuid4" => |text| UUID4.is_match(text),
            "uuid5" => |text| UUID5.is_match(text),
            "isbn" => |text| is_isbn10(text) || is_isbn13(text),
            "isbn10" => is_isbn10,
            "isbn13" => is_isbn13,
            "creditcard" => is_credit_card,
            "ssn" => |text| SSN.is_match(text),
            "hexcolor" => |text| HEX_COLOR.is_match(text),
            "rgbcolor" => is_rgb_color,
            "byte" => is_base64,
            "password" => |_| true,
            "date" => is_date,
            "duration" => is_duration,
            "datetime" => is_date_time,
            "k8s-short-name" => |text| dns_label(text, Unit::Characters).is_empty(),
            "k8s-long-name" => |text| dns_subdomain(text, Unit::Characters).is_empty(),
            _ => return None,
        };
        Some(Self { name: name.to_owned(), check })
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        (self.check)(text)
    }
}

macro_rules! expressions {
    ($($name:ident = $text:expr;)*) => {$(
        static $name: LazyLock<Regex> = LazyLock::new(|| compiled($text));
    )*};
}

#[expect(clippy::expect_used, reason = "a test compiles every expression")]
fn compiled(text: &str) -> Regex {
    Regex::new(text).expect("a regular expression")
}

expressions! {
    UUID = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID3 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$";
    UUID4 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    UUID5 = "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$";
    SSN = "^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$";
    HEX_COLOR = "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
    DATE_TIME = r"^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?([Zz]|[+-][0-9]{2}:?[0-9]{2})$";
    EMAIL = r#"^[^\s"(),:;<>@\[\\\]]+@[^\s"(),:;<>@\[\\\]]+$"#;
    WORDED = r"([0-9]+)\s*([A-Za-zµ]+)";
    SINGLE_LABEL = r"^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$";
    TOP_LABEL = r"^[a-zA-Z\p{L}]{2,63}$";
    LABEL = r"^[a-zA-Z0-9\p{S}\p{L}]([-a-zA-Z0-9\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$";
}

fn is_request_uri(text: &str) -> bool {
    let is_plain = !text.chars().any(|character| character.is_control() || character == ' ');
    let scheme = text.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|each| each.is_ascii_alphanumeric() || "+-.".contains(each))
    };
    let rest = scheme.and_then(|scheme| text.get(scheme.len() + 1..)).unwrap_or_default();
    is_plain && (text.starts_with('/') || (scheme.is_some_and(is_scheme) && !rest.is_empty()))
}

/// An address, or a name followed by an address in angle brackets.
fn is_email(text: &str) -> bool {
    let address = match text.strip_suffix('>') {
        Some(start) => start.rsplit_once('<').map_or(text, |(_, address)| address),
        None => text,
    };
    let local = address.split('@').next().unwrap_or_default();
    EMAIL.is_match(address.trim())
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

/// One label, or several of which the last has letters only.
fn is_hostname(text: &str) -> bool {
    let is_name = match text.rsplit_once('.') {
        None => SINGLE_LABEL.is_match(text),
        Some((labels, last)) => {
            TOP_LABEL.is_match(last) && labels.split('.').all(|label| LABEL.is_match(label))
        }
    };
    is_name && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let is_number = !bits.is_empty()
        && bits.bytes().all(|byte| byte.is_ascii_digit())
        && (bits.len() == 1 || !bits.starts_with('0'));
    let bits = bits.parse::<u8>().ok().filter(|_| is_number);
    bits.is_some_and(|bits| {
        (address.parse::<Ipv4Addr>().is_ok() && bits <= 32)
            || (address.parse::<Ipv6Addr>().is_ok() && bits <= 128)
    })
}

fn is_mac(text: &str) -> bool {
    let parts = |separator: char, digits: usize, counts: &[usize]| {
        let parts: Vec<&str> = text.split(separator).collect();
        counts.contains(&parts.len())
            && parts.iter().all(|part| {
                part.len() == digits && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
    };
    parts(':', 2, &[6, 8, 20]) || parts('-', 2, &[6, 8, 20]) || parts('.', 4, &[3, 4, 10])
}

fn without_dashes(text: &str) -> String {
    text.chars().filter(|character| !matches!(character, '-' | ' ')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = without_dashes(text);
    let digit = |(index, byte): (usize, u8)| match byte {
        b'0'..=b'9' => Some(u32::from(byte - b'0')),
        b'X' | b'x' if index == 9 => Some(10),
        _ => None,
    };
    let digits: Option<Vec<u32>> = text.bytes().enumerate().map(digit).collect();
    digits.is_some_and(|digits| {
        let sum: u32 = (1..).zip(&digits).map(|(place, digit)| place * digit).sum();
        digits.len() == 10 && sum.is_multiple_of(11)
    })
}

fn is_isbn13(text: &str) -> bool {
    let text = without_dashes(text);
    let is_digits = text.len() == 13 && text.bytes().all(|byte| byte.is_ascii_digit());
    let weight = [1, 3].into_iter().cycle();
    let sum: u32 = text
        .bytes()
        .map(|byte| u32::from(byte.wrapping_sub(b'0')))
        .zip(weight)
        .map(|(digit, weight)| digit * weight)
        .sum();
    is_digits && sum.is_multiple_of(10)
}

/// What card numbers begin with, as the first and the last such number, and how long they are.
const CARDS: [(&str, &str, &[usize]); 15] = [
    ("4", "4", &[13, 16]),
    ("51", "55", &[16]),
    ("2221", "2720", &[16]),
    ("6011", "6011", &[16]),
    ("65", "65", &[16]),
    ("34", "34", &[15]),
    ("37", "37", &[15]),
    ("300", "305", &[14]),
    ("36", "36", &[14]),
    ("38", "38", &[14]),
    ("35", "35", &[16]),
    ("62", "62", &[16]),
    ("67", "67", &[16]),
    ("1800", "1800", &[15]),
    ("2131", "2131", &[15]),
];

fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let values = digits.bytes().rev().map(|byte| u32::from(byte - b'0')).enumerate();
    let sum: u32 =
        values.map(|(place, digit)| if place % 2 == 1 { doubled(digit) } else { digit }).sum();
    let is_issued = |(first, last, lengths): &(&str, &str, &[usize])| {
        let start = digits.get(..first.len()).unwrap_or_default();
        (*first..=*last).contains(&start) && lengths.contains(&digits.len())
    };
    CARDS.iter().any(is_issued) && sum.is_multiple_of(10)
}

/// Three numbers from 0 to 255, with blanks around them at most.
fn is_rgb_color(text: &str) -> bool {
    const BLANKS: [char; 5] = ['\t', '\n', '\u{c}', '\r', ' '];
    let numbers = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    let is_number = |part: &str| {
        let part = part.trim_matches(BLANKS);
        part.parse::<u8>().is_ok_and(|number| number.to_string() == part)
    };
    numbers
        .is_some_and(|numbers| numbers.split(',').count() == 3 && numbers.split(',').all(is_number))
}

/// Whole groups of four, of which the last may end in one or two signs of equality.
fn is_base64(text: &str) -> bool {
    let bare = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let is_whole = !text.is_empty() && text.len().is_multiple_of(4);
    is_whole && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok()
}

fn is_date_time(text: &str) -> bool {
    let Some(parts) = DATE_TIME.captures(text) else { return false };
    let number = |index: usize| {
        parts.get(index).and_then(|part| part.as_str().parse::<u32>().ok()).unwrap_or(u32::MAX)
    };
    let date = text.get(..10).unwrap_or_default();
    is_date(date) && number(4) < 24 && number(5) < 60 && number(6) < 60
}

/// A duration as in Go (`1h30m`), or a number and the name of a unit (`3 days`).
fn is_duration(text: &str) -> bool {
    parse_duration(text).is_some()
}

/// The nanoseconds of a duration.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    go_duration(text).or_else(|| worded_duration(text))
}

/// Such as `-1.5h30m`.
pub(crate) fn go_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut nanos = 0_f64;
    let mut whole_nanos = 0_i64;
    while !rest.is_empty() {
        let number_len = rest.find(|each: char| !each.is_ascii_digit() && each != '.')?;
        let (number, after) = rest.split_at(number_len);
        let unit_len =
            after.find(|each: char| each.is_ascii_digit() || each == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_len);
        let scale = unit_nanos(unit)?;
        match number.parse::<i64>() {
            Ok(number) => whole_nanos = whole_nanos.checked_add(number.checked_mul(scale)?)?,
            Err(_) => nanos += number.parse::<f64>().ok()? * scale as f64,
        }
        rest = after;
    }
    let total = whole_nanos.checked_add(nanos as i64)?;
    Some(if negative { -total } else { total })
}

fn unit_nanos(unit: &str) -> Option<i64> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Numbers with units in words, added up; what stands between them is not looked at.
fn worded_duration(text: &str) -> Option<i64> {
    let mut sum = None;
    for part in WORDED.captures_iter(text) {
        let number = part.get(1)?.as_str().parse::<i64>().ok()?;
        if let Some(unit) = unit_of(&part.get(2)?.as_str().to_lowercase()) {
            let nanos = number.wrapping_mul(unit);
            sum = Some(sum.unwrap_or(0_i64).wrapping_add(nanos));
        }
    }
    sum
}

/// The nanoseconds of a unit; longer words may go on after the part that tells.
fn unit_of(word: &str) -> Option<i64> {
    let second: i64 = 1_000_000_000;
    let units: [(&[&str], &str, i64); 8] = [
        (&["ns"], "nano", 1),
        (&["us", "µs"], "micro", 1_000),
        (&["ms"], "milli", 1_000_000),
        (&["s"], "sec", second),
        (&["m"], "min", 60 * second),
        (&["h", "hr"], "hour", 3_600 * second),
        (&["d"], "day", 86_400 * second),
        (&["w", "wk"], "week", 7 * 86_400 * second),
    ];
    let found =
        units.iter().find(|(short, long, _)| short.contains(&word) || word.starts_with(long));
    found.map(|(_, _, nanos)| *nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_takes_what_it_should() {
        for (format, good, bad) in [
            ("date-time", "2024-02-29T01:02:03.5Z", "2023-02-29T01:02:03Z"),
            ("datetime", "2024-02-29T01:02:03+01:00", "2024-02-29"),
            ("date", "2024-02-29", "2024-2-9"),
            ("duration", "1h30m", "1 parsec"),
            ("duration", "3 days", "x"),
            ("byte", "aGVsbG8=", "aGVsbG8"),
            ("uuid", "0D5D7EFC-1B2C-4E31-8B5B-7C9D4F5B2A10", "0d5d"),
            ("ipv4", "10.0.0.1", "10.0.0"),
            ("ipv6", "fd00::1", "10.0.0.1"),
            ("cidr", "fd00::/8", "10.0.0.0/33"),
            ("mac", "00:00:5e:00:53:01", "00:00:5e:00:53"),
            ("email", "Ann <ann@example.com>", "ann@"),
            ("hostname", "a-b.example.com", "-a.example.com"),
            ("uri", "https://example.com/x?y", "example com"),
            ("isbn10", "0321751043", "0321751044"),
            ("isbn13", "978-0321751041", "978-0321751042"),
            ("creditcard", "4111 1111 1111 1111", "4111 1111 1111 1112"),
            ("ssn", "111-11-1111", "11-111-1111"),
            ("hexcolor", "#FFFFFF", "#FFFF"),
            ("rgbcolor", "rgb(1, 2, 255)", "rgb(1,2,256)"),
            ("bsonobjectid", "507f1f77bcf86cd799439011", "x"),
        ] {
            let checked = Format::of_text(format).unwrap();
            assert!(checked.holds(good), "{format} {good}");
            assert!(!checked.holds(bad), "{format} {bad}");
        }
        assert!(Format::of_text("int32").is_none() && Format::of_text("").is_none());
        assert!(Format::parse("int32", Some(Kind::Integer)).is_some());
        for good in ["378282246310005", "30569309025904", "3530111333300000", "2223003122003222"] {
            assert!(is_credit_card(good), "{good}");
        }
        for bad in ["rgb(01,2,3)", "rgb(1,2)", "rgb(1,2,3", "rgb(1,2,3,4)", "rgb(+1,2,3)"] {
            assert!(!is_rgb_color(bad), "{bad}");
        }
        assert!(is_base64("ab==") && is_base64("abc=") && is_base64("ab/+"));
        assert!(!is_base64("") && !is_base64("a===") && !is_base64("ab=c") && !is_base64("===="));
        let _compiled = [&*UUID3, &*UUID4, &*UUID5, &*LABEL];
    }
}
