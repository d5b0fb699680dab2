//! A server in a process of its own, which does not outlive its owner.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, kill_process};

pub use rustix::process::Signal;

use crate::binary::home;
use crate::clock::poll;
use crate::error::Error;
use crate::http::Address;
use crate::target::{TOKENS, Target};

/// How long a server may take until it says that it is ready.
const READY_WAIT: Duration = Duration::from_secs(120);

/// How often a process is asked whether it has ended.
const POLL: Duration = Duration::from_millis(2);

/// How many lines of the log are shown when something fails.
const TAIL_LINES: usize = 40;

/// Where a server keeps its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// On disk.
    Sled,
    /// In memory.
    Memory,
}

/// How a server is started: on a free port, with the tokens of the recorded cases and RBAC.
#[derive(Debug, Clone)]
pub struct Launch {
    binary: PathBuf,
    folder: PathBuf,
    flags: Vec<OsString>,
}

impl Launch {
    /// A server that keeps its files, and its log, below `folder`.
    #[must_use]
    pub fn new(binary: &Path, folder: &Path, backend: Backend) -> Self {
        let backend = match backend {
            Backend::Sled => "sled",
            Backend::Memory => "memory",
        };
        let launch = Self { binary: binary.into(), folder: folder.into(), flags: Vec::new() };
        launch
            .flag("--secure-port=0")
            .flag("--bind-address=127.0.0.1")
            .flag("--authorization-mode=RBAC")
            .flag("--service-cluster-ip-range=10.0.0.0/24")
            .flag(format!("--storage-backend={backend}"))
            .path_flag("--data-dir", &folder.join("data"))
            .path_flag("--kubeconfig-out", &folder.join("kubeconfig"))
            .path_flag("--token-auth-file", &home().join("data/tokens.csv"))
    }

    /// The same with one more flag; of two for the same thing the last one counts.
    #[must_use]
    pub fn flag(mut self, flag: impl Into<OsString>) -> Self {
        self.flags.push(flag.into());
        self
    }

    fn path_flag(self, name: &str, path: &Path) -> Self {
        let mut flag = OsString::from(name);
        flag.push("=");
        flag.push(path);
        self.flag(flag)
    }

    /// The folder below which everything lies.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The kubeconfig that the server writes.
    #[must_use]
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }

    /// Starts it and waits for its ready line.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] with the end of its log where it does not get ready.
    pub fn start(&self) -> Result<Server, Error> {
        let log = self.folder.join("stderr.log");
        let mut child = Command::new(&self.binary)
            .args(&self.flags)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).map_err(Error::file(&log))?)
            .spawn()
            .map_err(Error::file(&self.binary))?;
        let (reader, ready) = child.stdout.take().map(read_ready_line).unzip();
        let mut server = Server { child, reader, log, ready_line: String::new(), target: None };
        let why = match ready.as_ref().map(|ready| ready.recv_timeout(READY_WAIT)) {
            Some(Ok(line)) => {
                let url = line.find("https://").map_or("", |at| &line[at..]);
                server.target = Some(Target::new(Address::parse(url)?, TOKENS));
                server.ready_line = line;
                return Ok(server);
            }
            Some(Err(RecvTimeoutError::Timeout)) => format!("not ready after {READY_WAIT:?}"),
            Some(Err(RecvTimeoutError::Disconnected)) | None => match server.wait(READY_WAIT) {
                Some(status) => format!("ended before it was ready: {status}"),
                None => "closed its standard output before it was ready".to_owned(),
            },
        };
        let program = self.binary.display().to_string();
        Err(Error::Program { program, why: format!("{why}\n{}", server.log_tail()) })
    }

    /// Runs the program with these flags alone until it ends by itself.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] where it has not ended in time.
    pub fn run_to_end(&self, flags: &[&str]) -> Result<Ended, Error> {
        let [out, err] = ["stdout.txt", "stderr.txt"].map(|name| self.folder.join(name));
        let create = |path: &Path| File::create(path).map_err(Error::file(path));
        let child = Command::new(&self.binary)
            .args(flags)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(create(&out)?)
            .stderr(create(&err)?)
            .spawn()
            .map_err(Error::file(&self.binary))?;
        let mut server = Server {
            child,
            reader: None,
            log: err.clone(),
            ready_line: String::new(),
            target: None,
        };
        let read = |path: &Path| std::fs::read_to_string(path).map_err(Error::file(path));
        match server.wait(READY_WAIT) {
            Some(status) => Ok(Ended { status, stdout: read(&out)?, stderr: read(&err)? }),
            None => Err(Error::program(format!("{flags:?}"), "has not ended")),
        }
    }

    /// The flags that [`Self::start`] uses, as text.
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        self.flags.iter().map(|flag| flag.to_string_lossy().into_owned()).collect()
    }
}

/// What a program that ended left behind.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// What it said.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
}

/// Reads standard output in a thread: the first line with a URL is sent, all else dropped, so that
/// the server never waits for somebody to read.
fn read_ready_line(stdout: ChildStdout) -> (JoinHandle<()>, Receiver<String>) {
    let (sender, receiver) = sync_channel(1);
    let reader = std::thread::spawn(move || {
        let mut sender = Some(sender);
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if line.contains("https://")
                && let Some(sender) = sender.take()
            {
                // Nobody listens any more where the time was over.
                let _sent = sender.send(line);
            }
        }
    });
    (reader, receiver)
}

/// A running server. Dropping it kills the process.
pub struct Server {
    child: Child,
    reader: Option<JoinHandle<()>>,
    log: PathBuf,
    ready_line: String,
    target: Option<Target>,
}

impl Server {
    /// The server, with the tokens that it knows.
    ///
    /// # Panics
    ///
    /// Never: a server is handed out only with its address.
    #[must_use]
    #[expect(clippy::expect_used, reason = "set before a server is handed out")]
    pub fn target(&self) -> &Target {
        self.target.as_ref().expect("an address")
    }

    /// The line by which it said that it is ready.
    #[must_use]
    pub fn ready_line(&self) -> &str {
        &self.ready_line
    }

    /// The process' number.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal. One that has ended does not mind.
    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // It fails where the process has ended.
        let _sent = pid.map(|pid| kill_process(pid, signal));
    }

    /// Waits for its end; `None` where it still runs afterwards.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        poll(limit, POLL, || self.child.try_wait().ok().flatten())
    }

    /// The last lines that it wrote to standard error.
    #[must_use]
    pub fn log_tail(&self) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail where it has ended and was waited for.
        let _killed = self.child.kill();
        let _reaped = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _joined = reader.join();
        }
    }
}
