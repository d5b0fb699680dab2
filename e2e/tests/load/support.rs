//! A server under load, those who load it, and what it counted.

use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use e2e::binary;
use e2e::case::{Body, Call};
use e2e::clock::{now, poll};
use e2e::http::{Connection, Response, Timeouts, read_response};
use e2e::server::{Backend, Launch, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const FLOW_SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
pub(crate) const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";

/// No request may take longer than this, waiting included.
const REQUEST_SECONDS: u64 = 90;
/// A change of the configuration has to be in use after this; it takes milliseconds.
const IN_USE_WAIT: Duration = Duration::from_secs(10);

/// Whether there is a release build to put to the test.
pub(crate) fn at_full_size() -> bool {
    std::env::var_os("APISERVER_BINARY").is_some()
}

/// Load has to have filled a level after this.
const QUEUE_WAIT: Duration = Duration::from_secs(30);

/// A server that is under load.
pub(crate) struct Loaded {
    pub(crate) server: Server,
    _folder: TempDir,
}

impl Loaded {
    /// A server that allows everything, so that anybody may load it.
    pub(crate) fn start(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let binary = binary::server().unwrap_or_else(|why| panic!("{why}"));
        let launch = Launch::new(&binary, folder.path(), Backend::Memory)
            .flag("--authorization-mode=AlwaysAllow");
        let launch = flags.iter().fold(launch, |launch, flag| launch.flag(*flag));
        let server = launch.start().unwrap_or_else(|why| panic!("{why}"));
        Self { server, _folder: folder }
    }

    pub(crate) fn call(&self, call: &Call) -> (u16, Value) {
        let response = self.server.target().call(call).unwrap();
        (response.head.status, serde_json::from_slice(&response.body).unwrap_or(Value::Null))
    }

    /// Creates an object.
    pub(crate) fn create(&self, path: &str, name: &str, spec: &Value) {
        let object = json!({ "metadata": { "name": name }, "spec": spec });
        let (status, body) = self.call(&Call::of("POST", path).with_body(Body::Json(object)));
        assert_eq!(status, 201, "{body}");
    }

    /// Creates a FlowSchema that leads these users, or anybody, to a level.
    pub(crate) fn lead(&self, name: &str, users: &[&str], level: &str, precedence: u32) {
        self.create(FLOW_SCHEMAS, name, &flow_schema(users, level, precedence));
        self.wait_in_use(name);
    }

    /// Waits until a FlowSchema is in use.
    fn wait_in_use(&self, name: &str) {
        let get = Call::of("GET", format!("{FLOW_SCHEMAS}/{name}"));
        let found = poll(IN_USE_WAIT, Duration::from_millis(5), || {
            let (_, schema) = self.call(&get);
            (schema["status"]["conditions"][0]["status"] == "False").then_some(())
        });
        assert!(found.is_some(), "{name} is not in use");
    }

    /// A connection over which one request after the other is sent.
    pub(crate) fn client(&self) -> Client<'_> {
        let connection = self.server.target().address.connect(timeouts()).unwrap();
        Client { loaded: self, connection: BufReader::new(connection) }
    }

    /// Waits until so many requests wait at a level.
    pub(crate) fn wait_for_queue(&self, level: &str, requests: f64) {
        let found = poll(QUEUE_WAIT, Duration::from_millis(20), || {
            let name = "apiserver_flowcontrol_current_inqueue_requests";
            let waiting = self.metrics().sum(name, &[("priority_level", level)]);
            (waiting >= requests).then_some(())
        });
        assert!(found.is_some(), "{level} is not saturated");
    }

    /// What the server counted.
    pub(crate) fn metrics(&self) -> Metrics {
        let response = self.server.target().call(&Call::of("GET", "/metrics")).unwrap();
        Metrics(String::from_utf8(response.body).unwrap())
    }

    /// What the process holds in memory, in kilobytes.
    pub(crate) fn resident_kilobytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.pid()));
        let status = status.unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
    }

    /// The server goes on, did not panic, and nothing waits, executes or holds a seat.
    pub(crate) fn assert_at_rest(&mut self) {
        let settled = poll(Duration::from_secs(10), Duration::from_millis(20), || {
            self.metrics().busy().is_empty().then_some(())
        });
        assert!(settled.is_some(), "{:?}", self.metrics().busy());
        assert_eq!(self.server.wait(Duration::ZERO), None, "it has ended");
        let log = self.server.log_tail();
        assert!(!log.contains("panicked"), "{log}");
    }
}

fn timeouts() -> Timeouts {
    Timeouts::of_seconds(REQUEST_SECONDS)
}

/// A spec that leads all requests of these users to a level; of anybody if there are none.
pub(crate) fn flow_schema(users: &[&str], level: &str, precedence: u32) -> Value {
    let users = if users.is_empty() { &["*"] } else { users };
    let subjects: Vec<_> =
        users.iter().map(|name| json!({ "kind": "User", "user": { "name": name } })).collect();
    json!({
        "matchingPrecedence": precedence,
        "priorityLevelConfiguration": { "name": level },
        "distinguisherMethod": { "type": "ByUser" },
        "rules": [{
            "subjects": subjects,
            "resourceRules": [{
                "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                "namespaces": ["*"], "clusterScope": true,
            }],
            "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": ["*"] }],
        }],
    })
}

/// A level of so many shares that borrows nothing. What finds no seat waits in one of `queues`
/// queues; without any it is rejected.
pub(crate) fn level(shares: u32, queues: u32) -> Value {
    let response = if queues == 0 {
        json!({ "type": "Reject" })
    } else {
        let queuing =
            json!({ "queues": queues, "handSize": queues.min(6), "queueLengthLimit": 50 });
        json!({ "type": "Queue", "queuing": queuing })
    };
    let limited = json!({
        "nominalConcurrencyShares": shares,
        "borrowingLimitPercent": 0,
        "limitResponse": response,
    });
    json!({ "type": "Limited", "limited": limited })
}

