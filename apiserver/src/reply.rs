//! Answers: the only place that knows about responses.

use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};

use api::status::{GroupResource, Status};
use auth::authorize::Forbidden;
use axum::body::Body;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, VARY,
    WARNING, X_CONTENT_TYPE_OPTIONS,
};
use http::{Response, StatusCode};
use hyper::body::{Frame, SizeHint};
use serde_json::Value;

use crate::codec::accept::Accepted;
use crate::codec::{MediaType, json, protobuf, yaml};
use crate::long_work;
use crate::request::Record;

/// Bodies from this size on are compressed for clients that take it.
const GZIP_BYTES_MIN: usize = 128 * 1024;

const FLOW_SCHEMA_UID: HeaderName = HeaderName::from_static("x-kubernetes-pf-flowschema-uid");
const PRIORITY_LEVEL_UID: HeaderName = HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid");
const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// What a request is answered with.
#[derive(Debug)]
pub enum Reply {
    /// JSON text of an object or a document, still to be brought into the accepted form.
    Json {
        /// The HTTP status code.
        code: u16,
        /// The text, without a newline at the end.
        text: Bytes,
        /// The form.
        accepted: Accepted,
    },
    /// A Status that is no failure.
    Status(Box<Status>, Accepted),
    /// Plain text.
    Text {
        /// The HTTP status code.
        code: u16,
        /// The text.
        text: String,
        /// The content type.
        content_type: &'static str,
        /// Whether browsers are told not to guess the type.
        nosniff: bool,
    },
    /// A response that is made elsewhere, such as a stream.
    Raw(Box<Response<Body>>),
    /// The answer to a handshake of another protocol, to which nothing is added.
    Handshake(Box<Response<Body>>),
}

impl Reply {
    /// Plain text with the type that plain texts have.
    #[must_use]
    pub fn text(code: u16, text: impl Into<String>) -> Self {
        let content_type = "text/plain; charset=utf-8";
        Self::Text { code, text: text.into(), content_type, nosniff: true }
    }

    /// A document that is always JSON.
    #[must_use]
    pub fn document(value: &Value, accepted: Accepted) -> Self {
        Self::Json { code: 200, text: json::to_vec(value).into(), accepted }
    }

    /// The answer to paths that nobody knows.
    #[must_use]
    pub fn not_found() -> Self {
        Self::text(404, "404 page not found\n")
    }
}

/// How a request ends without a handler's answer.
#[derive(Debug)]
pub enum Failure {
    /// With a Status.
    Status(Box<Status>),
    /// With a Status that browsers are told not to guess about.
    Forbidden(Box<Status>),
    /// Because there are no seats.
    TooManyRequests {
        /// When to try again.
        retry_after_seconds: u64,
    },
}

impl From<Forbidden> for Failure {
    fn from(refused: Forbidden) -> Self {
        let resource = GroupResource { group: &refused.group, resource: &refused.resource };
        Self::Forbidden(Box::new(Status::forbidden(resource, &refused.name, &refused.cause)))
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Status(Box::new(status))
    }
}

/// Writes the answer of a request.
#[must_use]
pub fn write(record: &Record, outcome: Result<Reply, Failure>) -> Response<Body> {
    let mut response = match outcome {
        Ok(Reply::Handshake(response)) => return *response,
        Ok(reply) => render(record, reply),
        Err(Failure::Status(status)) => render_failure(record, &status),
        Err(Failure::Forbidden(status)) => nosniff(render_failure(record, &status)),
        Err(Failure::TooManyRequests { retry_after_seconds }) => {
            let mut response =
                render(record, Reply::text(429, "Too many requests, please try again later.\n"));
            response.headers_mut().insert(RETRY_AFTER, retry_after_seconds.into());
            response
        }
    };
    let headers = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    insert_text(headers, AUDIT_ID, &record.audit_id);
    if let Some(turn) = record.turn.get() {
        insert_shared(headers, FLOW_SCHEMA_UID, turn.classification.flow_schema_uid());
        insert_shared(headers, PRIORITY_LEVEL_UID, turn.classification.priority_level_uid());
    }
    for warning in record.warnings() {
        if let Ok(value) = HeaderValue::from_str(&warning) {
            headers.append(WARNING, value);
        }
    }
    response
}

