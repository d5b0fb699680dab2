//! What is noted about a request while it is served.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use apf::controller::Classification;
use apf::estimate::WorkEstimate;
use http::request::Parts;
use parking_lot::Mutex;

use super::{accept_header, header_text};
use crate::codec::accept::{self, Accepted};
use crate::metrics::{Endpoint, Watching};
use crate::request::query::Query;

/// How many bytes the texts of all warnings may have; beyond that each is cut.
const WARNINGS_BYTES_MAX: usize = 4096;
const CUT_WARNING_BYTES: usize = 256;

/// How a request got its turn, or why not yet.
#[derive(Debug)]
pub struct Turn {
    /// How it was classified.
    pub classification: Classification,
    /// How much work it was taken for.
    pub work: WorkEstimate,
    /// How long it waited for seats.
    pub waited: Duration,
}

/// What is noted about a request.
#[derive(Debug)]
pub struct Record {
    /// Names the request in logs and in its answer.
    pub audit_id: String,
    /// How it got its turn, once it was classified.
    pub turn: OnceLock<Turn>,
    /// The user's name, once it is known.
    pub user: OnceLock<String>,
    /// How large its body is, once it was read.
    pub body_bytes: OnceLock<usize>,
    /// What it counts as, once somebody answers for it.
    pub endpoint: OnceLock<Arc<Endpoint>>,
    /// The watch that it is, until the answer takes it along.
    pub watching: Mutex<Option<Watching>>,
    warnings: Mutex<Vec<String>>,
    accept: String,
    accept_encoding: String,
    pretty: bool,
}

impl Record {
    pub(super) fn new(parts: &Parts, query: &Query) -> Self {
        let audit_id = match header_text(&parts.headers, &http::HeaderName::from_static("audit-id"))
        {
            "" => uuid::Uuid::new_v4().to_string(),
            given => given.to_owned(),
        };
        let agent = header_text(&parts.headers, &http::header::USER_AGENT);
        let pretty = match query.first("pretty") {
            Some(value) => value == "true" || value == "1",
            None => ["curl", "Wget", "Mozilla/5.0"].iter().any(|start| agent.starts_with(start)),
        };
        Self {
            audit_id,
            turn: OnceLock::new(),
            user: OnceLock::new(),
            body_bytes: OnceLock::new(),
            endpoint: OnceLock::new(),
            watching: Mutex::default(),
            warnings: Mutex::default(),
            accept: accept_header(&parts.headers),
            accept_encoding: header_text(&parts.headers, &http::header::ACCEPT_ENCODING).to_owned(),
            pretty,
        }
    }

    /// Adds a warning to the answer; the same text is added once.
    pub fn warn(&self, text: String) {
        let mut warnings = self.warnings.lock();
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    }

    /// The warnings, as they stand in headers.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let warnings = self.warnings.lock();
        let too_many = warnings.iter().map(String::len).sum::<usize>() > WARNINGS_BYTES_MAX;
        let cut = |text: &str| {
            let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= CUT_WARNING_BYTES);
            text[..end.filter(|_| too_many).unwrap_or(text.len())].to_owned()
        };
        warnings.iter().map(|text| warning_header(&cut(text))).collect()
    }

    /// The representation of an answer that is an error.
    #[must_use]
    pub fn accepted_for_errors(&self) -> Accepted {
        accept::negotiate(&self.accept, &accept::DOCUMENT).unwrap_or(Accepted::JSON)
    }

    /// Whether the client wants indented JSON.
    #[must_use]
    pub fn pretty(&self) -> bool {
        self.pretty
    }

    /// Whether the client takes gzip.
    #[must_use]
    pub fn accepts_gzip(&self) -> bool {
        self.accept_encoding.split(',').any(|coding| {
            coding.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("gzip")
        })
    }
}

fn warning_header(text: &str) -> String {
    let plain = text.chars().filter(|c| !c.is_control()).collect::<String>();
    format!("299 - \"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(uri: &str, agent: &str) -> Record {
        let request = http::Request::get(uri).header("user-agent", agent).body(()).unwrap();
        let query = Query::parse(request.uri().query().unwrap_or_default());
        Record::new(&request.into_parts().0, &query)
    }

    #[test]
    fn people_who_look_at_answers_get_them_indented() {
        assert!(record("/", "curl/8.0").pretty());
        assert!(record("/?pretty=1", "x").pretty());
        assert!(!record("/?pretty=false", "curl/8.0").pretty());
        assert!(!record("/", "kubectl/1.37").pretty());
    }

    #[test]
    fn warnings_are_said_once_and_quoted() {
        let record = record("/", "x");
        record.warn("unknown field \"a\"".to_owned());
        record.warn("unknown field \"a\"".to_owned());
        assert_eq!(record.warnings(), [r#"299 - "unknown field \"a\"""#]);
    }

    #[test]
    fn many_warnings_are_cut() {
        let record = record("/", "x");
        for number in 0..20 {
            record.warn(format!("{number} {}", "x".repeat(300)));
        }
        assert!(record.warnings().iter().all(|warning| warning.len() < 270));
    }
}
