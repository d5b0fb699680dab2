//! `e2e ratchet`

use std::path::PathBuf;
use std::process::ExitCode;

use e2e::ratchet::{FILE, Ratchet as List};
use e2e::replay::{Options, Tool};
use e2e::suite::{FileOutcome, SUITES};
use e2e::{Error, binary};

use super::say;

/// Replays all recorded cases, each set against a fresh server, and takes out of
/// `e2e/not-yet-passing.txt` what agrees by now. Exits with 1 where something fails that is not
/// listed.
#[derive(Debug, clap::Args)]
pub(crate) struct Ratchet {
    /// Write the list anew with all that fails. Only for the very first time: refused where the
    /// list has entries.
    #[arg(long)]
    init: bool,
    /// What a new list says about each of its lines.
    #[arg(long, default_value = "not sorted out yet")]
    reason: String,
    /// The server's program; built where left out.
    #[arg(long)]
    server_binary: Option<PathBuf>,
    /// Compare only, write nothing.
    #[arg(long, conflicts_with = "init")]
    check: bool,
    /// Only the sets with these paths, such as `cases-slow`.
    suites: Vec<String>,
}

impl Ratchet {
    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let path = binary::home().join(FILE);
        let old = std::fs::read_to_string(&path).unwrap_or_default().parse::<List>()?;
        if self.init && !old.is_empty() {
            return Err(Error::Case {
                place: path.display().to_string(),
                why: "has entries; it is not made anew, it only shrinks".to_owned(),
            });
        }
        let outcomes = self.replay()?;
        let cases = outcomes.iter().flat_map(|file| &file.cases);
        let (agreeing, steps) = cases.fold((0, 0), |(agreeing, steps), case| {
            (agreeing + case.agreeing(), steps + case.steps.len())
        });
        let new =
            if self.init { List::init(&outcomes, &self.reason) } else { old.shrunk(&outcomes) };
        if !self.check {
            std::fs::write(&path, new.to_string())
                .map_err(|source| Error::File { path, source })?;
        }
        let complaints = if self.check { old.check(&outcomes) } else { new.check(&outcomes) };
        for complaint in &complaints {
            say(&complaint.to_string());
        }
        say(&format!("steps agreeing: {agreeing} of {steps}"));
        say(&format!("{agreeing} passed, {} failed", complaints.len()));
        Ok(ExitCode::from(u8::from(!complaints.is_empty())))
    }

    fn replay(&self) -> Result<Vec<FileOutcome>, Error> {
        let binary = self.server_binary.clone().map_or_else(binary::server, Ok)?;
        let options = Options { only: String::new(), kubectl: Tool::recorded() };
        let mut outcomes = Vec::new();
        let asked = |path: &str| self.suites.is_empty() || self.suites.iter().any(|s| s == path);
        for suite in SUITES.iter().filter(|suite| asked(suite.path)) {
            let folder = tempfile::tempdir()
                .map_err(|source| Error::Io { doing: "making a folder", source })?;
            let server = suite.start(&binary, folder.path())?;
            say(&format!("replaying {}", suite.path));
            outcomes.extend(suite.replay(server.target(), &options)?);
        }
        Ok(outcomes)
    }
}