/// The answer of a request whose handler panicked.
#[must_use]
pub fn write_panic(record: &Record) -> Response<Body> {
    let text = "This request caused apiserver to panic. Look in the logs for details.\n";
    write(record, Ok(Reply::text(500, text)))
}

fn insert_text(headers: &mut http::HeaderMap, name: HeaderName, text: &str) {
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

fn insert_shared(headers: &mut http::HeaderMap, name: HeaderName, text: &Bytes) {
    if let Ok(value) = HeaderValue::from_maybe_shared(text.clone()) {
        headers.insert(name, value);
    }
}

fn render(record: &Record, reply: Reply) -> Response<Body> {
    match reply {
        Reply::Json { code, text, accepted } => {
            long_work::run(text.len() >= long_work::LONG_BYTES_MIN, || {
                let (content_type, body) = in_form(record, text, accepted);
                compressed(record, code, content_type, body)
            })
        }
        Reply::Status(status, accepted) => {
            let text = json::to_vec(&status).into();
            let (content_type, body) = in_form(record, text, accepted);
            compressed(record, 200, content_type, body)
        }
        Reply::Text { code, text, content_type, nosniff: quiet } => {
            let response = compressed(record, code, content_type, text.into());
            if quiet { nosniff(response) } else { response }
        }
        Reply::Raw(response) | Reply::Handshake(response) => *response,
    }
}

/// A failure is written in the form that the client accepts, or as JSON; failures to find a form
/// are always indented.
fn render_failure(record: &Record, status: &Status) -> Response<Body> {
    let mut accepted = record.accepted_for_errors();
    accepted.pretty |= status.code == 406;
    let text = json::to_vec(status).into();
    let (content_type, body) = in_form(record, text, accepted);
    let mut response = compressed(record, status.code, content_type, body);
    if let Some(seconds) = status.retry_after_seconds() {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// JSON text in the accepted form, with its content type.
pub(crate) fn in_form(record: &Record, text: Bytes, accepted: Accepted) -> (&'static str, Bytes) {
    match accepted.media_type {
        MediaType::Yaml => {
            let value = serde_json::from_slice(&text).unwrap_or_default();
            (MediaType::Yaml.name(), yaml::to_vec(&value).into())
        }
        MediaType::Protobuf => {
            let value: Value = serde_json::from_slice(&text).unwrap_or_default();
            match protobuf::known::write(&value) {
                Some(bytes) => (MediaType::Protobuf.name(), bytes.into()),
                // Documents that have no such form.
                None => in_form(record, text, Accepted { media_type: MediaType::Json, ..accepted }),
            }
        }
        MediaType::Json => {
            let text = if accepted.pretty || record.pretty() {
                let value: Value = serde_json::from_slice(&text).unwrap_or_default();
                json::to_vec_pretty(&value).into()
            } else {
                text
            };
            // Lists are large, and nobody else holds them: the end of line joins them in place.
            let mut out = text.try_into_mut().unwrap_or_else(|shared| shared.as_ref().into());
            out.extend_from_slice(b"\n");
            (MediaType::Json.name(), out.freeze())
        }
    }
}

/// A response that is compressed if it is large and the client takes it.
#[must_use]
pub fn compressed(
    record: &Record,
    code: u16,
    content_type: &'static str,
    body: Bytes,
) -> Response<Body> {
    let compressed = (body.len() > GZIP_BYTES_MIN && record.accepts_gzip()).then(|| gzip(&body));
    let mut response = Response::new(Body::empty());
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    let body = match compressed.flatten() {
        Some(compressed) => {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
            compressed
        }
        None => body,
    };
    *response.body_mut() = Body::from(body);
    response
}

/// A response that is compressed however small it is, as those are that are asked for again and
/// again.
#[must_use]
pub(crate) fn scraped(record: &Record, content_type: &'static str, body: Bytes) -> Response<Body> {
    let compressed = record.accepts_gzip().then(|| gzip(&body)).flatten();
    let gzipped = compressed.is_some();
    let mut response = Response::new(Body::from(compressed.unwrap_or(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if gzipped {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn gzip(body: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// A body that keeps something until it was sent, or nobody wants it any more.
pub(crate) fn with_guard<G: Send + Unpin + 'static>(body: Body, guard: G) -> Body {
    Body::new(Guarded { body, _guard: guard })
}

struct Guarded<G> {
    body: Body,
    _guard: G,
}

impl<G: Unpin> hyper::body::Body for Guarded<G> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn nosniff(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
