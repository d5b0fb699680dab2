//! The list of steps that do not agree yet. It may only shrink: a step that fails must be on it,
//! and one that agrees must not.

mod format;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::replay::{CaseOutcome, StepKey, StepOutcome, Verdict};
use crate::suite::FileOutcome;

/// The file's name, within this crate.
pub const FILE: &str = "not-yet-passing.txt";

/// The list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ratchet {
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    /// A comment or an empty line, kept as it is.
    Comment(String),
    Entry(Entry),
}

/// `file case steps: reason`
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    file: String,
    case: String,
    steps: BTreeSet<StepKey>,
    reason: String,
}

/// In what a run and the list contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Complaint {
    /// Steps fail that are not listed.
    Fails {
        /// The file.
        file: String,
        /// What came of the case; only the steps that should not fail count as failures.
        case: String,
        /// What differs, for people.
        details: String,
    },
    /// Steps are listed but agree, or do not exist.
    Stale {
        /// The line as it stands.
        line: String,
        /// The line as it should be; `None` where it should go.
        wanted: Option<String>,
    },
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails { details, .. } => f.write_str(details),
            Self::Stale { line, wanted: None } => {
                write!(f, "these agree now; delete the line from e2e/{FILE}:\n  {line}")
            }
            Self::Stale { line, wanted: Some(wanted) } => {
                write!(f, "some of these agree now; in e2e/{FILE} write\n  {wanted}\nfor\n  {line}")
            }
        }
    }
}

impl Ratchet {
    /// The list that holds all failures of a run, with one reason.
    #[must_use]
    pub fn init(outcomes: &[FileOutcome], reason: &str) -> Self {
        let mut lines = vec![Line::Comment(format::HEADER.trim_end().to_owned())];
        for file in outcomes {
            for case in &file.cases {
                let steps: BTreeSet<_> = case.failures().map(|step| step.key).collect();
                if !steps.is_empty() {
                    lines.push(Line::Entry(Entry {
                        file: file.file.clone(),
                        case: case.name.clone(),
                        steps,
                        reason: reason.to_owned(),
                    }));
                }
            }
        }
        Self { lines }
    }

    /// Whether it lists nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, Line::Comment(_)))
    }

    /// The list without what agreed in a run. Files that were not replayed and cases that were
    /// skipped are left alone; nothing is ever added.
    #[must_use]
    pub fn shrunk(&self, outcomes: &[FileOutcome]) -> Self {
        let lines = self.lines.iter().filter_map(|line| match line {
            Line::Comment(_) => Some(line.clone()),
            Line::Entry(entry) => entry.shrunk(outcomes).map(Line::Entry),
        });
        Self { lines: lines.collect() }
    }

    /// Compares a run with the list.
    #[must_use]
    pub fn check(&self, outcomes: &[FileOutcome]) -> Vec<Complaint> {
        let mut complaints = self.unlisted(outcomes);
        for line in &self.lines {
            let Line::Entry(entry) = line else { continue };
            let shrunk = entry.shrunk(outcomes);
            if shrunk.as_ref() != Some(entry) {
                let wanted = shrunk.map(|entry| entry.to_string());
                complaints.push(Complaint::Stale { line: entry.to_string(), wanted });
            }
        }
        complaints
    }

    fn unlisted(&self, outcomes: &[FileOutcome]) -> Vec<Complaint> {
        let mut listed = BTreeMap::<(&str, &str), BTreeSet<StepKey>>::new();
        for line in &self.lines {
            if let Line::Entry(entry) = line {
                let steps = listed.entry((&entry.file, &entry.case)).or_default();
                steps.extend(&entry.steps);
            }
        }
        let mut complaints = Vec::new();
        for file in outcomes {
            for case in &file.cases {
                let listed = listed.get(&(file.file.as_str(), case.name.as_str()));
                let fails = |step: &&StepOutcome| !listed.is_some_and(|l| l.contains(&step.key));
                let steps: Vec<_> = case.failures().filter(fails).cloned().collect();
                if !steps.is_empty() {
                    let case = CaseOutcome { name: case.name.clone(), steps, skipped: false };
                    let details = case.describe(&file.file, false);
                    complaints.push(Complaint::Fails {
                        file: file.file.clone(),
                        case: case.name,
                        details,
                    });
                }
            }
        }
        complaints
    }
}

