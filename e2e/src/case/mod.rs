//! Case files: what is sent, and what to look at in the answers.

mod fields;
mod load;
mod step;

use serde_json::Value;

pub use load::{files, load};

use crate::text::Trim;

/// A list of steps against one server, with the answers on record.
#[derive(Debug)]
pub struct Case {
    /// Unique within its file.
    pub name: String,
    /// Whether equal resourceVersions must stay equal, or none is followed (`rv: any`).
    pub follow_versions: bool,
    /// In order.
    pub steps: Vec<Step>,
    /// Sent at the end, whatever happened.
    pub cleanup: Vec<Call>,
}

impl Case {
    /// Whether a step runs kubectl.
    #[must_use]
    pub fn needs_kubectl(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::Kubectl(_)))
    }
}

/// One step.
#[derive(Debug)]
pub struct Step {
    /// What to do.
    pub action: Action,
    /// The answer on record, normalised; steps without one are not compared.
    pub expect: Option<Value>,
}

/// What a step does.
#[derive(Debug)]
pub enum Action {
    /// Sends one request.
    Request(Box<Request>),
    /// Opens a watch and keeps it open.
    Open(Open),
    /// Leaves a GET waiting for its answer.
    BeginGet(Open),
    /// Takes the events of an open watch so far.
    Collect(Collect),
    /// Sends requests but for their last byte.
    Begin(Begin),
    /// Sends the last bytes and takes the answers.
    Finish(Finish),
    /// Sends a number of whole requests at once and counts the statuses.
    Burst(Burst),
    /// Waits that many seconds.
    Sleep(f64),
    /// Runs kubectl.
    Kubectl(Kubectl),
}

/// Who sends a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sender {
    /// Nobody in particular.
    Anonymous,
    /// The holder of the token of this name.
    Named(String),
}

/// A request's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// None.
    None,
    /// JSON, sent as `application/json` unless a header says otherwise.
    Json(Value),
    /// Text, sent without a media type of its own.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A request, with `${name}` not yet filled in.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Who sends it.
    pub sender: Sender,
    /// Headers to set, or with `None` to leave out.
    pub headers: Vec<(String, Option<String>)>,
    /// The body.
    pub body: Body,
}

/// A request, and what to look at in its answer.
#[derive(Debug)]
pub struct Request {
    /// What is sent.
    pub call: Call,
    /// What is compared.
    pub look: Look,
    /// Until when it is repeated.
    pub retry: Option<Retry>,
    /// Whether what it creates outlives the case.
    pub keep: bool,
}

/// Until when a request is repeated.
#[derive(Debug)]
pub struct Retry {
    /// For how long at most, in seconds.
    pub seconds: f64,
    /// Any of these ends it.
    pub until: Vec<Condition>,
}

/// What ends the repeating of a request.
#[derive(Debug)]
pub enum Condition {
    /// The answer has this status.
    Status(u16),
    /// The value at the pointer equals this one.
    Equals(String, Value),
    /// The body has this in it.
    Contains(String),
    /// The answer's FlowSchema has this name.
    FlowSchema(String),
}

/// Which part of an answer is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// Status, headers and body.
    Body,
    /// Status, headers and the body as text even if it is JSON.
    Text,
    /// Status and headers.
    Headers,
    /// The status alone.
    Status,
}

/// What to look at in an answer.
#[derive(Debug)]
pub struct Look {
    /// Which part.
    pub compare: Compare,
    /// The headers that count, in lower case; the usual ones when `None`.
    pub keep_headers: Option<Vec<String>>,
    /// JSON pointers of the only values that count.
    pub select: Option<Vec<String>>,
    /// Values to keep for later steps: name and JSON pointer.
    pub capture: Vec<(String, String)>,
    /// Whether items or rows come in any order.
    pub sort_items: bool,
    /// How a text is trimmed.
    pub trim: Trim,
    /// Whether a body that is not text is compared byte by byte.
    pub bytes: bool,
}

/// A watch to open, or a GET to leave waiting.
#[derive(Debug)]
pub struct Open {
    /// Its name in later steps.
    pub id: String,
    /// The request; its method is GET.
    pub call: Call,
    /// How long to wait for the answer's head, in seconds; the usual time when `None`.
    pub settle_seconds: Option<f64>,
}

/// The events of a watch.
#[derive(Debug)]
pub struct Collect {
    /// Of which one.
    pub id: String,
    /// How many to wait for; all that come in time when `None`.
    pub events: Option<usize>,
    /// How long to wait, in seconds.
    pub seconds: f64,
    /// JSON pointers of the only values that count in each event.
    pub select: Option<Vec<String>>,
    /// Whether they come in any order.
    pub sort: bool,
    /// Whether it is compared if the watch has ended.
    pub ended: bool,
}

/// Requests sent but for their last byte.
#[derive(Debug)]
pub struct Begin {
    /// Their name in later steps.
    pub id: String,
    /// What is sent; its body is JSON.
    pub call: Call,
    /// How many times.
    pub count: usize,
    /// How long the server gets to seat or queue them, in seconds.
    pub settle_seconds: f64,
}

/// The end of half-sent requests.
#[derive(Debug)]
pub struct Finish {
    /// Which ones, in this order.
    pub ids: Vec<String>,
    /// What is compared.
    pub look: Look,
}

/// Requests sent at once.
#[derive(Debug)]
pub struct Burst {
    /// What is sent.
    pub call: Call,
    /// How many times.
    pub count: usize,
}

/// A kubectl command.
#[derive(Debug)]
pub struct Kubectl {
    /// Who runs it.
    pub sender: Sender,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its standard input.
    pub stdin: String,
    /// Files in its working directory: name and content.
    pub files: Vec<(String, String)>,
    /// What `kubectl edit` starts.
    pub editor: String,
    /// How long it may take, in seconds.
    pub seconds: f64,
    /// Whether only its exit code is compared.
    pub exit_code_only: bool,
    /// Whether runs of blanks count as one.
    pub squeeze: bool,
    /// How its output is trimmed.
    pub trim: Trim,
}
