//! `e2e replay`

use std::path::PathBuf;
use std::process::ExitCode;

use e2e::http::Address;
use e2e::replay::{self, CaseOutcome, Options, Tool};
use e2e::suite;
use e2e::target::{TOKENS, Target};
use e2e::{Error, case};

use super::say;

/// Replays cases against a running server. Exits with 1 where any differs.
#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    /// Where the server listens.
    #[arg(long, default_value = "https://127.0.0.1:6443")]
    server: String,
    /// The senders' bearer tokens: name=token, with commas between.
    #[arg(long, default_value = TOKENS)]
    tokens: String,
    /// Only cases whose names have this in them.
    #[arg(long, default_value = "")]
    only: String,
    /// Show all that differs.
    #[arg(long, short)]
    verbose: bool,
    /// Show the totals only.
    #[arg(long, short)]
    quiet: bool,
    /// Case files, or folders of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

#[derive(Default)]
struct Totals {
    passed: usize,
    failed: usize,
    skipped: usize,
    steps: usize,
    agreeing: usize,
}

impl Totals {
    fn count(&mut self, case: &CaseOutcome) {
        self.steps += case.steps.len();
        self.agreeing += case.agreeing();
        if case.skipped {
            self.skipped += 1;
        } else if case.failures().next().is_none() {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }
}

impl Replay {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let target = Target::new(Address::parse(&self.server)?, &self.tokens);
        let options = Options { only: self.only.clone(), kubectl: Tool::find() };
        let mut totals = Totals::default();
        for file in case::files(&self.paths)? {
            let name = suite::name(&file);
            replay::file(&target, &file, &options, |case| {
                totals.count(case);
                let differs = case.describe(&name, self.verbose);
                if !self.quiet && !differs.is_empty() {
                    say(differs.trim_end());
                }
            })?;
        }
        say(&format!("steps agreeing: {} of {}", totals.agreeing, totals.steps));
        let skipped = match totals.skipped {
            0 => String::new(),
            skipped => format!(", {skipped} skipped"),
        };
        say(&format!("{} passed, {} failed{skipped}", totals.passed, totals.failed));
        Ok(ExitCode::from(u8::from(totals.failed > 0)))
    }
}
