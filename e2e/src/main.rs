//! `e2e`: replays recorded cases, keeps the list of those that do not agree yet, measures servers.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{bench, ratchet, replay, upstream};

/// The server seen from outside.
#[derive(Debug, Parser)]
#[command(name = "e2e", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Replay recorded cases against a running server and compare its answers.
    Replay(replay::Replay),
    /// Replay all cases against fresh servers, and take out of the list what agrees by now.
    Ratchet(ratchet::Ratchet),
    /// Measure start-up, memory, requests per second and latencies.
    Bench(bench::Bench),
    /// Run Kubernetes' own end-to-end specs against the server.
    Upstream(upstream::Upstream),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Replay(replay) => replay.run(),
        Command::Ratchet(ratchet) => ratchet.run(),
        Command::Bench(bench) => bench.run(),
        Command::Upstream(upstream) => upstream.run(),
    };
    match done {
        Ok(code) => code,
        Err(why) => {
            commands::complain(&format!("Error: {why}"));
            ExitCode::from(2)
        }
    }
}
