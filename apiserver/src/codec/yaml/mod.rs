//! YAML: read into the same tree as JSON, written in the reference's layout.

mod errors;
mod scalar;
mod write;

use api::decode::Tree;

pub use write::to_vec;

/// How many nodes a document may have; aliases count each time.
const NODES_MAX: usize = 250_000;

/// Reads a document. Duplicate keys are kept; `yes`, `no`, `on` and `off` are booleans, as in the
/// reference's older YAML.
///
/// # Errors
///
/// The parser's message.
pub fn parse(text: &[u8]) -> Result<Tree, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("yaml: {error}"))?;
    if text.trim().is_empty() {
        return Ok(Tree::Null);
    }
    let options = serde_saphyr::options! {
        duplicate_keys: serde_saphyr::options::DuplicateKeyPolicy::PassThrough,
        strict_booleans: false,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_nodes: NODES_MAX },
    };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| format!("yaml: {}", errors::in_other_words(&error.to_string(), text)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_scalars_have_the_types_they_look_like() {
        let tree = parse(b"a: yes\nb: \"yes\"\nc: 5\nd: 1.5\ne: ~\nf: [x, 'y']\n").unwrap();
        assert_eq!(
            tree.into_value(),
            json!({"a": true, "b": "yes", "c": 5, "d": 1.5, "e": null, "f": ["x", "y"]})
        );
    }

    #[test]
    fn duplicate_keys_are_kept() {
        let Tree::Object(members) = parse(b"a: 1\na: 2\n").unwrap() else { panic!("no object") };
        assert_eq!(members.len(), 2);
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
