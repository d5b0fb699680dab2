//! A YAML document as it was written: typed keys, keys that stand twice, and lines.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use api::decode::Tree;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::Spanned;
use validation::text::go_quote;

/// From here on the reference writes whole numbers with an exponent.
const WHOLE_MAX: f64 = 1e21;

/// What is known of where a node stands.
pub(super) trait Place: Sized {
    /// Reads a value and where it stands.
    fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(T, Self), D::Error>;
}

/// Nothing: that is read in a fraction of the time.
impl Place for () {
    fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(T, Self), D::Error> {
        T::deserialize(deserializer).map(|value| (value, ()))
    }
}

/// The line on which a node begins, and for one on a single line where it ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct InText {
    /// From 1.
    line: u64,
    /// The column behind it, from 0.
    behind: u64,
}

impl Place for InText {
    fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<(T, Self), D::Error> {
        let Spanned { value, referenced, .. } = Spanned::deserialize(deserializer)?;
        let behind = (referenced.column() + referenced.span().len()).saturating_sub(1);
        Ok((value, Self { line: referenced.line(), behind }))
    }
}

/// A value.
#[derive(Debug)]
pub(super) struct Node<P> {
    place: P,
    content: Content<P>,
}

#[derive(Debug)]
enum Content<P> {
    Scalar(Tree),
    List(Vec<Node<P>>),
    Mapping(Vec<(PlacedKey<P>, Node<P>)>),
}

#[derive(Debug)]
struct PlacedKey<P> {
    key: Key,
    place: P,
}

/// A scalar that is a key. Keys of other types than text are other keys, and the same in JSON.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Text(String),
    /// A boolean or a number, as JSON has it.
    Other(String),
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

impl<P> Node<P> {
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

    /// Whether any key stands twice.
    pub(super) fn repeats_keys(&self) -> bool {
        match &self.content {
            Content::Scalar(_) => false,
            Content::List(items) => items.iter().any(Self::repeats_keys),
            Content::Mapping(members) => {
                let mut seen = BTreeSet::new();
                members.iter().any(|(key, value)| !seen.insert(&key.key) || value.repeats_keys())
            }
        }
    }
}

impl Node<InText> {
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

impl Node<InText> {
    /// The line on which the reference says the value of a key begins: that of what stands in
    /// front of it, such as an anchor, a tag or the sign of a block of text.
    fn begins(&self, key: &PlacedKey<InText>, lines: &[&str]) -> u64 {
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let line = lines.get(count(key.place.line.saturating_sub(1))).copied().unwrap_or_default();
        let rest: String = line.chars().skip(count(key.place.behind)).collect();
        let value = rest.trim_start().strip_prefix(':').unwrap_or_default().trim_start();
        if value.starts_with(['|', '>', '&', '!']) { key.place.line } else { self.place.line }
    }
}

impl<'de, P: Place> Deserialize<'de> for Node<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        P::read(deserializer).map(|(content, place)| Self { place, content })
    }
}

impl<'de, P: Place> Deserialize<'de> for PlacedKey<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        P::read(deserializer).map(|(key, place)| Self { key, place })
    }
}

impl<'de, P: Place> Deserialize<'de> for Content<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Content::<()>::deserialize(deserializer)? {
            Content::Scalar(Tree::String(text)) => Ok(Self::Text(text)),
            Content::Scalar(Tree::Bool(value)) => Ok(Self::Other(value.to_string())),
            Content::Scalar(Tree::Number(number)) => Ok(Self::Other(number.to_string())),
            _ => Err(D::Error::custom("invalid map key")),
        }
    }
}

struct ContentVisitor<P>(PhantomData<P>);

impl<P> ContentVisitor<P> {
    fn number(number: impl Into<Number>) -> Content<P> {
        Content::Scalar(Tree::Number(number.into()))
    }
}

impl<'de, P: Place> Visitor<'de> for ContentVisitor<P> {
    type Value = Content<P>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Content<P>, E> {
        Ok(Content::Scalar(Tree::Null))
    }

    fn visit_none<E>(self) -> Result<Content<P>, E> {
        Ok(Content::Scalar(Tree::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Content<P>, D::Error> {
        Content::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content<P>, E> {
        Ok(Content::Scalar(Tree::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content<P>, E> {
        Ok(Self::number(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content<P>, E> {
        Ok(Self::number(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content<P>, E> {
        Ok(whole(value)
            .or_else(|| Number::from_f64(value))
            .map_or(Content::Scalar(Tree::Null), Self::number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Content<P>, E> {
        Ok(Content::Scalar(Tree::String(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Content<P>, E> {
        Ok(Content::Scalar(Tree::String(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content<P>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Content<P>, A::Error> {
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
