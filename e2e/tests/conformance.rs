//! The recorded cases, each set against a fresh server on a free port.
//!
//! A step that fails must be listed in `not-yet-passing.txt`, and a step that is listed must fail:
//! see `e2e ratchet`. The server is the one that `$APISERVER_BINARY` names, or else it is built.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "all of this is tests"
)]

use std::path::PathBuf;

use e2e::binary;
use e2e::ratchet::{FILE, Ratchet};
use e2e::replay::{Options, Tool};
use e2e::suite;
use parking_lot::Mutex;

/// Many cases are about who gets a seat when. One set at a time, or they would take the
/// processor from each other.
static TURN: Mutex<()> = Mutex::new(());

fn server_binary() -> PathBuf {
    binary::server().unwrap_or_else(|why| panic!("{why}"))
}

fn replay(path: &str) {
    let _turn = TURN.lock();
    let suite = suite::find(path).unwrap();
    let list: Ratchet =
        std::fs::read_to_string(binary::home().join(FILE)).unwrap().parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let server = suite.start(&server_binary(), folder.path()).unwrap_or_else(|why| panic!("{why}"));
    let options = Options { only: String::new(), kubectl: Tool::recorded() };
    let outcomes = suite.replay(server.target(), &options).unwrap();
    let cases: Vec<_> = outcomes.iter().flat_map(|file| &file.cases).collect();
    let compared: usize = cases.iter().map(|case| case.steps.len()).sum();
    let agreeing: usize = cases.iter().map(|case| case.agreeing()).sum();
    let skipped = cases.iter().filter(|case| case.skipped).count();
    println!("{path}: {agreeing} of {compared} steps agree, {skipped} cases skipped");
    let complaints = list.check(&outcomes);
    if !complaints.is_empty() {
        let text: Vec<_> = complaints.iter().map(ToString::to_string).collect();
        let log = server.log_tail();
        panic!("{} complaints\n{}\nthe server's log ends with\n{log}", text.len(), text.join("\n"));
    }
}

#[test]
fn the_recorded_cases_agree() {
    replay("cases");
}

#[test]
fn the_slow_cases_agree() {
    replay("cases-slow");
}

#[test]
fn the_cases_without_priority_and_fairness_agree() {
    replay("cases-apf-off");
}

#[test]
fn the_cases_of_v1beta2_agree() {
    replay("cases-versions/v1beta2.json");
}

#[test]
fn the_cases_of_v1beta3_agree() {
    replay("cases-versions/v1beta3.json");
}

#[test]
fn the_cases_of_the_other_kinds_agree() {
    replay("cases-kinds");
}