impl Entry {
    /// What is left of it after a run.
    fn shrunk(&self, outcomes: &[FileOutcome]) -> Option<Self> {
        let Some(file) = outcomes.iter().find(|outcome| outcome.file == self.file) else {
            return Some(self.clone());
        };
        let case = file.cases.iter().find(|case| case.name == self.case)?;
        if case.skipped {
            return Some(self.clone());
        }
        let failing = |key: &&StepKey| {
            case.steps.iter().any(|step| step.key == **key && step.verdict != Verdict::Agrees)
        };
        let steps: BTreeSet<_> = self.steps.iter().filter(failing).copied().collect();
        (!steps.is_empty()).then(|| Self { steps, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: usize, verdict: Verdict) -> StepOutcome {
        StepOutcome { key: StepKey::Step(number), label: "GET /x".to_owned(), verdict }
    }

    fn run(skipped: bool) -> Vec<FileOutcome> {
        let steps = vec![
            step(0, Verdict::Agrees),
            step(1, Verdict::Differs("-a\n+b".to_owned())),
            step(2, Verdict::Broken("no".to_owned())),
            step(4, Verdict::NotReached),
        ];
        let steps = if skipped { Vec::new() } else { steps };
        let cases = vec![CaseOutcome { name: "one".to_owned(), steps, skipped }];
        vec![FileOutcome { file: "cases/a.json".to_owned(), cases }]
    }

    fn list(text: &str) -> Ratchet {
        text.parse().unwrap()
    }

    #[test]
    fn a_list_that_says_what_fails_has_nothing_to_complain_about() {
        assert_eq!(list("cases/a.json one 1-2,4: why").check(&run(false)), []);
        assert_eq!(list("cases/a.json one 1-2: x\ncases/a.json one 4: y").check(&run(false)), []);
    }

    #[test]
    fn a_failing_step_must_be_listed() {
        let complaints = list("cases/a.json one 1,4: why").check(&run(false));
        let [Complaint::Fails { case, details, .. }] = complaints.as_slice() else {
            panic!("{complaints:?}")
        };
        assert_eq!(case, "one");
        assert!(details.contains("step 2 GET /x") && !details.contains("step 1"), "{details}");
    }

    #[test]
    fn an_agreeing_step_must_not_be_listed() {
        let complaints = list("cases/a.json one 0-2,3,4: why").check(&run(false));
        let [Complaint::Stale { wanted, .. }] = complaints.as_slice() else {
            panic!("{complaints:?}")
        };
        assert_eq!(wanted.as_deref(), Some("cases/a.json one 1-2,4: why"));
    }

    #[test]
    fn a_case_that_does_not_exist_must_not_be_listed() {
        let list = list("cases/a.json one 1-2,4: why\ncases/a.json two 0: why");
        let complaints = list.check(&run(false));
        assert!(
            matches!(complaints.as_slice(), [Complaint::Stale { wanted: None, line }] if line.contains("two"))
        );
    }

    #[test]
    fn what_was_not_replayed_is_left_alone() {
        let list = list("# a\ncases/b.json x 0: why\n\ncases/a.json one 1: why\n");
        assert_eq!(list.check(&run(true)), []);
        assert_eq!(list.shrunk(&run(true)), list);
    }

    #[test]
    fn shrinking_only_takes_away() {
        let shrunk = list("# a\ncases/a.json one 0-1: why\ncases/a.json one 0: gone\n");
        let shrunk = shrunk.shrunk(&run(false));
        assert_eq!(shrunk.to_string(), "# a\ncases/a.json one 1: why\n");
        assert!(!shrunk.check(&run(false)).is_empty());
    }

    #[test]
    fn the_first_list_holds_all_that_fails() {
        let list = Ratchet::init(&run(false), "not sorted out");
        assert_eq!(list.check(&run(false)), []);
        assert!(list.to_string().ends_with("\ncases/a.json one 1-2,4: not sorted out\n"));
    }
}
