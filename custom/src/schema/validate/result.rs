//! What a check found, and how well the value fits.

use validation::field::Error;

/// The errors, and the number of checks that were made: of alternatives that all fail, the one with
/// the most checks is the one that was meant.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) errors: Vec<Error>,
    pub(super) matches: usize,
}

impl Outcome {
    pub(super) fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Notes a check that may have failed.
    pub(super) fn check(&mut self, error: Option<Error>) {
        self.matches += 1;
        self.errors.extend(error);
    }

    pub(super) fn extend(&mut self, errors: impl IntoIterator<Item = Error>) {
        self.errors.extend(errors);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
        self.matches += other.matches;
    }

    /// The first of those with the most checks.
    pub(super) fn best(outcomes: Vec<Self>) -> Self {
        let mut best = Self::default();
        for outcome in outcomes {
            if best.errors.is_empty() || outcome.matches > best.matches {
                best = outcome;
            }
        }
        best
    }
}
