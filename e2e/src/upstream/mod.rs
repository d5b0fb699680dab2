//! Kubernetes' own end-to-end tests against the server: those that need no kubelet.

mod claims;
mod report;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::server::{Backend, Launch};

pub use claims::Claims;
pub use report::{Report, Spec, State};

/// The conformance specs of the API machinery.
pub const FOCUS: &str = r"\[sig-api-machinery\]";
/// What needs pods that run, or is about a cluster's machines.
pub const SKIP: &str = "AdmissionWebhook|CustomResourceConversionWebhook|CustomResourceFieldSelectors\
    |Sample API Server|all pods are removed when a namespace is deleted|OrderedNamespaceDeletion\
    |Etcd failure|identity|StorageVersion resources|CoordinatedLeaderElection|CBOR\
    |ResourceQuota|created by rc|created by deployment|created by cronjob|keep the rc around\
    |valid owner and owner|Feature:";
/// Flags of the test binary without which it waits for nodes.
const WITHOUT_NODES: [&str; 6] = [
    "--provider=skeleton",
    "--num-nodes=0",
    "--allowed-not-ready-nodes=-1",
    "--minStartupPods=-1",
    "--dump-logs-on-failure=false",
    "--disable-log-dump=true",
];

/// What is run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The server's program.
    pub server: PathBuf,
    /// Kubernetes' test binary.
    pub tests: PathBuf,
    /// A kubectl, for the specs that call one.
    pub kubectl: Option<PathBuf>,
    /// Which specs, as a regular expression.
    pub focus: String,
    /// Which of them not.
    pub skip: String,
}

/// Starts a server with all its controllers and runs the specs. What the test binary prints is
/// shown as it comes.
///
/// # Errors
///
/// [`Error::Program`] where one of both does not start, or the tests leave no report.
pub fn run(plan: &Plan) -> Result<Report, Error> {
    let folder = tempfile::tempdir().map_err(Error::io("making a folder"))?;
    let launch = Launch::new(&plan.server, folder.path(), Backend::Memory).flag("--controllers=*");
    let _server = launch.start()?;
    let written = folder.path().join("report.json");
    // How it ends is in the report: specs that fail are no reason to stop here.
    let _status =
        command(plan, &launch.kubeconfig(), &written).status().map_err(Error::file(&plan.tests))?;
    let text = std::fs::read(&written).map_err(|why| {
        let why = format!("left no report ({why}); the end of the server's log may tell more");
        Error::program(plan.tests.display().to_string(), why)
    })?;
    Report::parse(&text)
}

fn command(plan: &Plan, kubeconfig: &Path, report: &Path) -> Command {
    let mut command = Command::new(&plan.tests);
    command
        .args(WITHOUT_NODES)
        .arg(format!("--kubeconfig={}", kubeconfig.display()))
        .arg(format!("--ginkgo.focus={}", plan.focus))
        .arg(format!("--ginkgo.skip={}", plan.skip))
        .arg(format!("--ginkgo.json-report={}", report.display()))
        .stdin(Stdio::null());
    if let Some(kubectl) = &plan.kubectl {
        command.arg(format!("--kubectl-path={}", kubectl.display()));
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_binary_is_told_not_to_wait_for_nodes() {
        let plan = Plan {
            server: PathBuf::from("apiserver"),
            tests: PathBuf::from("e2e.test"),
            kubectl: Some(PathBuf::from("/bin/kubectl")),
            focus: FOCUS.to_owned(),
            skip: SKIP.to_owned(),
        };
        let command = command(&plan, Path::new("/k"), Path::new("/r"));
        let flags: Vec<_> = command.get_args().map(|flag| flag.to_string_lossy()).collect();
        for flag in ["--num-nodes=0", "--kubeconfig=/k", "--ginkgo.json-report=/r"] {
            assert!(flags.iter().any(|given| given == flag), "{flag} {flags:?}");
        }
        assert!(flags.iter().any(|flag| flag == "--kubectl-path=/bin/kubectl"));
    }
}
