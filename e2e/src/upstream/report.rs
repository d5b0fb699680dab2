//! What became of specs, read from the report that Ginkgo writes.

use std::fmt;

use serde::Deserialize;

use crate::error::Error;

/// All specs that were run, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The specs.
    pub specs: Vec<Spec>,
}

/// One spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// Its name, without the tags in brackets.
    pub name: String,
    /// What became of it.
    pub state: State,
    /// Why it failed, in one line.
    pub why: String,
}

/// What became of a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It passed.
    Passed,
    /// It failed, panicked, was interrupted or aborted.
    Failed,
    /// It skipped itself.
    Skipped,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Suite {
    #[serde(default)]
    spec_reports: Option<Vec<SpecReport>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SpecReport {
    #[serde(default)]
    container_hierarchy_texts: Option<Vec<String>>,
    #[serde(default)]
    leaf_node_text: String,
    #[serde(default)]
    leaf_node_type: String,
    state: String,
    #[serde(default)]
    failure: Option<Failure>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Failure {
    #[serde(default)]
    message: String,
}

impl Report {
    /// Reads a report. Specs that the filters left out are not in it.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] for what is no report.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let suites: Vec<Suite> = serde_json::from_slice(text)
            .map_err(|why| Error::program("the report of the specs", why.to_string()))?;
        let reports = suites.into_iter().flat_map(|suite| suite.spec_reports.unwrap_or_default());
        let mut specs: Vec<_> = reports.filter_map(spec).collect();
        specs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { specs })
    }

    /// How many specs ended like this.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.specs.iter().filter(|spec| spec.state == state).count()
    }
}

fn spec(report: SpecReport) -> Option<Spec> {
    let message = report.failure.map(|failure| failure.message).unwrap_or_default();
    let state = match report.state.as_str() {
        "passed" => State::Passed,
        // Those that the filters leave out are skipped without a word.
        "skipped" if message.is_empty() => return None,
        "pending" => return None,
        "skipped" => State::Skipped,
        _ => State::Failed,
    };
    if report.leaf_node_type != "It" && state != State::Failed {
        // What sets the suite up is told only where it fails.
        return None;
    }
    let mut name = report.container_hierarchy_texts.unwrap_or_default().join(" ");
    name.push(' ');
    name.push_str(if report.leaf_node_text.is_empty() {
        &report.leaf_node_type
    } else {
        &report.leaf_node_text
    });
    let why = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    Some(Spec { name: without_tags(&name), state, why: why.to_owned() })
}

/// A name without `[tags]`, which change from release to release.
pub(super) fn without_tags(name: &str) -> String {
    let mut depth = 0_usize;
    let plain: String = name
        .chars()
        .filter(|c| {
            match c {
                '[' => depth += 1,
                ']' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Spec { name, state, why } in &self.specs {
            writeln!(f, "{:<8} {name}", state.as_str())?;
            if !why.is_empty() {
                writeln!(f, "         {why}")?;
            }
        }
        let [passed, failed, skipped] =
            [State::Passed, State::Failed, State::Skipped].map(|state| self.count(state));
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(state: &str, message: &str) -> serde_json::Value {
        json!({
            "ContainerHierarchyTexts": ["[sig-api-machinery] Watchers"],
            "LeafNodeText": format!("should {state} [Conformance]"),
            "LeafNodeType": "It",
            "State": state,
            "Failure": { "Message": message },
        })
    }

    fn parse(reports: &[serde_json::Value]) -> Report {
        let text = json!([{ "SpecReports": reports }]).to_string();
        Report::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_table_tells_what_passed_failed_and_skipped_itself() {
        let report = parse(&[
            report("passed", ""),
            report("panicked", "\n  it broke\nin line 3"),
            report("skipped", "needs a kubelet"),
            report("skipped", ""),
            report("pending", ""),
        ]);
        assert_eq!(
            report.to_string(),
            "FAILED   Watchers should panicked\n         it broke\npassed   Watchers should passed\n\
             skipped  Watchers should skipped\n         needs a kubelet\n\
             1 passed, 1 failed, 1 skipped"
        );
    }

    #[test]
    fn a_suite_that_cannot_be_set_up_has_failed() {
        let report = parse(&[
            json!({ "LeafNodeType": "SynchronizedBeforeSuite", "State": "failed",
                    "Failure": { "Message": "no nodes" } }),
            json!({ "LeafNodeType": "ReportAfterSuite", "State": "passed" }),
        ]);
        assert_eq!(report.specs.len(), 1);
        assert_eq!(report.specs[0].name, "SynchronizedBeforeSuite");
        assert_eq!(report.count(State::Failed), 1);
    }

    #[test]
    fn what_is_no_report_is_refused() {
        assert!(Report::parse(b"{}").is_err());
        assert!(Report::parse(b"[{\"SpecReports\":null}]").unwrap().specs.is_empty());
    }
}
