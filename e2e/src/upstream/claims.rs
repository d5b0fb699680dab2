//! The list of specs that are claimed to pass. It may only grow.

use std::collections::BTreeSet;
use std::fmt;

use super::report::{Report, State, without_tags};

/// What stands at the top of the list.
const HEADER: &str = "\
# Specs of Kubernetes' end-to-end tests that pass, by their names without [tags], in order.
# This list may only grow: `e2e upstream --grow` adds what passes.
";

/// Names of specs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims(BTreeSet<String>);

impl Claims {
    /// Reads a list.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let lines = text.lines().map(str::trim);
        let names = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self(names.map(without_tags).collect())
    }

    /// The claimed specs that were run and did not pass.
    #[must_use]
    pub fn broken_by(&self, report: &Report) -> Vec<String> {
        let specs = report.specs.iter();
        let broken =
            specs.filter(|spec| spec.state != State::Passed && self.0.contains(&spec.name));
        broken.map(|spec| spec.name.clone()).collect()
    }

    /// Claims what passed. Gives what is new.
    pub fn grow(&mut self, report: &Report) -> Vec<String> {
        let passed = report.specs.iter().filter(|spec| spec.state == State::Passed);
        let new = passed.filter(|spec| self.0.insert(spec.name.clone()));
        new.map(|spec| spec.name.clone()).collect()
    }
}

impl fmt::Display for Claims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADER)?;
        self.0.iter().try_for_each(|name| writeln!(f, "{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Spec;
    use super::*;

    fn report(specs: &[(&str, State)]) -> Report {
        let spec = |(name, state): &(&str, State)| Spec {
            name: (*name).to_owned(),
            state: *state,
            why: String::new(),
        };
        Report { specs: specs.iter().map(spec).collect() }
    }

    #[test]
    fn a_claim_is_broken_by_anything_but_passing() {
        let claims = Claims::parse("# these\n\na\nb [Conformance]\nc\n");
        let report = report(&[("a", State::Failed), ("b", State::Skipped), ("d", State::Failed)]);
        assert_eq!(claims.broken_by(&report), ["a", "b"]);
    }

    #[test]
    fn claims_only_grow() {
        let mut claims = Claims::parse("b\n");
        let new = claims.grow(&report(&[("a", State::Passed), ("b", State::Failed)]));
        assert_eq!(new, ["a"]);
        assert_eq!(claims.to_string(), format!("{HEADER}a\nb\n"));
        assert_eq!(Claims::parse(&claims.to_string()), claims);
    }
}
