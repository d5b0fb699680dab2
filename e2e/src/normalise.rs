//! Symbols for what no two servers share: uids, resourceVersions, times, ages, continue tokens.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

use crate::json::{Members, ascii};

/// Compiles a pattern that is written in this program.
#[expect(clippy::expect_used, reason = "the patterns are literals; tests compile each of them")]
pub(crate) fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern")
}

const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
static SOME_UUID: LazyLock<Regex> = LazyLock::new(|| compile(UUID));
static A_UUID: LazyLock<Regex> = LazyLock::new(|| compile(&format!("^{UUID}$")));
static TIME: LazyLock<Regex> =
    LazyLock::new(|| compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(?:Z|[+-]\d\d:\d\d)(, +)?"));
static AGE: LazyLock<Regex> = LazyLock::new(|| compile(r"^(\d+[ydhms]){1,2}$"));
static QUOTED_VERSION: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"(resourceVersion\\*":\\*")\d+"#));
static CURRENT_VERSION: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(Too large resource version: \d+, current: )\d+"));
static SCHEME: LazyLock<Regex> = LazyLock::new(|| compile(r#"in scheme \\*"[^"]*""#));

/// Descriptions longer than this many characters are not compared.
const LONG_DESCRIPTION: usize = 40;

/// Whether a text is an age as Tables print it: `5m`, `3d4h`.
#[must_use]
pub fn is_age(text: &str) -> bool {
    AGE.is_match(text)
}

/// The symbols given so far, in one case.
#[derive(Debug, Default)]
pub struct Symbols {
    uids: BTreeMap<String, usize>,
    versions: BTreeMap<String, usize>,
    follow_versions: bool,
}

fn symbol(table: &mut BTreeMap<String, usize>, prefix: &str, value: &str) -> String {
    let next = table.len() + 1;
    let number = *table.entry(value.to_owned()).or_insert(next);
    format!("<{prefix}{number}>")
}

impl Symbols {
    /// No symbols yet. With `follow_versions`, equal resourceVersions get equal symbols; without,
    /// all get the same one.
    #[must_use]
    pub fn new(follow_versions: bool) -> Self {
        Self { follow_versions, ..Self::default() }
    }

    /// A text with symbols.
    pub fn text(&mut self, text: &str) -> String {
        let uids = &mut self.uids;
        let text = SOME_UUID.replace_all(text, |uid: &Captures<'_>| symbol(uids, "uid", &uid[0]));
        let text = QUOTED_VERSION.replace_all(&text, "${1}<rv>");
        let text = sorted_conflicts(&text);
        let text = CURRENT_VERSION.replace_all(&text, "${1}<rv>");
        let text = SCHEME.replace_all(&text, "in scheme <scheme>");
        TIME.replace_all(&text, time_symbol).into_owned()
    }

    /// A value with symbols, numbered in the order in which the value has them.
    pub fn value(&mut self, value: Value) -> Value {
        self.walk(value, None)
    }

    fn walk(&mut self, value: Value, key: Option<&str>) -> Value {
        match value {
            Value::Object(members) => self.object(members),
            Value::Array(items) => self.array(items, key),
            Value::String(text) => self.string(text, key).into(),
            other => other,
        }
    }

    fn object(&mut self, mut members: Map<String, Value>) -> Value {
        if members.get("kind").is_some_and(|kind| kind == "Table") {
            let columns = members.get("columnDefinitions").map(hide_descriptions);
            members.insert("columnDefinitions".to_owned(), columns.unwrap_or(Value::Null));
        }
        if let Some(Value::Array(causes)) = members.get_mut("causes")
            && causes.first().is_some_and(|first| first["reason"] == "FieldManagerConflict")
        {
            sort(causes);
        }
        let mut walked = Map::new();
        for (key, value) in members {
            let value = self.walk(value, Some(&key));
            walked.insert(key, value);
        }
        walked.into()
    }

    fn array(&mut self, items: Vec<Value>, key: Option<&str>) -> Value {
        let cells = key.is_some_and(|key| key.ends_with("cells"));
        let walk = |item: Value| match item {
            Value::String(text) if cells && is_age(&text) => "<age>".into(),
            item => self.walk(item, None),
        };
        let mut walked: Vec<_> = items.into_iter().map(walk).collect();
        if key == Some("managedFields") {
            sort(&mut walked);
        }
        walked.into()
    }

    fn string(&mut self, text: String, key: Option<&str>) -> String {
        let key = key.unwrap_or_default();
        match key {
            "resourceVersion" if !matches!(text.as_str(), "" | "0") => {
                if self.follow_versions {
                    symbol(&mut self.versions, "rv", &text)
                } else {
                    "<rv>".to_owned()
                }
            }
            "uid" if A_UUID.is_match(&text) => symbol(&mut self.uids, "uid", &text),
            "uid" => text,
            "serverAddress" => "<address>".to_owned(),
            "description" if text.chars().count() > LONG_DESCRIPTION => "<text>".to_owned(),
            _ if key.ends_with("continue") && !matches!(text.as_str(), "" | "<absent>") => {
                "<continue>".to_owned()
            }
            _ => self.text(&text),
        }
    }
}

/// The longest fraction of a second, with its point.
const FRACTION_BYTES: usize = ".123456789".len();

/// A time, and the padding that follows it in a table of text: a fraction that ends in zeros is
/// written shorter and padded by as much, which is chance.
fn time_symbol(time: &Captures<'_>) -> String {
    let fraction = time.get(1).map_or(FRACTION_BYTES, |fraction| fraction.len());
    let padding = time.get(2).map_or("", |padding| padding.as_str());
    let missing = FRACTION_BYTES.saturating_sub(fraction);
    let kept = padding.len().saturating_sub(missing).max(padding.len().min(", ".len()));
    format!("<time>{}", &padding[..kept])
}

/// Sorts values by their text.
pub(crate) fn sort(values: &mut [Value]) {
    values.sort_by_cached_key(|value| ascii(value, Members::Sorted));
}

/// The reference lists the conflicts of an apply in any order.
fn sorted_conflicts(text: &str) -> Cow<'_, str> {
    if !text.starts_with("Apply failed with ") {
        return text.into();
    }
    let mut lines: Vec<_> = text.split('\n').collect();
    if let Some((_, conflicts)) = lines.split_first_mut() {
        conflicts.sort_unstable();
    }
    lines.join("\n").into()
}

fn hide_descriptions(columns: &Value) -> Value {
    match columns {
        Value::Array(columns) if !columns.is_empty() => {
            let hide = |column: &Value| {
                let mut column = column.clone();
                if let Value::Object(members) = &mut column {
                    members.insert("description".to_owned(), "<text>".into());
                }
                column
            };
            columns.iter().map(hide).collect()
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Raw values, and what they become; the two sides were worked out by an independent
    /// implementation of the same rules.
    #[test]
    fn values_become_what_the_recorder_made_of_them() {
        let vectors: Value = serde_json::from_str(include_str!("../data/normalise.json")).unwrap();
        for vector in vectors.as_array().unwrap() {
            let mut symbols = Symbols::new(vector["follow"].as_bool().unwrap());
            let got: Vec<_> = vector["raw"]
                .as_array()
                .unwrap()
                .iter()
                .map(|raw| symbols.value(raw.clone()))
                .collect();
            assert_eq!(Value::from(got), vector["normal"], "{}", vector["about"]);
        }
    }

    #[test]
    fn how_a_time_is_padded_is_no_difference() {
        let text = |text: &str| Symbols::new(true).text(text);
        let expected = "<time>, 1";
        assert_eq!(text("2026-11-30T02:58:10.170257231Z, 1"), expected);
        assert_eq!(text("2026-11-30T02:58:10.1702572Z,   1"), expected);
        assert_eq!(text("2026-11-30T02:58:10.1702572Z, 1"), expected);
        assert_eq!(text("0001-01-01T00:00:00Z,   1"), "<time>,   1");
        assert_eq!(text("2026-11-30T02:58:10.1Z"), "<time>");
    }

    #[test]
    fn an_absent_continue_token_stays_absent() {
        let mut symbols = Symbols::new(true);
        let value = json!({"/metadata/continue": "<absent>", "continue": ""});
        assert_eq!(symbols.value(value.clone()), value);
    }
}
