//! Measuring servers from outside: start-up, memory, requests per second, latencies.

mod common;
mod contender;
mod cost;
mod fan_out;
mod lists;
mod load;
mod memory;
mod report;
mod start;

use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;

pub use cost::Cost;
pub use fan_out::FanOut;
pub use lists::Lists;
pub use report::Report;

/// What is measured, and how long.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The server's program.
    pub server: PathBuf,
    /// A kube-apiserver and an etcd to measure beside it.
    pub baseline: Option<Baseline>,
    /// Connections that send at the same time, each one request after the other.
    pub connections: usize,
    /// How long each kind of request is sent.
    pub each: Duration,
    /// How many starts on empty folders.
    pub starts: usize,
    /// How many objects are listed.
    pub objects: usize,
    /// How many watch at the same time.
    pub watchers: usize,
    /// How many events each of them gets.
    pub events: usize,
}

/// The reference's two programs.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// kube-apiserver.
    pub apiserver: PathBuf,
    /// etcd.
    pub etcd: PathBuf,
}

/// Measures all servers of the plan, one after the other.
///
/// # Errors
///
/// Where a server does not start, or answers other than expected.
pub fn run(plan: &Plan) -> Result<Vec<Report>, Error> {
    let mut reports = vec![measure(&contender::Program::ours(plan), plan)?];
    if let Some(baseline) = &plan.baseline {
        reports.push(measure(&contender::Program::reference(baseline), plan)?);
    }
    Ok(reports)
}

/// Measures what Priority and Fairness costs the server of the plan.
///
/// # Errors
///
/// As those of [`run`].
pub fn flow_control_cost(plan: &Plan) -> Result<Cost, Error> {
    cost::measure(plan)
}

/// Measures lists of many objects.
///
/// # Errors
///
/// As those of [`run`].
pub fn lists(plan: &Plan) -> Result<Lists, Error> {
    lists::measure(plan)
}

/// Measures how fast many watchers learn of changes.
///
/// # Errors
///
/// As those of [`run`], and where an event is missing or out of order.
pub fn fan_out(plan: &Plan) -> Result<FanOut, Error> {
    fan_out::measure(plan)
}

fn measure(program: &contender::Program, plan: &Plan) -> Result<Report, Error> {
    let starts = start::measure(program, plan.starts)?;
    let folder = tempfile::tempdir().map_err(Error::io("making a folder"))?;
    let running = program.start(folder.path())?;
    running.wait_until_ready()?;
    // What start-up left to do is done by now; the reference works for some seconds longer.
    std::thread::sleep(Duration::from_secs(2));
    let idle_kilobytes = running.resident_kilobytes();
    let loads = load::Kind::ALL
        .into_iter()
        .map(|kind| load::run(running.target(), kind, plan.connections, plan.each))
        .collect::<Result<_, _>>()?;
    Ok(Report {
        name: program.name(),
        starts,
        idle_kilobytes,
        peak_kilobytes: running.peak_kilobytes(),
        loads,
    })
}
