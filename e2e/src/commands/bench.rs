//! `e2e bench`

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use e2e::bench::{self, Baseline, Plan};
use e2e::{Error, binary};

use super::say;

/// Starts the server with its objects on disk and measures start-up, memory, and GETs, LISTs, applies
/// and durable CREATEs over TLS by an ordinary user; what Priority and Fairness costs a GET; lists of
/// many objects; and events to many watchers.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    /// The server's program; built where left out.
    #[arg(long)]
    server_binary: Option<PathBuf>,
    /// A kube-apiserver to measure in the same run.
    #[arg(long, requires = "etcd")]
    kube_apiserver: Option<PathBuf>,
    /// The etcd for it.
    #[arg(long, requires = "kube_apiserver")]
    etcd: Option<PathBuf>,
    /// Connections that send at the same time.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    connections: u16,
    /// Seconds for each kind of request.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Starts on empty folders.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    starts: u16,
    /// Objects in the long lists.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    objects: u32,
    /// Watches that are open at the same time.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=5_000))]
    watchers: u32,
    /// Events for each watch.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    events: u32,
}

impl Bench {
    pub(crate) fn run(self) -> Result<ExitCode, Error> {
        let baseline = self.kube_apiserver.zip(self.etcd);
        let plan = Plan {
            server: self.server_binary.map_or_else(binary::server, Ok)?,
            baseline: baseline.map(|(apiserver, etcd)| Baseline { apiserver, etcd }),
            connections: self.connections.into(),
            each: Duration::from_secs(self.seconds),
            starts: self.starts.into(),
            objects: size(self.objects),
            watchers: size(self.watchers),
            events: size(self.events),
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        say(&format!(
            "{cores} cores, {} connections, client and server together",
            plan.connections
        ));
        for report in bench::run(&plan)? {
            say(&report.to_string());
        }
        say(&bench::flow_control_cost(&plan)?.to_string());
        say(&bench::lists(&plan)?.to_string());
        say(&bench::fan_out(&plan)?.to_string());
        Ok(ExitCode::SUCCESS)
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
