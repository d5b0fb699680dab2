//! YAML: read into the same tree as JSON, written in the reference's layout.

mod errors;
mod node;
mod scalar;
mod write;

use api::decode::Tree;
use serde_saphyr::{Error, Options};

use node::{InText, Node, Place};
pub use write::to_vec;

/// How many nodes a document may have; aliases count each time.
const NODES_MAX: usize = 250_000;

/// A document, and what a strict reader has to say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What it says. Members are in the order of their names, and none stands twice: the
    /// reference makes JSON of YAML, and that is how it does.
    pub tree: Tree,
    /// What stands twice all the same.
    pub repeated_keys: RepeatedKeys,
}

/// The keys that stand twice in a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepeatedKeys {
    /// One text for each, as `line 8: key "type" already set in map`.
    pub lines: Vec<String>,
}

impl RepeatedKeys {
    /// All of them as one error of the reference's parser; `None` if there are none.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        let lines = self.lines.join("\n  ");
        (!lines.is_empty()).then(|| format!("yaml: unmarshal errors:\n  {lines}"))
    }
}

/// Reads a document. Scalars have the types that the reference's older YAML gives them: `yes`,
/// `no`, `on` and `off` are booleans, and a leading zero makes a number octal.
///
/// # Errors
///
/// The parser's message.
pub fn read(text: &[u8]) -> Result<Document, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("yaml: {error}"))?;
    if text.trim().is_empty() {
        return Ok(Document { tree: Tree::Null, repeated_keys: RepeatedKeys::default() });
    }
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::PassThrough,
        strict_booleans: false,
        legacy_octal_numbers: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_nodes: NODES_MAX },
    };
    let in_other_words = |error: Error| errors::in_other_words(&error.to_string(), text);
    let node: Node<()> = first_document(text, options.clone()).map_err(in_other_words)?;
    let mut lines = Vec::new();
    if node.repeats_keys() {
        let node: Node<InText> = first_document(text, options).map_err(in_other_words)?;
        node.repeated_keys(&text.lines().collect::<Vec<_>>(), &mut lines);
    }
    Ok(Document { tree: node.into_tree(), repeated_keys: RepeatedKeys { lines } })
}

/// The first document of a text; what follows is not looked at.
fn first_document<P: Place>(text: &str, options: Options) -> Result<Node<P>, Error> {
    match serde_saphyr::from_str_with_options(text, options.clone()) {
        Err(Error::MultipleDocuments { .. }) => {
            let mut bytes = text.as_bytes();
            let first = serde_saphyr::read_with_options(&mut bytes, options).next();
            first.unwrap_or_else(|| serde_saphyr::from_str("null"))
        }
        only => only,
    }
}

/// What a document says.
///
/// # Errors
///
/// The parser's message.
pub fn parse(text: &[u8]) -> Result<Tree, String> {
    read(text).map(|document| document.tree)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::codec::protobuf::generate::Source;

    use super::*;

    #[test]
    fn plain_scalars_have_the_types_they_look_like() {
        let tree = parse(b"a: yes\nb: \"yes\"\nc: 5\nd: 1.5\ne: ~\nf: [x, 'y']\n").unwrap();
        assert_eq!(
            tree.into_value(),
            json!({"a": true, "b": "yes", "c": 5, "d": 1.5, "e": null, "f": ["x", "y"]})
        );
    }

    /// What the reference's own parser makes of texts.
    #[derive(serde::Deserialize)]
    struct Recorded {
        text: String,
        /// The JSON it makes; empty where there is an error.
        json: String,
        error: Option<String>,
        /// What it says if it is strict.
        strict: Option<String>,
    }

    #[test]
    fn documents_are_read_as_the_reference_reads_them() {
        for line in include_str!("recorded.jsonl").lines() {
            let Recorded { text, json, error, strict } = serde_json::from_str(line).unwrap();
            match read(text.as_bytes()) {
                Ok(Document { tree, repeated_keys }) => {
                    let expected: serde_json::Value = serde_json::from_str(&json).unwrap();
                    assert_eq!(tree.into_value(), expected, "{text:?}");
                    assert_eq!(repeated_keys.message(), strict, "{text:?}");
                }
                Err(found) => assert_eq!(Some(found), error, "{text:?}"),
            }
        }
    }

    #[test]
    fn values_are_written_as_the_reference_writes_them() {
        #[derive(serde::Deserialize)]
        struct Written {
            json: String,
            yaml: String,
        }
        for line in include_str!("written.jsonl").lines() {
            let Written { json, yaml } = serde_json::from_str(line).unwrap();
            let value = serde_json::from_str(&json).unwrap();
            assert_eq!(String::from_utf8(to_vec(&value)).unwrap(), yaml, "{json}");
        }
    }

    #[test]
    fn members_are_in_the_order_of_their_names() {
        let tree = parse(b"b: 1\na: 2\n10: 3\n9: 4\n").unwrap();
        assert_eq!(tree.into_value().to_string(), r#"{"10":3,"9":4,"a":2,"b":1}"#);
    }

    #[test]
    fn texts_are_read_as_they_were_written() {
        let mut source = Source::new(1);
        for _ in 0..1_000 {
            let text = source.text();
            for value in [
                json!(text),
                json!({ "a": { &text: &text, "b": { "c": text } } }),
                json!([[{ &text: [text] }]]),
            ] {
                let written = to_vec(&value);
                let shown = String::from_utf8_lossy(&written);
                assert_eq!(parse(&written).map(Tree::into_value), Ok(value), "{shown}");
            }
        }
    }

    #[test]
    fn many_keys_are_read_in_time() {
        let text: String = (0..20_000).map(|number| format!("k{number}: 1\n")).collect();
        assert!(read(text.as_bytes()).unwrap().repeated_keys.lines.is_empty());
    }

    #[test]
    fn json_is_yaml_too() {
        assert_eq!(
            parse(br#"{"a":[1,{"b":null}]}"#).unwrap().into_value(),
            json!({"a": [1, {"b": null}]})
        );
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let value = json!({
            "text": "a: b", "number like": "12", "bool like": "yes", "time": "2026-11-30T00:00:00Z",
            "lines": "one\ntwo\n", "no end": "one\ntwo", "empty": "", "spaces": " x ", "quote": "it's",
            "list": [[], {}, ["a", {"b": 1, "c": [true]}]], "null": null, "float": 1.5,
            "long": "word ".repeat(40), "hash": "a #b", "tab": "a\tb", "colon:": "x", "- dash": "- y",
        });
        let text = to_vec(&value);
        let back = parse(&text)
            .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&text)));
        assert_eq!(back.into_value(), value);
    }
}
