//! Replaying cases: each step is done, its answer normalised and compared with the one on record.

mod half;
mod kubectl;
mod look;
mod names;
mod outcome;
mod run;
mod settle;
mod stream;
mod variables;

use std::path::Path;

pub use kubectl::Tool;
pub use outcome::{CaseOutcome, StepKey, StepOutcome, Verdict};

use crate::case;
use crate::error::Error;
use crate::target::Target;

/// Which cases are replayed, and with what.
#[derive(Debug, Clone)]
pub struct Options {
    /// Only cases whose names have this in them.
    pub only: String,
    /// Without it, cases that need kubectl are skipped.
    pub kubectl: Option<Tool>,
}

/// Replays the cases of one file in order and tells `watch` about each one when it is done.
///
/// # Errors
///
/// Where the file cannot be read; a case that fails is an outcome.
pub fn file(
    target: &Target,
    path: &Path,
    options: &Options,
    mut watch: impl FnMut(&CaseOutcome),
) -> Result<Vec<CaseOutcome>, Error> {
    let mut outcomes = Vec::new();
    for case in case::load(path)? {
        if !case.name.contains(&options.only) {
            continue;
        }
        let outcome = if case.needs_kubectl() && options.kubectl.is_none() {
            CaseOutcome::skipped(&case)
        } else {
            run::case(target, &case, options.kubectl.as_ref())
        };
        watch(&outcome);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}
