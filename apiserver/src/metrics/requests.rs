//! Counts requests and their answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use prometheus_client::metrics::histogram::Histogram;
use tokio::time::Instant;

use super::endpoint::Endpoint;
use super::families::{Counter, Families, Gauge, Series, labels};

/// Codes that stand for requests the server ended in self-defence.
const TERMINATIONS: [u16; 2] = [429, 504];
/// The users whose names are counted; others might be anybody.
const KNOWN_USERS: [&str; 5] =
    ["admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"];

/// How a request was answered.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// The status.
    pub code: u16,
    /// How long it took.
    pub took: Duration,
    /// How much of that it waited for seats.
    pub waited: Duration,
    /// How large its body was, if it had one that was read.
    pub body_bytes: Option<usize>,
    /// How large the answer's body is, if that is known.
    pub bytes: Option<u64>,
}

/// What takes part of a request's time before it is handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Finding out who sends it.
    Authentication,
    /// Acting on behalf of somebody else.
    Impersonation,
    /// Waiting for seats.
    PriorityAndFairness,
    /// Asking whether it is allowed.
    Authorization,
}

/// Counts requests. Their series are looked up once for each endpoint and then kept.
#[derive(Debug)]
pub struct RequestMetrics {
    families: Arc<Families>,
    endpoints: RwLock<BTreeMap<Endpoint, Arc<EndpointSeries>>>,
    /// By [`Filter`].
    filters: [Series<Histogram>; 4],
    /// By success: no, yes.
    authentication: [Attempts; 2],
    authorization: [Attempts; 2],
    /// As [`KNOWN_USERS`]; then mail addresses, and all others.
    users: [Series<Counter>; 7],
}

#[derive(Debug)]
struct Attempts {
    count: Series<Counter>,
    duration: Series<Histogram>,
}

#[derive(Debug)]
struct EndpointSeries {
    durations: Series<Histogram>,
    without_waiting: Series<Histogram>,
    sizes: Series<Histogram>,
    body_sizes: Series<Histogram>,
    long_running: Series<Gauge>,
    /// By code: all requests, and those that were ended.
    codes: RwLock<BTreeMap<u16, Arc<Codes>>>,
}

#[derive(Debug)]
struct Codes {
    total: Series<Counter>,
    terminations: Series<Counter>,
}

impl EndpointSeries {
    fn new(families: &Families, endpoint: &Endpoint) -> Self {
        let histogram = |name| families.histogram(name, endpoint.labels([]));
        Self {
            durations: families.histogram(
                "apiserver_request_duration_seconds",
                endpoint.labels([endpoint.dry_run()]),
            ),
            without_waiting: histogram("apiserver_request_sli_duration_seconds"),
            sizes: histogram("apiserver_response_sizes"),
            body_sizes: families
                .histogram("apiserver_request_body_size_bytes", endpoint.body_labels()),
            long_running: families.gauge("apiserver_longrunning_requests", endpoint.labels([])),
            codes: RwLock::default(),
        }
    }

    fn codes(&self, families: &Families, endpoint: &Endpoint, code: u16) -> Arc<Codes> {
        if let Some(known) = self.codes.read().get(&code) {
            return Arc::clone(known);
        }
        let text = code.to_string();
        let made = || Codes {
            total: families.counter(
                "apiserver_request_total",
                endpoint.labels([("code", &text), endpoint.dry_run()]),
            ),
            terminations: families.counter(
                "apiserver_request_terminations_total",
                endpoint.labels([("code", &text)]),
            ),
        };
        Arc::clone(self.codes.write().entry(code).or_insert_with(|| Arc::new(made())))
    }
}

impl RequestMetrics {
    pub(super) fn new(families: Arc<Families>, impersonation: &str) -> Self {
        let filter = |name: &str| {
            families
                .histogram("apiserver_request_filter_duration_seconds", labels([("filter", name)]))
        };
        let attempts = |count: &str, duration: &str, result: &str| Attempts {
            count: families.counter(count, labels([("result", result)])),
            duration: families.histogram(duration, labels([("result", result)])),
        };
        let authentication =
            |result| attempts("authentication_attempts", "authentication_duration_seconds", result);
        let authorization = |result| {
            attempts("authorization_attempts_total", "authorization_duration_seconds", result)
        };
        let [admin, client, proxy, kubelet, account] = KNOWN_USERS;
        let user =
            |name| families.counter("authenticated_user_requests", labels([("username", name)]));
        Self {
            filters: ["authentication", impersonation, "priorityandfairness", "authorization"]
                .map(filter),
            authentication: ["failure", "success"].map(authentication),
            authorization: ["denied", "allowed"].map(authorization),
            users: [admin, client, proxy, kubelet, account, "email_id", "other"].map(user),
            endpoints: RwLock::default(),
            families,
        }
    }

