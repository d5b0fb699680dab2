//! The servers that are measured.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::{Baseline, Plan, memory};
use crate::binary::home;
use crate::case::Call;
use crate::clock::poll;
use crate::error::Error;
use crate::http::Address;
use crate::server::{Backend, Launch, Server};
use crate::target::{TOKENS, Target};

/// How long a server may take until it is ready.
const READY_WAIT: Duration = Duration::from_secs(120);

/// How often it is asked.
const READY_POLL: Duration = Duration::from_millis(1);

/// A program that can be measured. All requests of the load come from an ordinary user, whom API
/// Priority and Fairness limits, so everything is allowed instead of asking RBAC.
pub(super) enum Program {
    Ours(PathBuf),
    Reference(Baseline),
}

impl Program {
    pub(super) fn ours(plan: &Plan) -> Self {
        Self::Ours(plan.server.clone())
    }

    pub(super) fn reference(baseline: &Baseline) -> Self {
        Self::Reference(baseline.clone())
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Ours(_) => "apiserver, sled on disk",
            Self::Reference(_) => "kube-apiserver and etcd",
        }
    }

    /// Starts it; it may not answer yet.
    pub(super) fn start(&self, folder: &Path) -> Result<Running, Error> {
        match self {
            Self::Ours(binary) => {
                let launch = Launch::new(binary, folder, Backend::Sled);
                let server = launch.flag("--authorization-mode=AlwaysAllow").start()?;
                Ok(Running::Ours(server))
            }
            Self::Reference(baseline) => reference(baseline, folder),
        }
    }
}

/// A program that was started. Dropping it kills its processes.
pub(super) enum Running {
    Ours(Server),
    Reference { processes: Vec<Process>, target: Target },
}

impl Running {
    pub(super) fn target(&self) -> &Target {
        match self {
            Self::Ours(server) => server.target(),
            Self::Reference { target, .. } => target,
        }
    }

    /// Asks until `/readyz` says yes.
    pub(super) fn wait_until_ready(&self) -> Result<(), Error> {
        let ask = Call::of("GET", "/readyz");
        let ready = poll(READY_WAIT, READY_POLL, || {
            self.target().call(&ask).ok().filter(|answer| answer.head.status == 200)
        });
        ready.map(|_| ()).ok_or_else(|| Error::program("the server", "it does not get ready"))
    }

    /// What all its processes hold in memory, in kilobytes.
    pub(super) fn resident_kilobytes(&self) -> u64 {
        self.kilobytes("VmRSS")
    }

    /// The most that they held at any time, in kilobytes.
    pub(super) fn peak_kilobytes(&self) -> u64 {
        self.kilobytes("VmHWM")
    }

    fn kilobytes(&self, line: &str) -> u64 {
        let pids = match self {
            Self::Ours(server) => vec![server.pid()],
            Self::Reference { processes, .. } => processes.iter().map(|p| p.0.id()).collect(),
        };
        pids.into_iter().filter_map(|pid| memory::kilobytes(pid, line)).sum()
    }
}

/// A process that does not outlive its owner.
pub(super) struct Process(Child);

impl Process {
    fn start(program: &Path, log: &Path, flags: &[String]) -> Result<Self, Error> {
        let log = File::create(log).map_err(Error::file(log))?;
        let child = Command::new(program)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(Error::file(program))?;
        Ok(Self(child))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail where it has ended and was waited for.
        let _killed = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16, Error> {
    let failed = Error::io("looking for a free port");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(&failed)?;
    Ok(listener.local_addr().map_err(&failed)?.port())
}

fn reference(baseline: &Baseline, folder: &Path) -> Result<Running, Error> {
    let (client, peer, secure) = (free_port()?, free_port()?, free_port()?);
    let at = |name: &str| folder.join(name).display().to_string();
    let key = folder.join("sa.key");
    make_key(&key)?;
    let etcd = [
        format!("--data-dir={}", at("etcd")),
        format!("--listen-client-urls=http://127.0.0.1:{client}"),
        format!("--advertise-client-urls=http://127.0.0.1:{client}"),
        format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-advertise-peer-urls=http://127.0.0.1:{peer}"),
        format!("--initial-cluster=default=http://127.0.0.1:{peer}"),
    ];
    let apiserver = [
        format!("--etcd-servers=http://127.0.0.1:{client}"),
        format!("--secure-port={secure}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--cert-dir={}", at("certificates")),
        "--authorization-mode=AlwaysAllow".to_owned(),
        format!("--token-auth-file={}", home().join("data/tokens.csv").display()),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!("--service-account-key-file={}", key.display()),
        format!("--service-account-signing-key-file={}", key.display()),
    ];
    let processes = vec![
        Process::start(&baseline.etcd, &folder.join("etcd.log"), &etcd)?,
        Process::start(&baseline.apiserver, &folder.join("apiserver.log"), &apiserver)?,
    ];
    let address = Address::parse(&format!("https://127.0.0.1:{secure}"))?;
    Ok(Running::Reference { processes, target: Target::new(address, TOKENS) })
}

/// The reference wants a key of its user's; OpenSSL makes one.
fn make_key(path: &Path) -> Result<(), Error> {
    let output = Command::new("openssl")
        .args(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out"])
        .arg(path)
        .output()
        .map_err(Error::io("starting openssl"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(Error::program("openssl", String::from_utf8_lossy(&output.stderr)))
    }
}
