//! The verdicts on all documents, for people and for programs.

use std::fmt::Write as _;

use serde::Serialize;
use validation::text::go_quote;

use super::manifest::{Problem, Verdict};

/// The verdict on an object, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    /// The file as it was named; `-` is standard input.
    pub(super) file: String,
    /// The line where the document starts, from 1; absent if the file could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    #[serde(flatten)]
    pub(super) verdict: Verdict,
}

/// All that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Report {
    pub(super) objects: Vec<Entry>,
}

impl Report {
    pub(super) fn is_ok(&self) -> bool {
        self.problems() == 0
    }

    fn problems(&self) -> usize {
        self.objects.iter().map(|entry| entry.verdict.errors.len()).sum()
    }

    /// A line for each error, as compilers write them, and a last one with their number.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.objects {
            for problem in &entry.verdict.errors {
                // Writing into a String cannot fail.
                let _written = writeln!(text, "{}{}", place(entry), described(problem));
            }
        }
        let objects = counted(self.objects.len(), "object");
        let _written = writeln!(text, "{objects}, {}", counted(self.problems(), "error"));
        text
    }

    /// The same as JSON.
    pub(super) fn json(&self) -> String {
        // Texts, numbers and lists are always JSON.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// `a.yaml:3: item 2: FlowSchema "x": `
fn place(entry: &Entry) -> String {
    let Entry { file, line, verdict } = entry;
    let mut place = file.clone();
    if let Some(line) = line {
        place += &format!(":{line}");
    }
    place += ": ";
    if let Some(item) = verdict.item {
        place += &format!("item {item}: ");
    }
    match (verdict.kind.as_str(), verdict.name.as_str()) {
        ("", _) => {}
        (kind, "") => place += &format!("{kind}: "),
        (kind, name) => place += &format!("{kind} {}: ", go_quote(name)),
    }
    place
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

fn described(problem: &Problem) -> String {
    match problem.field.as_str() {
        "" => problem.message.clone(),
        field => format!("{field}: {}", problem.message),
    }
}
