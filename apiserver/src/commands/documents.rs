//! A file as the documents in it: YAML documents between `---`, or JSON values one after another.

use api::decode::Tree;

use crate::codec::yaml;

/// A document of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document {
    /// The line where it starts, from 1.
    pub(super) line: usize,
    /// What it says, or why it cannot be read.
    pub(super) content: Result<Tree, String>,
    /// The keys that stand twice in YAML, with their lines. In JSON they are still in the tree.
    pub(super) repeated_keys: Vec<String>,
}

impl Document {
    fn new(line: usize, content: Result<Tree, String>) -> Self {
        Self { line, content, repeated_keys: Vec::new() }
    }
}

/// The documents of a file; empty ones are left out.
pub(super) fn split(bytes: &[u8]) -> Vec<Document> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            let line = 1 + newlines(&bytes[..error.valid_up_to()]);
            return vec![Document::new(line, Err(error.to_string()))];
        }
    };
    chunks(text).flat_map(|(line, chunk)| documents(line, chunk)).collect()
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The texts between the lines that separate documents, with the number of their first lines.
fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut chunks = Vec::new();
    let (mut start, mut start_line, mut at) = (0, 1, 0);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if is_separator(line) {
            chunks.push((start_line, &text[start..at]));
            // What follows on the line itself belongs to the next document.
            (start, start_line) = (at + "---".len(), index + 1);
        }
        at += line.len();
    }
    chunks.push((start_line, &text[start..]));
    chunks.into_iter()
}

fn is_separator(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// The documents of a chunk: one, or several of JSON.
fn documents(first_line: usize, chunk: &str) -> Vec<Document> {
    let Some(skipped) = content_start(chunk) else { return Vec::new() };
    let line = first_line + newlines(&chunk.as_bytes()[..skipped]);
    if chunk[skipped..].starts_with('{')
        && let Some(documents) = json_documents(line, &chunk[skipped..])
    {
        return documents;
    }
    // The parser counts lines too, so it gets as many as were before.
    let padded = "\n".repeat(first_line - 1) + chunk;
    vec![match yaml::read(padded.as_bytes()) {
        Ok(yaml::Document { tree, repeated_keys }) => {
            Document { line, content: Ok(tree), repeated_keys: repeated_keys.lines }
        }
        Err(why) => Document::new(line, Err(why)),
    }]
}

/// Where the first line begins that is neither blank nor a comment; `None` if there is none.
fn content_start(chunk: &str) -> Option<usize> {
    let mut at = 0;
    for line in chunk.split_inclusive('\n') {
        let content = line.trim_start();
        // Directives such as `%YAML 1.2` belong to the document behind the next separator.
        let skipped = content.trim_end() == "..." || line.starts_with('%');
        if !content.is_empty() && !content.starts_with('#') && !skipped {
            return Some(at + line.len() - content.len());
        }
        at += line.len();
    }
    None
}

/// JSON values one after another; `None` if the first is none, for then it may be YAML.
fn json_documents(first_line: usize, text: &str) -> Option<Vec<Document>> {
    let mut documents = Vec::new();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Tree>();
    let mut start = 0;
    loop {
        let rest = &text[start..];
        start += rest.len() - rest.trim_start().len();
        let line = first_line + newlines(&text.as_bytes()[..start]);
        match values.next() {
            None => return Some(documents),
            Some(Err(_)) if documents.is_empty() => return None,
            Some(Err(error)) => {
                let line_of_error = first_line + error.line() - 1;
                let content = Err(format!("line {line_of_error}: {error}"));
                documents.push(Document::new(line, content));
                return Some(documents);
            }
            Some(Ok(tree)) => documents.push(Document::new(line, Ok(tree))),
        }
        start = values.byte_offset();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn lines_and_values(text: &str) -> Vec<(usize, Value)> {
        let value = |document: Document| (document.line, document.content.unwrap().into_value());
        split(text.as_bytes()).into_iter().map(value).collect()
    }

    #[test]
    fn documents_start_where_their_first_line_is() {
        let text =
            "\u{feff}# about\n\na: 1\n---\n# none\n---\nb: |\n  --- no\n--- # c\nc: 3\n...\n";
        assert_eq!(
            lines_and_values(text),
            [(3, json!({"a": 1})), (7, json!({"b": "--- no\n"})), (10, json!({"c": 3}))]
        );
    }

    #[test]
    fn what_stands_behind_a_separator_belongs_to_the_document() {
        assert_eq!(
            lines_and_values("%YAML 1.2\n--- {a: 1}\n---\n{\"b\": 2}\n"),
            [(2, json!({"a": 1})), (4, json!({"b": 2}))]
        );
    }

    #[test]
    fn json_values_follow_each_other() {
        let text = "{\"a\": 1}\n\n{\n\"b\": 2}{\"c\": 3}\n";
        assert_eq!(
            lines_and_values(text),
            [(1, json!({"a": 1})), (3, json!({"b": 2})), (4, json!({"c": 3}))]
        );
    }

    #[test]
    fn nothing_is_no_document() {
        for text in ["", "\n\n", "---\n---\n# only this\n", "%YAML 1.2\n"] {
            assert_eq!(split(text.as_bytes()), [], "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_line_and_the_rest_is_read() {
        let documents = split(b"a: 1\n---\nb: [1\nc: 2\n---\nd: 4\n");
        assert_eq!(documents.iter().map(|document| document.line).collect::<Vec<_>>(), [1, 3, 6]);
        let error = documents[1].content.as_ref().unwrap_err();
        assert!(error.contains("line 4") || error.contains("line 5"), "{error}");
        assert!(documents[2].content.is_ok());
        let documents = split(b"{\"a\": 1}\n{\"b\": }\n");
        assert_eq!(documents.len(), 2);
        assert!(documents[1].content.as_ref().unwrap_err().contains("line 2"), "{documents:?}");
        assert_eq!(split(b"a: 1\nb: \xff\n")[0].line, 2);
    }
}
