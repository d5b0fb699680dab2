//! What names and labels look like (spec: validation 2). Each check gives its messages; none if
//! the text is right.

/// How a length limit is worded; the limit is on bytes in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// As handwritten checks of names word it.
    Characters,
    /// As labels and declared formats word it.
    Bytes,
}

impl Unit {
    fn check(self, text: &str, max: usize) -> Option<String> {
        let unit = match self {
            Self::Characters => "characters",
            Self::Bytes => "bytes",
        };
        (text.len() > max).then(|| format!("must be no more than {max} {unit}"))
    }
}

const SUBDOMAIN_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const SUBDOMAIN_CASELESS: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, \
    '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex \
    used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const C_IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', \
    followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or \
    'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters \
    or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
    regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const QUALIFIED: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used \
    for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric \
    characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
    'MyValue',  or 'my_value',  or '12345', regex used for validation is \
    '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// A DNS-1123 subdomain, such as `example.com`.
#[must_use]
pub fn dns_subdomain(text: &str, unit: Unit) -> Vec<String> {
    let fits = is_subdomain(text);
    if fits && text.len() <= SUBDOMAIN_BYTES_MAX {
        return Vec::new();
    }
    let mut messages: Vec<String> = unit.check(text, SUBDOMAIN_BYTES_MAX).into_iter().collect();
    if !fits {
        messages.push(SUBDOMAIN.to_owned());
    }
    messages
}

/// A DNS-1123 subdomain in which capital letters are allowed.
#[must_use]
pub fn dns_subdomain_caseless(text: &str) -> Vec<String> {
    let mut messages: Vec<String> =
        Unit::Bytes.check(text, SUBDOMAIN_BYTES_MAX).into_iter().collect();
    if !is_subdomain(&text.to_lowercase()) {
        messages.push(SUBDOMAIN_CASELESS.to_owned());
    }
    messages
}

/// A DNS-1123 label, such as `my-name`.
#[must_use]
pub fn dns_label(text: &str, unit: Unit) -> Vec<String> {
    let fits = is_label(text.as_bytes());
    if fits && text.len() <= LABEL_BYTES_MAX {
        return Vec::new();
    }
    let mut messages: Vec<String> = unit.check(text, LABEL_BYTES_MAX).into_iter().collect();
    if !fits {
        let message = if is_subdomain(text) { "must not contain dots" } else { LABEL };
        messages.push(message.to_owned());
    }
    messages
}

/// The key of a label or annotation, such as `example.com/my-name`.
#[must_use]
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((prefix, name)) if !name.contains('/') => {
            if prefix.is_empty() {
                messages.push("prefix part must be non-empty".to_owned());
            } else {
                let wrong = dns_subdomain(prefix, Unit::Bytes);
                messages.extend(wrong.into_iter().map(|message| format!("prefix part {message}")));
            }
            name
        }
        Some(_) => {
            return vec![format!(
                "a valid label key {QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. \
                 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        messages.push("name part must be non-empty".to_owned());
    } else {
        let wrong = Unit::Bytes.check(name, LABEL_BYTES_MAX);
        messages.extend(wrong.map(|message| format!("name part {message}")));
    }
    if !is_qualified(name) {
        messages.push(format!("name part {QUALIFIED}"));
    }
    messages
}

/// The key of a label that must have a prefix.
#[must_use]
pub fn prefixed_qualified_name(text: &str) -> Vec<String> {
    let messages = qualified_name(text);
    if messages.is_empty() && !text.contains('/') {
        return vec!["must include a prefix (e.g. 'example.com/key')".to_owned()];
    }
    messages
}

/// A UUID in lower case, with dashes.
#[must_use]
pub fn uuid(text: &str) -> Vec<String> {
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    if text.len() == 36 && text.bytes().enumerate().all(fits) {
        return Vec::new();
    }
    vec!["must be a lowercase UUID in 8-4-4-4-12 format".to_owned()]
}

/// The name of an extended resource, such as `example.com/gpu`.
#[must_use]
pub fn extended_resource_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if !text.contains('/') {
        let message = "a name must be a domain-prefixed path, such as 'example.com/my-prop'";
        messages.push(message.to_owned());
    } else if text.contains("kubernetes.io/") {
        messages.push("must not have \"kubernetes.io/\" domain".to_owned());
    }
    if text.starts_with("requests.") {
        messages.push("must not have \"requests.\" prefix".to_owned());
    }
    messages.extend(qualified_name(&format!("requests.{text}")));
    messages
}

