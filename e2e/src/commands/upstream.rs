//! `e2e upstream`

use std::path::PathBuf;
use std::process::ExitCode;

use e2e::upstream::{self, Claims, Plan};
use e2e::{Error, binary};

use super::{complain, say};

/// Runs Kubernetes' own end-to-end specs that need no kubelet against a server of its own, with all
/// controllers on, and prints what passed, failed and skipped itself. Fails where a claimed spec
/// (e2e/upstream/claimed.txt) does not pass.
#[derive(Debug, clap::Args)]
pub(crate) struct Upstream {
    /// Kubernetes' test binary, `e2e.test` of the release that is served.
    #[arg(long)]
    test_binary: PathBuf,
    /// The server's program; built where left out.
    #[arg(long)]
    server_binary: Option<PathBuf>,
    /// A kubectl for the specs that call one.
    #[arg(long)]
    kubectl: Option<PathBuf>,
    /// Which specs, as a regular expression.
    #[arg(long, default_value = upstream::FOCUS)]
    focus: String,
    /// Which of them not.
    #[arg(long, default_value = upstream::SKIP)]
    skip: String,
    /// Adds what passes to the claimed specs.
    #[arg(long)]
    grow: bool,
}

impl Upstream {
    pub(crate) fn run(self) -> Result<ExitCode, Error> {
        let plan = Plan {
            server: self.server_binary.map_or_else(binary::server, Ok)?,
            tests: self.test_binary,
            kubectl: self.kubectl,
            focus: self.focus,
            skip: self.skip,
        };
        let list = binary::home().join("upstream/claimed.txt");
        let file_error = |source| Error::File { path: list.clone(), source };
        let mut claims = Claims::parse(&std::fs::read_to_string(&list).map_err(file_error)?);
        let report = upstream::run(&plan)?;
        say(&report.to_string());
        if self.grow {
            let new = claims.grow(&report);
            std::fs::write(&list, claims.to_string()).map_err(file_error)?;
            say(&format!("{} more claimed", new.len()));
        }
        let broken = claims.broken_by(&report);
        for name in &broken {
            complain(&format!("claimed, and did not pass: {name}"));
        }
        let ran_none = report.specs.is_empty();
        if ran_none {
            complain("no spec was run");
        }
        Ok(if broken.is_empty() && !ran_none { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
