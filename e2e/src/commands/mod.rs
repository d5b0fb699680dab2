//! What `e2e` can be asked to do.

pub(crate) mod bench;
pub(crate) mod ratchet;
pub(crate) mod replay;
pub(crate) mod upstream;

use std::io::Write as _;

/// Writes a line to standard output. Where nobody reads it, the exit code still tells.
pub(crate) fn say(line: &str) {
    let _written = writeln!(std::io::stdout(), "{line}");
}

/// Writes a line to standard error.
pub(crate) fn complain(line: &str) {
    let _written = writeln!(std::io::stderr(), "{line}");
}
