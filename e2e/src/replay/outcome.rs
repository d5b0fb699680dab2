//! What came of a case.

use std::fmt;

use crate::case::{Action, Case, Step};

/// Which part of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKey {
    /// The step of this number, from 0.
    Step(usize),
    /// What is sent at the end.
    Cleanup,
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(number) => write!(f, "{number}"),
            Self::Cleanup => f.write_str("cleanup"),
        }
    }
}

/// How an answer compares with the one on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is the same.
    Agrees,
    /// It is another one; the lines that differ.
    Differs(String),
    /// The step could not be done; why.
    Broken(String),
    /// An earlier step could not be done.
    NotReached,
}

/// What came of a step.
#[derive(Debug, Clone)]
pub struct StepOutcome {
    /// Which step.
    pub key: StepKey,
    /// What it does, in a few words.
    pub label: String,
    /// How it ended.
    pub verdict: Verdict,
}

/// What came of a case.
#[derive(Debug, Clone)]
pub struct CaseOutcome {
    /// Its name.
    pub name: String,
    /// Its compared steps, and others only where they could not be done. Empty when skipped.
    pub steps: Vec<StepOutcome>,
    /// Whether it was left out because kubectl is missing.
    pub skipped: bool,
}

impl CaseOutcome {
    pub(super) fn skipped(case: &Case) -> Self {
        Self { name: case.name.clone(), steps: Vec::new(), skipped: true }
    }

    /// The steps that do not agree.
    pub fn failures(&self) -> impl Iterator<Item = &StepOutcome> {
        self.steps.iter().filter(|step| step.verdict != Verdict::Agrees)
    }

    /// How many steps agree.
    #[must_use]
    pub fn agreeing(&self) -> usize {
        self.steps.len() - self.failures().count()
    }

    /// For people: the case, and what differs in its steps, the first few lines of two of them or
    /// all of them. Empty when everything agrees.
    #[must_use]
    pub fn describe(&self, file: &str, all: bool) -> String {
        let mut out = String::new();
        let (steps, lines) = if all { (usize::MAX, usize::MAX) } else { (2, 24) };
        for (number, step) in self.failures().enumerate() {
            if number == 0 {
                out.push_str(&format!("DIFFERS {} ({file})\n", self.name));
            }
            if number < steps {
                out.push_str(&format!("  step {} {}\n", step.key, step.label));
                for line in step.verdict.to_string().lines().take(lines) {
                    out.push_str(&format!("   {line}\n"));
                }
            }
        }
        out
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees => f.write_str("agrees"),
            Self::Differs(lines) => f.write_str(lines),
            Self::Broken(why) => write!(f, "could not be done: {why}"),
            Self::NotReached => f.write_str("not reached: an earlier step could not be done"),
        }
    }
}

/// A step in a few words.
pub(super) fn label(step: &Step) -> String {
    match &step.action {
        Action::Request(request) => format!("{} {}", request.call.method, request.call.path),
        Action::Open(open) => format!("open {} {}", open.id, open.call.path),
        Action::BeginGet(open) => format!("begin-get {} {}", open.id, open.call.path),
        Action::Collect(collect) => format!("collect {}", collect.id),
        Action::Begin(begin) => format!("begin {} {}", begin.id, begin.call.path),
        Action::Finish(finish) => format!("finish {}", finish.ids.join(" ")),
        Action::Burst(burst) => format!("burst {} {}", burst.call.method, burst.call.path),
        Action::Sleep(seconds) => format!("sleep {seconds}"),
        Action::Kubectl(kubectl) => format!("kubectl {}", kubectl.args.join(" ")),
    }
}