/// A name as programming languages have them, such as `my_name`.
#[must_use]
pub fn c_identifier(text: &str) -> Vec<String> {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let fits = !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(inside);
    if fits { Vec::new() } else { vec![C_IDENTIFIER.to_owned()] }
}

/// The value of a label.
#[must_use]
pub fn label_value(text: &str) -> Vec<String> {
    let mut messages: Vec<String> = Unit::Bytes.check(text, LABEL_BYTES_MAX).into_iter().collect();
    if !(text.is_empty() || is_qualified(text)) {
        messages.push(LABEL_VALUE.to_owned());
    }
    messages
}

/// A name that may stand in a path; what every kind asks of its names.
#[must_use]
pub fn path_segment(text: &str) -> Vec<String> {
    match text {
        "." => vec!["may not be '.'".to_owned()],
        ".." => vec!["may not be '..'".to_owned()],
        _ => path_segment_prefix(text),
    }
}

/// The start of a name that may stand in a path.
#[must_use]
pub fn path_segment_prefix(text: &str) -> Vec<String> {
    ['/', '%']
        .into_iter()
        .filter(|character| text.contains(*character))
        .map(|character| format!("may not contain '{character}'"))
        .collect()
}

fn is_subdomain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Most names have no dots.
    is_label(bytes) || bytes.split(|byte| *byte == b'.').all(is_label)
}

fn is_label(text: &[u8]) -> bool {
    is_framed(text, LOWER, LOWER | DASH)
}

fn is_qualified(text: &str) -> bool {
    is_framed(text.as_bytes(), LOWER | UPPER, LOWER | UPPER | DASH | INNER)
}

/// Not empty, the ends of one class and the rest of another.
fn is_framed(text: &[u8], end: u8, middle: u8) -> bool {
    match text {
        [] => false,
        [only] => is(*only, end),
        [first, rest @ .., last] => {
            is(*first, end) && is(*last, end) && rest.iter().all(|byte| is(*byte, middle))
        }
    }
}

fn is(byte: u8, classes: u8) -> bool {
    CLASSES[usize::from(byte)] & classes != 0
}

/// Lower case letters and digits.
const LOWER: u8 = 1;
/// Capital letters.
const UPPER: u8 = 2;
const DASH: u8 = 4;
/// Dot and underscore.
const INNER: u8 = 8;

/// The class of each byte; names are looked at byte by byte on every write.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'0'..=b'9' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'-' => DASH,
            b'.' | b'_' => INNER,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subdomains_are_labels_joined_by_dots() {
        for text in ["a", "a.b", "1-a.b2"] {
            assert!(dns_subdomain(text, Unit::Bytes).is_empty(), "{text}");
        }
        for text in ["", ".", "a.", "-a", "a-", "A", "a_b", "a..b"] {
            assert_eq!(dns_subdomain(text, Unit::Bytes), [SUBDOMAIN], "{text}");
        }
    }

    #[test]
    fn lengths_are_worded_by_the_unit() {
        let long = "a".repeat(254);
        assert_eq!(dns_subdomain(&long, Unit::Characters), ["must be no more than 253 characters"]);
        assert_eq!(dns_subdomain(&long, Unit::Bytes), ["must be no more than 253 bytes"]);
    }

    #[test]
    fn a_label_with_dots_is_told_so() {
        assert_eq!(dns_label("a.b", Unit::Bytes), ["must not contain dots"]);
    }

    #[test]
    fn the_parts_of_a_key_are_checked_by_themselves() {
        assert!(qualified_name("example.com/My_name").is_empty());
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
        assert_eq!(qualified_name("a/").len(), 2);
        assert!(qualified_name("a/b/c")[0].starts_with("a valid label key must consist"));
    }

    #[test]
    fn label_values_may_be_empty() {
        assert!(label_value("").is_empty());
        assert_eq!(label_value("-"), [LABEL_VALUE]);
    }
}
