//! What API Priority and Fairness costs: the same server with it and without, in turns, so that
//! whatever else the machine does happens to both.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use super::{Plan, load};
use crate::error::Error;
use crate::server::{Backend, Launch, Server};

/// How often both have their turn; odd, so that there is one in the middle.
const ROUNDS: u32 = 9;
/// The part of the time for one kind of request that a turn takes.
const PART: u32 = 3;

/// GETs per second with Priority and Fairness and without.
#[derive(Debug, Clone)]
pub struct Cost {
    rounds: Vec<Round>,
}

#[derive(Debug, Clone, Copy)]
struct Round {
    with: f64,
    without: f64,
}

impl Round {
    /// The part of the requests that is lost, in per cent.
    fn loss(&self) -> f64 {
        (1.0 - self.with / self.without) * 100.0
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

impl Cost {
    /// The requests that are lost by it, in per cent; the median of all rounds.
    #[must_use]
    pub fn loss_percent(&self) -> f64 {
        median(self.rounds.iter().map(Round::loss).collect())
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let with = median(self.rounds.iter().map(|round| round.with).collect());
        let without = median(self.rounds.iter().map(|round| round.without).collect());
        writeln!(f, "API Priority and Fairness, medians of {} rounds in turns", self.rounds.len())?;
        writeln!(f, "  GET, on          {with:.0} per second")?;
        writeln!(f, "  GET, off         {without:.0} per second")?;
        writeln!(f, "  lost             {:.1} %", self.loss_percent())
    }
}

pub(super) fn measure(plan: &Plan) -> Result<Cost, Error> {
    let folders = [folder()?, folder()?];
    let [with, without] = &folders;
    let with = start(plan, with.path(), "true")?;
    let without = start(plan, without.path(), "false")?;
    let per_second = |server: &Server, turn: Duration| {
        load::run(server.target(), load::Kind::Get, plan.connections, turn)
            .map(|load| load.per_second)
    };
    let turn = plan.each / PART;
    // The first requests are slower.
    per_second(&with, turn)?;
    per_second(&without, turn)?;
    let mut rounds = Vec::new();
    for number in 0..ROUNDS {
        // Nobody is always the first.
        let round = if number % 2 == 0 {
            let with = per_second(&with, turn)?;
            Round { with, without: per_second(&without, turn)? }
        } else {
            let without = per_second(&without, turn)?;
            Round { with: per_second(&with, turn)?, without }
        };
        rounds.push(round);
    }
    Ok(Cost { rounds })
}

fn folder() -> Result<tempfile::TempDir, Error> {
    tempfile::tempdir().map_err(Error::io("making a folder"))
}

fn start(plan: &Plan, folder: &Path, on: &str) -> Result<Server, Error> {
    Launch::new(&plan.server, folder, Backend::Memory)
        .flag("--authorization-mode=AlwaysAllow")
        .flag(format!("--enable-priority-and-fairness={on}"))
        .start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_that_of_the_round_in_the_middle() {
        let round = |with| Round { with, without: 1000.0 };
        let cost = Cost { rounds: vec![round(950.0), round(100.0), round(980.0)] };
        assert_eq!(
            cost.to_string(),
            "API Priority and Fairness, medians of 3 rounds in turns\n\
             \x20 GET, on          950 per second\n\
             \x20 GET, off         1000 per second\n\
             \x20 lost             5.0 %\n"
        );
    }
}
