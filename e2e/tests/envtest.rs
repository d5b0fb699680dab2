//! In the place of envtest's programs: a folder of assets, control planes that are started from it, and
//! what is left of them when whoever started them is gone. What controller-runtime itself makes of it is
//! seen in `clients/envtest`.
//!
//! The server is the one that `$APISERVER_BINARY` names, or else it is built. `$E2E_PLANES` says how many
//! control planes run at once, [`PLANES`] where it says nothing. Processes are looked up in `/proc`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "all of this is tests")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::poll;
use e2e::http::Address;
use e2e::target::{TOKENS, Target};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How many control planes run at once in an ordinary run.
const PLANES: usize = 6;
/// A start on a machine that does much else.
const READY_WAIT: Duration = Duration::from_secs(120);
/// Everything that ends has ended long before this, unless it never does.
const END_WAIT: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

const NAMESPACES: &str = "/api/v1/namespaces";

/// Starts both programs (assets `$0`, folder `$1`, tokens `$2`) as envtest does, says their numbers, and
/// waits for them.
const PARENT: &str = r#"
"$0/etcd" --data-dir="$1/etcd" --listen-client-urls=http://127.0.0.1:0 --unsafe-no-fsync=true \
    >"$1/etcd.out" 2>"$1/etcd.err" &
echo $!
"$0/kube-apiserver" --advertise-address=127.0.0.1 --allow-privileged=true \
    --authorization-mode=RBAC --bind-address=127.0.0.1 --cert-dir="$1/certificates" \
    --disable-admission-plugins=ServiceAccount --etcd-servers=http://127.0.0.1:1 --secure-port=0 \
    --service-cluster-ip-range=10.0.0.0/24 --token-auth-file="$2" \
    >"$1/kube-apiserver.out" 2>"$1/kube-apiserver.err" &
echo $!
wait
"#;

/// The folder for `KUBEBUILDER_ASSETS`.
fn assets() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = binary::server().unwrap_or_else(|why| panic!("{why}"));
    let made = Command::new(program).arg("envtest-assets").arg(folder.path()).output().unwrap();
    let said = String::from_utf8(made.stdout).unwrap();
    assert!(said.contains("export KUBEBUILDER_ASSETS="), "{said}");
    folder
}

/// Both programs, and the process that started them.
struct Plane {
    parent: Child,
    pids: Vec<u32>,
    etcd: Target,
    server: Target,
    folder: TempDir,
}

impl Plane {
    fn start(assets: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tokens = binary::home().join("data/tokens.csv");
        let mut parent = Command::new("sh")
            .args(["-c", PARENT])
            .args([assets, folder.path(), &tokens])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let numbers = BufReader::new(parent.stdout.take().unwrap()).lines().take(2);
        let pids = numbers.map(|number| number.unwrap().parse().unwrap()).collect();
        let [etcd, server] = ["etcd", "kube-apiserver"].map(|name| ready(folder.path(), name));
        Self { parent, pids, etcd, server, folder }
    }

    fn names(&self) -> Vec<String> {
        let (status, list) = call(&self.server, &Call::of("GET", NAMESPACES));
        assert_eq!(status, 200, "{list}");
        let items = list["items"].as_array().unwrap().iter();
        items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    }

    fn create_namespace(&self, name: &str) {
        let body = Body::Json(json!({ "metadata": { "name": name } }));
        let (status, answer) = call(&self.server, &Call::of("POST", NAMESPACES).with_body(body));
        assert_eq!(status, 201, "{answer}");
    }

    /// Ends the parent in a way that lets it do nothing any more.
    fn lose_parent(&mut self) {
        self.parent.kill().unwrap();
        self.parent.wait().unwrap();
    }

    /// Ends both programs as envtest does.
    fn terminate(&mut self) {
        for pid in &self.pids {
            let pid = Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap();
            kill_process(pid, Signal::TERM).unwrap();
        }
        self.parent.wait().unwrap();
    }

