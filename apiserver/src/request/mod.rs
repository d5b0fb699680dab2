//! A request on its way through the server. Each phase is a type of its own, made only from the
//! one before it, so that the order of the phases is checked by the compiler.

mod body;
pub mod query;
mod record;

use std::sync::Arc;
use std::time::Duration;

use auth::User;
use auth::request_info::RequestInfo;
use http::request::Parts;
use http::{HeaderMap, Request, header};
use hyper::body::Incoming;
use patch::managed::manager_from_user_agent;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::codec::accept::{Accepted, Offer, negotiate};
use crate::connection::ConnectionInfo;
use crate::flow_control::Seats;
use api::status::{Reason, Status};
use query::Query;

pub use body::{BODY_BYTES_MAX, RequestBody, read_body};
pub use record::{Record, Turn};

/// A request as it came in.
pub struct Received {
    /// What is noted about it, for its answer, the logs and the metrics.
    pub record: Arc<Record>,
    /// Where it came from.
    pub connection: Arc<ConnectionInfo>,
    pub(crate) parts: Parts,
    pub(crate) query: Query,
    pub(crate) body: RequestBody,
    pub(crate) at: Instant,
}

impl Received {
    /// Takes a request in.
    #[must_use]
    pub fn new(request: Request<Incoming>, connection: Arc<ConnectionInfo>) -> Self {
        let (parts, body) = request.into_parts();
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        let record = Arc::new(Record::new(&parts, &query));
        let body = RequestBody::new(body, Arc::clone(&record));
        Self { record, connection, parts, query, body, at: Instant::now() }
    }
}

/// A request of which it is known what it asks for, and until when it may take.
pub struct Bounded {
    pub(crate) received: Received,
    pub(crate) info: Arc<RequestInfo>,
    /// `None` for requests that may take as long as they like.
    pub(crate) deadline: Option<Instant>,
}

/// A request whose sender is known, and on whose behalf it acts.
pub struct Acting {
    pub(crate) bounded: Bounded,
    pub(crate) user: Arc<User>,
}

/// A request that has its seats, and may do what it asks for.
pub struct Authorized {
    /// What is noted about it.
    pub record: Arc<Record>,
    /// Its head.
    pub parts: Parts,
    /// Its query.
    pub query: Query,
    /// What it asks for.
    pub info: Arc<RequestInfo>,
    /// Who asks.
    pub user: Arc<User>,
    /// The seats it holds until it is answered.
    pub seats: Seats,
    pub(crate) body: RequestBody,
    pub(crate) deadline: Option<Instant>,
    pub(crate) connection: Arc<ConnectionInfo>,
}

impl Authorized {
    pub(crate) fn new(acting: Acting, seats: Seats) -> Self {
        let Acting { bounded, user } = acting;
        let Bounded { received, info, deadline } = bounded;
        let Received { record, connection, parts, query, body, .. } = received;
        Self { record, parts, query, info, user, seats, body, deadline, connection }
    }

    /// A header as text; empty if it is absent or no text.
    #[must_use]
    pub fn header(&self, name: &header::HeaderName) -> &str {
        header_text(&self.parts.headers, name)
    }

    /// The representation for an answer of that kind.
    ///
    /// # Errors
    ///
    /// 406
    pub fn negotiate(&self, offer: &Offer) -> Result<Accepted, Status> {
        let accept = accept_header(&self.parts.headers);
        negotiate(&accept, offer)
            .map_err(|message| Status::media_type(406, Reason::NotAcceptable, message))
    }

    /// Who writes: what the request says, or else the first word of the client's name.
    #[must_use]
    pub fn field_manager(&self, said: &str) -> String {
        if !said.is_empty() {
            return said.to_owned();
        }
        let manager = manager_from_user_agent(self.header(&header::USER_AGENT));
        if manager.is_empty() { "unknown".to_owned() } else { manager }
    }

    /// How long the request may still take.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// A header as text; empty if it is absent or no text.
#[must_use]
pub fn header_text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// All `Accept` headers in one.
#[must_use]
pub fn accept_header(headers: &HeaderMap) -> String {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    values.collect::<Vec<_>>().join(",")
}

/// A user as reviews tell of one: a `UserInfo`.
pub(crate) fn user_info(user: &User) -> Value {
    let mut info = json!({ "username": user.name });
    if !user.uid.is_empty() {
        info["uid"] = json!(user.uid);
    }
    if !user.groups.is_empty() {
        info["groups"] = json!(user.groups);
    }
    if !user.extra.is_empty() {
        info["extra"] = json!(user.extra);
    }
    info
}