/// Somebody who sends one request after the other over one connection.
pub(crate) struct Client<'a> {
    loaded: &'a Loaded,
    connection: BufReader<Connection>,
}

impl Client<'_> {
    /// Sends a request.
    pub(crate) fn send(&mut self, call: &Call) {
        let target = self.loaded.server.target();
        self.write(&target.message(call).unwrap().to_bytes(&target.address));
    }

    /// Sends a request and takes the whole answer.
    pub(crate) fn call(&mut self, call: &Call) -> Response {
        self.send(call);
        read_response(&mut self.connection, &call.method).unwrap()
    }
}

/// A request that holds its seat: the server read its head and waits for its body.
pub(crate) struct HeldBack<'a, 'b> {
    client: &'a mut Client<'b>,
    body: Vec<u8>,
}

impl<'b> Client<'b> {
    /// Sends the head of a request, and waits until the server asks for the body: then it was
    /// dispatched. Gives the code of the answer if it was not.
    pub(crate) fn begin(&mut self, user: &str) -> Result<HeldBack<'_, 'b>, u16> {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": { "nonResourceAttributes": { "path": "/version", "verb": "get" } },
        });
        let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let call = as_user(Call::of("POST", path).with_body(Body::Json(review)), user)
            .with_header("Expect", "100-continue");
        let target = self.loaded.server.target();
        let mut head = target.message(&call).unwrap().to_bytes(&target.address);
        let end = head.windows(4).position(|part| part == b"\r\n\r\n").unwrap() + 4;
        let body = head.split_off(end);
        self.write(&head);
        if !self.connection.fill_buf().unwrap().starts_with(b"HTTP/1.1 100") {
            return Err(read_response(&mut self.connection, "POST").unwrap().head.status);
        }
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            self.connection.read_line(&mut line).unwrap();
        }
        Ok(HeldBack { client: self, body })
    }

    /// Sends a request that takes so long to serve. Gives the code of its answer.
    pub(crate) fn call_slowly(&mut self, user: &str, service: Duration) -> u16 {
        let held = match self.begin(user) {
            Ok(held) => held,
            Err(code) => return code,
        };
        while_others_work(service);
        held.finish()
    }

    fn write(&mut self, bytes: &[u8]) {
        let connection = self.connection.get_mut();
        connection.renew(Duration::from_secs(REQUEST_SECONDS));
        connection.write_all(bytes).and_then(|()| connection.flush()).unwrap();
    }
}

impl HeldBack<'_, '_> {
    /// Sends the body. Gives the code of the answer.
    pub(crate) fn finish(self) -> u16 {
        self.client.write(&self.body);
        read_response(&mut self.client.connection, "POST").unwrap().head.status
    }
}

/// The same request from a user of that name.
pub(crate) fn as_user(call: Call, name: &str) -> Call {
    call.with_header("Impersonate-User", name)
}

/// Does the same again and again over so many connections until `stop` says so. Gives the codes of
/// all answers.
pub(crate) fn hammer(
    loaded: &Loaded,
    connections: usize,
    stop: &Stop,
    call: impl Fn(&mut Client<'_>) -> u16 + Sync,
) -> Vec<u16> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(|| {
                    let mut client = loaded.client();
                    let mut codes = Vec::new();
                    while !stop.is_set() {
                        codes.push(call(&mut client));
                    }
                    codes
                })
            })
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

/// Tells threads to stop; it does so as well when the test fails, which would else wait for them.
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Sets it when this is dropped.
    pub(crate) fn at_end(&self) -> impl Drop + '_ {
        struct AtEnd<'a>(&'a Stop);
        impl Drop for AtEnd<'_> {
            fn drop(&mut self) {
                self.0.set();
            }
        }
        AtEnd(self)
    }
}

/// Lets time pass while others work.
pub(crate) fn while_others_work(wait: Duration) {
    let begin = now();
    while begin.elapsed() < wait {
        std::thread::sleep(wait.saturating_sub(begin.elapsed()));
    }
}

/// What the server counted.
pub(crate) struct Metrics(String);

impl Metrics {
    /// The sum over the series of a metric with all of these labels.
    pub(crate) fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let with = |line: &&str| {
            labels.iter().all(|(label, value)| line.contains(&format!("{label}=\"{value}\"")))
        };
        let series = self.0.lines().filter_map(|line| line.strip_prefix(name));
        let series = series.filter(|rest| rest.starts_with(['{', ' '])).filter(with);
        series.filter_map(|rest| rest.rsplit_once(' ')?.1.parse::<f64>().ok()).sum()
    }

    /// The mean of a histogram.
    pub(crate) fn mean(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let part = |part: &str| self.sum(&format!("{name}_{part}"), labels);
        part("sum") / part("count").max(1.0)
    }

    /// The gauges that say that requests wait or execute, but for this one itself.
    pub(crate) fn busy(&self) -> Vec<&str> {
        let gauges = [
            "current_inqueue_requests",
            "current_inqueue_seats",
            "current_executing_requests",
            "current_executing_seats",
        ];
        let is_busy = |line: &&str| {
            let rest = line.strip_prefix("apiserver_flowcontrol_").unwrap_or_default();
            gauges.iter().any(|gauge| rest.starts_with(gauge))
                && !line.ends_with(" 0")
                && !(rest.contains("flow_schema=\"exempt\"") && line.ends_with(" 1"))
        };
        self.0.lines().filter(is_busy).collect()
    }
}
