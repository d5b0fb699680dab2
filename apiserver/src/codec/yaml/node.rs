//! A YAML document as it was written: typed keys, keys that stand twice, and lines.

use std::collections::BTreeSet;
use std::fmt;

use api::decode::Tree;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::Spanned;
use validation::text::go_quote;

/// From here on the reference writes whole numbers with an exponent.
const WHOLE_MAX: f64 = 1e21;

/// A value, and the line (from 1) on which it begins.
#[derive(Debug)]
pub(super) struct Node {
    line: u64,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Scalar(Tree),
    List(Vec<Node>),
    Mapping(Vec<(PlacedKey, Node)>),
}

/// A scalar that is a key. Keys of other types than text are other keys, and the same in JSON.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Text(String),
    /// A boolean or a number, as JSON has it.
    Other(String),
}

/// A key, and where it stands.
#[derive(Debug)]
struct PlacedKey {
    key: Key,
    /// From 1.
    line: u64,
    /// The column behind it, from 0.
    behind: u64,
}

impl Key {
    /// As the reference's parser shows it.
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => go_quote(text),
            Self::Other(text) => text.clone(),
        }
    }

    fn into_name(self) -> String {
        match self {
            Self::Text(text) | Self::Other(text) => text,
        }
    }
}

impl Node {
    /// The document as the reference makes JSON of it: members in the order of their names, and
    /// of those with the same name the last.
    pub(super) fn into_tree(self) -> Tree {
        match self.content {
            Content::Scalar(scalar) => scalar,
            Content::List(items) => Tree::List(items.into_iter().map(Self::into_tree).collect()),
            Content::Mapping(members) => {
                let mut named: Vec<(String, Self)> =
                    members.into_iter().map(|(key, value)| (key.key.into_name(), value)).collect();
                // Stable: the last of a name is the last that was written.
                named.sort_by(|(left, _), (right, _)| left.cmp(right));
                let mut object: Vec<(String, Tree)> = Vec::with_capacity(named.len());
                for (name, value) in named {
                    if object.last().is_some_and(|(last, _)| *last == name) {
                        object.pop();
                    }
                    object.push((name, value.into_tree()));
                }
                Tree::Object(object)
            }
        }
    }

    /// What a strict reader says of keys that stand twice: what is inside a value comes before
    /// what is wrong with its own key, and the line is that of the value. `lines` are those of the
    /// text.
    pub(super) fn repeated_keys(&self, lines: &[&str], found: &mut Vec<String>) {
        match &self.content {
            Content::Scalar(_) => {}
            Content::List(items) => {
                items.iter().for_each(|item| item.repeated_keys(lines, found));
            }
            Content::Mapping(members) => {
                let mut seen = BTreeSet::new();
                for (key, value) in members {
                    value.repeated_keys(lines, found);
                    if !seen.insert(&key.key) {
                        let (line, key) = (value.begins(key, lines), key.key.shown());
                        found.push(format!("line {line}: key {key} already set in map"));
                    }
                }
            }
        }
    }
}

impl Node {
    /// The line on which the reference says the value of a key begins: that of what stands in
    /// front of it, such as an anchor, a tag or the sign of a block of text.
    fn begins(&self, key: &PlacedKey, lines: &[&str]) -> u64 {
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let line = lines.get(count(key.line.saturating_sub(1))).copied().unwrap_or_default();
        let rest: String = line.chars().skip(count(key.behind)).collect();
        let value = rest.trim_start().strip_prefix(':').unwrap_or_default().trim_start();
        if value.starts_with(['|', '>', '&', '!']) { key.line } else { self.line }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Content>::deserialize(deserializer)?;
        Ok(Self { line: spanned.referenced.line(), content: spanned.value })
    }
}

impl<'de> Deserialize<'de> for PlacedKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value: key, referenced: place, .. } = Spanned::deserialize(deserializer)?;
        let behind = (place.column() + place.span().len()).saturating_sub(1);
        Ok(Self { key, line: place.line(), behind })
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Content::deserialize(deserializer)? {
            Content::Scalar(Tree::String(text)) => Ok(Self::Text(text)),
            Content::Scalar(Tree::Bool(value)) => Ok(Self::Other(value.to_string())),
            Content::Scalar(Tree::Number(number)) => Ok(Self::Other(number.to_string())),
            _ => Err(D::Error::custom("invalid map key")),
        }
    }
}

struct ContentVisitor;

impl ContentVisitor {
    fn number(number: impl Into<Number>) -> Content {
        Content::Scalar(Tree::Number(number.into()))
    }
}

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Scalar(Tree::Null))
    }

    fn visit_none<E>(self) -> Result<Content, E> {
        Ok(Content::Scalar(Tree::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Content, D::Error> {
        Content::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Scalar(Tree::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Self::number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Self::number(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content, E> {
        Ok(whole(value)
            .or_else(|| Number::from_f64(value))
            .map_or(Content::Scalar(Tree::Null), Self::number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Scalar(Tree::String(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Content, E> {
        Ok(Content::Scalar(Tree::String(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Content, A::Error> {
        let mut mapping = Vec::new();
        while let Some(member) = members.next_entry()? {
            mapping.push(member);
        }
        Ok(Content::Mapping(mapping))
    }
}

/// A number without a fraction, which JSON shows without a point.
fn whole(value: f64) -> Option<Number> {
    if value.fract() != 0.0 || value.abs() >= WHOLE_MAX {
        return None;
    }
    let text = format!("{value:.0}");
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}