    fn endpoint(&self, endpoint: &Endpoint) -> Arc<EndpointSeries> {
        if let Some(known) = self.endpoints.read().get(endpoint) {
            return Arc::clone(known);
        }
        let made = || Arc::new(EndpointSeries::new(&self.families, endpoint));
        Arc::clone(self.endpoints.write().entry(endpoint.clone()).or_insert_with(made))
    }

    /// A request was answered.
    pub fn answered(&self, endpoint: &Endpoint, answer: &Answer) {
        let ended = TERMINATIONS.contains(&answer.code);
        if !(endpoint.is_served() || ended) {
            return;
        }
        let series = self.endpoint(endpoint);
        let codes = series.codes(&self.families, endpoint, answer.code);
        codes.total.get().inc();
        if ended {
            codes.terminations.get().inc();
        }
        if answer.code == 429 {
            // It was never served.
            return;
        }
        series.durations.get().observe(answer.took.as_secs_f64());
        if !endpoint.is_watch() {
            let took = answer.took.saturating_sub(answer.waited);
            series.without_waiting.get().observe(took.as_secs_f64());
        }
        if let Some(bytes) = answer.bytes.filter(|_| endpoint.reads()) {
            series.sizes.get().observe(float(bytes));
        }
        if let Some(bytes) = answer.body_bytes {
            series.body_sizes.get().observe(float(bytes as u64));
        }
    }

    /// A watch began; dropping what this gives ends it.
    pub(crate) fn watching(self: &Arc<Self>, endpoint: &Endpoint, since: Instant) -> Watching {
        self.endpoint(endpoint).long_running.get().inc();
        let (metrics, endpoint) = (Arc::clone(self), endpoint.clone());
        Watching { metrics, endpoint, since, answered: None }
    }

    /// A filter handed a request on.
    pub fn passed(&self, filter: Filter, took: Duration) {
        self.filters[filter as usize].get().observe(took.as_secs_f64());
    }

    /// It was found out who sends a request, or not.
    pub fn authenticated(&self, user_name: Option<&str>, took: Duration) {
        let attempts = &self.authentication[usize::from(user_name.is_some())];
        attempts.count.get().inc();
        attempts.duration.get().observe(took.as_secs_f64());
        if let Some(name) = user_name {
            let known = KNOWN_USERS.iter().position(|known| *known == name);
            let mail = KNOWN_USERS.len();
            self.users[known.unwrap_or(mail + usize::from(!name.contains('@')))].get().inc();
        }
    }

    /// It was decided whether a request is allowed.
    pub fn authorized(&self, allowed: bool, took: Duration) {
        let attempts = &self.authorization[usize::from(allowed)];
        attempts.count.get().inc();
        attempts.duration.get().observe(took.as_secs_f64());
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
fn float(bytes: u64) -> f64 {
    bytes as f64
}

/// A watch that is being served, until this is dropped.
#[derive(Debug)]
pub struct Watching {
    metrics: Arc<RequestMetrics>,
    endpoint: Endpoint,
    since: Instant,
    /// With what; `None` before it was.
    answered: Option<u16>,
}

impl Watching {
    /// Events are sent from now on. So it counts as answered when it ends.
    pub(crate) fn answered(mut self, code: u16) -> Self {
        self.answered = Some(code);
        self
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.metrics.endpoint(&self.endpoint).long_running.get().dec();
        let Some(code) = self.answered else { return };
        let took = Instant::now().saturating_duration_since(self.since);
        let waited = Duration::ZERO;
        let answer = Answer { code, took, waited, body_bytes: None, bytes: None };
        self.metrics.answered(&self.endpoint, &answer);
    }
}