    /// Waits until nothing of it is left.
    fn assert_gone(&self) {
        for pid in &self.pids {
            within(END_WAIT, "the end of a process", || (!runs(*pid)).then_some(()));
        }
        let holders = holders(self.folder.path());
        assert!(holders.is_empty(), "{holders:?} are open");
        for target in [&self.etcd, &self.server] {
            // Another control plane may have it for a moment.
            within(END_WAIT, "a free port", || {
                TcpListener::bind(target.address.authority()).ok().map(drop)
            });
        }
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        // Both fail where it has ended.
        let _killed = self.parent.kill();
        let _reaped = self.parent.wait();
    }
}

/// The program of that name, once it says where it listens.
fn ready(folder: &Path, name: &str) -> Target {
    let said = folder.join(format!("{name}.out"));
    let url = within(READY_WAIT, name, || {
        let text = fs::read_to_string(&said).ok()?;
        let line = text.split_once('\n')?.0;
        line.strip_prefix("Ready at ").map(str::to_owned)
    });
    Target::new(Address::parse(&url).unwrap(), TOKENS)
}

fn call(target: &Target, call: &Call) -> (u16, Value) {
    let response = target.call(call).unwrap();
    (response.head.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
}

fn within<T>(wait: Duration, what: &str, look: impl FnMut() -> Option<T>) -> T {
    poll(wait, PAUSE, look).unwrap_or_else(|| panic!("{what} never came"))
}

/// Whether a process is there and is more than a number that nobody has asked about yet.
fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

/// The files below a folder that any process has open.
fn holders(folder: &Path) -> Vec<PathBuf> {
    let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
    let processes = entries(PathBuf::from("/proc"));
    let descriptors = processes.flat_map(|process| entries(process.path().join("fd")));
    let open = descriptors.filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
    open.filter(|path| path.starts_with(folder)).collect()
}

fn planes() -> usize {
    std::env::var("E2E_PLANES").map_or(PLANES, |number| number.parse().unwrap())
}

#[test]
fn both_programs_end_when_their_parent_is_killed() {
    let assets = assets();
    let mut plane = Plane::start(assets.path());
    let (status, health) = call(&plane.etcd, &Call::of("GET", "/health"));
    assert_eq!((status, &health["health"]), (200, &json!("true")));
    assert!(plane.names().contains(&"default".to_owned()));
    assert!(plane.pids.iter().all(|pid| runs(*pid)));
    assert!(!holders(plane.folder.path()).is_empty(), "the logs are open");

    plane.lose_parent();
    plane.assert_gone();
}

#[test]
fn one_with_a_request_under_way_ends_as_well() {
    let assets = assets();
    let mut plane = Plane::start(assets.path());
    let watch = Call::of("GET", format!("{NAMESPACES}?watch=true"));
    let message = plane.server.message(&watch).unwrap();
    let address = plane.server.address.clone();
    let mut connection = address.connect(e2e::http::Timeouts::of_seconds(60)).unwrap();
    std::io::Write::write_all(&mut connection, &message.to_bytes(&address)).unwrap();
    let head = e2e::http::read_head(&mut BufReader::new(&mut connection)).unwrap();
    assert_eq!(head.status, 200);

    plane.lose_parent();
    plane.assert_gone();
}

#[test]
fn many_at_once_do_not_disturb_each_other() {
    let assets = assets();
    let mut planes: Vec<Plane> = std::thread::scope(|scope| {
        let start = || Plane::start(assets.path());
        let starting: Vec<_> = (0..planes()).map(|_| scope.spawn(start)).collect();
        starting.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, plane) in planes.iter().enumerate() {
        plane.create_namespace(&format!("own-{number}"));
    }
    for (number, plane) in planes.iter().enumerate() {
        let own: Vec<_> =
            plane.names().into_iter().filter(|name| name.starts_with("own-")).collect();
        assert_eq!(own, [format!("own-{number}")]);
    }
    // Every other one is stopped, which the rest does not notice.
    for (number, plane) in planes.iter_mut().enumerate() {
        if number % 2 == 0 {
            plane.terminate();
            plane.assert_gone();
        }
    }
    for (number, plane) in planes.iter_mut().enumerate() {
        if number % 2 == 1 {
            assert!(plane.names().contains(&format!("own-{number}")));
            plane.lose_parent();
            plane.assert_gone();
        }
    }
}
