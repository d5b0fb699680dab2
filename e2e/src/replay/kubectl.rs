//! kubectl, run with a kubeconfig of its own in a folder of its own.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;
use serde_json::{Value, json};

use super::look::Memory;
use crate::case;
use crate::clock::poll;
use crate::error::Error;
use crate::normalise::{compile, is_age};
use crate::target::Target;
use crate::text::replace_words;

static YAML_VERSION: LazyLock<Regex> = LazyLock::new(|| compile(r#"(resourceVersion: ")\d+"#));
static DESCRIBED_VERSION: LazyLock<Regex> = LazyLock::new(|| compile(r"Resource Version: +\d+"));
static BLANKS: LazyLock<Regex> = LazyLock::new(|| compile(r"[ \t]+"));

/// A kubectl that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The program.
    pub path: PathBuf,
    /// Its version: `(1, 32)`.
    pub version: (u32, u32),
}

impl Tool {
    /// The kubectl that `$KUBECTL` names, or the one on PATH; `None` where there is none.
    #[must_use]
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("KUBECTL").unwrap_or_else(|| "kubectl".into());
        let output =
            Command::new(&path).args(["version", "--client", "--output=json"]).output().ok()?;
        let version: Value = serde_json::from_slice(&output.stdout).ok()?;
        let number = |name: &str| {
            let text = version["clientVersion"][name].as_str()?;
            text.trim_end_matches('+').parse().ok()
        };
        Some(Self { path: path.into(), version: (number("major")?, number("minor")?) })
    }
}

/// The version whose output is on record; others print other things.
const RECORDED_VERSION: (u32, u32) = (1, 32);

impl Tool {
    /// A kubectl of the version whose output is on record, if there is one.
    #[must_use]
    pub fn recorded() -> Option<Self> {
        Self::find().filter(|tool| tool.version == RECORDED_VERSION)
    }
}

/// Writes a kubeconfig that trusts every certificate.
fn write_config(path: &Path, target: &Target, token: Option<&str>) -> Result<(), Error> {
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "clusters": [{ "name": "c", "cluster": {
            "server": target.address.url(),
            "insecure-skip-tls-verify": true,
        } }],
        "users": [{ "name": "u", "user": token.map_or_else(|| json!({}), |token| json!({ "token": token })) }],
        "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }],
    });
    std::fs::write(path, config.to_string()).map_err(Error::file(path))
}

/// Runs a step's command and returns what is compared of it.
pub(super) fn run(
    tool: &Tool,
    target: &Target,
    step: &case::Kubectl,
    memory: &mut Memory,
) -> Result<Value, Error> {
    let folder = tempfile::tempdir().map_err(Error::io("making a folder for kubectl"))?;
    // Where its streams go, out of its sight.
    let streams = tempfile::tempdir().map_err(Error::io("making a folder for kubectl"))?;
    let variables = &memory.variables;
    write_config(&folder.path().join("config"), target, target.token(&step.sender)?)?;
    for (name, content) in &step.files {
        let path = folder.path().join(name);
        std::fs::write(&path, variables.text(content)?).map_err(Error::file(path))?;
    }
    let stdin = streams.path().join("stdin");
    std::fs::write(&stdin, variables.text(&step.stdin)?).map_err(Error::file(&stdin))?;
    let args = step.args.iter().map(|arg| variables.text(arg)).collect::<Result<Vec<_>, _>>()?;
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| streams.path().join(name));
    let create = |path: &Path| File::create(path).map_err(Error::file(path));
    let child = Command::new(&tool.path)
        .args(args)
        .current_dir(folder.path())
        .env("KUBECONFIG", folder.path().join("config"))
        .env("HOME", folder.path())
        .env("KUBE_EDITOR", &step.editor)
        .env("TERM", "dumb")
        .stdin(File::open(&stdin).map_err(Error::file(&stdin))?)
        .stdout(Stdio::from(create(&stdout)?))
        .stderr(Stdio::from(create(&stderr)?))
        .process_group(0)
        .spawn()
        .map_err(Error::file(&tool.path))?;
    let status = wait(child, Duration::from_secs_f64(step.seconds))?;
    let code = status.code().map_or(Value::Null, Value::from);
    if step.exit_code_only {
        return Ok(json!({ "rc": code }));
    }
    let mut output = |path: &Path, trims: bool| {
        let raw = std::fs::read(path).map_err(Error::file(path))?;
        let text = String::from_utf8_lossy(&raw)
            .replace(&*folder.path().to_string_lossy(), "<dir>")
            .replace(&target.address.authority(), "<server>");
        Ok::<_, Error>(normalise(step, memory, text, trims))
    };
    Ok(json!({ "rc": code, "stdout": output(&stdout, true)?, "stderr": output(&stderr, false)? }))
}

/// Lines are picked and sorted on standard output only.
fn normalise(step: &case::Kubectl, memory: &mut Memory, text: String, picks: bool) -> String {
    let text = if picks { step.trim.grep(text) } else { text };
    let text = step.trim.replace(text);
    let text = replace_words(&text, is_age, "<age>");
    let text = YAML_VERSION.replace_all(&text, "${1}<rv>");
    let text = DESCRIBED_VERSION.replace_all(&text, "Resource Version: <rv>");
    let text = memory.symbols.text(&text);
    let text = if step.squeeze { BLANKS.replace_all(&text, " ").into_owned() } else { text };
    if picks { step.trim.sort(text) } else { text }
}

fn wait(mut child: Child, limit: Duration) -> Result<ExitStatus, Error> {
    let ended = poll(limit, Duration::from_millis(5), || child.try_wait().transpose());
    match ended {
        Some(status) => status.map_err(Error::io("waiting for kubectl")),
        None => {
            // It leads a group of its own, so what it started goes with it.
            let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
            if let Some(group) = group {
                let _gone =
                    rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _reaped = child.wait();
            Err(Error::program("kubectl", format!("still running after {limit:?}")))
        }
    }
}
